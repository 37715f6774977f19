"""Descriptions in HTML pages: as formatted text, and their first sentence; names that
can be broken.

A description is not HTML: tags in it are shown as text, and all tags are made here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from textwrap import dedent
from typing import Literal, NamedTuple

from markupsafe import Markup, escape

from kubestencil.text import controls, godoc

_TAB_SIZE = 4
# The parts of a repetition never match the same character, so that the time is linear
# in the length of any text.
_INLINE = re.compile(
    r"(?<![\w`])`(?P<code>[^`\s](?:[^`]*[^`\s])?)`(?![\w`])"
    r"|\[(?P<text>[^\[\]]+)\]\((?P<url>https?://[A-Za-z0-9][^\s()<>\"'`\\]*"
    r"(?:\([^\s()<>\"'`\\]*\)[^\s()<>\"'`\\]*)*)\)"
    r"|(?<![\w+.-])(?P<bare_url>https?://[A-Za-z0-9][!#-&(-;=?-\[\]-_a-~]*)"
    r"|(?<![^\s(])(?P<delimiter>\*\*|[*_])(?P<emphasis>[A-Za-z](?:[A-Za-z '-]{0,60}[A-Za-z])?)"
    r"(?P=delimiter)(?![\w*])"
)
_MAY_HAVE_MARKUP = re.compile(r"[`*]|://|(?<!\w)_")
_OPENING_BRACKETS = {")": "(", "]": "[", "}": "{"}
_EMPHASIS_TAGS = {"**": "strong", "*": "em", "_": "em"}

# More than the descriptions of seven releases. Those of a large catalogue of custom
# resources are each used once or twice, close together.
_CACHED_TEXTS = 20_000

_SPACES = re.compile(r"\s+")
_BLOCK_MARKERS = re.compile(r"\A ?(?:(?:[-*+>]|#{1,6}) +)+")
_LINK = re.compile(r"\[([^\[\]]+)\]\(https?://[^\s()]+\)")
_ABBREVIATION = re.compile(r"(?:\be\.g|\bi\.e|\betc|\bvs|\bcf)$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?= |$)")
# Where names can be broken: behind dots and slashes, and between the words of a part
# with so many letters. What escape() inserts has none of these.
_NAME_BREAK = re.compile(r"(?<=[./])(?=[A-Za-z{])")
_LONG_PART = re.compile(r"[A-Za-z]{20,}")
_WORD_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")


def csp_hash(text: str) -> str:
    """The source expression with which a content security policy allows a style or
    script that a page embeds: ``'sha256-…'``.

    Source: https://www.w3.org/TR/CSP3/#grammardef-hash-source.
    """
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@lru_cache(_CACHED_TEXTS)
def breakable(text: str) -> Markup:
    """HTML in which long names can be broken behind their dots and slashes (``<wbr>``).

    So can words of many parts (``CustomResourceDefinitionCondition``), but no numbers
    (``1.35``).
    """
    # escape() leaves a Markup as it is, which the cache takes for the equal text.
    escaped = str(escape(str(text)))
    parts = _LONG_PART.sub(lambda part: _WORD_BREAK.sub("<wbr>", part[0]), escaped)
    return Markup(_NAME_BREAK.sub("<wbr>", parts))


@lru_cache(_CACHED_TEXTS)
def prose(text: str) -> Markup:
    """A description as HTML: paragraphs, lists, code, emphasis and links to websites.

    The tags are ``p``, ``ul``, ``ol``, ``li``, ``pre``, ``code``, ``a``, ``br``,
    ``strong`` and ``em``, and are balanced. All other text is escaped.
    """
    text = _without_controls(text)
    if godoc.is_single_paragraph(text):
        return Markup(f"<p>{_render_inline(text)}</p>" if text else "")
    return Markup("".join(_render_blocks(godoc.classify_lines(text))))


@lru_cache(_CACHED_TEXTS)
def summary(text: str, limit: int = 160) -> str:
    """The first sentence as plain text on one line, which has to be escaped for HTML.

    A sentence of more than ``limit`` characters is cut after a word.
    """
    first = _without_controls(text).strip().partition("\n\n")[0]
    plain = _BLOCK_MARKERS.sub("", _SPACES.sub(" ", first), count=1)
    plain = _LINK.sub(r"\1", plain).replace("`", "")
    return _truncate(_first_sentence(plain), limit)


def _first_sentence(text: str) -> str:
    for end in _SENTENCE_END.finditer(text):
        if not _ABBREVIATION.search(text, max(0, end.start() - 4), end.start()):
            return text[: end.end()]
    return text


def _truncate(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    cut = text[:limit]
    words = cut.rpartition(" ")[0] or cut[:-1]
    return f"{words.rstrip(' ,;:.-(')}…"


def _without_controls(text: str) -> str:
    """Replace tabs by spaces, line breaks by ``\\n``, other controls by U+FFFD."""
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB_SIZE)
    # Browsers hide most control characters, and some change the direction of text.
    return controls.without_controls(text)


class _OpenList(NamedTuple):
    """A list that is not closed yet: its tag, and the number of its last item (0 in a
    list without numbers)."""

    tag: Literal["ol", "ul"]
    number: int


def _render_blocks(lines: Iterable[godoc.Line]) -> Iterator[str]:
    """The HTML of a text, piece by piece."""
    open_lists: list[_OpenList] = []
    for block in _join_lines(lines):
        while len(open_lists) > block.depth:
            yield f"</li></{open_lists.pop().tag}>"
        if block.kind == "item":
            item = _list_of(block.marker)
            continued = open_lists.pop() if len(open_lists) == block.depth else None
            yield _item_tags(item, continued)
            open_lists.append(item)
            yield _render_inline(block.text)
        elif block.kind == "code":
            code = dedent(block.text).rstrip().strip("\n")
            yield f"<pre><code>{escape(code)}</code></pre>" if code else ""
        elif block.kind == "heading":
            yield f"<p><strong>{_render_inline(block.text)}</strong></p>"
        elif block.text:
            yield f"<p>{_render_inline(block.text)}</p>"
    while open_lists:
        yield f"</li></{open_lists.pop().tag}>"


def _list_of(marker: str) -> _OpenList:
    """The list that ends with an item with this marker."""
    digits = marker[:-1]
    return _OpenList("ol", int(digits)) if digits else _OpenList("ul", 0)


def _item_tags(current: _OpenList, previous: _OpenList | None) -> str:
    """The tags before the last item of ``current``.

    ``previous`` is the open list of the same depth, if any. The item continues it if
    neither has numbers, or if its number is the next. Otherwise that list is closed.
    """
    number = current.number
    if previous == _OpenList(current.tag, number - 1 if current.tag == "ol" else 0):
        return "</li><li>"
    closing = f"</li></{previous.tag}>" if previous else ""
    start = "" if current.tag == "ul" or number == 1 else f' start="{number}"'
    return f"{closing}<{current.tag}{start}><li>"


def _join_lines(lines: Iterable[godoc.Line]) -> Iterator[godoc.Line]:
    """The first line of each block, with the text of the whole block."""
    texts: list[str] = []
    first: godoc.Line | None = None
    for line in lines:
        more_code = line.kind == "code" and first is not None and first.kind == "code"
        if first and (line.kind in ("join", "break") or more_code):
            texts += (" " if line.kind == "join" else "\n", line.text)
            continue
        if first:
            yield first._replace(text="".join(texts))
        first, texts = line, [line.text]
    if first:
        yield first._replace(text="".join(texts))


def _render_inline(text: str) -> str:
    """The HTML of text in a block: code, links, emphasis, and ``<br>`` for a break."""
    if not _MAY_HAVE_MARKUP.search(text):
        return _escape(text)
    parts: list[str] = []
    end = 0
    for match in _INLINE.finditer(text):
        parts += (_escape(text[end : match.start()]), _render_match(match))
        end = match.end()
    parts.append(_escape(text[end:]))
    return "".join(parts)


def _render_match(match: re.Match[str]) -> str:
    if match["code"]:
        return f"<code>{_escape(match['code'])}</code>"
    if match["url"]:
        return _link(match["url"], match["text"])
    if match["bare_url"]:
        url = _trim_url(match["bare_url"])
        return _link(url, url) + _escape(match["bare_url"][len(url) :])
    tag = _EMPHASIS_TAGS[match["delimiter"]]
    return f"<{tag}>{_escape(match['emphasis'])}</{tag}>"


def _link(url: str, text: str) -> str:
    return f'<a href="{escape(url)}" rel=nofollow>{_escape(text)}</a>'


def _trim_url(url: str) -> str:
    """Drop punctuation after a URL, and brackets that were opened before it."""
    unmatched = {
        closing: url.count(closing) - url.count(opening)
        for closing, opening in _OPENING_BRACKETS.items()
    }
    end = len(url)
    while end:
        last = url[end - 1]
        if unmatched.get(last, 0) > 0:
            unmatched[last] -= 1
        elif last not in ".,;:!?*_":
            break
        end -= 1
    return url[:end]


def escape_text(text: str) -> str:
    """Text between tags, in which quotes are no markup: long pages have many."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape(text: str) -> str:
    return escape_text(text).replace("\n", "<br>")
