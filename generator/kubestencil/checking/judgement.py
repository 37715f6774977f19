"""What is wrong with one object in one release, in this order: it is decoded, its values
are checked, the API server's code is asked, and it is said what is known of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from kubestencil.checking.decoding.server_warnings import warnings_of
from kubestencil.checking.edits import Edit, EditError, Move, applied
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.hints import Advice
from kubestencil.checking.hints.renames import renaming
from kubestencil.checking.kind_findings import (
    is_of_kubernetes,
    kind_problem,
    other_meanings,
    remarks_on_kind,
    with_old_default,
)
from kubestencil.checking.named_resources import removed_resources, stored_versions
from kubestencil.checking.paths import Path, moved_path, value_at
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import LEVELS, RULES, RuleId
from kubestencil.checking.values.comparable import has_facts
from kubestencil.checking.values.places import refusals
from kubestencil.checking.verdicts import add_verdict, ask_verdict, refused_places
from kubestencil.checking.verdicts.changes import (
    UNKNOWN_CHANGES,
    add_refused_changes,
    conditional_changes,
)
from kubestencil.schema.knowledge.configurations import is_configuration_group
from kubestencil.schema.knowledge.kinds import built_in_groups
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.validator.process import PendingAnswer
from kubestencil.validator.protocol import Request

# What is said of kinds that can be used.
_OF_KINDS = ("newer-version", "deprecated-kind", "not-served-by-default")
# Fields that objects of all kinds have.
_OF_ALL = ("apiVersion", "kind", "metadata")

#: Where a problem is: a path in the object. Problems of the object as a whole are only the
#: same if they break the same rule, whose name takes the place of the path.
_Place = Path | RuleId
#: Whose code says which values are refused; None where nobody's does.
_Judge = Literal["server", "tables", None]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The problems of an object in a release, and who gives hints: about the object
    itself, or one of the kind that replaces its own, where that is not served.

    ``results.values`` is what the API server refuses, by the ``judge``: by its own code,
    or by tables. ``by_tables`` is what tables have, whoever judges. Nobody judges an object
    that a server cannot decode, and one of a kind that the release does not know:
    ``is_known``. ``refused`` are the places that its code names.
    """

    results: Results
    advice: Advice
    judge: _Judge = None
    by_tables: Sequence[Problem] = ()
    is_served: bool = True
    is_known: bool = True
    refused: frozenset[Path] = frozenset()

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
        return has_as_bad(self.problems, problem)

    def has_cause(self, problem: Problem, other: Judgement) -> bool:
        """Whether the API server's code refuses what it refuses in another release, where
        that has a problem: of what is around a value, tables of one of the releases may
        know better which value is meant."""
        place, outer = problem.path, problem.path[:-1]
        of_both = self.refused & other.refused
        return is_error(problem) and (
            place in of_both or (place not in other.refused and outer in of_both)
        )

    def can_compare(self, problem: Problem) -> bool:
        """Whether tables can say that the server of this release accepts what breaks a rule
        in another one: it drops what a gate guards, or they know what it refuses."""
        beside = problem.path[:-1]
        is_dropped = any(
            other.rule == "gated-field"
            and other.path
            in (problem.path[: len(other.path)], beside + other.path[-1:])
            for other in self.results.problems
        )
        kind, release = self.advice.kind, self.advice.release
        definition = release.kinds.get(kind)
        return is_dropped or (
            definition is not None
            and has_facts(problem, kind, definition, release.release)
        )


def has_as_bad(problems: Iterable[Problem], problem: Problem) -> bool:
    """Whether one of some problems is at the place of another one, and as bad."""
    place, index = _place_of(problem), _index_of(problem)
    return any(
        _place_of(other) == place and _index_of(other) <= index
        # That a kind has to be enabled says nothing of whether it is deprecated.
        and (other.rule != "not-served-by-default" or other.rule == problem.rule)
        for other in problems
    )


def _place_of(problem: Problem) -> _Place:
    return problem.path or problem.rule


def _index_of(problem: Problem) -> int:
    """The index of the severity: the worst comes first."""
    return LEVELS.index(RULES[problem.rule].severity)


def is_error(problem: Problem) -> bool:
    """Whether a server or a strict client refuses the object for it."""
    return RULES[problem.rule].severity == "error"


def kind_of(value: Mapping[str, Any]) -> GroupVersionKind:
    """The kind that an object says it is; its apiVersion and kind are strings."""
    return group_version_kind(value["apiVersion"], value["kind"])


def start_judgement(
    value: Mapping[str, Any],
    kind: GroupVersionKind,
    release: CheckedRelease,
    is_patch: bool,
    old: Mapping[str, Any] | None,
) -> Callable[[], Judgement]:
    """Start to look for what is wrong with an object in a release: it is decoded, its
    values are checked, and the API server's code is asked, where that is built. What is
    returned waits for its verdict."""
    results = release.examine(value, kind)
    advice = Advice(value, kind, release)
    if results is None:
        return _start_successor(kind_problem(kind, release), advice, is_patch)
    values = None if is_patch else _by_tables(results, value, kind, release)
    is_built_in = kind.group in built_in_groups()
    warnings = warnings_of(value, kind, release.name) if is_built_in else ()
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

    def finish() -> Judgement:
        answer = verdict.result() if verdict else None
        is_decided = answer is not None and answer.is_verdict
        results.values[:] = [] if is_decided else by_tables
        if answer is not None:
            add_verdict(results, values or (), value, answer, is_custom=is_custom)
        if change is not None and old is not None:
            if answer is not None and is_decided:
                add_refused_changes(results, answer, change.result(), value, old)
                results.values.extend(depending)
            else:
                results.unchecked.append(UNKNOWN_CHANGES)
        remarks = list(remarks_on_kind(kind, release))
        results.problems.extend(remarks)
        # The server says it, too.
        said = {remark.message for remark in remarks}
        deprecated = f"{kind.api_version} {kind.kind} is deprecated"
        results.values[:] = [
            problem
            for problem in results.values
            if problem.rule != "server-warning"
            or not (problem.message in said or problem.message.startswith(deprecated))
        ]
        results.problems.extend(removed_resources(value, kind, release))
        results.problems.extend(stored_versions(value, kind))
        judge: _Judge = None if values is None else "tables"
        refused = frozenset[Path]()
        if answer is not None and is_decided:
            judge, refused = "server", refused_places(answer, value)
        return Judgement(results, advice, judge, by_tables, refused=refused)

    return finish


def _start_successor(
    problem: Problem, advice: Advice, is_patch: bool
) -> Callable[[], Judgement]:
    """Check an object whose kind a release does not serve as one of the kind to use
    instead: what else has to change is said at once."""
    value = _as_replacement(advice.value, problem)
    kind = kind_of(value)
    if not _may_mean(value, kind, advice.release):
        kind, problem = advice.kind, problem._replace(hint="", fixes=())
    if kind not in advice.release.kinds:
        results = Results([problem])
        return lambda: Judgement(results, advice, is_served=False, is_known=False)
    started = start_judgement(value, kind, advice.release, is_patch, None)

    def finish() -> Judgement:
        examined = started()
        meanings = (
            meaning
            for meaning in other_meanings(advice.value, advice.kind, kind)
            # Of a patch, it does not matter what is absent.
            if not is_patch or value_at(advice.value, meaning.path) is not None
        )
        problems, values = examined.results.problems, examined.results.values
        if problem.rule == "removed-kind":
            values[:] = [
                with_old_default(other, advice.value, advice.kind) for other in values
            ]
        others = [other for other in problems if other.rule not in _OF_KINDS]
        problems[:] = [problem, *meanings, *others]
        return replace(examined, is_served=False)

    return finish


def as_served(value: Mapping[str, Any], release: CheckedRelease) -> Mapping[str, Any]:
    """An object as one of the kind to use instead, where a release does not serve its
    own."""
    kind = kind_of(value)
    if kind in release.kinds:
        return value
    return _as_replacement(value, kind_problem(kind, release))


def _as_replacement(value: Mapping[str, Any], problem: Problem) -> Mapping[str, Any]:
    if problem.fixes and problem.rule != "future-kind":
        value = applied(value, problem.fixes[0])
    return value


def _may_mean(
    value: Mapping[str, Any], kind: GroupVersionKind, release: CheckedRelease
) -> bool:
    """Whether an object can be meant as one of a kind. Configuration files of programs are
    called like other things: a Policy of the scheduler has no field of the one of
    audit.k8s.io."""
    own = {name for name in value if name not in _OF_ALL}
    definition = release.kinds.get(kind)
    if not own or definition is None or not is_configuration_group(kind.group):
        return True
    fields = release.release.definitions[definition].schema.field_names
    return not own.isdisjoint(fields)


def _by_tables(
    results: Results, value: Any, kind: GroupVersionKind, release: CheckedRelease
) -> Sequence[Problem] | None:
    """What tables say of the values of an object, also where it has fields that are
    elsewhere now: as if they were there already. None of one that no server decodes."""
    values: Iterable[Problem] = results.values
    edits: list[Edit] = []
    for problem in results.problems:
        if is_error(problem):
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
            errors = list(filter(is_error, after.problems))
            values = [
                problem._replace(path=moved_path(problem.path, moves[::-1]))
                for problem in errors or after.values
            ]
    return list(refusals(values, kind, release.name))
