"""Text on the pages: Markdown with HTML in it, rendered by Hugo.

gen-apidocs escapes ``<`` with a backslash, which HTML does not know, so that a browser
takes ``<name>`` for an element, and leaves Markdown in descriptions. ``PUBLISHED`` spells
them so, without elements that have attributes or run something; ``LITERAL`` shows every
character (the fixup ``literal-descriptions``).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from kubestencil.text import markdown
from kubestencil.text.controls import one_line

# Go's html.EscapeString.
_ENTITIES = str.maketrans(
    {"<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&#34;"}
)
_IN_NAMES = _ENTITIES | {ord(sign): f"&#{ord(sign)};" for sign in "[`|*\\"}
_PLACEHOLDER = (
    # Elements that run, or hide what follows them.
    r"(?!<(?:embed|frameset|i?frame|math|noembed|noframes|noscript|object|option"
    r"|plaintext|script|select|style|svg|template|textarea|title|xmp)\b)"
    r"<[a-z][\w./:,' -]*>"
)
_LESS_THAN = re.compile(
    rf"(?P<placeholder>{_PLACEHOLDER})|(?P<tag><(?=[a-z!/?]))|<",
    re.IGNORECASE | re.ASCII,
)
# A match begins where the blanks do: one for each of them takes quadratic time.
_BLANKS = r"(?<![\t\n\f\r ])[\t\n\f\r ]+"
_ENUM_HEADER = re.compile(rf"{_BLANKS}Possible enum values:")
_ENUM_ITEM = re.compile(rf"{_BLANKS}- `")
_BLANK_LINES = re.compile(r"\n\s*\n")
_ITEM = re.compile(r"\s*(?:[-+*•]|\d+[.)])\s")
_ANCHOR = re.compile(r"[^a-zA-Z0-9]+")
_WORD_STARTS = (re.compile(r"([A-Z])([A-Z][a-z])"), re.compile(r"([a-z0-9])([A-Z])"))


@cache
def description(text: str) -> str:
    """A description in the body of a page, with its list of values on lines of its
    own."""
    text = _LESS_THAN.sub(_less_than, text).replace("{{", "{&#123;")
    text = _ENUM_HEADER.sub("<br/><br/>Possible enum values:", text)
    return _ENUM_ITEM.sub("<br/> - `", text)


def _less_than(match: re.Match[str]) -> str:
    """A ``<`` as gen-apidocs escapes it, or for HTML where it may begin an element."""
    return "&lt;" if match.lastgroup == "tag" else rf"\{match[0]}"


class DescriptionSpelling(NamedTuple):
    """How a description is spelled: as paragraphs of Markdown, in front matter, in a cell
    of a table of HTML, and in one of Markdown."""

    body: Callable[[str], str]
    summary: Callable[[str], str]
    html_cell: Callable[[str], str]
    cell: Callable[[str], str]


def _published_line(text: str) -> str:
    return description(text.replace("\n", " "))


@cache
def _literal_body(text: str) -> str:
    return "\n\n".join(
        _literal_lines(paragraph)
        for paragraph in _BLANK_LINES.split("\n".join(text.splitlines()))
        if paragraph.strip()
    )


def _literal_lines(paragraph: str) -> str:
    """The lines of a paragraph; items of a list stay on lines of their own."""
    first, *others = paragraph.strip("\n").split("\n")
    return markdown.page_text(first) + "".join(
        f"\n{'<br/>' if _ITEM.match(line) else ''}{markdown.page_text(line)}"
        for line in others
    )


@cache
def _literal_html(text: str) -> str:
    text = markdown.line(text).translate(_ENTITIES).replace("{", "&#123;")
    text = _ENUM_HEADER.sub("<br/><br/>Possible enum values:", text)
    return _ENUM_ITEM.sub("<br/> - `", text)


def entities(text: str) -> str:
    """``text`` with HTML entities."""
    return text.translate(_ENTITIES)


def name(text: str) -> str:
    """A name from the document, for HTML and Markdown; most are left as they are."""
    return one_line(text).translate(_IN_NAMES).replace("{{", "{&#123;")


#: As gen-apidocs prints descriptions.
PUBLISHED = DescriptionSpelling(description, str, _published_line, _published_line)
#: Every character is shown, by themes that render the description of a page (Docsy), too.
LITERAL = DescriptionSpelling(
    _literal_body, markdown.page_text, _literal_html, markdown.page_text
)


def anchor(text: str) -> str:
    """The address of a section on its page."""
    return _ANCHOR.sub("-", text).strip("-")


def slug(text: str) -> str:
    """The folder of a group."""
    return anchor(text.lower())


def kebab(kind: str) -> str:
    """The file of a kind: ``csi-driver``, ``ip-address``."""
    for boundary in _WORD_STARTS:
        kind = boundary.sub(r"\1-\2", kind)
    return kind.lower()


def title(group: str) -> str:
    """The title of a group: its name with a capital."""
    return group[:1].upper() + group[1:]
