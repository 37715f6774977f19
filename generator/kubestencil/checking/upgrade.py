"""Checks one object against the releases of an upgrade, and says what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kubestencil.checking.edits import Edit, EditError, Move, applied
from kubestencil.checking.files.kustomize import is_kustomize_kind
from kubestencil.checking.files.placeholders import (
    ENCRYPTED,
    PLACEHOLDER,
    reason_unknown,
)
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.hints import Advice
from kubestencil.checking.hints.renames import renaming
from kubestencil.checking.kind_findings import (
    custom_kinds_of,
    has_name_of_kubernetes,
    is_configuration,
    is_of_kubernetes,
    kind_problem,
    meant_kind,
    other_meanings,
    remarks_on_kind,
    with_old_default,
)
from kubestencil.checking.named_resources import removed_resources, stored_versions
from kubestencil.checking.paths import Path, moved_path
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import LEVELS, RULES, Change, RuleId
from kubestencil.checking.values.places import refusals
from kubestencil.checking.verdicts import ask_verdict, failures, with_verdict
from kubestencil.checking.verdicts.changes import (
    UNKNOWN_CHANGES,
    add_refused_changes,
    conditional_changes,
)
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.validator.process import PendingAnswer
from kubestencil.validator.protocol import Answer, Request

# What is said of kinds that can be used.
_OF_KINDS = ("newer-version", "deprecated-kind", "not-served-by-default")
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
    """The releases to check against: ``after``, and ``others`` in the same run.
    ``before`` is None where no upgrade is meant."""

    before: CheckedRelease | None
    after: CheckedRelease
    others: tuple[CheckedRelease, ...] = ()

    @property
    def releases(self) -> tuple[str, ...]:
        """The names of the releases, the one that an upgrade starts from first."""
        return tuple(release.name for release in self._all)

    @property
    def _all(self) -> tuple[CheckedRelease, ...]:
        return (*((self.before,) if self.before else ()), self.after, *self.others)

    def reason_to_skip(self, kind: GroupVersionKind) -> str | None:
        """Why objects of a kind are not checked; None for those that are."""
        if any(kind in release.kinds for release in self._all):
            return None
        if reason := reason_unknown(kind.api_version) or reason_unknown(kind.kind):
            return reason
        if is_kustomize_kind(kind.group or kind.version):
            return "kustomize configuration"
        if is_configuration(kind):
            return "configuration of a program"
        is_known = (
            is_of_kubernetes(kind)
            or custom_kinds_of(kind.group, self.after)
            or meant_kind(kind, self.after)
        )
        if is_known:
            return None
        reason = "no schema of the custom resource"
        is_twin = has_name_of_kubernetes(kind)
        return f"{reason} with the name of a built-in kind" if is_twin else reason

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
        started = [_start(value, kind, release, is_patch, old) for release in self._all]
        return lambda: self._result(self._examined(started), is_patch)

    def _examined(self, started: Sequence[_Started]) -> list[_Examined]:
        """What is found in each release. Where releases are compared, tables decide in all
        of them unless the API server's code does: one that failed finds less."""
        answers = [one.answer() for one in started]
        lacks_verdict = any(answer and not answer.is_verdict for answer in answers)
        if self.before is not None and lacks_verdict:
            answers = [
                None if answer and answer.is_verdict else answer for answer in answers
            ]
        return [
            one.finish(answer) for one, answer in zip(started, answers, strict=True)
        ]

    def _result(self, examined: Sequence[_Examined], is_patch: bool) -> ObjectResult:
        unchecked: Counter[str] = Counter()
        for one in examined:
            unchecked |= Counter(one.results.unchecked)
        differences = list(self._differences(examined))
        kept = tuple(
            difference
            for difference in differences
            if not is_patch or RULES[difference.problem.rule].is_for_patches
        )
        if len(kept) < len(differences):
            unchecked[_REQUIRED_OF_PATCH] += 1
        return ObjectResult(kept, unchecked)

    def _differences(
        self, examined: Sequence[_Examined]
    ) -> Iterator[UpgradeDifference]:
        """The problems of all releases, each once."""
        latest = examined if self.before is None else examined[1:]
        found: dict[tuple[str, Path, str], tuple[Problem, dict[str, None]]] = {}
        for release, after in zip((self.after, *self.others), latest, strict=True):
            explain = after.advice.explained
            for problem in after.results.problems:
                key = problem.rule, problem.path, problem.message
                if key not in found:
                    found[key] = explain(problem), {}
                found[key][1][release.name] = None
        if self.before is None:
            for problem, names in found.values():
                yield UpgradeDifference(problem, tuple(names), None)
            return
        before, *_ = examined
        earlier = before.keys | before.hidden
        worst_before = before.worst()
        for problem, names in found.values():
            # Of one place, only what is worse than before is new.
            if (problem.rule, problem.path) in earlier:
                yield UpgradeDifference(problem, (self.before.name, *names), "both")
            elif _is_covered(problem, worst_before):
                yield UpgradeDifference(problem, tuple(names), "both")
            else:
                yield UpgradeDifference(problem, tuple(names), "new")
        if not all(after.is_served for after in latest):
            # Nothing is fixed by an upgrade to a release that lacks the kind.
            return
        remaining = set[_Key]().union(*(after.keys | after.hidden for after in latest))
        worst_after = [after.worst() for after in latest]
        is_decided = all(after.is_decided for after in latest)
        explain = before.advice.explained
        for problem in before.results.problems:
            identity = problem.rule, problem.path
            if identity not in remaining and not any(
                _is_covered(problem, worst) for worst in worst_after
            ):
                is_fixed = is_decided or identity not in before.by_server
                change: Change = "fixed" if is_fixed else "not-found"
                yield UpgradeDifference(explain(problem), (self.before.name,), change)


#: What identifies a problem of an object.
_Key = tuple[RuleId, Path]


@dataclass(frozen=True, slots=True)
class _Examined:
    """The problems of an object in a release, and who gives hints: about the object
    itself, or one of the kind that replaces its own, where that is not served.

    ``by_server`` are the problems about which the API server's own code decides, and
    ``is_decided`` is whether it did. ``hidden`` are those that tables have of an object
    that a server cannot decode, so that it does not look for them.
    """

    results: Results
    advice: Advice
    is_served: bool = True
    by_server: frozenset[_Key] = frozenset()
    hidden: frozenset[_Key] = frozenset()
    is_decided: bool = False

    @property
    def keys(self) -> frozenset[_Key]:
        """What identifies the problems."""
        return _keys(self.results.problems)

    def worst(self) -> Mapping[Path, int]:
        """The index of the worst severity of the problems of each place."""
        worst: dict[Path, int] = {}
        for problem in self.results.problems:
            index = LEVELS.index(RULES[problem.rule].severity)
            worst[problem.path] = min(index, worst.get(problem.path, index))
        return worst


def _keys(problems: Iterable[Problem]) -> frozenset[_Key]:
    return frozenset((problem.rule, problem.path) for problem in problems)


def _is_covered(problem: Problem, worst: Mapping[Path, int]) -> bool:
    """Whether another release has a problem of the same place that is as bad, whatever
    its rule. An object as a whole is no place: its problems have little in common."""
    index = worst.get(problem.path) if problem.path else None
    return index is not None and index <= LEVELS.index(RULES[problem.rule].severity)


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    return group_version_kind(value["apiVersion"], value["kind"])


class _Started(NamedTuple):
    """A check of an object in a release that was started. ``answer`` waits for what the
    API server's code says, None where it was not asked; ``finish`` takes it, or None in
    its place, and returns what is found."""

    answer: Callable[[], Answer | None]
    finish: Callable[[Answer | None], _Examined]


def _start(
    value: Mapping[str, Any],
    kind: GroupVersionKind,
    release: CheckedRelease,
    is_patch: bool,
    old: Mapping[str, Any] | None,
) -> _Started:
    """Look for what is wrong with an object in a release."""
    results = release.examine(value, kind)
    advice = Advice(value, kind, release)
    if results is None:
        return _start_successor(kind_problem(kind, release), advice, is_patch)
    # What it cannot decode, a server does not look at.
    values = [] if is_patch else list(_judged(results, value, kind, release))
    is_custom = kind in release.release.custom_kinds
    verdict: PendingAnswer | None = None
    change: PendingAnswer | None = None
    depending: list[Problem] = []
    if release.validator and not is_patch and (is_custom or is_of_kubernetes(kind)):
        verdict = ask_verdict(
            results.problems, value, release.validator, is_custom=is_custom
        )
        if verdict is not None and old is not None and old != value:
            old, depending = conditional_changes(value, old)
            change = release.validator.submit(Request("update", value, old=old))

    def finish(answer: Answer | None) -> _Examined:
        documented = _keys(
            problem for problem in results.problems if problem.rule != "server-warning"
        )
        known = list(refusals(values, kind, release.name))
        is_decided = answer is not None and answer.is_verdict
        if not is_decided:
            results.problems.extend(known)
        if answer is not None:
            results.problems[:] = with_verdict(results.problems, known, value, answer)
            if is_custom and answer.is_verdict:
                # Rules in CEL, formats and patterns have been applied.
                results.unchecked[:] = [
                    reason
                    for reason in results.unchecked
                    if reason in (ENCRYPTED, PLACEHOLDER)
                ]
            elif is_custom and answer.code == 404:
                results.unchecked.append(_NOT_SERVED)
            results.unchecked.extend(failures(answer, value))
        if change is not None and old is not None:
            if answer is not None and is_decided:
                add_refused_changes(results, answer, change.result(), value, old)
                results.problems.extend(depending)
            else:
                results.unchecked.append(UNKNOWN_CHANGES)
        by_server = _keys(results.problems) - documented
        hidden = _keys(refusals(results.values, kind, release.name)) - by_server
        results.problems.extend(remarks_on_kind(kind, release))
        results.problems.extend(removed_resources(value, kind, release))
        results.problems.extend(stored_versions(value, kind))
        return _Examined(
            results,
            advice,
            by_server=by_server,
            hidden=frozenset() if is_decided or is_patch else hidden,
            is_decided=is_decided,
        )

    return _Started(verdict.result if verdict else lambda: None, finish)


def _start_successor(problem: Problem, advice: Advice, is_patch: bool) -> _Started:
    """Check an object whose kind a release does not serve as one of the kind to use
    instead: what else has to change is said at once."""
    alone = _Examined(Results([problem]), advice, is_served=False)
    value = advice.value
    if problem.fixes and problem.rule != "future-kind":
        value = applied(advice.value, problem.fixes[0])
    kind = kind_of(value)
    if kind not in advice.release.kinds:
        return _Started(lambda: None, lambda _: alone)
    started = _start(value, kind, advice.release, is_patch, None)

    def finish(answer: Answer | None) -> _Examined:
        examined = started.finish(answer)
        others = list(examined.results.problems)
        if problem.rule == "removed-kind":
            others = [
                with_old_default(other, advice.value, advice.kind) for other in others
            ]
        meanings = other_meanings(advice.value, advice.kind, kind)
        examined.results.problems[:] = [
            problem,
            *meanings,
            *(other for other in others if other.rule not in _OF_KINDS),
        ]
        return replace(examined, is_served=False)

    return _Started(started.answer, finish)


def _judged(
    results: Results, value: Any, kind: GroupVersionKind, release: CheckedRelease
) -> Iterable[Problem]:
    """What is wrong with the values of an object that a server can decode, also where
    it has fields that are elsewhere now: as if they were there already."""
    edits: list[Edit] = []
    for problem in results.problems:
        if RULES[problem.rule].severity == "error":
            fix = problem.rule == "unknown-field" and renaming(
                value, kind, problem.path
            )
            if not fix:
                return ()
            edits.extend(fix)
    if not edits:
        return results.values
    try:
        after = release.examine(applied(value, tuple(edits)), kind)
    except EditError:
        return ()
    if after is None:
        return results.values
    moves = [(edit.target, edit.path) for edit in edits if isinstance(edit, Move)]
    errors = [
        problem for problem in after.problems if RULES[problem.rule].severity == "error"
    ]
    return [
        problem._replace(path=moved_path(problem.path, moves[::-1]))
        for problem in errors or after.values
    ]
