"""Text on the pages: Markdown with HTML in it, rendered by Hugo.

gen-apidocs escapes ``<`` with a backslash, which HTML does not know, so that a browser
takes ``<name>`` for an element. Without attributes an unknown element does no harm;
everything else is escaped for HTML here.
"""

from __future__ import annotations

import re
from functools import cache

from kubestencil.text.controls import one_line

# Go's html.EscapeString.
_ENTITIES = str.maketrans(
    {"<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&#34;"}
)
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


def entities(text: str) -> str:
    """``text`` with HTML entities."""
    return text.translate(_ENTITIES)


def name(text: str) -> str:
    """A name from the document, for HTML and Markdown; most are left as they are."""
    return one_line(text).translate(_ENTITIES).replace("{{", "{&#123;")


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
