"""Compares two texts word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
#: The number of unchanged words that are shown on each side of a change.
_CONTEXT = 8
# Longer texts are shown as deleted and inserted. A description of Kubernetes has up to
# 1,000 tokens.
_MAX_TOKENS = 3_000

#: What a segment of a text is: in both texts, only in the first, only in the second, or
#: in both but not shown.
Role = Literal["same", "del", "ins", "gap"]


class Segment(NamedTuple):
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
    # Spaces beside equal words belong to them; alone, they are not looked for.
    matcher = SequenceMatcher(str.isspace, old, new)
    # The time grows with the square of these numbers.
    is_short = max(len(old), len(new)) <= _MAX_TOKENS
    whole = ("equal" if old == new else "replace", 0, len(old), 0, len(new))
    segments: list[Segment] = []
    deleted = inserted = ""
    for tag, old_from, old_to, new_from, new_to in (
        matcher.get_opcodes() if is_short else [whole]
    ):
        tokens = old[old_from:old_to]
        # Changes with only spaces or punctuation between them count as one change.
        if tag == "equal" and any(map(str.isalnum, "".join(tokens))):
            segments += (Segment("del", deleted), Segment("ins", inserted))
            segments.append(Segment("same", "".join(tokens)))
            deleted = inserted = ""
        else:
            deleted += "".join(tokens)
            inserted += "".join(new[new_from:new_to])
    segments += (Segment("del", deleted), Segment("ins", inserted))
    return tuple(segment for segment in segments if segment.text)


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


def with_spaces_outside(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """The segments with the spaces at the ends of deleted and inserted ones between
    them and their neighbours instead, one each.

    Markup whose content begins or ends with a space is rendered without it by some
    programs, and words look joined: ``<ins>Users </ins>are``. Where only spaces differ,
    the result says so.
    """
    result: list[Segment] = []
    for is_change, run in groupby(segments, lambda item: item.role in ("del", "ins")):
        if not is_change:
            result.extend(run)
            continue
        changed = [(segment.role, segment.text) for segment in run]
        if any(text[:1].isspace() for _, text in changed):
            result.append(Segment("same", " "))
        result.extend(
            Segment(role, text.strip()) for role, text in changed if text.strip()
        )
        if any(text[-1:].isspace() for _, text in changed):
            result.append(Segment("same", " "))
    if segments and not any(segment.role in ("del", "ins") for segment in result):
        return (Segment("gap", "only spaces differ"),)
    return tuple(_without_double_spaces(result))


def _without_double_spaces(segments: Iterable[Segment]) -> Iterator[Segment]:
    """The segments, adjacent unchanged ones as one, with one space where they meet."""
    for role, run in groupby(segments, lambda segment: segment.role):
        texts = [segment.text for segment in run]
        if role != "same":
            yield from (Segment(role, text) for text in texts)
            continue
        joined = texts[0]
        for text in texts[1:]:
            joined = f"{joined.rstrip()} {text.lstrip()}"
        yield Segment(role, joined)


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
