"""Checks what holds at one place of a kind: names of objects, ``restartPolicy`` of a
Deployment's pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Link
from kubestencil.checking.problems import Check, missing_field
from kubestencil.checking.values.fields import check_of_facts
from kubestencil.schema.facts.kind_fields import unvalidated_fields
from kubestencil.schema.facts.resources import resource_in
from kubestencil.schema.facts.values import ServerFacts
from kubestencil.schema.types import GroupVersionKind

# A kind whose strategy gives objects a name (pkg/registry/core/limitrange).
_NAMED_BY_SERVER = ("LimitRange",)
_OF_OWNERS = ("apiVersion", "kind", "name", "uid")


def refusals(
    problems: Iterable[Problem], kind: GroupVersionKind, release: str
) -> Iterator[Problem]:
    """The problems that a server of a release refuses an object for, each place once.

    It does not look at what is given as the status of a new object.
    """
    paths = ("status", *unvalidated_fields(release).get(kind, ()))
    ignored = [tuple(path.split(".")) for path in paths]
    seen = set()
    for problem in problems:
        rule, path, *_ = problem
        steps = tuple(step for step in path if isinstance(step, str))
        is_ignored = any(steps[: len(place)] == place for place in ignored)
        # What is absent lacks all that is in it, too.
        is_known = (rule, path) in seen or ("missing-field", path[:-1]) in seen
        if not is_ignored and not is_known:
            seen.add((rule, path))
            yield problem


class _Place(NamedTuple):
    """A path in a kind, and what holds there."""

    steps: list[str]
    check: Check | None
    required: bool


class PlaceChecks:
    """The checks of places by kind, compiled when they are first needed."""

    def __init__(self, facts: ServerFacts, release: str) -> None:
        self._facts = facts
        self._release = release
        self._checks: dict[GroupVersionKind, list[_Place]] = {}

    def check(self, value: Any, kind: GroupVersionKind, results: Results) -> None:
        """Add what is wrong with the values at the places of a kind."""
        checks = self._checks.get(kind)
        if checks is None:
            checks = self._checks[kind] = [
                _Place(
                    path.split("."),
                    check_of_facts(facts),
                    # ``_check_name`` asks for the name of every kind.
                    bool(facts.required) and path != "metadata.name",
                )
                for path, facts in self._facts.in_kinds.get(kind, {}).items()
            ]
        for steps, check, required in checks:
            for part, at in _values_at(value, steps, ("", None)):
                if check is not None:
                    check(part, at, results)
            for parent, at in _values_at(value, steps[:-1], ("", None)):
                if required and type(parent) is dict and parent.get(steps[-1]) is None:
                    results.values.append(missing_field(steps[-1], at))
        self._check_name(value, kind, results)

    def _check_name(self, value: Any, kind: GroupVersionKind, results: Results) -> None:
        """An object that is stored needs a name, unless it lets the server make one."""
        metadata, at = value.get("metadata") or {}, ("metadata", ("", None))
        resource = resource_in(kind, self._release)
        if (
            resource is None
            or "get" not in resource.verbs
            or type(metadata) is not dict
        ):
            return
        is_named = metadata.get("name") or metadata.get("generateName")
        if not is_named and kind.kind not in _NAMED_BY_SERVER:
            results.values.append(missing_field("name", at))
        owners = metadata.get("ownerReferences")
        for index, owner in enumerate(owners if type(owners) is list else ()):
            for name in _OF_OWNERS if type(owner) is dict else ():
                if not owner.get(name):
                    link: Link = (index, ("ownerReferences", at))
                    results.values.append(missing_field(name, link))


def _values_at(value: Any, steps: list[str], at: Link) -> Iterator[tuple[Any, Link]]:
    """The values at a path, in all items of lists on the way."""
    if type(value) is list and steps:
        for index, item in enumerate(value):
            yield from _values_at(item, steps, (index, at))
    elif not steps:
        if value is not None:
            yield value, at
    elif type(value) is dict and steps[0] in value:
        yield from _values_at(value[steps[0]], steps[1:], (steps[0], at))
