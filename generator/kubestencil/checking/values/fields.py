"""The facts of a field as a check of its value."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubestencil.checking.findings import Results
from kubestencil.checking.paths import Link
from kubestencil.checking.problems import Check, refuse, shown
from kubestencil.checking.rules import RuleId
from kubestencil.schema.knowledge.values import FORMATS, FieldFacts


class _Fault(NamedTuple):
    """What is wrong with a value."""

    rule: RuleId
    message: str
    hint: str = ""


def check_of_facts(facts: FieldFacts) -> Check | None:
    """The check of a field's value, or of the values in its list or map; None where
    nothing is known of them."""
    is_limited = (facts.minimum, facts.maximum) != (None, None)
    of_texts = (facts.enum, facts.format, facts.max_length, facts.min_length)
    of_lists = (facts.required, facts.max_items, facts.unique)
    has_parts = any(of_texts) or is_limited
    has_keys = has_parts or facts.key_format
    if not (has_keys or any(of_lists)):
        return None

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) in (str, int, list) and (fault := _fault(facts, value)):
            _refuse(fault, value, at, results)
        if type(value) is list:
            if facts.unique:
                _check_unique(value, facts.unique, at, results)
            for index, item in enumerate(value if has_parts else ()):
                if type(item) in (str, int):
                    check(item, (index, at), results)
        elif type(value) is dict:
            for key, item in value.items() if has_keys else ():
                if facts.key_format and (fault := _misnamed(facts.key_format, key)):
                    _refuse(fault, key, (key, at), results)
                if type(item) is str:
                    check(item, (key, at), results)

    return check


def _refuse(fault: _Fault, value: Any, at: Link, results: Results) -> None:
    # Problems of values are kept apart: where there is a verdict, it takes their place.
    values = Results(results.values, results.unchecked)
    refuse(*fault, value, at, values)


def _fault(facts: FieldFacts, value: str | int | list[Any]) -> _Fault | None:
    """The first thing that is wrong with a text, a number, or a list as a whole."""
    if isinstance(value, int):
        return _out_of_range(facts.minimum, facts.maximum, value)
    if not value:
        # An absent text and an empty one are the same to the server.
        is_needed = facts.min_length if value == "" else facts.required
        return _Fault("missing-field", "must not be empty") if is_needed else None
    if not isinstance(value, str):
        return _too_long(len(value), facts.max_items, "items")
    if facts.enum and value not in facts.enum:
        hint = f"use one of {', '.join(facts.enum)}"
        return _Fault("invalid-enum", f"{shown(value)} is not allowed", hint)
    if facts.format and (fault := _misnamed(facts.format, value)):
        return fault
    # The server counts bytes.
    return _too_long(len(value.encode()), facts.max_length, "characters")


def _too_long(length: int, most: int | None, parts: str) -> _Fault | None:
    if most is None or length <= most:
        return None
    return _Fault("invalid-value", f"must have at most {most:,} {parts}")


def _misnamed(name: str, value: str) -> _Fault | None:
    if FORMATS[name].accepts(value):
        return None
    message = f"{shown(value)} must be {FORMATS[name].meaning}"
    return _Fault("invalid-name", message)


def _out_of_range(low: int | None, high: int | None, value: int) -> _Fault | None:
    if (low is None or low <= value) and (high is None or value <= high):
        return None
    expected = f"at least {low}" if high is None else f"from {low} to {high}"
    if low is None:
        expected = f"at most {high}"
    return _Fault("out-of-range", f"{value} must be {expected}")


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
    parts = tuple(map(item.get, keys))
    return parts if all(type(part) in (str, int) and part for part in parts) else None
