"""Texts that a regular expression nearly matches, of any length, made from its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

#: A parsed expression: operations of ``re._parser`` with their values.
_Items = Sequence[tuple[Any, Any]]

# Tried for what a class of characters matches, beside the characters of the expression.
_CHARACTERS = "ax1A -_.\n\t<\"'é\0"
_UNLIMITED = 100
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_MAX_UNITS = 4


class NearMiss(NamedTuple):
    """A text: a beginning, a unit that is repeated, and an end."""

    start: str
    unit: str
    end: str

    def text(self, length: int) -> str:
        """The text with units of ``length`` characters together."""
        return self.start + self.unit * (length // len(self.unit)) + self.end


def near_misses(pattern: re.Pattern[Any]) -> set[NearMiss]:
    """Each repetition of an expression many times, behind what comes before it or
    without that, and in front of what does not match."""
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    flags = pattern.flags & ~re.UNICODE
    items = parser.parse(source, flags)
    alphabet = [*dict.fromkeys((*_literals(items), *_CHARACTERS))]
    misses = set()
    for start, units, rest in _repetitions(items, "", "", alphabet):
        for unit in units:
            for end in ("", "\0", f"{rest[:-1]}\0"):
                misses.add(NearMiss(start, unit, end))
                misses.add(NearMiss("", start + unit, end))
            misses.add(NearMiss("", unit, "\0"))
    return misses


def _repetitions(
    items: _Items, before: str, after: str, alphabet: Sequence[str]
) -> Iterator[tuple[str, list[str], str]]:
    """The repetitions without limit: a text that matches what is before each, texts
    that match what it repeats, and one that matches what is behind it."""
    for index, (operation, value) in enumerate(items):
        start = before + _sample(items[:index], alphabet)
        rest = _sample(items[index + 1 :], alphabet) + after
        if operation in _REPEATS and value[1] > _UNLIMITED:
            yield start, _units(value[2], alphabet), rest
        for part in _parts(operation, value):
            yield from _repetitions(part, start, rest, alphabet)


def _units(items: _Items, alphabet: Sequence[str]) -> list[str]:
    """Texts that match the content of a repetition, none of them empty."""
    if len(items) == 1:
        operation, value = items[0]
        characters = _matched(operation, value, alphabet)
        if characters:
            return characters[:_MAX_UNITS]
        if operation is code.SUBPATTERN:
            return _units(value[-1], alphabet)
        if operation is code.BRANCH:
            units = [unit for part in value[1] for unit in _units(part, alphabet)[:2]]
            return units[: 2 * _MAX_UNITS]
    unit = _sample(items, alphabet)
    return [unit] if unit else []


def _sample(items: _Items, alphabet: Sequence[str]) -> str:
    """A text that matches, as far as that is simple."""
    text = ""
    for operation, value in items:
        characters = _matched(operation, value, alphabet)
        if characters:
            text += characters[0]
        elif operation in _REPEATS:
            least, most, inner = value
            text += _sample(inner, alphabet) * max(least, min(most, 1))
        elif operation not in (code.ASSERT, code.ASSERT_NOT):
            parts = _parts(operation, value)
            text += _sample(parts[0], alphabet) if parts else ""
    return text


def _parts(operation: Any, value: Any) -> list[_Items]:
    """The expressions in an operation."""
    if operation is code.BRANCH:
        return list(value[1])
    if operation is code.ATOMIC_GROUP:
        return [value]
    if operation in (code.SUBPATTERN, code.ASSERT, code.ASSERT_NOT):
        return [value[-1]]
    return [value[2]] if operation in _REPEATS else []


def _matched(operation: Any, value: Any, alphabet: Sequence[str]) -> list[str]:
    """The characters that an operation takes; none where it is not about one."""
    if operation is code.LITERAL:
        return [chr(value)]
    if operation is code.NOT_LITERAL:
        return [character for character in alphabet if ord(character) != value]
    if operation is code.ANY:
        return [character for character in alphabet if character != "\n"]
    if operation is not code.IN:
        return []
    is_negated = value[0][0] is code.NEGATE
    return [
        character
        for character in alphabet
        if any(_is_member(character, *member) for member in value) != is_negated
    ] or ([chr(value[0][1][0])] if value[0][0] is code.RANGE else [])


def _is_member(character: str, operation: Any, value: Any) -> bool:
    if operation is code.LITERAL:
        return character == chr(value)
    if operation is code.RANGE:
        least, most = value
        return bool(least <= ord(character) <= most)
    if operation is code.CATEGORY:
        name = str(value).removeprefix("CATEGORY_")
        expression = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[
            name.removeprefix("NOT_")
        ]
        return bool(re.match(expression, character)) != name.startswith("NOT_")
    return False


def _literals(items: _Items) -> Iterator[str]:
    """The characters that an expression names."""
    for operation, value in items:
        if operation in (code.LITERAL, code.NOT_LITERAL):
            yield chr(value)
        elif operation is code.IN:
            yield from (chr(member) for kind, member in value if kind is code.LITERAL)
            yield from (chr(member[0]) for kind, member in value if kind is code.RANGE)
        for part in _parts(operation, value):
            yield from _literals(part)
