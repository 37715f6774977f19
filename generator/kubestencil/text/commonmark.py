"""A page that somebody wrote in Markdown, as HTML.

CommonMark with tables and ~~strikethrough~~. No HTML in it is kept, and no link but
to the web, to an address for mail, and to something beside the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# What is not listed is refused: a browser knows more schemes than we do, and takes
# what is behind "//" for a host. The parser has escaped spaces and backslashes.
_LINK = re.compile(r"(?:https?://|mailto:).|(?!//)[^:/?#]*(?:[/?#]|$)", re.IGNORECASE)
_OURS = re.compile(r"(?P<path>[^:?#]+\.md)(?P<rest>(?:#.*)?)$")
_NOT_IN_SLUG = re.compile(r"[^\w\s-]")
_SPACES = re.compile(r"\s+")


class Page(NamedTuple):
    """A page: the plain text of its first heading of the first level, or nothing,
    and all of it as HTML."""

    title: str
    html: Markup


def page(text: str, address: Callable[[str], str]) -> Page:
    """The page that ``text`` is.

    ``address`` is asked for every link to another Markdown file, with its path as
    the text has it (``../guide/intro.md``), and says what to link to instead.
    """
    tokens = _parser().parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    for token in inline:
        if token.type == "link_open":
            token.attrs["href"] = _resolved(str(token.attrs["href"]), address)
    for token in tokens:
        if "style" in token.attrs:
            # A page may forbid styles in attributes (Content-Security-Policy).
            token.attrs["class"] = _aligned(str(token.attrs.pop("style")))
    headings = list(_headings(tokens))
    for (heading, _), slug in zip(
        headings, _slugs([title for _, title in headings]), strict=True
    ):
        heading.attrs["id"] = slug
    title = next((title for heading, title in headings if heading.tag == "h1"), "")
    html = _parser().renderer.render(tokens, _parser().options, {})
    return Page(title, Markup(html))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: bool(_LINK.match(url))  # type: ignore[method-assign]
    return parser


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """The headings, each with its plain text."""
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            children = tokens[at + 1].children or ()
            words = (
                " " if child.type.endswith("break") else child.content
                for child in children
            )
            yield token, "".join(words).strip()


def _slugs(titles: Sequence[str]) -> Iterator[str]:
    """An id for each title, as GitHub makes them: those that come again are numbered."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for title in titles:
        plain = _SPACES.sub("-", _NOT_IN_SLUG.sub("", title.lower())) or "section"
        slug = plain
        while slug in taken:
            numbers[plain] = numbers.get(plain, 0) + 1
            slug = f"{plain}-{numbers[plain]}"
        taken.add(slug)
        yield slug


def _resolved(link: str, address: Callable[[str], str]) -> str:
    ours = _OURS.match(link)
    if not ours or link.startswith("/"):
        return link
    return address(unquote(ours["path"])) + ours["rest"]


def _aligned(style: str) -> str:
    """``align-right`` for ``text-align:right``."""
    return f"align-{style.rpartition(':')[2]}"
