"""Restores the lines of the Go comments that descriptions were made from.

Kubernetes' generator joins lines that are not indented and keeps the others
(apimachinery, pkg/runtime/swagger_doc_generator.go), so that many a list and table is
on one line of its description. They are split again where the text shows that it was a
list or table. No word is lost, and the order of the words stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

# Other words after a fence may be code, and are kept.
_LANGUAGES = ("", "yaml", "yml", "json", "go", "golang", "sh", "shell", "bash", "text")
# The rules of a grammar are the only code that is not indented, and so was joined.
_GRAMMAR_RULE = re.compile(r"(?<=\S) (?=<\w{1,40}> *::=)")
_OPENING_BRACE = re.compile(r'(?:"[^"]*": *)?[\[{(]$')
_CLOSING_BRACE = re.compile(r"[\]})]+[,;]?$")
_TABLE = re.compile(r"\|(?:[^|]+\|)+")
_ROW_BREAK = re.compile(r"(?<=\|) (?=\|)")
# A quick check, since most lines have neither list items nor table rows.
_MAY_BE_JOINED = re.compile(r"^[-*1-9]|[ :|](?:[-*]|[1-9][.)]) |\| \|")
_MARKER = re.compile(r"(?:^|(?<=\S) +)(?P<sign>[-*]|[1-9][0-9]?[.)]) +(?=\S)")
_KEY = re.compile(r"[^\s:]{1,60}: |'\S{1,60} - ")


class SourceLine(NamedTuple):
    """A line as it may have been in the comment. A blank line has no text.

    ``indent`` is the number of spaces before the text. ``is_code`` says that the line
    is certainly code; a blank line of code is no blank line between paragraphs.
    """

    indent: int
    text: str
    is_code: bool = False


class _Marker(NamedTuple):
    """A possible marker of a list item within a joined line: from ``start`` to
    ``end``, with the sign ``-``, ``*``, or a number with its ``.`` or ``)``."""

    start: int
    end: int
    sign: str


_BLANK = SourceLine(0, "")


def may_be_joined(text: str) -> bool:
    """Whether a line may have list items or table rows joined to it."""
    return _MAY_BE_JOINED.search(text) is not None


def source_lines(lines: Sequence[str]) -> Iterator[SourceLine]:
    """The lines of a comment, from those of its description, which have no tabs.

    Joined list items and table rows are lines again. Fences are removed, and the lines
    between them are code.
    """
    index = 0
    while index < len(lines):
        text = lines[index].strip()
        indent = len(lines[index]) - len(lines[index].lstrip())
        end = index + 1
        if text.startswith("```"):
            end = _fence_end(lines, index)
            yield from _fenced_code(lines[index:end], indent)
        elif indent or not text:
            yield SourceLine(indent if text else 0, text)
        elif end := _braces_end(lines, index):
            yield from _code_in_braces(lines[index:end])
        else:
            end = index + 1
            yield from _split_joined_line(text)
        index = end


def _fence_end(lines: Sequence[str], start: int) -> int:
    """The index after a fenced block, whose closing fence may be at the end of text."""
    for index in range(start, len(lines)):
        text = lines[index].strip()
        if text.endswith("```") and (index > start or len(text) > 3):
            return index + 1
    return len(lines)


def _fenced_code(lines: Sequence[str], indent: int) -> Iterator[SourceLine]:
    """The code between fences. What follows the opening fence is the language, or
    code that was joined to it."""
    first = lines[0].strip()[3:]
    code = ["" if first.strip() in _LANGUAGES else first.strip(), *lines[1:]]
    code[-1] = code[-1].rstrip().removesuffix("```")
    for line in code:
        for rule in _GRAMMAR_RULE.split(line.rstrip()):
            yield SourceLine(indent, rule, is_code=True)
    yield _BLANK


def _braces_end(lines: Sequence[str], start: int) -> int:
    """The index after an example in braces whose inner lines are indented, or 0 where
    there is none."""
    if not _OPENING_BRACE.search(lines[start].rstrip()):
        return 0
    end = start + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    closed = end < len(lines) and _CLOSING_BRACE.match(lines[end].rstrip())
    return end + 1 if closed and end > start + 1 else 0


def _code_in_braces(lines: Sequence[str]) -> Iterator[SourceLine]:
    """The text that the example's first line was joined to, and the example."""
    first = lines[0].rstrip()
    brace = _OPENING_BRACE.search(first)
    code_start = brace.start() if brace else 0
    yield from _split_joined_line(first[:code_start].rstrip())
    for line in (first[code_start:], *lines[1:]):
        yield SourceLine(0, line.rstrip(), is_code=True)
    yield _BLANK


def _split_joined_line(text: str) -> Iterator[SourceLine]:
    """A line, with each list item and table row that was joined to it on its own."""
    if not may_be_joined(text):
        yield SourceLine(0, text)
        return
    bounds = [0, *(marker.start for marker in _item_markers(text)), len(text)]
    for start, end in pairwise(bounds):
        segment = text[start:end].strip()
        table = _TABLE.search(segment) if "| |" in segment else None
        if not table:
            if segment:
                yield SourceLine(0, segment)
            continue
        yield SourceLine(0, segment[: table.start()].rstrip())
        for row in _ROW_BREAK.split(table[0]):
            yield SourceLine(0, row, is_code=True)
        yield _BLANK
        yield SourceLine(0, segment[table.end() :].lstrip())


def _item_markers(text: str) -> Iterator[_Marker]:
    """The markers that began list items before the line was joined.

    Numbers count up from 1, and the first is at the start or after a colon.
    """
    markers = [
        _Marker(match.start(), match.end(), match["sign"])
        for match in _MARKER.finditer(text)
    ]
    certain = {marker for marker in markers if _is_certain(text, marker)}
    bullets = {
        *_asterisk_markers(text, markers),
        *_dash_markers(text, markers, certain),
        *certain,
    }
    last_number = 0
    for marker in markers:
        number = int(marker.sign[:-1] or 0)
        if not number:
            begins_item = marker in bullets
        elif last_number:
            begins_item = number == last_number + 1
        else:
            begins_item = marker.start == 0 or (marker in certain and number == 1)
        if begins_item:
            yield marker
            last_number = number


def _is_certain(text: str, marker: _Marker) -> bool:
    """Whether the text before a marker shows that it begins an item: there is none,
    or it ends with a colon, or (before a bullet) as a sentence does."""
    endings = ":|.;" if marker.sign in "-*" else ":"
    return marker.start == 0 or text[marker.start - 1] in endings


def _asterisk_markers(text: str, markers: Sequence[_Marker]) -> Sequence[_Marker]:
    """The asterisks that are bullets rather than "times" or "everything": two or
    more, between words, with some words between them."""
    asterisks = [
        marker
        for marker in markers
        if marker.sign == "*"
        and marker.start
        and (text[marker.start - 1].islower() or text[marker.start - 1] in ",:;.)")
        and text[marker.end].isalpha()
    ]
    between = [
        text[marker.end : following.start] for marker, following in pairwise(asterisks)
    ]
    is_list = between and all(words.count(" ") > 1 for words in between)
    return asterisks if is_list else ()


def _dash_markers(
    text: str, markers: Sequence[_Marker], certain: Set[_Marker]
) -> set[_Marker]:
    """The dashes that begin an item, also where the text before them does not show it.

    After the first certain one, these are all dashes between single words, and those
    before ``key: ``. Where no item ends with a full stop or semicolon, these are also
    the dashes before a capital or before a character like that of the first item.
    """
    first = min((marker for marker in certain if marker.sign == "-"), default=None)
    if first is None:
        return set()
    dashes = [marker for marker in markers if marker.sign == "-" and marker >= first]
    ends = [*(marker.start for marker in dashes[1:]), len(text)]
    items = [text[marker.end : end] for marker, end in zip(dashes, ends, strict=True)]
    if len(items) > 2 and not any(" " in item for item in items[:-1]):
        return set(dashes)
    result = {marker for marker in dashes if _KEY.match(text, marker.end)}
    has_sentences = any(text[marker.start - 1] in ".;" for marker in dashes[1:])
    if " " in items[0] and not has_sentences:
        classes = ("A", _character_class(text[first.end]))
        result |= {
            marker for marker in dashes if _character_class(text[marker.end]) in classes
        }
    return result


def _character_class(character: str) -> str:
    """``A`` for a capital, ``a`` for other letters, ``1`` for a digit, and any other
    character itself."""
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "1" if character.isdigit() else character
