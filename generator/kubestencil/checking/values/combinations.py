"""Checks fields of one object against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Link, path_of
from kubestencil.checking.problems import missing_field, shown
from kubestencil.checking.values.scalars import quantity_value
from kubestencil.schema.facts.combinations import Combination
from kubestencil.schema.facts.conditions import Term, is_set, parse_term

#: Adds what is wrong with the fields of an object.
ObjectRule = Callable[[Mapping[str, Any], Link, Results], None]


def rule_of(combination: Combination) -> ObjectRule:
    """The check of a combination of fields."""
    terms = tuple(map(parse_term, combination.condition))

    def rule(value: Mapping[str, Any], at: Link, results: Results) -> None:
        if all(_holds(term, value) for term in terms):
            results.values.extend(_problems(combination, terms, value, at))

    return rule


def _holds(term: Term, value: Mapping[str, Any]) -> bool:
    """Whether a term holds; none does of a value that is filled in later."""
    given = value.get(term.field)
    if type(given) is str and has_placeholder(given):
        return False
    return term.holds(value)


def _problems(
    combination: Combination, terms: Iterable[Term], value: Mapping[str, Any], at: Link
) -> Iterator[Problem]:
    """What is wrong with an object that a rule applies to."""
    _, _, _, rule, fields = combination
    reason = f": {' and '.join(map(str, terms))}" if terms else ""
    present = [name for name in fields if is_set(value.get(name))]
    if rule == "needs":
        # An empty text is something else than a field that is absent.
        absent = (name for name in fields if value.get(name) in (None, []))
        yield from (missing_field(name, at, reason) for name in absent)
    elif rule == "forbids":
        yield from (_forbidden(name, at, reason) for name in present)
    elif rule in ("at-most", "at-least"):
        yield from _out_of_order(combination, value, at)
    else:
        if rule != "at-least-one-of":
            for name in present[1:]:
                yield _forbidden(name, at, f" together with {present[0]}")
        if rule != "at-most-one-of" and not present:
            message = f"one of {', '.join(fields)} is required{reason}"
            yield Problem("missing-field", path_of(at), message)


def _out_of_order(
    combination: Combination, value: Mapping[str, Any], at: Link
) -> Iterator[Problem]:
    """The amounts of two fields, or those of equal keys in two maps, in wrong order."""
    name, other = combination.fields
    one, two = value.get(name), value.get(other)
    pairs = [(one, two)]
    if isinstance(one, dict) and isinstance(two, dict):
        pairs = [(one[key], two[key]) for key in one if key in two]
    sign = 1 if combination.rule == "at-most" else -1
    for first, second in pairs:
        amounts = quantity_value(first), quantity_value(second)
        if amounts[0] is None or amounts[1] is None:
            continue
        if sign * amounts[0] > sign * amounts[1]:
            words = combination.rule.replace("-", " ")
            message = (
                f"{shown(first)} must be {words} {other}, which is {shown(second)}"
            )
            yield Problem("out-of-range", path_of((name, at)), message)
            return


def _forbidden(name: str, at: Link, reason: str) -> Problem:
    message = f"{name} must not be set{reason}"
    return Problem("forbidden-field", path_of((name, at)), message, of_key=True)
