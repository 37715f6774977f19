"""What is known of a release that is compared."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.diff.differences.align import Packages
from kubestencil.diff.releases.served_versions import Versions, served_versions
from kubestencil.diff.releases.stages import ReleaseStages
from kubestencil.diff.releases.user_paths import UserPaths
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.graph import RootKinds, reference_graph
from kubestencil.schema.kinds import non_list_kinds


class ReleaseFacts(NamedTuple):
    """What is known of one of the releases that are compared: the kinds that each
    definition is part of, paths, stages, and the kinds that it serves, also by
    version."""

    packages: Packages
    roots: RootKinds
    paths: UserPaths
    stages: ReleaseStages
    kinds: frozenset[GroupVersionKind]
    versions: Versions

    @classmethod
    def of(cls, release: Release) -> ReleaseFacts:
        """The facts of a release."""
        graph = reference_graph(release.definitions)
        kinds = frozenset(non_list_kinds(release))
        return cls(
            Packages(release, graph),
            RootKinds(release, graph),
            UserPaths(release),
            ReleaseStages(release, graph),
            kinds,
            served_versions(kinds),
        )
