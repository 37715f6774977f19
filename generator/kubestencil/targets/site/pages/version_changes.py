"""What differs between the versions of a custom resource in one release."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kubestencil.diff.compare import changes_between_versions
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import precedence
from kubestencil.targets.reports.changes import FormattedChange, format_change

# More than anybody reads, of a kind: changes, and versions.
_MAX_CHANGES, _MAX_VERSIONS = 200, 5


class VersionChanges(NamedTuple):
    """What differs in a kind from one version to another, by the path of users."""

    before: str
    after: str
    changes: tuple[FormattedChange, ...]


def version_changes(
    release: Release,
) -> Mapping[GroupVersionKind, Sequence[VersionChanges]]:
    """Each version of a custom resource compared with its most stable one; that has the
    comparisons with the most stable others."""
    versions: dict[tuple[str, str], list[str]] = defaultdict(list)
    for group, version, kind in release.custom_kinds:
        versions[group, kind].append(version)
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (group, kind), names in sorted(versions.items()):
        *others, newest = sorted(names, key=precedence)
        for version in reversed(others[-_MAX_VERSIONS:]):
            pairs[f"{group}/{version}", f"{group}/{newest}"].append((group, kind))
    found: dict[GroupVersionKind, list[VersionChanges]] = defaultdict(list)
    changes = changes_between_versions(release, pairs)
    for (sides, kinds), pair_changes in zip(pairs.items(), changes, strict=True):
        before, after = (side.rpartition("/")[2] for side in sides)
        for group, kind in kinds:
            formatted = tuple(
                format_change(change)
                for change in pair_changes
                if change.owner and change.owner.kind == kind
                # Their fields say it.
                if not change.change.startswith("definition-")
                if change.severity != "docs"
            )
            comparison = VersionChanges(before, after, formatted[:_MAX_CHANGES])
            for version in (before, after) if formatted else ():
                found[GroupVersionKind(group, version, kind)].append(comparison)
    return found
