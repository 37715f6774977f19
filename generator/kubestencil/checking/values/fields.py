"""The facts of a field as a check of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kubestencil.checking.findings import Results
from kubestencil.checking.problems import Check, Link, refuse, shown
from kubestencil.checking.rules import RuleId
from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.facts.values import FieldFacts

#: Adds what is wrong with a value of the right type.
_Rule = Callable[[Any, Link, Results], None]


def check_of_facts(facts: FieldFacts) -> Check | None:
    """The check of a field's value, or of the values in its list or map; None where
    nothing is known of them."""
    texts, numbers = tuple(_text_rules(facts)), tuple(_number_rules(facts))
    lists = tuple(_list_rules(facts))
    keys = facts.key_format
    if not (texts or numbers or lists or keys):
        return None

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is str:
            for rule in texts:
                rule(value, at, results)
        elif type(value) is int:
            for rule in numbers:
                rule(value, at, results)
        elif type(value) is list:
            for rule in lists:
                rule(value, at, results)
            for index, item in enumerate(value if texts or numbers else ()):
                if type(item) in (str, int):
                    check(item, (index, at), results)
        elif type(value) is dict:
            for key, item in value.items() if texts or keys else ():
                if keys:
                    _check_format("invalid-name", keys, key, (key, at), results)
                if texts and type(item) is str:
                    check(item, (key, at), results)

    return check


def refuse_value(
    rule: RuleId, message: str, hint: str, value: Any, at: Link, results: Results
) -> None:
    """Add that a value is not what a server accepts, unless a placeholder stands in its
    place."""
    # Problems of values are kept apart: where there is a verdict, it takes their place.
    values = Results(results.values, results.unchecked)
    refuse(rule, message, hint, value, at, values)


def _text_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.enum:
        yield _enum(facts.enum)
    if facts.min_length:
        yield _not_empty
    if facts.max_length is not None:
        yield _max_length(facts.max_length)
    if facts.format is not None:
        yield _format(facts.format)


def _number_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.minimum is not None or facts.maximum is not None:
        yield _range(facts.minimum, facts.maximum)


def _list_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.required:
        yield _not_empty
    if facts.unique:
        yield _unique(facts.unique)
    if facts.max_items is not None:
        yield _max_items(facts.max_items)


def _enum(values: tuple[str, ...]) -> _Rule:
    # An absent value and an empty one are the same to the server.
    allowed = frozenset(values) | {""}
    by_lower_case = {value.lower(): value for value in values}

    def check(value: str, at: Link, results: Results) -> None:
        if value not in allowed:
            meant = by_lower_case.get(value.lower())
            hint = f"use {meant}" if meant else f"use one of {', '.join(values)}"
            message = f"{shown(value)} is not allowed"
            refuse_value("invalid-enum", message, hint, value, at, results)

    return check


def _not_empty(value: str | list[Any], at: Link, results: Results) -> None:
    if not value:
        refuse_value("required-value", "must not be empty", "", value, at, results)


def _max_length(longest: int) -> _Rule:
    def check(value: str, at: Link, results: Results) -> None:
        # The server counts bytes.
        if len(value) > longest or len(value.encode()) > longest:
            message = f"must have at most {longest:,} characters"
            refuse_value("invalid-value", message, "", value, at, results)

    return check


def _format(name: str) -> _Rule:
    def check(value: str, at: Link, results: Results) -> None:
        if value:
            _check_format("invalid-name", name, value, at, results)

    return check


def _check_format(
    rule: RuleId, name: str, value: str, at: Link, results: Results
) -> None:
    meaning, accepts, _ = FORMATS[name]
    if not accepts(value):
        message = f"{shown(value)} is not {name}: {meaning}"
        refuse_value(rule, message, "", value, at, results)


def _range(low: int | None, high: int | None) -> _Rule:
    if low is None:
        expected = f"at most {high}"
    else:
        expected = f"at least {low}" if high is None else f"from {low} to {high}"

    def check(value: int, at: Link, results: Results) -> None:
        if (low is not None and value < low) or (high is not None and value > high):
            message = f"{value} must be {expected}"
            refuse_value("out-of-range", message, "", value, at, results)

    return check


def _max_items(most: int) -> _Rule:
    def check(value: list[Any], at: Link, results: Results) -> None:
        if len(value) > most:
            message = f"must have at most {most} items"
            refuse_value("invalid-value", message, "", value, at, results)

    return check


def _unique(keys: tuple[str, ...]) -> _Rule:
    def check(value: list[Any], at: Link, results: Results) -> None:
        seen = set()
        for index, item in enumerate(value):
            identity = _identity(item, keys)
            if identity is not None and identity in seen:
                path: Link = (index, at)
                if keys != ("",) and len(keys) == 1:
                    path = (keys[0], path)
                shown_keys = ", ".join(shown(part) for part in identity)
                message = f"another item has {shown_keys}, too"
                refuse_value("duplicate-item", message, "", identity[0], path, results)
            seen.add(identity)

    return check


def _identity(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What tells an item from others; None for one that lacks a part of it."""
    if keys == ("",):
        return (item,) if type(item) in (str, int) else None
    if type(item) is not dict:
        return None
    parts = tuple(item.get(key) for key in keys)
    return parts if all(type(part) in (str, int) and part for part in parts) else None
