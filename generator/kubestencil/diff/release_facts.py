"""What is known of a release that is compared."""

from __future__ import annotations

from dataclasses import dataclass

from kubestencil.diff.stages import ReleaseStages
from kubestencil.diff.user_paths import UserPaths
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.graph import Graph, RootKinds, reference_graph, root_kinds
from kubestencil.schema.kinds import non_list_kinds


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """What is known of one of the releases that are compared: the kinds that each
    definition is part of, paths, stages, and the kinds that it serves."""

    graph: Graph
    roots: RootKinds
    paths: UserPaths
    stages: ReleaseStages
    kinds: frozenset[GroupVersionKind]

    @classmethod
    def of(cls, release: Release) -> ReleaseFacts:
        """The facts of a release."""
        graph = reference_graph(release.definitions)
        return cls(
            graph,
            root_kinds(release, graph),
            UserPaths(release, graph),
            ReleaseStages(release, graph),
            frozenset(non_list_kinds(release)),
        )
