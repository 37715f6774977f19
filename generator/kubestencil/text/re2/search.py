"""Whether the automaton of a pattern accepts a part of a text.

A set of states is an integer with a bit for each of them. Sets that occurred, and what
follows them for a character, are kept: most texts take one look-up for each character.
A set that is new takes time in proportion to the number of states, so that no pattern
takes exponential time (https://swtch.com/~rsc/regexp/regexp1.html).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from kubestencil.text.re2.automaton import ACCEPT, State, contains
from kubestencil.text.re2.syntax import AssertionKind, Ranges

#: What is beside a position of a text, as far as a pattern has assertions about it.
_Side = Literal["end", "newline", "word", "other"]

# What a pattern keeps between texts, about.
_MAX_KEPT_BYTES = 1_000_000
_SIZE_OF_ENTRY = 100


class _CharClass(NamedTuple):
    """Characters that are the same to a pattern: ``states`` take them."""

    number: int
    states: int
    side: _Side


class _Set(NamedTuple):
    """The states that took the last character, what that was, and the sets that follow
    for the class of the next one; None where the pattern matches."""

    states: int
    before: _Side
    following: dict[int, _Set | None]


_END_OF_TEXT = _CharClass(-1, 0, "end")


class Searcher:
    """Searches texts for a pattern."""

    def __init__(self, states: Sequence[State], start: int) -> None:
        self._states = states
        self._start = start
        self._assertions = {state.assertion for state in states}
        self._by_ranges = _by_ranges(states)
        self._forget()

    def search(self, text: str) -> bool:
        """Whether any part of ``text`` matches."""
        current = self._set(0, "end")
        for char in text:
            char_class = self._char_classes.get(char)
            if char_class is None or char_class.number not in current.following:
                current, char_class = self._extend(current, char)
            following = current.following[char_class.number]
            if following is None:
                return True
            current = following
        return self._follow(current, _END_OF_TEXT) is None

    def _extend(self, current: _Set, char: str) -> tuple[_Set, _CharClass]:
        """``current`` with the set that follows it for ``char``, and its class."""
        if self._kept_bytes > _MAX_KEPT_BYTES:
            self._forget()
            current = self._set(current.states, current.before)
        char_class = self._class_of(char)
        if char_class.number not in current.following:
            current.following[char_class.number] = self._follow(current, char_class)
            self._count(0)
        return current, char_class

    def _forget(self) -> None:
        """Forget what was kept for other texts."""
        self._kept_bytes = 0
        self._sets: dict[tuple[int, _Side], _Set] = {}
        self._classes: dict[tuple[int, _Side], _CharClass] = {}
        self._char_classes: dict[str, _CharClass] = {}
        self._closures: dict[tuple[_Side, _Side], list[int]] = {}

    def _set(self, states: int, before: _Side) -> _Set:
        kept = self._sets.get((states, before))
        if kept is None:
            self._count(states)
            kept = self._sets[states, before] = _Set(states, before, {})
        return kept

    def _follow(self, current: _Set, char_class: _CharClass) -> _Set | None:
        """The states that take the next character; None where the pattern matches."""
        closures = self._closures_between(current.before, char_class.side)
        states = closures[self._start]
        for index in _bits(current.states):
            states |= closures[self._states[index].targets[0]]
        if states >> ACCEPT & 1:
            return None
        return self._set(states & char_class.states, char_class.side)

    def _class_of(self, char: str) -> _CharClass:
        char_class = self._char_classes.get(char)
        if char_class is None:
            states = 0
            for ranges, bits in self._by_ranges.items():
                if contains(ranges, ord(char)):
                    states |= bits
            key = states, self._side(char)
            number = len(self._classes)
            char_class = self._classes.setdefault(key, _CharClass(number, *key))
            self._char_classes[char] = char_class
            self._count(states)
        return char_class

    def _count(self, states: int) -> None:
        """Count the bytes of an entry with a set of states."""
        self._kept_bytes += _SIZE_OF_ENTRY + states.bit_length() // 8

    def _side(self, char: str) -> _Side:
        if char == "\n" and not self._assertions.isdisjoint(("line-start", "line-end")):
            return "newline"
        if _is_word(char) and not self._assertions.isdisjoint(("word", "no-word")):
            return "word"
        return "other"

    def _closures_between(self, before: _Side, after: _Side) -> list[int]:
        """For each state those that are reached from it without a character: states
        that take one, and the one that accepts."""
        closures = self._closures.get((before, after))
        if closures is None:
            closures = self._make_closures(before, after)
            self._closures[before, after] = closures
            for closure in closures:
                self._count(closure)
        return closures

    def _make_closures(self, before: _Side, after: _Side) -> list[int]:
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
    indexes: dict[Ranges, list[int]] = {}
    for index, state in enumerate(states):
        if state.ranges is not None:
            indexes.setdefault(state.ranges, []).append(index)
    return {
        ranges: _bit_set(members, len(states)) for ranges, members in indexes.items()
    }


def _bit_set(indexes: Sequence[int], size: int) -> int:
    digits = bytearray(b"0") * size
    for index in indexes:
        digits[size - 1 - index] = 0x31
    return int(digits, 2)


def _bits(states: int) -> Iterator[int]:
    """The indexes of the bits that are set."""
    digits = bin(states)[:1:-1]
    index = digits.find("1")
    while index >= 0:
        yield index
        index = digits.find("1", index + 1)


def _holds(assertion: AssertionKind, before: _Side, after: _Side) -> bool:
    if assertion == "text-start":
        return before == "end"
    if assertion == "text-end":
        return after == "end"
    if assertion == "line-start":
        return before in ("end", "newline")
    if assertion == "line-end":
        return after in ("end", "newline")
    is_boundary = (before == "word") != (after == "word")
    return is_boundary == (assertion == "word")


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())
