"""Compares two texts word by word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
#: The number of unchanged words that are shown on each side of a change.
_CONTEXT = 8
# Texts that differ in more words are shown as deleted and inserted: the time grows with
# the square of this number, and little of such a text is the same.
_MAX_EDITS = 300

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
    start = _common_prefix_length(old, new)
    end = _common_prefix_length(old[start:][::-1], new[start:][::-1])
    old_stop, new_stop = len(old) - end, len(new) - end
    runs: list[_Run] = [
        ("same", old[:start]),
        *_changed_runs(old[start:old_stop], new[start:new_stop]),
        ("same", old[old_stop:]),
    ]
    tokens_by_segment: list[_Run] = []
    for role, tokens in runs:
        if tokens_by_segment and tokens_by_segment[-1][0] == role:
            tokens_by_segment[-1][1].extend(tokens)
        elif tokens:
            tokens_by_segment.append((role, tokens))
    return tuple(Segment(role, "".join(tokens)) for role, tokens in tokens_by_segment)


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


# Consecutive tokens of one role.
_Run = tuple[Role, list[str]]
# Equal tokens: the index of the first in the old text and in the new one, and how many.
_Block = tuple[int, int, int]


def _changed_runs(old: list[str], new: list[str]) -> Iterator[_Run]:
    deleted: list[str] = []
    inserted: list[str] = []
    old_from = new_from = 0
    for old_to, new_to, length in (*_equal_blocks(old, new), (len(old), len(new), 0)):
        deleted += old[old_from:old_to]
        inserted += new[new_from:new_to]
        old_from, new_from = old_to + length, new_to + length
        tokens = old[old_to:old_from]
        # Changes with only spaces or punctuation between them count as one change.
        if any(map(_has_letter_or_digit, tokens)):
            yield from (("del", deleted), ("ins", inserted), ("same", tokens))
            deleted, inserted = [], []
        else:
            deleted += tokens
            inserted += tokens
    yield from (("del", deleted), ("ins", inserted))


def _equal_blocks(old: list[str], new: list[str]) -> list[_Block]:
    """The equal tokens of two texts: words and what is between them.

    Only the words are compared, since half of all tokens are spaces, and the time grows
    with the square of their number. Equal spaces beside an equal word belong to it.
    """
    old_indexes, new_indexes = (
        [index for index, token in enumerate(tokens) if not token.isspace()]
        for tokens in (old, new)
    )
    old_words = [old[index] for index in old_indexes]
    new_words = [new[index] for index in new_indexes]
    blocks: list[_Block] = []
    for old_start, new_start, length in _equal_words(old_words, new_words):
        old_block = old_indexes[old_start : old_start + length]
        new_block = new_indexes[new_start : new_start + length]
        old_from, old_to = old_block[0], old_block[-1] + 1
        new_from, new_to = new_block[0], new_block[-1] + 1
        if old[old_from:old_to] == new[new_from:new_to]:
            block = old_from, new_from, old_to - old_from
            _append(blocks, _with_spaces(block, old, new))
        else:
            # The spaces between two words follow the first of them.
            _append(blocks, _with_spaces((old_from, new_from, 1), old, new))
            for old_index, new_index in zip(old_block[1:], new_block[1:], strict=True):
                length = _length_with_space(old, new, old_index, new_index)
                _append(blocks, (old_index, new_index, length))
    return blocks


def _length_with_space(
    old: list[str], new: list[str], old_index: int, new_index: int
) -> int:
    """The number of equal tokens from a word on: 2 where the same spaces follow it."""
    follows = old[old_index + 1 : old_index + 2]
    is_same = follows and follows == new[new_index + 1 : new_index + 2]
    return 2 if is_same and follows[0].isspace() else 1


def _with_spaces(block: _Block, old: list[str], new: list[str]) -> _Block:
    """A block that begins and ends with words, with the equal spaces around it."""
    old_from, new_from, length = block
    old_to, new_to = old_from + length, new_from + length
    if _is_same_space(old[old_to : old_to + 1], new[new_to : new_to + 1]):
        length += 1
    old_before, new_before = max(0, old_from - 1), max(0, new_from - 1)
    if _is_same_space(old[old_before:old_from], new[new_before:new_from]):
        return old_before, new_before, length + 1
    return old_from, new_from, length


def _append(blocks: list[_Block], block: _Block) -> None:
    """Append a block without what the last one has of it; to the last one where it
    continues that."""
    old_from, new_from, length = block
    if blocks:
        last_old, last_new, last_length = blocks[-1]
        old_end, new_end = last_old + last_length, last_new + last_length
        overlap = max(0, old_end - old_from, new_end - new_from)
        old_from, new_from = old_from + overlap, new_from + overlap
        length -= overlap
        if (old_from, new_from) == (old_end, new_end):
            blocks[-1] = last_old, last_new, last_length + length
            return
    blocks.append((old_from, new_from, length))


def _is_same_space(tokens: list[str], other_tokens: list[str]) -> bool:
    """Whether two slices of at most one token are the same spaces."""
    return bool(tokens) and tokens == other_tokens and tokens[0].isspace()


def _equal_words(old: list[str], new: list[str]) -> Iterator[_Block]:
    """The longest runs of equal words on a shortest way from ``old`` to ``new``; none
    where that has more than ``_MAX_EDITS`` insertions and deletions.

    Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
    """
    trace = _furthest_points(old, new)
    x, y = len(old), len(new)
    blocks: list[_Block] = []
    for edits in range(len(trace) - 1, -1, -1):
        furthest = trace[edits]
        diagonal = x - y
        if edits == 0:
            previous_x = previous_y = start = 0
        elif _goes_down(furthest, diagonal):
            previous_x = start = furthest[diagonal + 1]
            previous_y = previous_x - diagonal - 1
        else:
            previous_x = furthest[diagonal - 1]
            previous_y, start = previous_x - diagonal + 1, previous_x + 1
        if x > start:
            blocks.append((start, start - diagonal, x - start))
        x, y = previous_x, previous_y
    return reversed(blocks)


def _furthest_points(old: list[str], new: list[str]) -> list[dict[int, int]]:
    """For each number of edits, the furthest index in ``old`` on each diagonal before
    that edit; empty where more than ``_MAX_EDITS`` are needed."""
    old_count, new_count = len(old), len(new)
    furthest = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(old_count + new_count, _MAX_EDITS) + 1):
        trace.append(furthest.copy())
        # No diagonal outside of these has a token of both texts.
        first = -edits + 2 * max(0, edits - new_count)
        last = edits - 2 * max(0, edits - old_count)
        for diagonal in range(first, last + 1, 2):
            left = furthest.get(diagonal - 1, -1)
            x = furthest.get(diagonal + 1, -1)
            if left >= x:
                x = left + 1
            y = x - diagonal
            while x < old_count and y < new_count and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= old_count and y >= new_count:
                return trace
    return []


def _goes_down(furthest: dict[int, int], diagonal: int) -> bool:
    """Whether the best edit onto a diagonal is an insertion."""
    return furthest.get(diagonal - 1, -1) < furthest.get(diagonal + 1, -1)


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
