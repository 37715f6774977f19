"""Finds where a cursor is in a YAML text in block style, which may be half written: by
the columns of keys and dashes, since there may be nothing to parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubestencil.checking.paths import Path

_LINE = re.compile(
    r"""(?P<dashes>[ ]*(?:-[ ]+)*-?)
        (?:(?P<quote>["']?)(?P<key>[\w./$-]*)(?P=quote)(?P<colon>:(?=\s|$))?)?
        [ ]*(?P<value>.*)""",
    re.VERBOSE,
)
_HEAD = re.compile(r"^(apiVersion|kind): *[\"']?([\w./-]+)", re.MULTILINE)


class Cursor(NamedTuple):
    """A key or value that a cursor is at.

    ``path`` leads to the object that has the key, with 0 for each index of a list.
    ``key`` is the word on the line; ``is_value`` is whether the cursor is behind its
    colon. ``siblings`` are the keys that the object has besides. ``api_version`` and
    ``kind`` are those of the document, or empty.
    """

    path: Path
    key: str
    is_value: bool
    siblings: frozenset[str]
    api_version: str
    kind: str


class _Token(NamedTuple):
    """A key, or a dash, which has none, at a column."""

    column: int
    key: str | None


def cursor_at(lines: Sequence[str], row: int, column: int) -> Cursor | None:
    """What a cursor is at, with its row and column from 0; None where nothing
    can be written."""
    if lines[row].startswith("---"):
        return None
    start, end = _document(lines, row)
    match = _LINE.match(lines[row])
    assert match is not None
    if "#" in lines[row][:column] or (match["colon"] and column == match.end("colon")):
        return None  # In a comment, or where a value needs a blank first.
    indent = len(match["dashes"])
    is_key = match["colon"] or not match["value"]
    key = (match["key"] or "") if is_key else ""
    at = indent if lines[row].strip() else column
    own = [token for token in _tokens(lines[row]) if token.key is None]
    document = [_tokens(line) for line in lines[start:end]]
    above = [*document[: row - start], own]
    texts = dict(_HEAD.findall("\n".join(lines[start:end])))
    is_value = bool(match["colon"]) and column > match.end("colon")
    siblings = _siblings(document, row - start, at)
    return Cursor(
        _path(above, at),
        key,
        is_value,
        frozenset(siblings - {key}),
        texts.get("apiVersion", ""),
        texts.get("kind", ""),
    )


def _document(lines: Sequence[str], row: int) -> tuple[int, int]:
    """The first line of the document of a row, and the one behind its last."""
    start = end = row
    while start > 0 and not lines[start - 1].startswith("---"):
        start -= 1
    while end < len(lines) and not lines[end].startswith("---"):
        end += 1
    return start, end


def _tokens(line: str) -> list[_Token]:
    """The dashes of a line, and its key, where it has one."""
    match = _LINE.match(line)
    if match is None or line.lstrip().startswith("#"):
        return []
    dashes = match["dashes"]
    tokens = [
        _Token(index, None) for index, symbol in enumerate(dashes) if symbol == "-"
    ]
    if match["colon"]:
        tokens.append(_Token(len(dashes), match["key"]))
    return tokens


def _path(above: Sequence[Sequence[_Token]], column: int) -> Path:
    """The path of the object whose keys are at a column, below the lines above."""
    steps: list[str | int] = []
    is_item = False
    for tokens in reversed(above):
        for token in reversed(tokens):
            if token.key is None and token.column < column:
                steps.append(0)
                column, is_item = token.column, True
            elif token.key is not None and (
                token.column < column or (is_item and token.column == column)
            ):
                steps.append(token.key)
                column, is_item = token.column, False
    return tuple(reversed(steps))


def _siblings(
    document: Sequence[Sequence[_Token]], row: int, column: int
) -> frozenset[str]:
    """The keys of the object that has one at a row and column."""
    is_first = any(token.key is None for token in document[row])
    above = [] if is_first else document[:row][::-1]
    return frozenset(
        [
            *_keys(above, column, goes_up=True),
            *_keys(document[row + 1 :], column, goes_up=False),
        ]
    )


def _keys(
    lines: Sequence[Sequence[_Token]], column: int, *, goes_up: bool
) -> Iterator[str]:
    """The keys at a column in lines, until the object begins or ends there."""
    for tokens in filter(None, lines):
        is_outside = tokens[0].column < column
        if is_outside and not goes_up:
            return
        for token in tokens:
            if token.column == column and token.key is not None:
                yield token.key
        if is_outside:
            return
