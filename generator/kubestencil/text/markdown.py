"""Escapes text for Markdown: paragraphs, table cells, link anchors.

Descriptions are Markdown of unknown origin. ``paragraph``, ``inline`` and ``cell`` keep
their harmless markup and escape whatever would become a heading, a tag or a script;
``literal``, ``literal_words`` and ``page_text`` escape all markup.
"""

from __future__ import annotations

import re

from kubestencil.text.controls import replace_controls

# In every expression, the parts of a repetition never match the same character, so that
# the time is linear in the length of any text.

# What begins a block at the start of a line (CommonMark 0.31, chapters 4 and 5).
_BLOCK = re.compile(
    r"\s*(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|```|~~~|\||<|[-=_*](?:\s*[-=_*])+\s*$)"
)
_NUMBERED = re.compile(r"(\d{1,9})([.)](?=\s|$))")
# A link or image whose scheme is not harmless: javascript:, data:, vbscript: ...
_LINK = re.compile(
    r"\]\((?=\s*(?:<\s*)?(?!https?:|mailto:)[A-Za-z][A-Za-z0-9+.\s-]*(?::|&))"
)
_IMAGE = re.compile(r"!\[")
_SPACE = re.compile(r"\s")
_NOT_IN_ANCHOR = re.compile(
    "[\u2000-\u206f\u2e00-\u2e7f\\\\'!\"#$%&()*+,./:;<=>?@\\[\\]^`{|}~\u2019]"
)
# A tag, or a "<" by itself.
_ANGLE = re.compile(r"<(?:([A-Za-z]*)(?:[.,_ -][A-Za-z.,_ -]*)?>)?")
# The same without a "<" that cannot begin a tag.
_TAG = re.compile(
    r"<(?=[A-Za-z/!?])(?:([A-Za-z][A-Za-z0-9]*)(?:[.,_ -][A-Za-z0-9.,_ -]*)?>)?"
)
# The elements of HTML, obsolete ones included. Another name in angle brackets is a
# placeholder, such as "<topologyKey>", which is harmless.
_ELEMENTS = frozenset(
    [
        "a", "abbr", "acronym", "address", "applet", "area", "article", "aside",
        "audio", "b", "base", "basefont", "bdi", "bdo", "bgsound", "big", "blink",
        "blockquote", "body", "br", "button", "canvas", "caption", "center", "cite",
        "code", "col", "colgroup", "command", "content", "data", "datalist", "dd",
        "del", "details", "dfn", "dialog", "dir", "div", "dl", "dt", "element", "em",
        "embed", "fencedframe", "fieldset", "figcaption", "figure", "font", "footer",
        "form", "frame", "frameset", "h", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "header", "hgroup", "hr", "html", "i", "iframe", "image", "img", "input", "ins",
        "isindex", "kbd", "keygen", "label", "legend", "li", "link", "listing", "main",
        "map", "mark", "marquee", "math", "menu", "menuitem", "meta", "meter",
        "multicol", "nav", "nextid", "nobr", "noembed", "noframes", "noscript",
        "object", "ol", "optgroup", "option", "output", "p", "param", "picture",
        "plaintext", "portal", "pre", "progress", "q", "rb", "rp", "rt", "rtc", "ruby",
        "s", "samp", "script", "search", "section", "select", "selectedcontent",
        "shadow", "slot", "small", "source", "spacer", "span", "strike", "strong",
        "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template",
        "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track", "tt", "u",
        "ul", "var", "video", "wbr", "xmp",
    ]
)  # fmt: skip


def line(text: str) -> str:
    """``text`` on one line: line breaks and tabs become spaces, other control
    characters U+FFFD."""
    text = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text if text.isprintable() else replace_controls(text)


def paragraph(text: str) -> str:
    """``text`` as one paragraph: no other block, no tag, no script in a link.

    Up to three spaces stay before it; more would make it a block of code.
    """
    one_line = line(text)
    text = one_line.lstrip()
    indent = len(one_line) - len(text)
    text = _escape_links(_ANGLE.sub(_escape_tag, text))
    if _BLOCK.match(text):
        return f"\\{text}"
    if text[:1].isdigit():
        text = _NUMBERED.sub(r"\1\\\2", text, count=1)
    return f"{' ' * indent}{text}" if text and indent < 4 else text


def inline(text: str, open_tags: frozenset[str] = frozenset()) -> str:
    """``text``, which is one line, for the middle of a paragraph: no tag, no script in
    a link. Tags of the elements ``open_tags`` are kept if they have no attributes."""

    def escape_tag(match: re.Match[str]) -> str:
        return match[0] if match[1] in open_tags else _escape_tag(match)

    return _escape_links(_TAG.sub(escape_tag, text) if "<" in text else text)


def anchor(text: str) -> str:
    """The anchor of a heading, before it is converted to lower case.

    Spaces become dashes; of the punctuation only ``-`` and ``_`` are kept (docsonnet,
    pkg/slug).
    """
    return _NOT_IN_ANCHOR.sub("", _SPACE.sub("-", text))


def cell(text: str) -> str:
    """``text`` for the cell of a table: no tag, no script in a link.

    Pipes are not escaped, since some published pages have them: see ``escape_pipes``.
    """
    return _escape_html(_escape_links(line(text)))


# An address that becomes a link, without what could end it or its cell.
_ADDRESS = r"https://[\w.~%/?#=&+:@,!$*-]*[\w~%/#=&+$-]"
# All characters with a meaning in CommonMark, in GitHub's tables, strikethrough and
# formulas, in HTML, and for generators of sites: templates and attributes in braces, emoji
# between colons (in `a.yaml:16` there is none), addresses of other schemes, which become
# links by themselves.
_MARKUP = re.compile(
    rf"(?P<address>{_ADDRESS})|[\\`*_\[\]<>&|~$!#{{@]|:(?!\d+(?![\w:+-]))(?=\S)"
    r"|(?<=www)\.",
    re.IGNORECASE | re.ASCII,
)
_OPENER = re.compile(r"[-+=:]|\d+[.)](?=\s|$)")
# What GitHub and GitLab make a mention of an account, an issue or a change of, entities
# or not.
_REFERENCE = re.compile(r"&#64;(?=\w)|(?:&#(?:33|35);|\bGH-)(?=\d)", re.IGNORECASE)


def literal(text: str) -> str:
    """``text`` on one line without any markup, wherever it is in a page, for Hugo, Jekyll
    or another generator of sites, too: addresses that begin with https are links.

    All characters with a meaning are escaped. Leading spaces, which could make it code,
    are removed.
    """
    escaped = _MARKUP.sub(_escape_markup, line(text).lstrip())
    opener = _OPENER.match(escaped)
    if opener is None:
        return escaped
    # Without its last character, it opens no list or heading.
    end = opener.end() - 1
    return f"{escaped[:end]}&#{ord(escaped[end])};{escaped[end + 1:]}"


def _escape_markup(match: re.Match[str]) -> str:
    # In angle brackets, nothing in an address is markup, and nothing is escaped.
    return f"<{match[0]}>" if match["address"] else f"&#{ord(match[0])};"


def literal_words(text: str) -> str:
    """Text in Markdown without any markup, on one line: for headings, cells of tables
    and paragraphs.

    As ``literal``, but a space stays where there was white space at its beginning, which
    separates it from the word before. A space without width keeps names behind ``@`` and
    numbers behind ``#`` from being mentions, where the text is posted as a comment.
    """
    escaped = _REFERENCE.sub(r"\g<0>&#8203;", literal(text))
    return f" {escaped}" if text[:1].isspace() else escaped


def page_text(text: str) -> str:
    """``text`` as ``literal``, for a page: without spaces at its end."""
    return literal(text).rstrip()


def escape_pipes(text: str) -> str:
    """``text`` without pipes, which would end the cell of a table.

    Pipes become entities, since the meaning of a backslash before a pipe depends on
    the backslashes before that.
    """
    return text.replace("|", "&#124;")


def _escape_html(text: str) -> str:
    """``text`` with the characters escaped that have a meaning in HTML or in code.

    The seven entities are those of the mustache templates of openapi-generator.
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


def _escape_tag(match: re.Match[str]) -> str:
    tag = match[0]
    is_placeholder = len(tag) > 1 and match[1].lower() not in _ELEMENTS
    return tag if is_placeholder else f"&lt;{tag[1:]}"


def _escape_links(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"]\\(", text)
    return _IMAGE.sub(r"!\\[", text) if "![" in text else text
