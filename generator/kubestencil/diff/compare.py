"""Compares two releases, or two API versions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from kubestencil.diff.align import (
    Side,
    align_names,
    all_definitions,
    api_version_subset,
)
from kubestencil.diff.classify import classify
from kubestencil.diff.comparison import Change, Comparison, Graduation
from kubestencil.diff.conditions import ComparedDefinitions
from kubestencil.diff.differences import differences
from kubestencil.diff.labels import distinct_labels, document_info
from kubestencil.diff.resource_differences import resource_differences
from kubestencil.diff.user_paths import UserPaths
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.graph import RootKinds, root_kinds
from kubestencil.schema.kinds import api_versions, non_list_kinds, precedence


def compare(before: Release, after: Release) -> Comparison:
    """Compare two releases."""
    roots = root_kinds(before), root_kinds(after)
    old, new = api_versions(before), api_versions(after)
    labels = distinct_labels(before, after)
    return Comparison(
        *labels,
        tuple(_changes(all_definitions(before), all_definitions(after), roots)),
        tuple(sorted(new - old, key=_api_version_order)),
        tuple(sorted(old - new, key=_api_version_order)),
        tuple(_graduations(before, after, roots)),
        documents=(document_info(before, labels[0]), document_info(after, labels[1])),
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
    old = api_version_subset(before, from_version)
    new = api_version_subset(after, to_version)
    roots = root_kinds(before), root_kinds(after)
    labels = distinct_labels(before, after)
    return Comparison(
        f"{labels[0]}/{from_version}",
        f"{labels[1]}/{to_version}",
        tuple(_changes(align_names(old, new), new, roots)),
        documents=(document_info(before, labels[0]), document_info(after, labels[1])),
    )


def _changes(
    before: Side, after: Side, roots: tuple[RootKinds, RootKinds]
) -> Iterator[Change]:
    definitions = ComparedDefinitions(before.fragments, after.fragments)
    non_lists = {*non_list_kinds(before.release), *non_list_kinds(after.release)}
    paths = UserPaths(before.release), UserPaths(after.release)
    by_definition = attrgetter("definition")
    all_differences = merge(
        differences(before.fragments, after.fragments),
        resource_differences(before.resources, after.resources),
        key=by_definition,
    )
    for name, group in groupby(all_differences, key=by_definition):
        old_name, new_name = before.names.get(name), after.names.get(name)
        old_kinds, new_kinds = roots[0].of(old_name or ""), roots[1].of(new_name or "")
        kinds = tuple(sorted(old_kinds.keys() | new_kinds.keys()))
        owner = _owner(name, new_kinds or old_kinds, non_lists)
        path = (paths[1] if new_name in after.release.definitions else paths[0]).path
        version = _version((before, after), (old_name, new_name))
        for difference in group:
            classification = classify(difference, definitions, version)
            yield Change(
                change=difference.change,
                # A removed definition is listed under the name that it had.
                definition=new_name or old_name or name,
                field=difference.field,
                schema_path=difference.schema_path,
                keyword=difference.keyword,
                before=difference.before,
                after=difference.after,
                rule=classification.rule,
                reason=classification.rule.reason,
                policy=classification.rule.policy,
                audience=classification.audience,
                severity=classification.severity,
                stability=classification.stability,
                stage=None,
                replacement=None,
                deprecated_in=None,
                removed_in=None,
                kinds=kinds,
                owner=owner,
                users_path=path(owner, new_name or old_name or name, difference.field),
            )


def _version(
    sides: tuple[Side, Side], definitions: tuple[str | None, str | None]
) -> str:
    """The API version whose users are affected: the former one, where there was one."""
    for side, definition in zip(sides, definitions, strict=True):
        if definition is not None:
            return side.release.definitions[definition].version
    raise AssertionError("a definition is on at least one side")


def _owner(
    definition: str,
    distances: Mapping[GroupVersionKind, int],
    non_lists: Collection[GroupVersionKind],
) -> GroupVersionKind | None:
    """The kind that a definition belongs to: the nearest one of its own API version, or
    else the only one that leads to it. A list kind counts as the kind of its items.

    ``distances`` are the numbers of references between each kind and the definition.
    """
    group, version = definition.split(".")[-3:-2], definition.split(".")[-2:-1]
    same_version = [
        kind
        for kind in distances
        if [kind.version] == version
        and [kind.group.partition(".")[0] or "core"] == group
    ]
    if not same_version and len(distances) != 1:
        return None
    owner = min(same_version or distances, key=lambda kind: (distances[kind], kind))
    item = replace(owner, kind=owner.kind.removesuffix("List"))
    return item if item in non_lists else owner


class _Move(NamedTuple):
    """The versions of a graduation: see the attributes of ``Graduation``."""

    before: str
    after: str
    before_removed: bool


def _graduations(
    before: Release, after: Release, roots: tuple[RootKinds, RootKinds]
) -> Iterator[Graduation]:
    kinds_by_move: dict[tuple[str, _Move], list[str]] = {}
    old, new = _served_versions(before), _served_versions(after)
    for (group, kind), versions in sorted(old.items()):
        for move in _moves(versions, new.get((group, kind), frozenset())):
            kinds_by_move.setdefault((group, move), []).append(kind)
    for (group, move), kinds in kinds_by_move.items():
        old_side, new_side = (
            api_version_subset(release, f"{group}/{version}".lstrip("/"))
            for release, version in ((before, move.before), (after, move.after))
        )
        changes = _changes(align_names(old_side, new_side), new_side, roots)
        yield Graduation(
            group,
            *move,
            tuple(kinds),
            tuple(change for change in changes if _is_part_of(change, group, kinds)),
        )


def _moves(old: frozenset[str], new: frozenset[str]) -> Iterator[_Move]:
    """The moves of a kind that was served in the versions ``old`` and is in ``new``.

    A removed version leads to the best new one. Where the best old version is still
    served, it leads to a better new one, if there is one.
    """
    if not new:
        return
    best_new = max(new, key=precedence)
    for version in sorted(old - new, key=precedence):
        yield _Move(version, best_new, before_removed=True)
    best_old = max(old, key=precedence)
    if best_old in new and precedence(best_new) > precedence(best_old):
        yield _Move(best_old, best_new, before_removed=False)


def _served_versions(release: Release) -> Mapping[tuple[str, str], frozenset[str]]:
    """The versions of each kind, by group and kind."""
    versions: dict[tuple[str, str], set[str]] = {}
    for kind in non_list_kinds(release):
        versions.setdefault((kind.group, kind.kind), set()).add(kind.version)
    return {key: frozenset(names) for key, names in versions.items()}


def _is_part_of(change: Change, group: str, kinds: Collection[str]) -> bool:
    return any(kind.group == group and kind.kind in kinds for kind in change.kinds)


def _api_version_order(api_version: str) -> tuple[str, tuple[int, int, int, str]]:
    group, _, version = api_version.rpartition("/")
    return group, precedence(version)
