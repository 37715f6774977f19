"""Compares two releases, or two API versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import Comparison, GoingSoon, Graduation
from kubestencil.diff.component_changes import (
    flag_changes,
    gate_changes,
    metric_changes,
)
from kubestencil.diff.differences.align import (
    Side,
    align_names,
    all_definitions,
)
from kubestencil.diff.differences.definitions import Difference, differences
from kubestencil.diff.differences.resources import resource_differences
from kubestencil.diff.differences.server_values import (
    server_value_differences,
    value_changes,
)
from kubestencil.diff.documents import comparable
from kubestencil.diff.fact_changes import fact_changes
from kubestencil.diff.labels import coverage_of, distinct_labels, document_info
from kubestencil.diff.releases.facts import (
    ReleaseFacts,
    owner_of,
    served_versions,
    successor,
)
from kubestencil.diff.rules.classify import classify
from kubestencil.diff.rules.lifecycle_conditions import is_optional
from kubestencil.diff.rules.rule_context import MovedFields, RuleContext
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import api_versions, precedence
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Aspect, Coverage
from kubestencil.schema.knowledge.kinds import lifecycle
from kubestencil.source.releases import has_reached, is_after, release_order

# The facts that a comparison needs: of two releases, or of two API versions.
_VERSIONS: frozenset[Aspect] = frozenset({"gates", "required", "lifecycle", "rules"})
_WHOLE: frozenset[Aspect] = _VERSIONS | {
    *("flags", "metrics", "limits", "defaults", "values", "immutable", "warnings"),
    *("configurations", "operations"),
}


def compare(before: Release, after: Release) -> Comparison:
    """Compare two releases, with the configuration files of their programs."""
    before, after = comparable((before, after))
    pair = _Pair.of(before, after)
    old, new = api_versions(before), api_versions(after)
    sides = all_definitions(before), all_definitions(after)
    labels = distinct_labels(before, after)
    context = pair.context(*sides, is_whole=True)
    changes = tuple(_changes(*sides, pair, context))
    optional = {kind.api_version for kind in pair.not_enabled}
    return Comparison(
        *labels,
        changes,
        tuple(sorted(new - old - optional, key=_api_version_order)),
        tuple(sorted(old - new - optional, key=_api_version_order)),
        tuple(_graduations(pair)),
        (
            *fact_changes(*pair, changes),
            *_value_changes(*sides, pair, context),
        ),
        documents=tuple(map(document_info, (before, after), labels)),
        gates=tuple(gate_changes(pair.before, pair.after)),
        metrics=tuple(metric_changes(*pair.kubernetes)),
        flags=tuple(flag_changes(*pair.kubernetes)),
        going_soon=tuple(_going_soon(pair)),
        coverage=pair.coverage(_WHOLE),
    )


def compare_versions(
    before: Release, from_version: str, after: Release, to_version: str
) -> Comparison:
    """Compare an API version (``apps/v1``) with another one, or with itself in another
    release.

    Types correspond by the last part of their names, and appear under the names that
    the second API version gives them. Raises UsageError for an API version that its
    release does not have.
    """
    pair = _Pair.of(before, after)
    old = pair.before.packages.side(from_version)
    new = pair.after.packages.side(to_version)
    labels = distinct_labels(before, after)
    return Comparison(
        f"{labels[0]}/{from_version}",
        f"{labels[1]}/{to_version}",
        tuple(_version_changes(old, new, pair)),
        documents=tuple(map(document_info, (before, after), labels)),
        coverage=pair.coverage(_VERSIONS),
    )


def changes_between_versions(
    release: Release, versions: Iterable[tuple[str, str]]
) -> Iterator[tuple[Change, ...]]:
    """The changes between each two API versions of a release (``compare_versions``)."""
    pair = _Pair.of(release, release)
    for before, after in versions:
        side = pair.before.packages.side
        yield tuple(_version_changes(side(before), side(after), pair))


def type_changes(
    before: tuple[ReleaseFacts, str], after: tuple[ReleaseFacts, str]
) -> Iterator[Change]:
    """The changes of a type, and of the types that it refers to, where both sides have
    these. A side is a release and the full name of the definition in it.

    What the API server accepts or fills in is compared where the name is the same; else
    two API versions of the type are compared.
    """
    pair = _Pair(before[0], after[0])
    old = pair.before.packages.side_of_type(before[1])
    new = pair.after.packages.side_of_type(after[1])
    if before[1] == after[1]:
        context = pair.context(old, new, is_whole=True)
        changes = chain(
            _changes(old, new, pair, context), _value_changes(old, new, pair, context)
        )
    else:
        changes = chain(_version_changes(old, new, pair))
    # What a type that only one side has means is said at the field that refers to it.
    return (
        change
        for change in changes
        if change.keyword is not None or change.field is not None
    )


_SOON = 3  # releases


def _going_soon(pair: _Pair) -> Iterator[GoingSoon]:
    """The kinds of the newer release that were deprecated in the older one, and end
    within the next three releases; not those whose end was planned for the newer one. A
    patch has none that its minor version does not have.
    """
    old, new = pair.before.stages.kubernetes, pair.after.stages.kubernetes
    if old is None or new is None or release_order(old)[:2] == release_order(new)[:2]:
        return
    major, minor = release_order(new)[:2]
    last = f"{major}.{minor + _SOON}"
    for kind in sorted(pair.after.kinds):
        facts = lifecycle(kind)
        if facts is None or facts.deprecated is None or facts.removed is None:
            continue
        was_deprecated = has_reached(old, facts.deprecated)
        is_over = has_reached(new, facts.removed)
        if was_deprecated and not is_over and not is_after(facts.removed, last):
            target = successor(kind, new, pair.after.versions)
            yield GoingSoon(kind, facts.deprecated, facts.removed, target)


class _Pair(NamedTuple):
    """What is known of two releases that are compared, the older one first."""

    before: ReleaseFacts
    after: ReleaseFacts

    @classmethod
    def of(cls, before: Release, after: Release) -> _Pair:
        """The facts of two releases, which may be one."""
        facts = ReleaseFacts.of(before)
        return cls(facts, facts if after is before else ReleaseFacts.of(after))

    @property
    def kubernetes(self) -> tuple[str | None, str | None]:
        """The minor versions of Kubernetes, None for what is something else."""
        return self.before.stages.kubernetes, self.after.stages.kubernetes

    @property
    def not_enabled(self) -> frozenset[GroupVersionKind]:
        """The kinds that one document has, and that both releases can serve, and do not
        by default."""
        old, new = self.kubernetes
        releases = None if old is None or new is None else (old, new)
        differing = self.before.kinds ^ self.after.kinds
        return frozenset(kind for kind in differing if is_optional(kind, releases))

    def coverage(self, aspects: frozenset[Aspect]) -> Coverage:
        """How far facts on some aspects go; of two releases of Kubernetes, since there are
        none of other documents."""
        if None in self.kubernetes:
            return NO_COVERAGE
        return coverage_of((self.before.release, self.after.release), aspects)

    def context(
        self, before: Side, after: Side, *, is_whole: bool = False
    ) -> RuleContext:
        """What conditions may ask of two API versions, or of two whole releases."""
        context = RuleContext(
            before.schemas,
            after.schemas,
            MovedFields(before.schemas, after.schemas),
            (before.names, after.names),
            self,
            is_whole,
        )
        if not is_whole or context.releases is None:
            return context
        return context._replace(value_changes=value_changes(*context.releases))


def _version_changes(before: Side, after: Side, pair: _Pair) -> Iterator[Change]:
    """The changes between two API versions."""
    aligned = align_names(before, after)
    return _changes(aligned, after, pair, pair.context(aligned, after))


def _changes(
    before: Side, after: Side, pair: _Pair, context: RuleContext
) -> Iterator[Change]:
    all_differences = merge(
        differences(before.schemas, after.schemas),
        resource_differences(before.resources, after.resources),
        key=_by_definition,
    )
    return _judged(all_differences, before, after, pair, context)


def _value_changes(
    before: Side, after: Side, pair: _Pair, context: RuleContext
) -> Iterator[Change]:
    """What the API server accepts or fills in differently, by the tables of facts."""
    values = (
        server_value_differences(before.schemas, after.schemas, context.releases)
        if context.releases
        else ()
    )
    return _judged(values, before, after, pair, context)


_by_definition = attrgetter("definition")


def _judged(
    ordered: Iterable[Difference],
    before: Side,
    after: Side,
    pair: _Pair,
    context: RuleContext,
) -> Iterator[Change]:
    """Differences with their judgements; they are ordered by definition."""
    all_kinds = pair.before.kinds | pair.after.kinds
    for name, group in groupby(ordered, key=_by_definition):
        old_name, new_name = before.names.get(name), after.names.get(name)
        old_kinds = pair.before.roots.of(old_name or "")
        new_kinds = pair.after.roots.of(new_name or "")
        owner = owner_of(name, new_kinds or old_kinds, all_kinds)
        paths = (pair.before if new_name is None else pair.after).paths
        # A removed definition is listed under the name that it had.
        listed_name = new_name or old_name or name
        path = paths.path(owner, listed_name, None)
        judge = partial(
            classify,
            context=context._replace(owner=owner, path=path),
            version=_version((before, after), (old_name, new_name)),
        )
        kinds = old_kinds.keys() | new_kinds.keys()
        for difference in group:
            field = difference.field
            users_path = path if field is None else f"{path}.{field}"
            yield Change.of(judge(difference), listed_name, kinds, owner, users_path)


def _version(
    sides: tuple[Side, Side], definitions: tuple[str | None, str | None]
) -> str:
    """The API version whose users are affected: the former one, where there was one."""
    for side, definition in zip(sides, definitions, strict=True):
        if definition is not None:
            return side.release.definitions[definition].version
    raise AssertionError("a definition is on at least one side")


# The versions of a graduation: see the attributes of ``Graduation``.
_Move = tuple[str, str, bool]


def _graduations(pair: _Pair) -> Iterator[Graduation]:
    """The kinds that are served in a newer version than before.

    Two versions are compared within the newer release where it serves both, since the
    older release has other fields, too.
    """
    kinds_by_move: dict[tuple[str, _Move], list[str]] = {}
    old, new = (
        served_versions(side.kinds - pair.not_enabled)
        for side in (pair.before, pair.after)
    )
    for (group, kind), versions in sorted(old.items()):
        for move in _moves(versions, new.get((group, kind), frozenset())):
            kinds_by_move.setdefault((group, move), []).append(kind)
    for (group, move), kinds in kinds_by_move.items():
        before, after, is_removed = move
        of_move = pair if is_removed else _Pair(pair.after, pair.after)
        changes = _version_changes(
            of_move.before.packages.side(f"{group}/{before}".lstrip("/")),
            pair.after.packages.side(f"{group}/{after}".lstrip("/")),
            of_move,
        )
        of_kinds = (
            change
            for change in changes
            if any(kind.group == group and kind.kind in kinds for kind in change.kinds)
        )
        yield Graduation(group, *move, tuple(kinds), tuple(of_kinds))


def _moves(old: frozenset[str], new: frozenset[str]) -> Iterator[_Move]:
    """The moves of a kind that was served in the versions ``old`` and is in ``new``.

    A removed version leads to the best new one. Where the best old version is still
    served, it leads to a better new one, if there is one.
    """
    if not new:
        return
    best_new = max(new, key=precedence)
    for version in sorted(old - new, key=precedence):
        yield version, best_new, True
    best_old = max(old, key=precedence)
    if best_old in new and precedence(best_new) > precedence(best_old):
        yield best_old, best_new, False


def _api_version_order(api_version: str) -> tuple[str, tuple[int, int, int, str]]:
    group, _, version = api_version.rpartition("/")
    return group, precedence(version)
