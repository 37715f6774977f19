"""Checks fields of one object against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Link, path_of, values_at
from kubestencil.checking.problems import missing_field, shown
from kubestencil.checking.values.fields import check_of_facts
from kubestencil.checking.values.scalars import quantity_value
from kubestencil.schema.knowledge.conditions import (
    Combination,
    Term,
    is_set,
)
from kubestencil.schema.knowledge.values import FieldFacts

#: Adds what is wrong with the fields of an object.
ObjectRule = Callable[[Mapping[str, Any], Link, Results], None]


def rule_of(combination: Combination) -> ObjectRule:
    """The check of a combination of fields."""
    terms = combination.terms

    def rule(value: Mapping[str, Any], at: Link, results: Results) -> None:
        if all(_holds(term, value) for term in terms):
            results.values.extend(_problems(combination, terms, value, at))

    return rule


def _holds(term: Term, value: Mapping[str, Any]) -> bool:
    """Whether a term holds; none does of a value that is filled in later."""
    given = term.given(value)
    if type(given) is str and has_placeholder(given):
        return False
    return term.holds(value)


def _problems(
    combination: Combination, terms: Iterable[Term], value: Mapping[str, Any], at: Link
) -> Iterator[Problem]:
    """What is wrong with an object that a rule applies to."""
    rule, fields, results = combination.rule, combination.fields, Results()
    reason = f": {' and '.join(map(str, terms))}" if terms else ""
    if rule == "needs":
        # An empty text is something else than a field that is absent.
        absent = (name for name in fields if value.get(name) in (None, []))
        yield from (missing_field(name, at, reason) for name in absent)
        return
    if rule == "format":
        for part, place in values_at(value, fields[0].split("."), at):
            if check := check_of_facts(FieldFacts(format=fields[1])):
                check(part, place, results)
        yield from results.values
        return
    present = [
        (name, place)
        for name in fields
        for part, place in values_at(value, name.split("."), at)
        if is_set(part)
    ]
    if rule == "forbids":
        yield from (_forbidden(name, place, reason) for name, place in present)
    elif rule in ("at-most", "at-least"):
        yield from _out_of_order(combination, value, at)
    else:
        if combination.takes_one:
            for name, place in present[1:]:
                yield _forbidden(name, place, f" together with {present[0][0]}")
        if combination.needs_one and not present:
            message = f"one of {', '.join(fields)} is required{reason}"
            path = (*path_of(at), *fields[0].split(".")[:-1])
            yield Problem("missing-field", path, message)


def _out_of_order(
    combination: Combination, value: Mapping[str, Any], at: Link
) -> Iterator[Problem]:
    """The amounts of two fields, or those of equal keys in two maps, in wrong order."""
    name, other = combination.fields
    order = 1 if combination.rule == "at-most" else -1
    for one, place in values_at(value, name.split("."), at):
        # Where no field is called so, it is a number.
        two = value.get(other, other)
        pairs = [(one, two)]
        if isinstance(one, dict) and isinstance(two, dict):
            pairs = [(one[key], two[key]) for key in one if key in two]
        for first, second in pairs:
            lower, upper = map(quantity_value, (first, second)[::order])
            if lower is not None and upper is not None and lower > upper:
                given = "" if second == other else f", which is {shown(second)}"
                words = combination.rule.replace("-", " ")
                message = f"{shown(first)} must be {words} {other}{given}"
                yield Problem("out-of-range", path_of(place), message)
                return


def _forbidden(name: str, place: Link, reason: str) -> Problem:
    message = f"{name.rpartition('.')[2]} must not be set{reason}"
    return Problem("forbidden-field", path_of(place), message, of_key=True)
