"""Checks what holds at one place of a kind: names of objects, ``restartPolicy`` of a
Deployment's pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import items_at, link_of, values_at
from kubestencil.checking.problems import Check, missing_field
from kubestencil.checking.values.fields import check_of_facts
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.schema.knowledge.places import facts_in_kind, is_unvalidated
from kubestencil.schema.knowledge.resources import resource_in
from kubestencil.schema.types import GroupVersionKind

# A kind whose strategy gives objects a name (pkg/registry/core/limitrange).
_NAMED_BY_SERVER = ("LimitRange",)
_OF_OWNERS = ("apiVersion", "kind", "name", "uid")


def refusals(
    problems: Iterable[Problem], kind: GroupVersionKind, release: str
) -> Iterator[Problem]:
    """The problems that a server of a release refuses an object for, each place once.

    It does not look at what is given as the status of a new object, nor into fields that
    it does not validate, but for places in these of which something is known.
    """
    known = facts_in_kind(release, kind)
    seen = set()
    for problem in problems:
        rule, path, *_ = problem
        place = ".".join(step for step in path if isinstance(step, str))
        is_ignored = path[:1] == ("status",) or (
            place not in known and is_unvalidated(release, kind, place)
        )
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

    def __init__(self, release: str) -> None:
        self._release = release
        self._checks: dict[GroupVersionKind, list[_Place]] = {}

    def check(self, value: Any, kind: GroupVersionKind, results: Results) -> None:
        """Add what is wrong with the values at the places of a kind."""
        checks = self._checks.get(kind)
        if checks is None:
            checks = self._checks[kind] = [
                _Place(
                    path.split("."),
                    check_of_facts(facts.enforced),
                    # ``_check_metadata`` asks for the name of every kind.
                    bool(facts.required) and path != "metadata.name",
                )
                for path, facts in facts_in_kind(self._release, kind).items()
            ]
        for steps, check, required in checks:
            for part, at in values_at(value, steps, ("", None)):
                if check is not None:
                    check(part, at, results)
            for parent, at in values_at(value, steps[:-1], ("", None)):
                if required and type(parent) is dict and parent.get(steps[-1]) is None:
                    results.values.append(missing_field(steps[-1], at))
        resource = resource_in(kind, self._release)
        is_built_in = kind.group in built_in_groups()
        if not is_built_in or (resource is not None and "get" in resource.verbs):
            is_named = is_built_in and kind.kind in _NAMED_BY_SERVER
            _check_metadata(value, results, is_named)


def _check_metadata(value: Any, results: Results, is_named: bool) -> None:
    """An object that is stored needs a name, unless it lets the server make one."""
    metadata, at = value.get("metadata") or {}, ("metadata", ("", None))
    if type(metadata) is not dict:
        return
    if not (is_named or metadata.get("name") or metadata.get("generateName")):
        results.values.append(missing_field("name", at))
    for path, owner in items_at(value, ("metadata", "ownerReferences")):
        for name in _OF_OWNERS:
            if not owner.get(name):
                results.values.append(missing_field(name, link_of(path)))
