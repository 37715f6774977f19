"""Checks one object against the releases of an upgrade, and says what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubestencil.checking.files.kustomize import is_kustomize_kind
from kubestencil.checking.files.placeholders import reason_unknown
from kubestencil.checking.findings import NO_SCHEMA, Problem
from kubestencil.checking.judgement import (
    Judgement,
    as_served,
    has_as_bad,
    is_error,
    kind_of,
    start_judgement,
)
from kubestencil.checking.kind_findings import (
    custom_kinds_of,
    has_name_of_kubernetes,
    is_of_kubernetes,
    is_unknown_configuration,
    meant_kind,
)
from kubestencil.checking.paths import Path, field_path
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES, Change, RuleId
from kubestencil.schema.types import GroupVersionKind

_OF_ALL_OBJECTS = frozenset(("apiVersion", "kind", "metadata"))
_REQUIRED_OF_PATCH = "required fields of patches"


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
            return "configuration of a plugin of kustomize"
        if is_unknown_configuration(kind):
            return "configuration of a program"
        is_known = (
            is_of_kubernetes(kind)
            or custom_kinds_of(kind.group, self.after)
            or meant_kind(kind, self.after)
        )
        if is_known:
            return None
        is_twin = has_name_of_kubernetes(kind)
        return f"{NO_SCHEMA} with the name of a built-in kind" if is_twin else NO_SCHEMA

    def may_be_of_program(self, value: Mapping[str, Any]) -> bool:
        """Whether an object may be the file of a program instead of a custom resource:
        these have no metadata, and some have a CustomResourceDefinition all the same.
        """
        kind = kind_of(value)
        is_custom = any(kind in one.release.custom_kinds for one in self._all)
        return is_custom and "metadata" not in value

    def missing_fields(self, value: Mapping[str, Any]) -> Sequence[Path]:
        """The paths of what the newer release requires and an object lacks, of the kind
        that replaces its own where that is not served: fields, a name, a whole spec."""
        value = as_served(value, self.after)
        kind = kind_of(value)
        if value.keys() <= _OF_ALL_OBJECTS and "spec" in self.after.fields_of(kind):
            return [("spec",)]
        results = self.after.examine(value, kind)
        problems = (*results.problems, *results.values) if results else ()
        return [problem.path for problem in problems if problem.rule == "missing-field"]

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
        started = [
            start_judgement(value, kind, release, is_patch, old)
            for release in self._all
        ]
        return lambda: self._result([finish() for finish in started], is_patch)

    def _result(self, examined: Sequence[Judgement], is_patch: bool) -> ObjectResult:
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
        self, examined: Sequence[Judgement]
    ) -> Iterator[UpgradeDifference]:
        """The problems of all releases, each once, by their places."""
        latest = examined if self.before is None else examined[1:]
        found: dict[tuple[RuleId, Path, str], _Found] = {}
        for release, after in zip((self.after, *self.others), latest, strict=True):
            messages = {problem.message for problem in after.problems}
            for problem in after.problems:
                key = problem.rule, problem.path, problem.message
                # Releases may say the same in other words.
                other = next(
                    (
                        known
                        for known, entry in found.items()
                        if known[:2] == key[:2]
                        and known[2] not in messages
                        and release.name not in entry.releases
                    ),
                    key,
                )
                key = key if key in found else other
                if key not in found:
                    found[key] = _Found(problem, after, [])
                found[key].releases.append(release.name)
        if self.before is None:
            for problem, after, names in found.values():
                explained = after.advice.explained(problem)
                yield UpgradeDifference(explained, tuple(names), None)
            return
        before, *_ = examined
        for problem, after, names in found.values():
            is_same = (problem.rule, problem.path) in before.keys
            releases = (self.before.name, *names) if is_same else tuple(names)
            change = _change(problem, before, after)
            explained = after.advice.explained(problem)
            yield UpgradeDifference(explained, releases, change)
        if not all(after.is_served for after in latest):
            # Nothing is fixed by an upgrade to a release that lacks the kind.
            return
        explain = before.advice.explained
        for problem in before.problems:
            if any(
                after.has_as_bad(problem) or after.has_cause(problem, before)
                for after in latest
            ):
                continue
            if problem.rule == "gated-field":
                yield self._turned_on(problem)
                continue
            is_fixed = all(_is_fixed(problem, before, after) for after in latest)
            change = "fixed" if is_fixed else "not-found"
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
    examined: Judgement
    releases: list[str]


def _change(problem: Problem, before: Judgement, after: Judgement) -> Change:
    """What a problem of a release means for an upgrade to it: of one place, only what is
    worse than before is new. It is unknown where nobody can say what the older release
    makes of it: its kind is another one, or it was judged in another way."""
    if before.has_as_bad(problem) or before.has_cause(problem, after):
        return "both"
    if problem not in after.results.values:
        return "new" if before.is_known else "unknown"
    if not before.is_known or before.judge is None:
        return "unknown"
    if before.judge == "server":
        # It warns of nothing where it refuses the object.
        is_silent = not is_error(problem) and any(map(is_error, before.problems))
        is_alike = after.is_served or after.judge == "server"
        return "new" if is_alike and not is_silent else "unknown"
    # Tables of another kind say little of what a server refused in this one.
    is_comparable = after.is_served and has_as_bad(after.by_tables, problem)
    return "new" if is_comparable and before.can_compare(problem) else "unknown"


def _is_fixed(problem: Problem, before: Judgement, after: Judgement) -> bool:
    """Whether an upgrade fixes a problem that is not there after it.

    Only the code of the API server can say that a value is accepted. Where an error kept
    an object from being looked into before, that code has to accept all of it.
    """
    if problem in before.results.values:
        return before.judge == after.judge == "server"
    if RULES[problem.rule].severity != "error":
        return True
    return after.judge == "server" and not any(map(is_error, after.problems))


def joined_by_origin(
    differences: Iterable[UpgradeDifference], origin: Callable[[Path], Hashable]
) -> list[UpgradeDifference]:
    """The differences with one, the first, for those of the same text, as ``origin``
    identifies it. Its fixes are those of all places together: the text has one value, so
    that a fix of fewer would be none."""
    joined: dict[Hashable, UpgradeDifference] = {}
    for difference in differences:
        problem, *others = difference
        # Some messages name the path.
        message = problem.message.replace(field_path(problem.path), "")
        key = problem.rule, message, *others, origin(problem.path)
        if key in joined:
            first = joined[key].problem
            is_alike = len(first.fixes) == len(problem.fixes)
            pairs = zip(first.fixes, problem.fixes, strict=True) if is_alike else ()
            problem = first._replace(fixes=tuple((*fix, *more) for fix, more in pairs))
        joined[key] = difference._replace(problem=problem)
    return list(joined.values())
