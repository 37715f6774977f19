"""Compares two texts word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from typing import Literal

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
#: The number of unchanged words that are shown on each side of a change.
_CONTEXT = 8
# Longer texts, in tokens, are not compared word by word: the time grows with the
# square. Upstream's longest description has some 600.
_MAX_TOKENS = 6000

#: What a segment of a text is: in both texts, only in the first, only in the second, or
#: in both but not shown.
Role = Literal["same", "del", "ins", "gap"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of two compared texts: its ``text``, and the ``role`` that it has:
    ``same``, ``del`` (deleted), ``ins`` (inserted), or ``gap`` for a mark in place of
    unchanged words that are not shown."""

    role: Role
    text: str


@cache
def diff_words(before: str, after: str) -> tuple[Segment, ...]:
    """The segments that lead from ``before`` to ``after``.

    All but the inserted ones make up ``before``, all but the deleted ones ``after``.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = _common_prefix_length(old, new)
    end = _common_prefix_length(old[start:][::-1], new[start:][::-1])
    old_stop, new_stop = len(old) - end, len(new) - end
    runs: list[_Run] = [
        ("same", old[:start]),
        *_changed_runs(old[start:old_stop], new[start:new_stop]),
        ("same", old[old_stop:]),
    ]
    non_empty = (run for run in runs if run[1])
    return tuple(
        Segment(role, "".join(token for _, tokens in group for token in tokens))
        for role, group in groupby(non_empty, lambda run: run[0])
    )


def shorten(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments with unchanged text cut down to some words around the changes."""
    last = len(segments) - 1
    return tuple(
        short
        for index, segment in enumerate(segments)
        for short in (
            _shorten_unchanged(
                segment.text,
                head=_CONTEXT * 2 if index > 0 else 0,
                tail=_CONTEXT * 2 if index < last else 0,
            )
            if segment.role == "same"
            else [segment]
        )
    )


# Consecutive tokens of one role.
_Run = tuple[Role, list[str]]


def _changed_runs(old: list[str], new: list[str]) -> Iterator[_Run]:
    if len(old) + len(new) > _MAX_TOKENS:
        yield from (("del", old), ("ins", new))
        return
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    deleted: list[str] = []
    inserted: list[str] = []
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        tokens = old[old_from:old_to]
        # Changes with only spaces or punctuation between them count as one change.
        if tag == "equal" and any(map(_has_letter_or_digit, tokens)):
            yield from (("del", deleted), ("ins", inserted), ("same", tokens))
            deleted, inserted = [], []
        else:
            deleted, inserted = deleted + tokens, inserted + new[new_from:new_to]
    yield from (("del", deleted), ("ins", inserted))


def _has_letter_or_digit(token: str) -> bool:
    return any(map(str.isalnum, token))


def _common_prefix_length(first: list[str], second: list[str]) -> int:
    """The number of tokens at the start that are equal."""
    count = 0
    for token, other_token in zip(first, second, strict=False):
        if token != other_token:
            break
        count += 1
    return count


def _shorten_unchanged(text: str, *, head: int, tail: int) -> Iterator[Segment]:
    """An unchanged text with all but the first ``head`` and the last ``tail`` tokens
    replaced by a gap, if there are enough to make that shorter."""
    tokens = _TOKEN.findall(text)
    if len(tokens) <= head + tail + _CONTEXT:
        yield Segment("same", text)
        return
    if head:
        yield Segment("same", "".join(tokens[:head]))
    yield Segment("gap", " … ")
    if tail:
        yield Segment("same", "".join(tokens[-tail:]))
