"""Text in Markdown pages: a paragraph, the cell of a table, a link.

The published pages are openapi-generator's, with its accidents: each of those is
a named quirk that a ``target.toml`` asks for. What no published page has is
escaped, so that a description cannot become a heading, a tag or a script.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# What starts a block where a line begins (CommonMark 0.31, chapter 4 and 5).
_BLOCK = re.compile(
    r"\s*(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|```|~~~|\||<|[-=_*](?:\s*[-=_*])+\s*$)"
)
_NUMBERED = re.compile(r"(\s*\d{1,9})([.)](?=\s|$))")
# A link or picture that does not lead to a page: javascript:, data:, vbscript: ...
_LINK = re.compile(
    r"\]\((?=\s*<?\s*(?!https?:|mailto:)[A-Za-z][A-Za-z0-9+.\s-]*(?::|&))"
)
_PICTURE = re.compile(r"!\[")
_SPACE = re.compile(r"\s")
_NOT_IN_ANCHOR = re.compile(
    "[\u2000-\u206f\u2e00-\u2e7f\\\\'!\"#$%&()*+,./:;<=>?@\\[\\]^`{|}~\u2019]"
)
_ANGLE = re.compile(r"<(?:([A-Za-z]*)[A-Za-z.,_ -]*>)?")
# The same where a "<" that cannot start a tag is left alone.
_TAG = re.compile(r"<(?=[A-Za-z/!?])(?:([A-Za-z][A-Za-z0-9]*)[A-Za-z0-9.,_ -]*>)?")
# "<topologyKey>" stands for something to fill in. HTML knows no such element and
# shows nothing, which is harmless; these it knows.
_ELEMENTS = frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "address",
        "applet",
        "area",
        "article",
        "aside",
        "audio",
        "b",
        "base",
        "basefont",
        "bdi",
        "bdo",
        "bgsound",
        "big",
        "blink",
        "blockquote",
        "body",
        "br",
        "button",
        "canvas",
        "caption",
        "center",
        "cite",
        "code",
        "col",
        "colgroup",
        "command",
        "content",
        "data",
        "datalist",
        "dd",
        "del",
        "details",
        "dfn",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "element",
        "em",
        "embed",
        "fencedframe",
        "fieldset",
        "figcaption",
        "figure",
        "font",
        "footer",
        "form",
        "frame",
        "frameset",
        "h",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "i",
        "iframe",
        "image",
        "img",
        "input",
        "ins",
        "isindex",
        "kbd",
        "keygen",
        "label",
        "legend",
        "li",
        "link",
        "listing",
        "main",
        "map",
        "mark",
        "marquee",
        "math",
        "menu",
        "menuitem",
        "meta",
        "meter",
        "multicol",
        "nav",
        "nextid",
        "nobr",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "ol",
        "optgroup",
        "option",
        "output",
        "p",
        "param",
        "picture",
        "plaintext",
        "portal",
        "pre",
        "progress",
        "q",
        "rb",
        "rp",
        "rt",
        "rtc",
        "ruby",
        "s",
        "samp",
        "script",
        "search",
        "section",
        "select",
        "selectedcontent",
        "shadow",
        "slot",
        "small",
        "source",
        "spacer",
        "span",
        "strike",
        "strong",
        "style",
        "sub",
        "summary",
        "sup",
        "svg",
        "table",
        "tbody",
        "td",
        "template",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "time",
        "title",
        "tr",
        "track",
        "tt",
        "u",
        "ul",
        "var",
        "video",
        "wbr",
        "xmp",
    ]
)


@cache
def line(text: str) -> str:
    """``text`` on one line: breaks become spaces, other control characters signs."""
    text = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text if text.isprintable() else _CONTROL.sub("\ufffd", text)


@cache
def paragraph(text: str) -> str:
    """A paragraph that shows ``text``: no other block, no tag, no script in a link."""
    text = _links(_ANGLE.sub(_angle, line(text).lstrip()))
    if _BLOCK.match(text):
        return f"\\{text}"
    return _NUMBERED.sub(r"\1\\\2", text, count=1) if text[:1].isdigit() else text


@cache
def inline(text: str, open_tags: frozenset[str] = frozenset()) -> str:
    """``text`` of one line, in the middle of a paragraph: no tag, no script in a
    link. Tags of the elements ``open_tags`` are left, if they have no values."""

    def angle(match: re.Match[str]) -> str:
        return match[0] if match[1] in open_tags else _angle(match)

    return _links(_TAG.sub(angle, text) if "<" in text else text)


@cache
def anchor(text: str) -> str:
    """The anchor of a heading, in its capitals yet: spaces are dashes, and of the
    signs ``-`` and ``_`` are left (docsonnet, pkg/slug)."""
    return _NOT_IN_ANCHOR.sub("", _SPACE.sub("-", text))


@cache
def cell(text: str) -> str:
    """``text`` for the cell of a table: no tag, no script in a link.

    A pipe is left to ``escape_pipes``, since the published pages have some.
    """
    return html_text(_links(line(text)))


# Every sign that could begin something in CommonMark, GitHub's tables, strikethrough
# and formulas, or HTML. "&" comes first of the entities, as a plain sign.
_SIGNS = re.compile(r"[\\`*_\[\]<>&|~$!#]")
_OPENER = re.compile(r"(\s*)([-+=:]|\d+[.)](?=\s|$))")


@cache
def literal(text: str) -> str:
    """``text`` on one line, showing as itself wherever it stands in a page.

    Nothing in it is markup: not for a table, a list, a link, nor for HTML. Spaces
    at its start would make code of it; they would not be shown anyway.
    """
    shown = _SIGNS.sub(lambda match: f"&#{ord(match[0])};", line(text).lstrip())
    return _OPENER.sub(_shut, shown, count=1) if _OPENER.match(shown) else shown


def html_text(text: str) -> str:
    """``text`` without a character that HTML, or Markdown's code, would take.

    The seven entities are those of openapi-generator's templates (mustache).
    """
    return (
        text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("'", "&#39;")
        .replace("`", "&#x60;")
        .replace("=", "&#x3D;")
    )


def escape_pipes(text: str) -> str:
    """A pipe would end the cell.

    The entity, since how a backslash before a pipe reads depends on those before it.
    """
    return text.replace("|", "&#124;")


def backslash_quotes(text: str) -> str:
    """Quotes and backslashes as in the literal of a program.

    openapi-generator escapes every description for source code, those of pages
    included (DefaultCodegen.escapeText, AbstractPythonCodegen).
    """
    text = text.replace("\\/", "/").replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'''", "'_'_'")


def client_words(package: str) -> Callable[[str], str]:
    """A function that turns ``client`` at the start of a word to ``PACKAGE.client``.

    The clients are generated as a package named client and moved into their own
    with ``sed``, over the pages too (kubernetes-client/gen, openapi/python.sh).
    """
    # The word comes first in the pattern because re then looks for it as fast as
    # str.find; what stands before it is checked afterwards.
    word = re.compile(r"client(?<!\wclient)(?!-python\b)")
    return lambda page: word.sub(f"{package}.client", page)


def _shut(match: re.Match[str]) -> str:
    """A list's or a heading's opener, which only its last sign makes one."""
    return f"{match[1]}{match[2][:-1]}&#{ord(match[2][-1])};"


def _angle(match: re.Match[str]) -> str:
    text = match[0]
    harmless = len(text) > 1 and match[1].lower() not in _ELEMENTS
    return text if harmless else f"&lt;{text[1:]}"


def _links(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"]\\(", text)
    return _PICTURE.sub(r"!\\[", text) if "![" in text else text
