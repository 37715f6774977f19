"""Checks fields of one object against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.problems import Link, missing_field, path_of
from kubestencil.schema.facts.combinations import Combination

#: Adds what is wrong with the fields of an object.
ObjectRule = Callable[[Mapping[str, Any], Link, Results], None]


def rules_of(combinations: Iterable[Combination]) -> tuple[ObjectRule, ...]:
    """The rules of a definition."""
    return tuple(map(_rule, combinations))


def is_set(value: Any) -> bool:
    """Whether the server takes a field as set."""
    return value is not None and value != "" and value != []


class _Case(NamedTuple):
    """A rule that applies to an object."""

    fields: tuple[str, ...]
    reason: str
    value: Mapping[str, Any]
    at: Link
    results: Results

    @property
    def present(self) -> list[str]:
        """The fields that are set."""
        return [name for name in self.fields if is_set(self.value.get(name))]


def _rule(combination: Combination) -> ObjectRule:
    fields, terms = combination.fields, combination.condition
    check, reason = _CHECKS[combination.rule], _because(terms)

    def rule(value: Mapping[str, Any], at: Link, results: Results) -> None:
        if all(_holds(term, value) for term in terms):
            check(_Case(fields, reason, value, at, results))

    return rule


def _holds(term: str, value: Mapping[str, Any]) -> bool:
    """Whether a term holds; none does of a value that is filled in later."""
    name, negated, expected = term.partition("!=")
    if not negated:
        name, equals, expected = term.partition("=")
        if not equals:
            absent = term.startswith("!")
            return is_set(value.get(term.removeprefix("!"))) != absent
    given = value.get(name)
    if type(given) is str and has_placeholder(given):
        return False
    return (given == expected) != bool(negated)


def _needs(case: _Case) -> None:
    for name in case.fields:
        # An empty text is something else than a field that is absent.
        if case.value.get(name) is None:
            problem = missing_field(name, case.at, case.reason)
            case.results.values.append(problem)


def _forbids(case: _Case) -> None:
    for name in case.present:
        _refuse(f"{name} must not be set{case.reason}", (name, case.at), case.results)


def _at_most_one(case: _Case) -> None:
    first, *others = case.present or ("",)
    for name in others:
        message = f"{name} must not be set together with {first}"
        _refuse(message, (name, case.at), case.results)


def _at_least_one(case: _Case) -> None:
    if not case.present:
        message = f"one of {', '.join(case.fields)} is required{case.reason}"
        problem = Problem("missing-field", path_of(case.at), message)
        case.results.values.append(problem)


def _exactly_one(case: _Case) -> None:
    _at_most_one(case)
    _at_least_one(case)


def _refuse(message: str, at: Link, results: Results) -> None:
    problem = Problem("forbidden-field", path_of(at), message, of_key=True)
    results.values.append(problem)


def _because(terms: tuple[str, ...]) -> str:
    return f": {' and '.join(map(_in_words, terms))}" if terms else ""


def _in_words(term: str) -> str:
    if "=" in term:
        return term.replace("!=", " is not ").replace("=", " is ")
    return f"{term[1:]} is not set" if term.startswith("!") else f"{term} is set"


_CHECKS = {
    "needs": _needs,
    "forbids": _forbids,
    "at-most-one-of": _at_most_one,
    "at-least-one-of": _at_least_one,
    "exactly-one-of": _exactly_one,
}
