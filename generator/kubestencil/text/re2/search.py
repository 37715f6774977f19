"""Whether the automaton of a pattern accepts a part of a text.

A set of states is an integer with a bit for each of them. Each character takes time in
proportion to the number of states, so that no pattern takes exponential time
(https://swtch.com/~rsc/regexp/regexp1.html).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from kubestencil.text.re2.automaton import ACCEPT, State, contains
from kubestencil.text.re2.syntax import AssertionKind, Ranges

#: What is beside a position of a text, as far as a pattern has assertions about it.
_Side = Literal["end", "newline", "word", "other"]


class Searcher:
    """Searches texts for a pattern."""

    def __init__(self, states: Sequence[State], start: int) -> None:
        self._states = states
        self._start = start
        self._assertions = {state.assertion for state in states}
        self._by_ranges = _by_ranges(states)

    def search(self, text: str) -> bool:
        """Whether any part of ``text`` matches."""
        closures: dict[tuple[_Side, _Side], list[int]] = {}
        takers: dict[str, int] = {"": 0}
        taken = 0
        before: _Side = "end"
        for char in (*text, ""):
            if char not in takers:
                takers[char] = self._takers(char)
            after = self._side(char)
            if (before, after) not in closures:
                closures[before, after] = self._closures(before, after)
            following = closures[before, after]
            states = following[self._start]
            for index in _bits(taken):
                states |= following[self._states[index].targets[0]]
            if states >> ACCEPT & 1:
                return True
            taken = states & takers[char]
            before = after
        return False

    def _takers(self, char: str) -> int:
        """The states that take a character."""
        states = 0
        for ranges, bits in self._by_ranges.items():
            if contains(ranges, ord(char)):
                states |= bits
        return states

    def _side(self, char: str) -> _Side:
        if not char:
            return "end"
        if char == "\n" and not self._assertions.isdisjoint(("line-start", "line-end")):
            return "newline"
        if _is_word(char) and not self._assertions.isdisjoint(("word", "no-word")):
            return "word"
        return "other"

    def _closures(self, before: _Side, after: _Side) -> list[int]:
        """For each state those that are reached from it without a character: states
        that take one, and the one that accepts."""
        closures = [
            1 << index if index == ACCEPT or state.ranges is not None else 0
            for index, state in enumerate(self._states)
        ]
        passed = [
            (index, state.targets)
            for index, state in enumerate(self._states)
            if state.ranges is None
            and (state.assertion is None or _holds(state.assertion, before, after))
        ]
        # States come after their targets, but for those that begin a loop: each round
        # goes through one more of the loops that are nested.
        is_changed = True
        while is_changed:
            is_changed = False
            for index, targets in passed:
                closure = closures[index]
                for target in targets:
                    closure |= closures[target]
                if closure != closures[index]:
                    closures[index] = closure
                    is_changed = True
        return closures


def _by_ranges(states: Sequence[State]) -> dict[Ranges, int]:
    """The states that take each class of characters."""
    takers: dict[Ranges, int] = {}
    for index, state in enumerate(states):
        if state.ranges is not None:
            takers[state.ranges] = takers.get(state.ranges, 0) | 1 << index
    return takers


def _bits(states: int) -> Iterator[int]:
    """The indexes of the bits that are set."""
    digits = bin(states)[:1:-1]
    index = digits.find("1")
    while index >= 0:
        yield index
        index = digits.find("1", index + 1)


def _holds(assertion: AssertionKind, before: _Side, after: _Side) -> bool:
    is_boundary = (before == "word") != (after == "word")
    return {
        "text-start": before == "end",
        "text-end": after == "end",
        "line-start": before in ("end", "newline"),
        "line-end": after in ("end", "newline"),
        "word": is_boundary,
        "no-word": not is_boundary,
    }[assertion]


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())
