"""Two texts, word by word: what went, what came, what stayed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
#: How many words of what stayed are shown around a change.
_AROUND = 8
# Texts longer than this, in words, are not compared word by word: the time grows
# with the square. Upstream's longest description has some 600.
_MAX_TOKENS = 6000


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text: ``role`` is ``same``, ``del``, ``ins`` or ``gap``.

    A gap stands for words that both have and that are not shown.
    """

    role: str
    text: str


@cache
def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """How ``before`` becomes ``after``.

    Without the pieces ``ins`` the pieces are ``before``, without ``del`` they are
    ``after``.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    stop = len(old) - end, len(new) - end
    middle = _compared(old[start : stop[0]], new[start : stop[1]])
    found = [("same", old[:start]), *middle, ("same", old[stop[0] :])]
    return tuple(
        Piece(role, "".join(token for _, tokens in run for token in tokens))
        for role, run in groupby((each for each in found if each[1]), lambda x: x[0])
    )


def shortened(parts: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """The same with what stayed cut down to a few words around the changes."""
    last = len(parts) - 1
    return tuple(
        short
        for number, piece in enumerate(parts)
        for short in (
            _cut(piece, first=number == 0, last=number == last)
            if piece.role == "same"
            else [piece]
        )
    )


def _compared(old: list[str], new: list[str]) -> Iterator[tuple[str, list[str]]]:
    if len(old) + len(new) > _MAX_TOKENS:
        yield from (("del", old), ("ins", new))
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    removed: list[str] = []
    added: list[str] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        # Two changes with only a space or a full stop between them are one change.
        if tag == "equal" and any(any(map(str.isalnum, each)) for each in old[a:b]):
            yield from (("del", removed), ("ins", added), ("same", old[a:b]))
            removed, added = [], []
        else:
            removed, added = removed + old[a:b], added + new[c:d]
    yield from (("del", removed), ("ins", added))


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _cut(piece: Piece, *, first: bool, last: bool) -> Iterator[Piece]:
    tokens = _TOKEN.findall(piece.text)
    head = 0 if first else _AROUND * 2
    tail = 0 if last else _AROUND * 2
    if len(tokens) <= head + tail + _AROUND:
        yield piece
        return
    if head:
        yield Piece("same", "".join(tokens[:head]))
    yield Piece("gap", " … ")
    if tail:
        yield Piece("same", "".join(tokens[-tail:]))
