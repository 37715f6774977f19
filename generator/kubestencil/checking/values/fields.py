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


class _Rule(NamedTuple):
    """What a value of the right type has to be: where it is not accepted, ``message`` is
    what is wrong, with "{}" for the value."""

    accepts: Callable[[Any], bool]
    rule: RuleId
    message: str
    hint: str = ""


_NOT_EMPTY = _Rule(bool, "missing-field", "must not be empty")


def check_of_facts(facts: FieldFacts) -> Check | None:
    """The check of a field's value, or of the values in its list or map; None where
    nothing is known of them."""
    texts, lists = tuple(_text_rules(facts)), tuple(_list_rules(facts))
    numbers = tuple(_range(facts.minimum, facts.maximum))
    # An absent text and an empty one are the same to the server.
    empty = (_NOT_EMPTY,) if facts.min_length else ()
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
    for accepts, rule, message, hint in rules:
        if not accepts(value):
            message = message.replace("{}", shown(value), 1)
            _refuse(rule, message, hint, value, at, results)
            return


def _refuse(
    rule: RuleId, message: str, hint: str, value: Any, at: Link, results: Results
) -> None:
    # Problems of values are kept apart: where there is a verdict, it takes their place.
    values = Results(results.values, results.unchecked)
    refuse(rule, message, hint, value, at, values)


def _text_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.enum:
        hint = f"use one of {', '.join(facts.enum)}"
        accepts = frozenset(facts.enum).__contains__
        yield _Rule(accepts, "invalid-enum", "{} is not allowed", hint)
    if facts.format is not None:
        yield _format(facts.format)
    if facts.max_length is not None:
        yield _longest(facts.max_length, "characters")


def _list_rules(facts: FieldFacts) -> Iterator[_Rule]:
    if facts.required:
        yield _NOT_EMPTY
    if facts.max_items is not None:
        yield _longest(facts.max_items, "items")


def _longest(most: int, parts: str) -> _Rule:
    def accepts(value: str | list[Any]) -> bool:
        # The server counts bytes.
        return len(value.encode() if isinstance(value, str) else value) <= most

    return _Rule(accepts, "invalid-value", f"must have at most {most:,} {parts}")


def _format(name: str) -> _Rule:
    meaning, accepts = FORMATS[name].meaning, FORMATS[name].accepts
    return _Rule(accepts, "invalid-name", f"{{}} is not {name}: {meaning}")


def _range(low: int | None, high: int | None) -> Iterator[_Rule]:
    if low is None and high is None:
        return
    if low is None:
        expected = f"at most {high}"
    else:
        expected = f"at least {low}" if high is None else f"from {low} to {high}"

    def accepts(value: int) -> bool:
        return (low is None or value >= low) and (high is None or value <= high)

    yield _Rule(accepts, "out-of-range", f"{{}} must be {expected}")


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
            message = f"another item has {shown_keys}, too"
            _refuse("duplicate-item", message, "", identity[0], path, results)
        seen.add(identity)


def _identity(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What tells an item from others; None for one that lacks a part of it."""
    if keys == ("",):
        return (item,) if type(item) in (str, int) else None
    if type(item) is not dict:
        return None
    parts = tuple(item.get(key) for key in keys)
    return parts if all(type(part) in (str, int) and part for part in parts) else None
