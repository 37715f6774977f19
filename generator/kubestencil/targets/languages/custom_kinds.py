"""Which definitions of a release are custom: kinds that are not Kubernetes' own, and
the types below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.graph import Graph, reachable, reference_graph
from kubestencil.schema.well_known import is_built_in


class CustomGroupVersion(NamedTuple):
    """An API group and one of its versions, as the API server names them."""

    group: str
    version: str


def custom_definitions(release: Release) -> Mapping[str, CustomGroupVersion]:
    """The group and version of each custom definition, by full name.

    A definition that others than custom ones refer to is not custom, so that no module
    of a built-in type depends on what a cluster adds.
    """
    kinds = {
        name: kind
        for name, definition in release.definitions.items()
        if (kind := _custom_kind(definition)) is not None
    }
    if not kinds:
        return {}
    graph = reference_graph(release.definitions)
    custom = dict(_members(release, kinds, graph))
    others = (name for name in release.definitions if name not in custom)
    for name in reachable(graph, others):
        custom.pop(name, None)
    return custom


def _custom_kind(definition: Definition) -> GroupVersionKind | None:
    """The kind that a definition is served as, None for Kubernetes' own.

    The API server names a custom resource after its group, and Kubernetes' types after
    their Go package. So the name is that of a custom one where it has the group, even
    if the group (``apps.api.k8s.io``) makes it look like one of Kubernetes' own.
    """
    kind = definition.served_kind
    if kind is None or not kind.group:
        return None
    segments = (*reversed(kind.group.split(".")), kind.version, kind.kind)
    if is_built_in(definition.name) and definition.name != ".".join(segments):
        return None
    return kind


def _members(
    release: Release, kinds: Mapping[str, GroupVersionKind], graph: Graph
) -> Iterator[tuple[str, CustomGroupVersion]]:
    """The custom kinds and the types below them, in the order of the document."""
    packages: dict[str, CustomGroupVersion] = {}
    below: dict[str, CustomGroupVersion] = {}
    for name, kind in kinds.items():
        group_version = CustomGroupVersion(kind.group, kind.version)
        if is_built_in(name):
            # Its package is also one of Kubernetes' own.
            for reached in reachable(graph, [name]):
                if reached.startswith(name):
                    below.setdefault(reached, group_version)
        elif "." in name:
            packages.setdefault(name.rpartition(".")[0], group_version)
    for name in release.definitions:
        if name in kinds:
            yield name, CustomGroupVersion(kinds[name].group, kinds[name].version)
        elif name in below:
            yield name, below[name]
        elif name.rpartition(".")[0] in packages and not is_built_in(name):
            yield name, packages[name.rpartition(".")[0]]
