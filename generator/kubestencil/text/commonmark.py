"""Renders a user's Markdown page as HTML.

The dialect is CommonMark with tables and ~~strikethrough~~. HTML in it is escaped.
Links are kept only to websites, mail addresses, relative paths and types (``k8s:Pod``);
pictures only where their path is relative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from markupsafe import Markup

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

# A list of what is allowed, because browsers support many schemes, and "//" begins a
# host. The parser has escaped spaces and backslashes.
_ALLOWED_LINK = re.compile(
    r"(?:https?://|mailto:|k8s:).|(?!//)[^:/?#]*(?:[/?#]|$)", re.IGNORECASE
)
# A file that is linked to by its path, or a type by its name.
_FILE = re.compile(
    r"(?P<path>k8s:[^#?]+|[^:?#]+\.[A-Za-z0-9]{1,8})(?P<fragment>(?:#.*)?)$"
)
_NOT_IN_SLUG = re.compile(r"[^\w\s-]")
_SPACES = re.compile(r"\s+")


_LINK_ATTRIBUTES = {"link_open": "href", "image": "src"}


class Page(NamedTuple):
    """A rendered page.

    ``title`` is the plain text of the first heading of level 1, empty without one.
    """

    title: str
    html: Markup


def render_page(
    text: str,
    resolve_path: Callable[[str], str],
    id_prefix: str = "",
    code_html: Callable[[str, str], str] | None = None,
) -> Page:
    """Render Markdown as HTML.

    ``resolve_path`` gets the path in a link to another file (``../guide/intro.md``), or
    the name of a type (``k8s:Pod``), and returns the URL. ``id_prefix`` begins the ids
    of headings. ``code_html`` makes the HTML of a fenced block of its code and its
    language, which may be empty.
    """
    tokens = _parser().parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    for token in inline:
        attribute = _LINK_ATTRIBUTES.get(token.type)
        if attribute:
            link = str(token.attrs[attribute])
            token.attrs[attribute] = _resolve_link(link, resolve_path)
    for token in tokens:
        if "style" in token.attrs:
            # A Content-Security-Policy may forbid the style attribute: text-align:right.
            alignment = str(token.attrs.pop("style")).rpartition(":")[2]
            token.attrs["class"] = f"align-{alignment}"
    headings = list(_headings(tokens))
    for (heading, _), slug in zip(
        headings, _slugs([title for _, title in headings]), strict=True
    ):
        heading.attrs["id"] = f"{id_prefix}{slug}"
    title = next((title for heading, title in headings if heading.tag == "h1"), "")
    if code_html is not None:
        for token in tokens:
            if token.type == "fence":
                language = token.info.strip().partition(" ")[0].lower()
                token.type, token.content = "html_block", code_html(
                    token.content, language
                )
    html = _parser().renderer.render(tokens, _parser().options, {})
    return Page(title, Markup(html))


def code_blocks(text: str, languages: Collection[str]) -> Iterator[str]:
    """The fenced blocks of code in some languages."""
    for token in _parser().parse(text):
        if token.type == "fence" and token.info.strip().lower() in languages:
            yield token.content


@cache
def _parser() -> MarkdownIt:
    # Most sites have no pages of their own.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable(["table", "strikethrough"])
    parser.validateLink = lambda url: bool(_ALLOWED_LINK.match(url))  # type: ignore[method-assign]
    return parser


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """The opening tokens of the headings, each with the plain text of its heading."""
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            children = tokens[index + 1].children or ()
            words = (
                " " if child.type.endswith("break") else child.content
                for child in children
            )
            yield token, "".join(words).strip()


def _slugs(titles: Sequence[str]) -> Iterator[str]:
    """The ids of headings, made as GitHub makes them: repeated ones are numbered."""
    used: set[str] = set()
    numbers: dict[str, int] = {}
    for title in titles:
        base = _SPACES.sub("-", _NOT_IN_SLUG.sub("", title.lower())) or "section"
        slug = base
        while slug in used:
            numbers[base] = numbers.get(base, 0) + 1
            slug = f"{base}-{numbers[base]}"
        used.add(slug)
        yield slug


def _resolve_link(link: str, resolve_path: Callable[[str], str]) -> str:
    match = _FILE.match(link)
    if not match or link.startswith("/"):
        return link
    return resolve_path(unquote(match["path"])) + match["fragment"]
