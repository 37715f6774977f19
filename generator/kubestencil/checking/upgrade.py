"""Checks one object against the releases of an upgrade, and says what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubestencil.checking.files.kustomize import is_kustomize_kind
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.hints import explained
from kubestencil.checking.kind_findings import (
    is_configuration,
    is_of_kubernetes,
    kind_problem,
    remarks_on_kind,
)
from kubestencil.checking.named_resources import removed_resources
from kubestencil.checking.problems import PLACEHOLDER
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES, Change
from kubestencil.checking.values.places import refusals
from kubestencil.checking.values.relations import related_problems
from kubestencil.checking.verdicts import (
    add_refused_changes,
    ask_verdict,
    failures,
    has_errors,
    with_verdict,
)
from kubestencil.schema.facts.tables import group_version_kind
from kubestencil.schema.types import GroupVersionKind
from kubestencil.validator.process import PendingAnswer
from kubestencil.validator.protocol import Request

_REQUIRED_OF_PATCH = "required fields of kustomize patches"
_NOT_SERVED = (
    "custom resources whose CustomResourceDefinition is missing, refused by the API "
    "server, or does not serve their version"
)


class UpgradeDifference(NamedTuple):
    """A problem, the releases that have it, and what that means for the upgrade."""

    problem: Problem
    releases: tuple[str, ...]
    change: Change | None


@dataclass(frozen=True, slots=True)
class ObjectResult:
    """The problems of an object, and the reasons why rules were not applied to it,
    each with its number."""

    differences: tuple[UpgradeDifference, ...]
    unchecked: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The releases to check against; ``before`` is None where only one is given."""

    before: CheckedRelease | None
    after: CheckedRelease

    @property
    def releases(self) -> tuple[str, ...]:
        """The names of the releases, the older one first."""
        names = (self.before.name,) if self.before else ()
        return (*names, self.after.name)

    def reason_to_skip(self, kind: GroupVersionKind) -> str | None:
        """Why objects of a kind are not checked; None for those that are."""
        releases = (self.before, self.after)
        if any(release is not None and kind in release.kinds for release in releases):
            return None
        if is_kustomize_kind(kind.group):
            return "kustomize configuration"
        if is_configuration(kind):
            return "configuration of a program"
        return None if is_of_kubernetes(kind) else "no schema of the custom resource"

    def start(
        self,
        value: Mapping[str, Any],
        kind: GroupVersionKind,
        *,
        is_patch: bool,
        old: Mapping[str, Any] | None = None,
    ) -> Callable[[], ObjectResult]:
        """Start to check an object, and return what waits for the result.

        Of a patch, it does not matter what is absent. ``old`` is what was applied before,
        where the object is updated.
        """
        after = _start(value, kind, self.after, is_patch, old)
        before = self.before and _start(value, kind, self.before, is_patch, old)
        return lambda: self._result(
            before() if before else None, after(), kind, is_patch
        )

    def _result(
        self,
        before: Results | None,
        after: Results,
        kind: GroupVersionKind,
        is_patch: bool,
    ) -> ObjectResult:
        unchecked = Counter(after.unchecked)
        if before is not None:
            unchecked |= Counter(before.unchecked)
        differences = list(self._differences(before, after, kind))
        if is_patch:
            count = len(differences)
            differences = [
                difference
                for difference in differences
                if RULES[difference.problem.rule].is_for_patches
            ]
            if len(differences) < count:
                unchecked[_REQUIRED_OF_PATCH] += 1
        return ObjectResult(tuple(differences), unchecked)

    def _differences(
        self, before: Results | None, after: Results, kind: GroupVersionKind
    ) -> Iterator[UpgradeDifference]:
        """The problems of both releases, each once."""
        earlier = {(item.rule, item.path) for item in before.problems} if before else {}
        for problem in after.problems:
            hinted = explained(problem, kind, self.after)
            if before is None:
                yield UpgradeDifference(hinted, self.releases, None)
            elif (problem.rule, problem.path) in earlier:
                yield UpgradeDifference(hinted, self.releases, "both")
            else:
                yield UpgradeDifference(hinted, (self.after.name,), "new")
        if self.before is None or before is None:
            return
        later = {(item.rule, item.path) for item in after.problems}
        for problem in before.problems:
            if (problem.rule, problem.path) not in later:
                hinted = explained(problem, kind, self.before)
                yield UpgradeDifference(hinted, (self.before.name,), "fixed")


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    return group_version_kind(value["apiVersion"], value["kind"])


def _start(
    value: Mapping[str, Any],
    kind: GroupVersionKind,
    release: CheckedRelease,
    is_patch: bool,
    old: Mapping[str, Any] | None,
) -> Callable[[], Results]:
    """Look for what is wrong with an object in a release; what is returned waits for the
    verdict of the API server's code."""
    check = release.check_of(kind)
    if check is None:
        problem = kind_problem(kind, release)
        return lambda: Results([problem])
    results = Results()
    check(value, ("", None), results)
    if is_of_kubernetes(kind):
        release.places.check(value, kind, results)
        results.values.extend(related_problems(value, kind))
    # What it cannot decode, a server does not look at.
    known = [] if is_patch or has_errors(results.problems) else results.values
    is_custom = kind in release.release.custom_kinds
    verdict: PendingAnswer | None = None
    change: PendingAnswer | None = None
    if release.validator and not is_patch and (is_custom or is_of_kubernetes(kind)):
        verdict = ask_verdict(
            results.problems, value, release.validator, is_custom=is_custom
        )
        if verdict is not None and old is not None and old != value:
            change = release.validator.submit(Request("update", value, old=old))

    def finish() -> Results:
        answer = None if verdict is None else verdict.result()
        if answer is None or not answer.is_verdict:
            results.problems.extend(refusals(known, kind, release.name))
        if answer is not None:
            results.problems[:] = with_verdict(results.problems, value, answer)
            if is_custom and answer.is_verdict:
                # Rules in CEL, formats and patterns have been applied.
                results.unchecked[:] = [
                    reason for reason in results.unchecked if reason == PLACEHOLDER
                ]
            elif is_custom and answer.code == 404:
                results.unchecked.append(_NOT_SERVED)
            results.unchecked.extend(failures(answer, value))
            if change is not None and old is not None:
                add_refused_changes(results, answer, change.result(), value, old)
        results.problems.extend(remarks_on_kind(kind, release))
        results.problems.extend(removed_resources(value, kind, release))
        return results

    return finish
