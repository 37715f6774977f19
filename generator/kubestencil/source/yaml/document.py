"""Documents of YAML texts: their values, and where these are written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from kubestencil.errors import SpecError

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
# The anchor and the tag before a value, and what may stand between them.
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t\r\n]+#[^\n]*)*[ \t\r\n]+)+")


class Position(NamedTuple):
    """A place in a text. Lines and columns count from 1, columns in characters."""

    line: int
    column: int


class YamlError(SpecError):
    """A text that is not YAML, with the position of the mistake."""

    def __init__(
        self, what: str, *, where: str = "", hint: str = "", at: Position | None = None
    ) -> None:
        self.at = at or Position(1, 1)
        self.origin = where
        position = f"{where}:{at.line}:{at.column}" if at else where
        super().__init__(what, where=position, hint=hint)


class Repeated(NamedTuple):
    """A key that a mapping has twice. ``path`` leads to the second one; where the first
    one is, is None where that is not known."""

    path: tuple[str | int, ...]
    at: Position
    first: Position | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document of a YAML text.

    ``value`` is its JSON value, ``line`` the line that it begins on. Of a key that is
    repeated, the last value counts.
    """

    value: Any
    line: int
    repeated: tuple[Repeated, ...] = ()
    text: str = field(default="", repr=False)
    first_line: int = field(default=1, repr=False)
    # By the identity of a mapping, the marks of its keys and values by key; by that of
    # a sequence, the marks of its items.
    marks: Mapping[int, Any] = field(default_factory=dict, repr=False)
    root: Any = field(default=None, repr=False)

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at ``path`` begins, after its anchor and tag, or its key.

        Of a path that the document does not have, the last value on the way. A value
        that an alias stands for has the position of the alias; what is inside of it,
        or comes from a merge, that of its own text.
        """
        mark = self.root
        for depth, (key, mark, _) in enumerate(self._steps(path), 1):
            if of_key and depth == len(path):
                mark = key
        return self._at(mark)

    def origin(self, path: Sequence[str | int]) -> tuple[Any, ...]:
        """What identifies the text that has the value at ``path``: the same for all paths
        that lead there, through aliases and merge keys, too.

        Of a path that the document does not have, with the steps that are missing.
        """
        steps = list(self._steps(path))
        container, origin = self.value, (-1,)
        if steps:
            _, mark, container = steps[-1]
            origin = (mark.index,)
        if len(steps) == len(path):
            return origin
        is_scalar = not isinstance(container, dict | list)
        return (origin if is_scalar else id(container), *path[len(steps) :])

    def _steps(self, path: Sequence[str | int]) -> Iterator[tuple[Any, Any, Any]]:
        """The mark of the key (of an item, its own), the mark and the value at each step
        of ``path``, as far as the document has it."""
        container = self.value
        for step in path:
            try:
                mark = self.marks[id(container)][step]
                container = container[step]
            except (KeyError, IndexError, TypeError):
                return
            key, mark = mark if isinstance(mark, tuple) else (mark, mark)
            yield key, mark, container

    def _at(self, mark: Any) -> Position:
        if mark is None:
            return Position(self.line, 1)
        properties = _PROPERTIES.match(self.text, mark.index)
        index = properties.end() if properties else mark.index
        return position_at(self.text, index, self.first_line)


def split_lines(text: str) -> list[str]:
    """The lines of a text as positions count them, without their ends."""
    return _LINE_BREAK.split(text)


def position_at(text: str, index: int, first_line: int) -> Position:
    """The position of a character of a text that begins on ``first_line``."""
    starts = _line_starts(text)
    line = bisect_right(starts, index) - 1
    return Position(first_line + line, index - starts[line] + 1)


@lru_cache(maxsize=1)
def _line_starts(text: str) -> list[int]:
    """The indexes at which the lines of a text begin; kept for the next position."""
    # libyaml's own lines also end at U+2028 and the like, where no editor ends them.
    return [0, *(line_break.end() for line_break in _LINE_BREAK.finditer(text))]
