"""Checks fields of one object against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple, cast

from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.problems import Link, missing_field, path_of, shown
from kubestencil.checking.values.quantities import quantity_value
from kubestencil.schema.facts.combinations import Combination
from kubestencil.schema.facts.conditions import Term, is_set, parse_term

#: Adds what is wrong with the fields of an object.
ObjectRule = Callable[[Mapping[str, Any], Link, Results], None]


def rules_of(combinations: Iterable[Combination]) -> tuple[ObjectRule, ...]:
    """The rules of a definition."""
    return tuple(map(_rule, combinations))


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
    fields = combination.fields
    terms = tuple(map(parse_term, combination.condition))
    check, reason = _CHECKS[combination.rule], _because(combination.condition)

    def rule(value: Mapping[str, Any], at: Link, results: Results) -> None:
        if all(_holds(term, value) for term in terms):
            check(_Case(fields, reason, value, at, results))

    return rule


def _holds(term: Term, value: Mapping[str, Any]) -> bool:
    """Whether a term holds; none does of a value that is filled in later."""
    given = value.get(term.field)
    if type(given) is str and has_placeholder(given):
        return False
    return term.holds(value)


def _needs(case: _Case) -> None:
    for name in case.fields:
        # An empty text is something else than a field that is absent.
        if case.value.get(name) in (None, []):
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


def _at_most(case: _Case) -> None:
    _compare(case, "at most", lambda first, second: first <= second)


def _at_least(case: _Case) -> None:
    _compare(case, "at least", lambda first, second: first >= second)


def _compare(
    case: _Case, words: str, holds: Callable[[Decimal, Decimal], bool]
) -> None:
    """Compare the amounts of two fields, or those of equal keys in two maps."""
    name, other = case.fields
    for first, second in _pairs(case.value.get(name), case.value.get(other)):
        amounts = quantity_value(first), quantity_value(second)
        if None not in amounts and not holds(*cast(tuple[Decimal, Decimal], amounts)):
            message = (
                f"{shown(first)} must be {words} {other}, which is {shown(second)}"
            )
            problem = Problem("out-of-range", path_of((name, case.at)), message)
            case.results.values.append(problem)
            return


def _pairs(first: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(first, dict) and isinstance(second, dict):
        yield from ((first[key], second[key]) for key in first if key in second)
    else:
        yield first, second


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
    "at-most": _at_most,
    "at-least": _at_least,
}
