"""What the lines of a description are: paragraphs, lists, code.

Descriptions are comments of Go programs. Kubernetes' generator joins lines that are
not indented and keeps the others (apimachinery, swagger_doc_generator.go), so that
many a list and table arrives on one line. Those are taken apart again where the text
shows that they were lists: a word is never lost, and never changes its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import Literal, NamedTuple

_CODE_INDENT = 4
# Deeper lists go on at this depth: no text is worth a page of nothing but tags.
_DEEPEST = 6
_ITEM = re.compile(r"([-*+]|(?:0|[1-9][0-9]{0,2})[.)]) +(?=\S)")
_HEADING = re.compile(r"#{1,6} +(?=\S)")
# Any other word after a fence may be code, and is shown.
_LANGUAGES = ("", "yaml", "yml", "json", "go", "golang", "sh", "shell", "bash", "text")
# Rules of a grammar: the only code that is not indented, and so was joined.
_RULE = re.compile(r"(?<=\S) (?=<\w{1,40}> *::=)")
_OPENS_CODE = re.compile(r'(?:"[^"]*": *)?[\[{(]$')
_CLOSES_CODE = re.compile(r"[\]})]+[,;]?$")
_TABLE = re.compile(r"\|(?:[^|]+\|)+")
_NEXT_ROW = re.compile(r"(?<=\|) (?=\|)")
# Most lines have no such thing, and this is much faster than to look for each.
_MAY_BE_JOINED = re.compile(r"^[-*1-9]|[ :|](?:[-*]|[1-9][.)]) |\| \|")
_MARK = re.compile(r"(?:^|(?<=\S) +)(?P<sign>[-*]|[1-9][0-9]?[.)]) +(?=\S)")
_KEY = re.compile(r"[^\s:]{1,60}: |'\S{1,60} - ")


class Line(NamedTuple):
    """A line, and what it is to those before it.

    ``item``, ``heading`` and ``paragraph`` begin a block, ``join`` goes on with its
    text and ``break`` does so on a new line. Neighbouring lines of ``code`` are one
    block. ``depth`` is the number of lists that it is in.
    """

    kind: Literal["item", "heading", "paragraph", "code", "join", "break"]
    depth: int
    text: str
    marker: str = ""


class _Source(NamedTuple):
    """A line as it may have been in the comment; ``code`` where that is certain."""

    indent: int
    text: str
    code: bool = False


class _Item(NamedTuple):
    """An item that more lines may belong to: where its marker and its text begin."""

    column: int
    content: int
    marker: str


class _Mark(NamedTuple):
    """What may have been the marker of an item, within a joined line."""

    start: int
    end: int
    sign: str


def lines(text: str) -> Iterator[Line]:
    """The lines of ``text``, which has no tabs and only ``\\n`` as a break."""
    items: list[_Item] = []
    before, blank, indent_before = Line("paragraph", 0, ""), True, 0
    for source in _sources(text.split("\n")):
        if not source.text and not source.code:
            if before.kind == "code":
                yield before._replace(text="")
            blank = True
            continue
        before = _line(source, items, before, blank, indent_before)
        yield before
        blank, indent_before = False, source.indent


def is_plain(text: str) -> bool:
    """Whether ``text`` is one paragraph on one line, with nothing to take apart."""
    return (
        "\n" not in text
        and text[:1] not in " #`0123456789+"
        and not _MAY_BE_JOINED.search(text)
    )


def _line(
    source: _Source, items: list[_Item], before: Line, blank: bool, indent_before: int
) -> Line:
    """What ``source`` is; ``items`` are the open ones, and are changed."""
    indent, text, certain = source
    if certain or (before.kind == "code" and _is_code(indent, items)):
        _close(items, indent)
        return Line("code", len(items), " " * indent + text)
    if not (blank and _is_code(indent, items)):
        mark = _ITEM.match(text)
        if mark and _may_begin(mark[1], items, blank):
            _open(items, indent, mark[1])
            return Line("item", len(items), text[mark.end() :], mark[1])
    if blank or before.kind in ("code", "heading") or (items and indent == 0):
        return _new_block(indent, text, items, blank)
    if items:
        meant = _is_deliberate(before.text)
        return Line("break" if meant else "join", len(items), text)
    return _next_line(source, before, indent_before)


def _new_block(indent: int, text: str, items: list[_Item], blank: bool) -> Line:
    _close(items, indent)
    if blank and _is_code(indent, items):
        return Line("code", len(items), " " * indent + text)
    heading = _HEADING.match(text)
    if heading:
        return Line("heading", len(items), text[heading.end() :])
    return Line("paragraph", len(items), text)


def _next_line(source: _Source, before: Line, indent_before: int) -> Line:
    """A line of a paragraph: indented ones were kept, so they may mean something."""
    indent, text, _ = source
    if before.text.endswith(":") and indent > indent_before:
        if indent >= _CODE_INDENT:
            return Line("code", 0, " " * indent + text)
        return Line("break", 0, text)
    listed = before.kind == "break" and indent > 0 and indent == indent_before
    return Line("break" if listed or indent < indent_before else "join", 0, text)


def _is_code(indent: int, items: Sequence[_Item]) -> bool:
    inside = [item.content for item in items if item.content <= indent]
    return indent >= (inside[-1] if inside else 0) + _CODE_INDENT


def _is_deliberate(text: str) -> bool:
    """Whether a line ended long before a writer's editor would have wrapped it."""
    return len(text) < 50 and (text.endswith((".", ":")) or " " not in text)


def _may_begin(marker: str, items: Sequence[_Item], blank: bool) -> bool:
    """A number within a paragraph begins a list only with 1 (CommonMark 0.31, 5.3)."""
    return blank or bool(items) or not marker[:-1] or marker[:-1] in ("0", "1")


def _open(items: list[_Item], indent: int, marker: str) -> None:
    while items and (
        indent <= items[-1].column
        or (indent < items[-1].content and marker[-1] == items[-1].marker[-1])
        or len(items) == _DEEPEST
    ):
        items.pop()
    items.append(_Item(indent, indent + len(marker) + 1, marker))


def _close(items: list[_Item], indent: int) -> None:
    while items and indent < items[-1].content:
        items.pop()


def _sources(raw: Sequence[str]) -> Iterator[_Source]:
    """The lines, those that were joined apart, and those of fences without them."""
    at = 0
    while at < len(raw):
        text = raw[at].strip()
        indent = len(raw[at]) - len(raw[at].lstrip())
        end = at + 1
        if text.startswith("```"):
            end = _end_of_fence(raw, at)
            yield from _fenced(raw[at:end], indent)
        elif indent or not text:
            yield _Source(indent if text else 0, text)
        elif end := _end_of_braces(raw, at):
            yield from _braced(raw[at:end])
        else:
            end = at + 1
            yield from _unjoined(text)
        at = end


def _end_of_fence(raw: Sequence[str], at: int) -> int:
    """The line after a fence, which may close where its text ends."""
    for each in range(at, len(raw)):
        text = raw[each].strip()
        if text.endswith("```") and (each > at or len(text) > 3):
            return each + 1
    return len(raw)


def _fenced(raw: Sequence[str], indent: int) -> Iterator[_Source]:
    """The code in a fence. What follows the fence on its line is the language, or
    code that was joined to it."""
    first = raw[0].strip()[3:]
    code = ["" if first.strip() in _LANGUAGES else first.strip(), *raw[1:]]
    code[-1] = code[-1].rstrip().removesuffix("```")
    for line in code:
        for each in _RULE.split(line.rstrip()):
            yield _Source(indent, each, code=True)
    yield _Source(0, "")


def _end_of_braces(raw: Sequence[str], at: int) -> int:
    """The line after an example in braces whose inner lines are indented, or 0."""
    if not _OPENS_CODE.search(raw[at].rstrip()):
        return 0
    end = at + 1
    while end < len(raw) and raw[end].startswith(" "):
        end += 1
    closed = end < len(raw) and _CLOSES_CODE.match(raw[end].rstrip())
    return end + 1 if closed and end > at + 1 else 0


def _braced(raw: Sequence[str]) -> Iterator[_Source]:
    """The example, and the text that its first line was joined to."""
    first = raw[0].rstrip()
    start = _OPENS_CODE.search(first)
    begin = start.start() if start else 0
    yield from _unjoined(first[:begin].rstrip())
    for line in (first[begin:], *raw[1:]):
        yield _Source(0, line.rstrip(), code=True)
    yield _Source(0, "")


def _unjoined(text: str) -> Iterator[_Source]:
    """The items and the rows of tables that were joined to one line."""
    if not _MAY_BE_JOINED.search(text):
        yield _Source(0, text)
        return
    cuts = [0, *(mark.start for mark in _items_in(text)), len(text)]
    for start, end in pairwise(cuts):
        piece = text[start:end].strip()
        table = _TABLE.search(piece) if "| |" in piece else None
        if not table:
            if piece:
                yield _Source(0, piece)
            continue
        yield _Source(0, piece[: table.start()].rstrip())
        for row in _NEXT_ROW.split(table[0]):
            yield _Source(0, row, code=True)
        yield _Source(0, "")
        yield _Source(0, piece[table.end() :].lstrip())


def _items_in(text: str) -> Iterator[_Mark]:
    """The markers in a joined line that surely began an item each."""
    found = _MARK.finditer(text)
    marks = [_Mark(each.start(), each.end(), each["sign"]) for each in found]
    clear = {mark for mark in marks if _is_clear(text, mark)}
    bullets = {*_stars(text, marks), *_dashes(text, marks, clear), *clear}
    last = 0
    for mark in marks:
        number = int(mark.sign[:-1] or 0)
        if not number:
            begins = mark in bullets
        elif last:
            begins = number == last + 1
        else:
            begins = mark.start == 0 or (mark in clear and number == 1)
        if begins:
            yield mark
            last = number


def _is_clear(text: str, mark: _Mark) -> bool:
    """Whether nothing but an item begins so: after a colon, or a sentence's end."""
    ends = ":|.;" if mark.sign in "-*" else ":"
    return mark.start == 0 or text[mark.start - 1] in ends


def _stars(text: str, marks: Sequence[_Mark]) -> Sequence[_Mark]:
    """Asterisks between words that stand for no product and not for everything:
    more than one, with some words between them."""
    stars = [
        mark
        for mark in marks
        if mark.sign == "*"
        and mark.start
        and (text[mark.start - 1].islower() or text[mark.start - 1] in ",:;.)")
        and text[mark.end].isalpha()
    ]
    pieces = (text[one.end : two.start] for one, two in pairwise(stars))
    return stars if all(piece.count(" ") > 1 for piece in pieces) and stars[1:] else ()


def _dashes(text: str, marks: Sequence[_Mark], clear: Set[_Mark]) -> set[_Mark]:
    """Dashes that begin an item though what is before them does not say so.

    In a list that has begun, they do before ``key: ``. Where no item ends with a full
    stop, they do between single words, and before a capital or what begins alike.
    """
    first = min((mark for mark in clear if mark.sign == "-"), default=None)
    if first is None:
        return set()
    dashes = [mark for mark in marks if mark.sign == "-" and mark >= first]
    ends = [*(mark.start for mark in dashes[1:]), len(text)]
    pieces = [text[mark.end : end] for mark, end in zip(dashes, ends, strict=True)]
    if len(pieces) > 2 and not any(" " in piece for piece in pieces[:-1]):
        return set(dashes)
    items = {mark for mark in dashes if _KEY.match(text, mark.end)}
    if " " in pieces[0] and not any(
        text[each.start - 1] in ".;" for each in dashes[1:]
    ):
        shapes = ("A", _shape(text[first.end]))
        items |= {mark for mark in dashes if _shape(text[mark.end]) in shapes}
    return items


def _shape(character: str) -> str:
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "1" if character.isdigit() else character
