"""Reads JSON texts of several values, and finds the positions of what is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kubestencil.source.decoding import refuse_constant
from kubestencil.source.yaml.document import Position, Repeated, position_at

_SPACE = re.compile(r"[ \t\r\n]*")
# A string that does not end goes to the end of the text, so that no quote in it begins
# another one.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:]|[^\s\[\]{},:"]+')


@dataclass(frozen=True)
class JsonDocument:
    """One value of a JSON text, which begins at the index ``start``."""

    value: Any
    line: int
    text: str = field(repr=False)
    start: int
    has_repeated: bool = False

    @property
    def repeated(self) -> tuple[Repeated, ...]:
        """The keys that an object has twice; of their values, the last one counts."""
        if not self.has_repeated:
            return ()
        return tuple(
            Repeated(path, position_at(self.text, index, 1))
            for path, index in self._scan.repeated
        )

    def position(self, path: Sequence[str | int], *, of_key: bool = False) -> Position:
        """Where the value at ``path`` begins, or its key; of a path that the document
        does not have, the last value on the way."""
        steps = tuple(path)
        table = self._scan.keys if of_key else self._scan.values
        index = table.get(steps)
        while index is None and steps:
            steps = steps[:-1]
            index = self._scan.values.get(steps)
        return position_at(self.text, self.start if index is None else index, 1)

    def origin(self, path: Sequence[str | int]) -> tuple[str | int, ...]:
        """What identifies the text of the value at ``path``: JSON has each once."""
        return tuple(path)

    @cached_property
    def _scan(self) -> _Scan:
        return _scan(self.text, self.start)


@dataclass(frozen=True, slots=True)
class _Scan:
    """The indexes of keys and values by path, and the keys that occur again."""

    keys: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    values: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    repeated: list[tuple[tuple[str | int, ...], int]] = field(default_factory=list)


def json_documents(text: str) -> list[JsonDocument] | None:
    """The values of a JSON text, one after the other; None where it is not JSON."""
    try:
        return list(_documents(text))
    except (ValueError, RecursionError):
        return None


def json_mistake(text: str) -> tuple[str, str, Position] | None:
    """What makes a text no JSON, what to do about it, and where; None of what is JSON,
    and of mistakes without a position."""
    try:
        list(_documents(text))
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        hint = "correct it, or call the file .yaml if it is YAML"
        return message, hint, position_at(text, error.pos, 1)
    except (ValueError, RecursionError):
        return None
    return None


def _documents(text: str) -> Iterator[JsonDocument]:
    repeated = False

    def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        members = dict(pairs)
        repeated = repeated or len(members) < len(pairs)
        return members

    decoder = json.JSONDecoder(
        object_pairs_hook=make_object, parse_constant=refuse_constant
    )
    index = _end_of_space(text, 0)
    while index < len(text):
        value, end = decoder.raw_decode(text, index)
        line = position_at(text, index, 1).line
        yield JsonDocument(value, line, text, index, repeated)
        repeated = False
        index = _end_of_space(text, end)


def _scan(text: str, start: int) -> _Scan:
    """The positions in a value that was decoded before, and is valid therefore."""
    scan = _Scan()
    path: list[str | int] = []
    # For each open container whether it is an object whose next string is a key, and
    # the keys so far.
    awaits_key: list[bool | None] = []
    keys: list[set[str]] = []
    for token in _TOKEN.finditer(text, start):
        symbol, index = token[0], token.start()
        if symbol in "]}":
            awaits_key.pop()
            keys.pop()
            path.pop()
        elif symbol == ",":
            if awaits_key[-1] is None:
                path[-1] += 1  # type: ignore[operator]
            else:
                awaits_key[-1] = True
        elif symbol == ":":
            awaits_key[-1] = False
        elif awaits_key and awaits_key[-1]:
            key = json.loads(symbol)
            path[-1] = key
            steps = tuple(path)
            if key in keys[-1]:
                scan.repeated.append((steps, index))
            keys[-1].add(key)
            scan.keys[steps] = index
        else:
            scan.values[tuple(path)] = index
            if symbol in "[{":
                awaits_key.append(True if symbol == "{" else None)
                keys.append(set())
                path.append("" if symbol == "{" else 0)
        if not awaits_key:
            break
    return scan


def _end_of_space(text: str, index: int) -> int:
    match = _SPACE.match(text, index)
    return match.end() if match else index
