"""Classifies the lines of a description: paragraphs, list items, headings, code.

Descriptions are comments of Go programs, with lists and code as people write them in
Markdown and in godoc. ``source_lines`` restores lines that Kubernetes' generator has
joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from kubestencil.text.source_lines import SourceLine, may_be_joined, source_lines

_CODE_INDENT = 4
# Deeper lists are continued at this depth, so that the HTML of a text stays in
# proportion to its length.
_MAX_LIST_DEPTH = 6
_MARKER = re.compile(r"([-*+]|(?:0|[1-9][0-9]{0,2})[.)]) +(?=\S)")
_HEADING = re.compile(r"#{1,6} +(?=\S)")
# Editors wrap a line later than this.
_SHORT_LINE = 50


class Line(NamedTuple):
    """A classified line.

    ``item``, ``heading`` and ``paragraph`` begin a block. ``join`` and ``break``
    continue the block before, ``break`` on a new line. Adjacent lines of ``code`` are
    one block. ``depth`` is the number of lists that the line is in. ``marker`` is that
    of an item: ``-``, ``*``, ``+``, or a number with its ``.`` or ``)``.
    """

    kind: Literal["item", "heading", "paragraph", "code", "join", "break"]
    depth: int
    text: str
    marker: str = ""


class _OpenItem(NamedTuple):
    """A list item that lines may still belong to: its marker, and the columns where
    its marker and its text begin."""

    column: int
    text_column: int
    marker: str


def classify_lines(text: str) -> Iterator[Line]:
    """Classify the lines of ``text``, which has no tabs and only ``\\n`` as a break."""
    classifier = _Classifier()
    for source in source_lines(text.split("\n")):
        if source.text or source.is_code:
            yield classifier.classify(source)
        else:
            if classifier.previous.kind == "code":
                yield classifier.previous._replace(text="")
            classifier.after_blank = True


def is_single_paragraph(text: str) -> bool:
    """Whether ``text`` is one paragraph on one line, without joined lines."""
    return (
        "\n" not in text
        and text[:1] not in " #`0123456789+"
        and not may_be_joined(text)
    )


class _Classifier:
    """Classifies one line after the other.

    ``previous`` is the previous line that was not blank, ``after_blank`` says whether
    a blank line followed it.
    """

    def __init__(self) -> None:
        self.previous = Line("paragraph", 0, "")
        self.after_blank = True
        self._previous_indent = 0
        self._open_items: list[_OpenItem] = []

    def classify(self, source: SourceLine) -> Line:
        """Classify a line that is not blank."""
        self.previous = self._line(source)
        self.after_blank = False
        self._previous_indent = source.indent
        return self.previous

    def _line(self, source: SourceLine) -> Line:
        indent, text, is_code = source
        goes_on = self.previous.kind == "code" and self._is_code_indent(indent)
        if is_code or goes_on:
            self._close_items(indent)
            return self._code(indent, text)
        if not (self.after_blank and self._is_code_indent(indent)):
            match = _MARKER.match(text)
            if match and self._can_begin_item(match[1]):
                self._open_item(indent, match[1])
                depth = len(self._open_items)
                return Line("item", depth, text[match.end() :], match[1])
        if (
            self.after_blank
            or self.previous.kind in ("code", "heading")
            or (self._open_items and indent == 0)
        ):
            return self._first_line(indent, text)
        if self._open_items:
            deliberate = _is_deliberate_break(self.previous.text)
            kind: Literal["break", "join"] = "break" if deliberate else "join"
            return Line(kind, len(self._open_items), text)
        return self._paragraph_line(indent, text)

    def _first_line(self, indent: int, text: str) -> Line:
        """The first line of a block that is not an item."""
        self._close_items(indent)
        if self.after_blank and self._is_code_indent(indent):
            return self._code(indent, text)
        heading = _HEADING.match(text)
        if heading:
            return Line("heading", len(self._open_items), text[heading.end() :])
        return Line("paragraph", len(self._open_items), text)

    def _paragraph_line(self, indent: int, text: str) -> Line:
        """A further line of a paragraph. Kubernetes' generator keeps the break before
        an indented line, which may be an example or a list without markers."""
        before = self._previous_indent
        if self.previous.text.endswith(":") and indent > before:
            if indent >= _CODE_INDENT:
                return Line("code", 0, " " * indent + text)
            return Line("break", 0, text)
        in_list = self.previous.kind == "break" and indent > 0 and indent == before
        return Line("break" if in_list or indent < before else "join", 0, text)

    def _code(self, indent: int, text: str) -> Line:
        return Line("code", len(self._open_items), " " * indent + text)

    def _is_code_indent(self, indent: int) -> bool:
        """Whether a line is indented as code inside of the item that it belongs to."""
        columns = [
            item.text_column for item in self._open_items if item.text_column <= indent
        ]
        return indent >= (columns[-1] if columns else 0) + _CODE_INDENT

    def _can_begin_item(self, marker: str) -> bool:
        """A number within a paragraph is a marker only if it is 1 (CommonMark 0.31,
        section 5.3) or 0."""
        is_in_paragraph = not self.after_blank and not self._open_items
        return not is_in_paragraph or marker[:-1] in ("", "0", "1")

    def _open_item(self, indent: int, marker: str) -> None:
        items = self._open_items
        while items and (
            indent <= items[-1].column
            or (indent < items[-1].text_column and marker[-1] == items[-1].marker[-1])
            or len(items) == _MAX_LIST_DEPTH
        ):
            items.pop()
        items.append(_OpenItem(indent, indent + len(marker) + 1, marker))

    def _close_items(self, indent: int) -> None:
        """Close the items that a line with this indent does not belong to."""
        while self._open_items and indent < self._open_items[-1].text_column:
            self._open_items.pop()


def _is_deliberate_break(text: str) -> bool:
    """Whether a line ended long before the writer's editor would have wrapped it."""
    return len(text) < _SHORT_LINE and (text.endswith((".", ":")) or " " not in text)
