"""Checks one object against the releases of an upgrade, and says what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

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
from kubestencil.checking.verdicts import add_verdict, ask_verdict, failures
from kubestencil.checking.verdicts.changes import (
    UNKNOWN_CHANGES,
    add_refused_changes,
    conditional_changes,
)
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.validator.process import PendingAnswer
from kubestencil.validator.protocol import Request

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
        return lambda: self._result([finish() for finish in started], is_patch)

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
        """The problems of all releases, each once, by their places."""
        latest = examined if self.before is None else examined[1:]
        found: dict[tuple[RuleId, Path, str], _Found] = {}
        for release, after in zip((self.after, *self.others), latest, strict=True):
            explain = after.advice.explained
            for problem in after.problems:
                key = problem.rule, problem.path, problem.message
                if key not in found:
                    found[key] = _Found(explain(problem), after, [])
                found[key].releases.append(release.name)
        if self.before is None:
            for problem, _, names in found.values():
                yield UpgradeDifference(problem, tuple(names), None)
            return
        before, *_ = examined
        for problem, after, names in found.values():
            is_same = (problem.rule, problem.path) in before.keys
            releases = (self.before.name, *names) if is_same else tuple(names)
            yield UpgradeDifference(problem, releases, _change(problem, before, after))
        if not all(after.is_served for after in latest):
            # Nothing is fixed by an upgrade to a release that lacks the kind.
            return
        explain = before.advice.explained
        for problem in before.problems:
            if any(after.has_as_bad(problem) for after in latest):
                continue
            if problem.rule == "gated-field":
                yield self._turned_on(problem)
                continue
            is_fixed = all(_is_fixed(problem, before, after) for after in latest)
            change: Change = "fixed" if is_fixed else "not-found"
            yield UpgradeDifference(explain(problem), (self.before.name,), change)

    def _turned_on(self, problem: Problem) -> UpgradeDifference:
        """What it means that the gate of a field is on: what was dropped is used now."""
        name = problem.path[-1]
        releases = (self.after.name, *(other.name for other in self.others))
        message = f"{name} takes effect: its feature gate is on in {self.after.name}"
        hint = "remove it to keep what there is"
        turned_on = Problem("gate-on", problem.path, message, hint, of_key=True)
        return UpgradeDifference(turned_on, releases, "new")


class _Found(NamedTuple):
    """A problem after the upgrade, the first release that has it, and the names of all."""

    problem: Problem
    examined: _Examined
    releases: list[str]


#: Where a problem is: a path in the object. Problems of the object as a whole are only the
#: same if they break the same rule, whose name takes the place of the path.
_Place = Path | RuleId
#: Whose code says which values are refused; None where nobody's does.
_Judge = Literal["server", "tables", None]


@dataclass(frozen=True, slots=True)
class _Examined:
    """The problems of an object in a release, and who gives hints: about the object
    itself, or one of the kind that replaces its own, where that is not served.

    ``results.values`` is what the API server refuses, by the ``judge``: by its own code,
    or by tables. ``by_tables`` is what tables have, whoever judges. Nobody judges an object
    that a server cannot decode, and one of a kind that the release does not know:
    ``is_known``.
    """

    results: Results
    advice: Advice
    judge: _Judge = None
    by_tables: Sequence[Problem] = ()
    is_served: bool = True
    is_known: bool = True

    @property
    def problems(self) -> Sequence[Problem]:
        """All that is wrong."""
        return (*self.results.problems, *self.results.values)

    @property
    def keys(self) -> frozenset[tuple[RuleId, Path]]:
        """The rules that are broken, with the places."""
        return frozenset((problem.rule, problem.path) for problem in self.problems)

    def has_as_bad(self, problem: Problem) -> bool:
        """Whether something at the place of a problem is as bad, whatever its rule."""
        return _has_as_bad(self.problems, problem)


def _has_as_bad(problems: Iterable[Problem], problem: Problem) -> bool:
    place, index = _place_of(problem), _index_of(problem)
    return any(
        _place_of(other) == place and _index_of(other) <= index for other in problems
    )


def _place_of(problem: Problem) -> _Place:
    return problem.path or problem.rule


def _index_of(problem: Problem) -> int:
    """The index of the severity: the worst comes first."""
    return LEVELS.index(RULES[problem.rule].severity)


def _change(problem: Problem, before: _Examined, after: _Examined) -> Change:
    """What a problem of a release means for an upgrade to it: of one place, only what is
    worse than before is new. It is unknown where the older release was not judged in the
    same way: tables may lack what the API server's code finds."""
    if before.has_as_bad(problem):
        return "both"
    if problem not in after.results.values:
        return "new" if before.is_known else "unknown"
    is_comparable = before.judge == after.judge or (
        before.judge is not None and _has_as_bad(after.by_tables, problem)
    )
    # Tables of another kind say little of what a server refused in this one.
    is_alike = after.is_served or after.judge == "server"
    return "new" if before.is_known and is_comparable and is_alike else "unknown"


def _is_fixed(problem: Problem, before: _Examined, after: _Examined) -> bool:
    """Whether an upgrade fixes a problem that is not there after it.

    Only the code of the API server can say that a value is accepted. Where an error kept
    an object from being looked into before, that code has to accept all of it.
    """
    if problem in before.results.values:
        return before.judge == after.judge == "server"
    if RULES[problem.rule].severity != "error":
        return True
    return after.judge == "server" and not any(map(_is_error, after.problems))


def _is_error(problem: Problem) -> bool:
    return RULES[problem.rule].severity == "error"


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    return group_version_kind(value["apiVersion"], value["kind"])


def _start(
    value: Mapping[str, Any],
    kind: GroupVersionKind,
    release: CheckedRelease,
    is_patch: bool,
    old: Mapping[str, Any] | None,
) -> Callable[[], _Examined]:
    """Start to look for what is wrong with an object in a release: it is decoded, its
    values are checked, and the API server's code is asked, where that is built. What is
    returned waits for its verdict."""
    results = release.examine(value, kind)
    advice = Advice(value, kind, release)
    if results is None:
        return _start_successor(kind_problem(kind, release), advice, is_patch)
    warnings = [p for p in results.problems if p.rule == "server-warning"]
    results.problems[:] = [p for p in results.problems if p not in warnings]
    values = None if is_patch else _by_tables(results, value, kind, release)
    by_tables = (*(values or ()), *warnings)
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

    def finish() -> _Examined:
        answer = verdict.result() if verdict else None
        is_decided = answer is not None and answer.is_verdict
        results.values[:] = [] if is_decided else by_tables
        if answer is not None:
            add_verdict(results, values or (), value, answer)
            if is_custom and is_decided:
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
                results.values.extend(depending)
            else:
                results.unchecked.append(UNKNOWN_CHANGES)
        results.problems.extend(remarks_on_kind(kind, release))
        results.problems.extend(removed_resources(value, kind, release))
        results.problems.extend(stored_versions(value, kind))
        judge: _Judge = None if values is None else "tables"
        return _Examined(results, advice, "server" if is_decided else judge, by_tables)

    return finish


def _start_successor(
    problem: Problem, advice: Advice, is_patch: bool
) -> Callable[[], _Examined]:
    """Check an object whose kind a release does not serve as one of the kind to use
    instead: what else has to change is said at once."""
    value = advice.value
    if problem.fixes and problem.rule != "future-kind":
        value = applied(advice.value, problem.fixes[0])
    kind = kind_of(value)
    if kind not in advice.release.kinds:
        results = Results([problem])
        return lambda: _Examined(results, advice, is_served=False, is_known=False)
    started = _start(value, kind, advice.release, is_patch, None)

    def finish() -> _Examined:
        examined = started()
        meanings = other_meanings(advice.value, advice.kind, kind)
        problems, values = examined.results.problems, examined.results.values
        if problem.rule == "removed-kind":
            values[:] = [
                with_old_default(other, advice.value, advice.kind) for other in values
            ]
        others = [other for other in problems if other.rule not in _OF_KINDS]
        problems[:] = [problem, *meanings, *others]
        return replace(examined, is_served=False)

    return finish


def _by_tables(
    results: Results, value: Any, kind: GroupVersionKind, release: CheckedRelease
) -> Sequence[Problem] | None:
    """What tables say of the values of an object, also where it has fields that are
    elsewhere now: as if they were there already. None of one that no server decodes."""
    values: Iterable[Problem] = results.values
    edits: list[Edit] = []
    for problem in results.problems:
        if _is_error(problem):
            fix = problem.rule == "unknown-field" and renaming(
                value, kind, problem.path
            )
            if not fix:
                return None
            edits.extend(fix)
    if edits:
        try:
            after = release.examine(applied(value, tuple(edits)), kind)
        except EditError:
            return None
        if after is not None:
            moves = [
                (edit.target, edit.path) for edit in edits if isinstance(edit, Move)
            ]
            errors = list(filter(_is_error, after.problems))
            values = [
                problem._replace(path=moved_path(problem.path, moves[::-1]))
                for problem in errors or after.values
            ]
    return list(refusals(values, kind, release.name))
