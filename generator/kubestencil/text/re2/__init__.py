"""Patterns of custom resources: whether a text matches, and a text that does.

The API server evaluates patterns with Go's package ``regexp``. Python's differs in
syntax, and takes exponential time on some patterns (``(a+)+$``), which a document
from anywhere may have. Here a pattern is a nondeterministic automaton: time is at
most proportional to the size of the pattern times the length of the text.

The package google-re2 would save a tenth of this: it has no wheel for musl, and accepts
``\\C``, which Go refuses.

``syntax`` parses a pattern, ``automaton`` has its states and runs it, and ``ecma``
writes it for JSON Schema.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush

from kubestencil.text.re2.automaton import (
    ACCEPT,
    ANY,
    END,
    PREFIX,
    PREFIX_CHAR,
    SUFFIX,
    SUFFIX_CHAR,
    State,
    automaton,
    contains,
    search,
)
from kubestencil.text.re2.syntax import MAX_CODE_POINT, PatternError, Ranges

# The longest text that is made up.
_MAX_LENGTH = 300
_PREFERRED_TEXT = "string"
_PREFERRED_CHARS = (
    string.ascii_lowercase + string.digits[1:] + "0" + string.ascii_uppercase + "-./:_@"
)
_BEHIND_START, _AT_START = 0, 1
_START_ASSERTIONS = ("text-start", "line-start")
_END_ASSERTIONS = ("text-end", "line-end")


class Pattern:
    """A compiled pattern. Raises PatternError where it is not valid, or too large."""

    def __init__(self, pattern: str) -> None:
        self._states, self._start = automaton(pattern)

    def search(self, text: str) -> bool:
        """Whether any part of ``text`` matches."""
        return search(self._states, self._start, text)

    def example(self, min_length: int = 0, max_length: int | None = None) -> str | None:
        """A text of ``min_length`` to ``max_length`` characters that matches, as short
        as possible but not empty if it need not be; None where there is none.

        None as well for texts of more than 300 characters.
        """
        limit = _MAX_LENGTH if max_length is None else min(max_length, _MAX_LENGTH)
        lengths = self._lengths(limit)
        start = lengths[_AT_START][PREFIX]
        for length in (*range(max(min_length, 1), limit + 1), 0):
            if min_length <= length and start >> length & 1:
                text = self._spell(lengths, length)
                # Whether \b holds is not known before the text is.
                if self.search(text):
                    return text
        return None

    @property
    def _searching(self) -> Sequence[State]:
        """The states of the pattern with any text before and after it."""
        states = list(self._states)
        states[ACCEPT] = State(None, None, (SUFFIX,))
        states[PREFIX] = State(None, None, (self._start, PREFIX_CHAR))
        states[PREFIX_CHAR] = State(ANY, None, (PREFIX,))
        states[SUFFIX] = State(None, None, (END, SUFFIX_CHAR))
        states[SUFFIX_CHAR] = State(ANY, None, (SUFFIX,))
        return states

    def _lengths(self, limit: int) -> tuple[list[int], list[int]]:
        """The lengths of the texts that each state accepts, at the start of the text
        and behind it. Lengths are bits: of 0b101, 0 and 2."""
        states = self._searching
        mask = (1 << limit + 1) - 1
        behind = [0] * len(states)
        behind[END] = 1
        predecessors: list[list[int]] = [[] for _ in states]
        for index, state in enumerate(states):
            for target in state.targets:
                predecessors[target].append(index)
        # States come after those that follow them, but for loops: with the first of them
        # first, most are looked at once.
        work = [END]
        while work:
            reached = heappop(work)
            while work and work[0] == reached:
                heappop(work)
            for index in predecessors[reached]:
                lengths = _accepted(states[index], behind, behind) & mask
                if lengths | behind[index] != behind[index]:
                    behind[index] |= lengths
                    heappush(work, index)
        at_start = list(behind)
        work = [
            index
            for index, state in enumerate(states)
            if state.assertion in _START_ASSERTIONS
        ]
        while work:
            index = work.pop()
            lengths = _accepted(states[index], at_start, behind, True) & mask
            if lengths | at_start[index] != at_start[index]:
                at_start[index] |= lengths
                work += predecessors[index]
        return behind, at_start

    def _spell(self, lengths: tuple[list[int], list[int]], length: int) -> str:
        """A text of ``length`` characters that the automaton accepts."""
        states = self._searching
        text = ""
        current = PREFIX
        while len(text) < length:
            accepted = lengths[_AT_START if not text else _BEHIND_START]
            left = length - len(text)
            candidates: list[tuple[int, int, str, int]] = []
            for index in self._walk(states, current, accepted, left):
                state = states[index]
                assert state.ranges is not None
                if lengths[_BEHIND_START][state.targets[0]] >> left - 1 & 1:
                    rank, char = _best_char(
                        state.ranges, _PREFERRED_TEXT[len(text) % len(_PREFERRED_TEXT)]
                    )
                    candidates.append((rank, len(candidates), char, state.targets[0]))
                    if rank == 0:
                        break
            _, _, char, current = min(candidates)
            text += char
        return text

    def _walk(
        self, states: Sequence[State], start: int, accepted: Sequence[int], left: int
    ) -> Iterator[int]:
        """The states that take a character and are reached from ``start`` without
        one, in order of preference, where ``left`` more characters are accepted."""
        reached: set[int] = set()
        stack = [start]
        while stack:
            index = stack.pop()
            if index in reached or not accepted[index] >> left & 1:
                continue
            reached.add(index)
            if states[index].ranges is not None:
                yield index
            else:
                stack += reversed(states[index].targets)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Pattern | None:
    """The compiled pattern; None where it is not valid, or too large."""
    try:
        return Pattern(pattern)
    except PatternError:
        return None


def _accepted(
    state: State,
    lengths: Sequence[int],
    lengths_behind: Sequence[int],
    is_start: bool = False,
) -> int:
    """The lengths of the texts that a state accepts, from those of its targets."""
    if state.ranges is not None:
        return lengths_behind[state.targets[0]] << 1 if state.ranges else 0
    if state.assertion in _START_ASSERTIONS and not is_start:
        return 0
    accepted = 0
    for target in state.targets:
        accepted |= lengths[target]
    return accepted & 1 if state.assertion in _END_ASSERTIONS else accepted


def _best_char(ranges: Ranges, wanted: str) -> tuple[int, str]:
    """The most readable character of ``ranges``, ``wanted`` if it is one of them, and
    how readable it is: 0 is best."""
    for rank, char in enumerate(wanted + _PREFERRED_CHARS):
        if contains(ranges, ord(char)):
            return rank, char
    printable = (max(low, 0x20) for low, high in ranges if high >= 0x20 and low < 0x7F)
    code = min(printable, default=ranges[0][0])
    return MAX_CODE_POINT + code, chr(code)
