"""The nondeterministic automaton of a pattern: its states, and what it accepts."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal, NamedTuple

from kubestencil.text.re2.syntax import (
    MAX_CODE_POINT,
    Assertion,
    AssertionKind,
    Chars,
    Choice,
    Expression,
    PatternError,
    Ranges,
    Repeat,
    Sequence,
    parse,
)

# The largest pattern of a catalogue of 1,000 CustomResourceDefinitions has 1,200.
_MAX_STATES = 3_000
# So many steps of a search are remembered: some 50 MB for the largest patterns.
_MAX_STEPS = 256


class State(NamedTuple):
    """A state: with ``ranges`` it takes one character, with ``assertion`` it needs a
    condition to hold; otherwise it goes on without either. ``targets`` come next, the
    preferred one first."""

    ranges: Ranges | None
    assertion: AssertionKind | None
    targets: tuple[int, ...]


#: The first states of every automaton: what accepts, and those of the text around.
ACCEPT, PREFIX, PREFIX_CHAR, SUFFIX, SUFFIX_CHAR, END = range(6)
ANY: Ranges = ((0, MAX_CODE_POINT),)


def automaton(pattern: str) -> tuple[list[State], int]:
    """The states of a pattern, and the first one. Raises PatternError where it is not
    valid, or has too many states."""
    compiler = _Compiler()
    start = compiler.add(parse(pattern), ACCEPT)
    return compiler.states, start


def contains(ranges: Ranges, code: int) -> bool:
    """Whether a code point is in one of ``ranges``."""
    index = bisect_right(ranges, (code, MAX_CODE_POINT)) - 1
    return index >= 0 and code <= ranges[index][1]


class _Compiler:
    """Collects the states of a pattern."""

    def __init__(self) -> None:
        self.states = [State(None, None, ())] * 6

    def add(self, expression: Expression, target: int) -> int:
        """Add the states of an expression that goes on to ``target``; its first one."""
        if isinstance(expression, Chars):
            return self.state(expression.ranges, None, target)
        if isinstance(expression, Assertion):
            return self.state(None, expression.kind, target)
        if isinstance(expression, Sequence):
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
            self.states[loop] = State(None, None, (start, target))
            target = loop
        else:
            end = target
            for _ in range(repeat.most - repeat.least):
                target = self.state(None, None, self.add(repeat.item, target), end)
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
        self.states.append(State(ranges, assertion, targets))
        return len(self.states) - 1


#: What is beside a position of a text, as far as patterns have assertions about it.
_Side = Literal["end", "newline", "word", "other"]


def search(states: list[State], start: int, text: str) -> bool:
    """Whether an automaton accepts any part of ``text``.

    Each character takes time in proportion to the number of states, so that no pattern
    takes exponential time (https://swtch.com/~rsc/regexp/regexp1.html). A step that was
    made before is remembered.
    """
    steps: dict[tuple[frozenset[int], _Side, str], frozenset[int] | None] = {}
    taken: frozenset[int] = frozenset()
    before: _Side = "end"
    for char in (*text, ""):
        step = taken, before, char
        if step not in steps:
            if len(steps) == _MAX_STEPS:
                steps.clear()
            steps[step] = _step(states, start, *step)
        following = steps[step]
        if following is None:
            return True
        taken, before = following, _side(char)
    return False


def _step(
    states: list[State], start: int, taken: frozenset[int], before: _Side, char: str
) -> frozenset[int] | None:
    """The states that follow some, and the first one, with a character of a text, empty
    at its end; None where the automaton accepts before that."""
    reached = _reached(states, {start, *taken}, before, _side(char))
    if ACCEPT in reached:
        return None
    return frozenset(
        states[index].targets[0]
        for index in reached
        if char and contains(states[index].ranges or (), ord(char))
    )


def _reached(
    states: list[State], starts: set[int], before: _Side, after: _Side
) -> set[int]:
    """The states that are reached from ``starts`` without a character."""
    reached = set(starts)
    pending = list(starts)
    while pending:
        state = states[pending.pop()]
        if state.ranges is None and (
            state.assertion is None or _holds(state.assertion, before, after)
        ):
            for target in state.targets:
                if target not in reached:
                    reached.add(target)
                    pending.append(target)
    return reached


def _side(char: str) -> _Side:
    if not char:
        return "end"
    if char == "_" or (char.isascii() and char.isalnum()):
        return "word"
    return "newline" if char == "\n" else "other"


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
