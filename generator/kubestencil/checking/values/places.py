"""Checks what holds at one place of a kind: names of objects, ``restartPolicy`` of a
Deployment's pods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.findings import Path, Problem, Results
from kubestencil.checking.problems import Check, Link, missing_field
from kubestencil.checking.values.fields import check_of_facts
from kubestencil.schema.facts.tables import ReleaseRange
from kubestencil.schema.facts.values import ServerFacts
from kubestencil.schema.types import GroupVersionKind

# A kind whose strategy gives objects a name (pkg/registry/core/limitrange).
_NAMED_BY_SERVER = ("LimitRange",)
# What API servers do not validate: pods and claims of a StatefulSet until a release that
# is 1.33 to 1.35 (pkg/apis/apps/validation), the metadata of a CronJob's jobs, and
# selectors of metrics. Indexes of lists are left out.
_NOT_VALIDATED: Mapping[str, Sequence[tuple[ReleaseRange, Path]]] = {
    "StatefulSet": (
        (ReleaseRange("1.5", "1.34"), ("spec", "template", "spec")),
        (ReleaseRange("1.5", "1.34"), ("spec", "volumeClaimTemplates")),
    ),
    "HorizontalPodAutoscaler": tuple(
        (ReleaseRange("1.5"), ("spec", "metrics", source, "metric", "selector"))
        for source in ("external", "object", "pods")
    ),
    "CronJob": ((ReleaseRange("1.5"), ("spec", "jobTemplate", "metadata")),),
}


def refusals(
    problems: Iterable[Problem], kind: GroupVersionKind, release: str
) -> Iterator[Problem]:
    """The problems that a server of a release refuses an object for, each place once.

    It does not look at what is given as the status of a new object.
    """
    ignored: list[Path] = [("status",)]
    for releases, path in _NOT_VALIDATED.get(kind.kind, ()):
        if releases.includes(release):
            ignored.append(path)
    seen = set()
    for problem in problems:
        key = problem.rule, problem.path
        steps = tuple(step for step in problem.path if isinstance(step, str))
        is_ignored = any(steps[: len(path)] == path for path in ignored)
        if not is_ignored and key not in seen:
            seen.add(key)
            yield problem


class _Place(NamedTuple):
    """A path in a kind, and what holds there."""

    steps: list[str]
    check: Check | None
    required: bool


class PlaceChecks:
    """The checks of places by kind, compiled when they are first needed."""

    def __init__(self, facts: ServerFacts) -> None:
        self._facts = facts
        self._checks: dict[GroupVersionKind, list[_Place]] = {}

    def check(self, value: Any, kind: GroupVersionKind, results: Results) -> None:
        """Add what is wrong with the values at the places of a kind."""
        checks = self._checks.get(kind)
        if checks is None:
            checks = self._checks[kind] = list(self._compiled(kind))
        for steps, check, required in checks:
            for part, at in _values_at(value, steps, ("", None)):
                if check is not None:
                    check(part, at, results)
            for parent, at in _values_at(value, steps[:-1], ("", None)):
                if required and type(parent) is dict and parent.get(steps[-1]) is None:
                    results.values.append(missing_field(steps[-1], at))
        self._check_name(value, kind, results)

    def _check_name(self, value: Any, kind: GroupVersionKind, results: Results) -> None:
        """An object needs a name, unless it lets the server make one."""
        metadata = value.get("metadata") or {}
        is_named = "metadata.name" in self._facts.in_kinds.get(kind, {})
        if not is_named or kind.kind in _NAMED_BY_SERVER or type(metadata) is not dict:
            return
        if not metadata.get("name") and not metadata.get("generateName"):
            results.values.append(missing_field("name", ("metadata", ("", None))))

    def _compiled(self, kind: GroupVersionKind) -> Iterator[_Place]:
        for path, facts in self._facts.in_kinds.get(kind, {}).items():
            required = bool(facts.required) and path != "metadata.name"
            yield _Place(path.split("."), check_of_facts(facts), required)


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
