"""Patterns of custom resources: whether a text matches, and a text that does.

The API server evaluates patterns with Go's package ``regexp``. Python's differs in
syntax, and takes exponential time on some patterns (``(a+)+$``), which a document from
anywhere may have. Here a pattern is a nondeterministic automaton: time is proportional
to the size of the pattern times the length of the text.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from kubestencil.text.re2_syntax import (
    MAX_CODE_POINT,
    Assertion,
    AssertionKind,
    Chars,
    Choice,
    Expression,
    PatternError,
    Ranges,
    Repeat,
    parse,
)
from kubestencil.text.re2_syntax import Sequence as Concatenation

# The states of an automaton. The largest of Kubernetes' own patterns has some hundred.
_MAX_STATES = 5_000
# The longest text that is made up.
_MAX_LENGTH = 300
_PREFERRED_TEXT = "string"
_PREFERRED_CHARS = (
    string.ascii_lowercase + string.digits[1:] + "0" + string.ascii_uppercase + "-./:_@"
)
_ANY: Ranges = ((0, MAX_CODE_POINT),)


class _State(NamedTuple):
    """A state: with ``ranges`` it takes one character, with ``assertion`` it needs a
    condition to hold; otherwise it goes on without either. ``targets`` come next, the
    preferred one first."""

    ranges: Ranges | None
    assertion: AssertionKind | None
    targets: tuple[int, ...]


class Pattern:
    """A compiled pattern. Raises PatternError where it is not valid, or too large."""

    def __init__(self, pattern: str) -> None:
        compiler = _Compiler()
        self._start = compiler.add(parse(pattern), _ACCEPT)
        self._states: Sequence[_State] = compiler.states

    def search(self, text: str) -> bool:
        """Whether any part of ``text`` matches."""
        states: set[int] = set()
        for position in range(len(text) + 1):
            states.add(self._start)
            closure = self._closure(states, text, position)
            if _ACCEPT in closure:
                return True
            if position < len(text):
                code = ord(text[position])
                states = {
                    state.targets[0]
                    for state in map(self._states.__getitem__, closure)
                    if state.ranges is not None and _contains(state.ranges, code)
                }
        return False

    def example(self, min_length: int = 0, max_length: int | None = None) -> str | None:
        """A text of ``min_length`` to ``max_length`` characters that matches, as short
        as possible but not empty if it need not be; None where there is none.

        None as well for texts of more than 300 characters.
        """
        limit = _MAX_LENGTH if max_length is None else min(max_length, _MAX_LENGTH)
        lengths = self._lengths(limit)
        start = lengths[_AT_START][_PREFIX]
        for length in (*range(max(min_length, 1), limit + 1), 0):
            if min_length <= length and start >> length & 1:
                text = self._spell(lengths, length)
                # Whether \b holds is not known before the text is.
                if self.search(text):
                    return text
        return None

    def _closure(self, states: Iterable[int], text: str, position: int) -> set[int]:
        """The states that are reached without taking a character."""
        reached: set[int] = set()
        stack = list(states)
        while stack:
            index = stack.pop()
            if index in reached:
                continue
            reached.add(index)
            state = self._states[index]
            if state.ranges is None and (
                state.assertion is None or _holds(state.assertion, text, position)
            ):
                stack += state.targets
        return reached

    @property
    def _searching(self) -> Sequence[_State]:
        """The states of the pattern with any text before and after it."""
        states = list(self._states)
        states[_ACCEPT] = _State(None, None, (_SUFFIX,))
        states[_PREFIX] = _State(None, None, (self._start, _PREFIX_CHAR))
        states[_PREFIX_CHAR] = _State(_ANY, None, (_PREFIX,))
        states[_SUFFIX] = _State(None, None, (_END, _SUFFIX_CHAR))
        states[_SUFFIX_CHAR] = _State(_ANY, None, (_SUFFIX,))
        return states

    def _lengths(self, limit: int) -> tuple[list[int], list[int]]:
        """The lengths of the texts that each state accepts, at the start of the text
        and behind it. Lengths are bits: of 0b101, 0 and 2."""
        states = self._searching
        mask = (1 << limit + 1) - 1
        behind = [0] * len(states)
        behind[_END] = 1
        predecessors: list[list[int]] = [[] for _ in states]
        for index, state in enumerate(states):
            for target in state.targets:
                predecessors[target].append(index)
        work = [_END]
        while work:
            for index in predecessors[work.pop()]:
                lengths = _accepted(states[index], behind, behind) & mask
                if lengths | behind[index] != behind[index]:
                    behind[index] |= lengths
                    work.append(index)
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
        current = _PREFIX
        while len(text) < length:
            accepted = lengths[_AT_START if not text else _BEHIND_START]
            left = length - len(text)
            candidates: list[tuple[int, int, str, int]] = []
            for index in self._walk(states, current, accepted, left):
                state = states[index]
                assert state.ranges is not None
                if lengths[_BEHIND_START][state.targets[0]] >> left - 1 & 1:
                    rank, char = _best_char(state.ranges, len(text))
                    candidates.append((rank, len(candidates), char, state.targets[0]))
            _, _, char, current = min(candidates)
            text += char
        return text

    def _walk(
        self, states: Sequence[_State], start: int, accepted: Sequence[int], left: int
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


# The first states of every automaton: what accepts, and those of the text around.
_ACCEPT, _PREFIX, _PREFIX_CHAR, _SUFFIX, _SUFFIX_CHAR, _END = range(6)
_BEHIND_START, _AT_START = 0, 1
_START_ASSERTIONS = ("text-start", "line-start")
_END_ASSERTIONS = ("text-end", "line-end")


class _Compiler:
    """Collects the states of a pattern."""

    def __init__(self) -> None:
        self.states = [_State(None, None, ())] * 6

    def add(self, expression: Expression, target: int) -> int:
        """Add the states of an expression that goes on to ``target``; its first one."""
        if isinstance(expression, Chars):
            return self.state(expression.ranges, None, target)
        if isinstance(expression, Assertion):
            return self.state(None, expression.kind, target)
        if isinstance(expression, Concatenation):
            for item in reversed(expression.items):
                target = self.add(item, target)
            return target
        if isinstance(expression, Choice):
            starts = (self.add(item, target) for item in expression.items)
            return self.state(None, None, *starts)
        return self.repeat(expression, target)

    def repeat(self, repeat: Repeat, target: int) -> int:
        if repeat.most is None:
            loop = self.state(None, None, target)
            start = self.add(repeat.item, loop)
            self.states[loop] = _State(None, None, (start, target))
            target = loop
        else:
            for _ in range(repeat.most - repeat.least):
                target = self.state(None, None, self.add(repeat.item, target), target)
        for _ in range(repeat.least):
            start = self.add(repeat.item, target)
            # An expression without states, (), need not be repeated.
            if start == target:
                break
            target = start
        return target

    def state(
        self, ranges: Ranges | None, assertion: AssertionKind | None, *targets: int
    ) -> int:
        if len(self.states) >= _MAX_STATES:
            raise PatternError(f"the pattern has more than {_MAX_STATES} states")
        self.states.append(_State(ranges, assertion, targets))
        return len(self.states) - 1


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> Pattern | None:
    """The compiled pattern; None where it is not valid, or too large."""
    try:
        return Pattern(pattern)
    except PatternError:
        return None


def _accepted(
    state: _State,
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


def _contains(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _holds(assertion: AssertionKind, text: str, position: int) -> bool:
    before, after = text[position - 1 : position], text[position : position + 1]
    if assertion == "text-start":
        return position == 0
    if assertion == "text-end":
        return position == len(text)
    if assertion == "line-start":
        return before in ("", "\n")
    if assertion == "line-end":
        return after in ("", "\n")
    is_boundary = _is_word(before) != _is_word(after)
    return is_boundary == (assertion == "word")


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())


def _best_char(ranges: Ranges, position: int) -> tuple[int, str]:
    """The most readable character of ``ranges`` at a position of a text, and how
    readable it is: 0 is best."""
    wanted = _PREFERRED_TEXT[position % len(_PREFERRED_TEXT)]
    for rank, char in enumerate(wanted + _PREFERRED_CHARS):
        if _contains(ranges, ord(char)):
            return rank, char
    printable = (max(low, 0x20) for low, high in ranges if high >= 0x20 and low < 0x7F)
    code = min(printable, default=ranges[0][0])
    return MAX_CODE_POINT + code, chr(code)
