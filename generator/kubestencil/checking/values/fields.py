"""The facts of a field as a check of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from kubestencil.checking.findings import Results
from kubestencil.checking.paths import Link
from kubestencil.checking.problems import Check, refuse, shown
from kubestencil.checking.rules import RuleId
from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.facts.values import FieldFacts


class _Fault(NamedTuple):
    """What is wrong with a value."""

    rule: RuleId
    message: str
    hint: str = ""


#: What is wrong with a value of the right type; None where nothing is.
_Rule = Callable[[Any], _Fault | None]


def check_of_facts(facts: FieldFacts) -> Check | None:
    """The check of a field's value, or of the values in its list or map; None where
    nothing is known of them."""
    texts, lists = tuple(_text_rules(facts)), tuple(_list_rules(facts))
    is_limited = (facts.minimum, facts.maximum) != (None, None)
    numbers = (_range(facts.minimum, facts.maximum),) if is_limited else ()
    # An absent text and an empty one are the same to the server.
    empty = (_not_empty,) if facts.min_length else ()
    keys = (_format(facts.key_format),) if facts.key_format else ()
    unique = facts.unique
    if not (texts or empty or numbers or lists or keys or unique):
        return None

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is str:
            _apply(texts if value else empty, value, at, results)
        elif type(value) is int:
            _apply(numbers, value, at, results)
        elif type(value) is list:
            _apply(lists, value, at, results)
            if unique:
                _check_unique(value, unique, at, results)
            for index, item in enumerate(value if texts or empty or numbers else ()):
                if type(item) in (str, int):
                    check(item, (index, at), results)
        elif type(value) is dict:
            for key, item in value.items() if texts or empty or keys else ():
                _apply(keys, key, (key, at), results)
                if type(item) is str:
                    check(item, (key, at), results)

    return check


def _apply(rules: Iterable[_Rule], value: Any, at: Link, results: Results) -> None:
    """Add the first thing that is wrong with a value."""
    for rule in rules:
        fault = rule(value)
        if fault is not None:
            _refuse(fault, value, at, results)
            return


def _refuse(fault: _Fault, value: Any, at: Link, results: Results) -> None:
    # Problems of values are kept apart: where there is a verdict, it takes their place.
    values = Results(results.values, results.unchecked)
    refuse(*fault, value, at, values)


def _text_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.enum:
        yield _enum(facts.enum)
    if facts.format is not None:
        yield _format(facts.format)
    if facts.max_length is not None:
        yield _longest(facts.max_length, "characters")


def _list_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.required:
        yield _not_empty
    if facts.max_items is not None:
        yield _longest(facts.max_items, "items")


def _enum(values: tuple[str, ...]) -> _Rule:
    allowed = frozenset(values)
    by_lower_case = {value.lower(): value for value in values}

    def check(value: str) -> _Fault | None:
        if value in allowed:
            return None
        meant = by_lower_case.get(value.lower())
        hint = f"use {meant}" if meant else f"use one of {', '.join(values)}"
        return _Fault("invalid-enum", f"{shown(value)} is not allowed", hint)

    return check


def _not_empty(value: str | list[Any]) -> _Fault | None:
    return None if value else _Fault("missing-field", "must not be empty")


def _longest(most: int, parts: str) -> _Rule:
    fault = _Fault("invalid-value", f"must have at most {most:,} {parts}")

    def check(value: str | list[Any]) -> _Fault | None:
        # The server counts bytes.
        is_long = type(value) is str and len(value.encode()) > most
        return fault if is_long or len(value) > most else None

    return check


def _format(name: str) -> _Rule:
    meaning, accepts = FORMATS[name].meaning, FORMATS[name].accepts

    def check(value: str) -> _Fault | None:
        if accepts(value):
            return None
        return _Fault("invalid-name", f"{shown(value)} is not {name}: {meaning}")

    return check


def _range(low: int | None, high: int | None) -> _Rule:
    if low is None:
        expected = f"at most {high}"
    else:
        expected = f"at least {low}" if high is None else f"from {low} to {high}"

    def check(value: int) -> _Fault | None:
        if (low is not None and value < low) or (high is not None and value > high):
            return _Fault("out-of-range", f"{value} must be {expected}")
        return None

    return check


def _check_unique(
    value: list[Any], keys: tuple[str, ...], at: Link, results: Results
) -> None:
    seen = set()
    for index, item in enumerate(value):
        identity = _identity(item, keys)
        if identity is not None and identity in seen:
            path: Link = (index, at)
            if keys != ("",) and len(keys) == 1:
                path = (keys[0], path)
            shown_keys = ", ".join(map(shown, identity))
            fault = _Fault("duplicate-item", f"another item has {shown_keys}, too")
            _refuse(fault, identity[0], path, results)
        seen.add(identity)


def _identity(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What tells an item from others; None for one that lacks a part of it."""
    if keys == ("",):
        return (item,) if type(item) in (str, int) else None
    if type(item) is not dict:
        return None
    parts = tuple(item.get(key) for key in keys)
    return parts if all(type(part) in (str, int) and part for part in parts) else None
