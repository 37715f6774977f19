"""Which releases serve each kind, in which versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from kubestencil.diff.labels import coverage_of
from kubestencil.schema import Release
from kubestencil.schema.kinds import Stage, non_list_kinds, precedence, version_stage
from kubestencil.schema.knowledge.coverage import Coverage


class ServedVersion(NamedTuple):
    """A version of a kind (``v1beta1``) and the releases that serve it, oldest
    first."""

    version: str
    releases: tuple[str, ...]

    @property
    def stability(self) -> Stage:
        """The stage of the version."""
        return version_stage(self.version)


class KindTimeline(NamedTuple):
    """A kind of a group (empty for the core group) and its versions, least stable
    first."""

    group: str
    kind: str
    versions: tuple[ServedVersion, ...]


class Timeline(NamedTuple):
    """Which of ``releases``, oldest first, serve each kind; ``kinds`` are ordered by
    group and name. ``coverage`` is how far lifecycles are known."""

    releases: tuple[str, ...]
    kinds: tuple[KindTimeline, ...]
    coverage: Coverage

    def to_dict(self) -> dict[str, Any]:
        """The timeline as a JSON object."""
        return {
            "releases": list(self.releases),
            "coverage": self.coverage.to_dict(),
            "kinds": [
                {
                    "group": kind.group,
                    "kind": kind.kind,
                    "versions": [
                        {
                            "version": version.version,
                            "stability": version.stability,
                            "first": version.releases[0],
                            "last": version.releases[-1],
                            "releases": list(version.releases),
                        }
                        for version in kind.versions
                    ],
                }
                for kind in self.kinds
            ],
        }


def timeline(releases: Sequence[Release]) -> Timeline:
    """The timeline of all kinds but list kinds; ``releases`` come oldest first."""
    served: dict[tuple[str, str], dict[str, list[str]]] = {}
    for release in releases:
        for kind in non_list_kinds(release):
            versions = served.setdefault((kind.group, kind.kind), {})
            versions.setdefault(kind.version, []).append(release.name)
    return Timeline(
        tuple(release.name for release in releases),
        tuple(
            KindTimeline(
                group,
                kind,
                tuple(
                    ServedVersion(version, tuple(dict.fromkeys(versions[version])))
                    for version in sorted(versions, key=precedence)
                ),
            )
            for (group, kind), versions in sorted(served.items())
        ),
        coverage_of(releases, {"lifecycle"}),
    )
