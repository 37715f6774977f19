"""Checks the names of kinds and groups that a user gives, and suggests similar ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kubestencil.errors import UsageError, nearest
from kubestencil.schema.kinds import group_names, non_list_kinds, served_kinds
from kubestencil.schema.types import Definition, Release


def check_kinds(
    kinds: Iterable[str], groups: Iterable[str], releases: Iterable[Release]
) -> None:
    """Raise UsageError for a kind or group that no release has, and for a kind that
    none has in one of ``groups``, where there are any."""
    releases, groups = tuple(releases), tuple(groups)
    for group in groups:
        _check_group(group, releases)
    names = {
        definition.kind
        for release in releases
        for definition in definitions_of(release, groups)
    }
    for kind in kinds:
        if kind not in names:
            in_groups = f" in the group {' or '.join(groups)}" if groups else ""
            raise UsageError(
                f"no kind or type called {kind!r}{in_groups}{_in_releases(releases)}",
                hint=(
                    nearest(kind, sorted(_kinds_of(releases, groups)))
                    if groups
                    else similar_kind(kind, names)
                ),
            )


def definitions_of(release: Release, groups: Iterable[str]) -> Iterator[Definition]:
    """The definitions in the packages of groups; all without any."""
    selected = frozenset(groups)
    packages = group_names(release)
    for definition in release.definitions.values():
        if not selected or packages.get(definition.name.rpartition(".")[0]) in selected:
            yield definition


def _check_group(group: str, releases: tuple[Release, ...]) -> None:
    names = {
        kind.group or "core"
        for release in releases
        for kind, _ in served_kinds(release)
    }
    if group not in names:
        raise UsageError(
            f"no group called {group!r}{_in_releases(releases)}",
            hint=nearest(group, sorted(names)),
        )


def _kinds_of(releases: Iterable[Release], groups: Iterable[str]) -> set[str]:
    selected = frozenset(groups)
    return {
        kind.kind
        for release in releases
        for kind in non_list_kinds(release)
        if (kind.group or "core") in selected
    }


def _in_releases(releases: tuple[Release, ...]) -> str:
    names = list(dict.fromkeys(release.name for release in releases))
    return f", in {' or '.join(names)}"


def similar_kind(name: str, names: Iterable[str]) -> str:
    """A hint with the name most similar to ``name``, regardless of its case; names are
    too many to list all."""
    by_lower_case = {candidate.lower(): candidate for candidate in sorted(names)}
    if name.lower() in by_lower_case:
        return f"did you mean {by_lower_case[name.lower()]}?"
    hint = nearest(name, sorted(by_lower_case.values()))
    return hint if hint.startswith("did") else "kubestencil history lists all kinds"
