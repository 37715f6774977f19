"""What is known of a release that is compared: the kinds that it serves, in which
versions, what belongs to them, and where users write it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from kubestencil.diff.differences.align import Packages
from kubestencil.diff.releases.stages import ReleaseStages
from kubestencil.schema import GroupVersionKind, Release, Schema
from kubestencil.schema.graph import RootKinds, reference_graph
from kubestencil.schema.kinds import non_list_kinds, precedence, served_kinds
from kubestencil.schema.knowledge.fields import FieldName, usage_weight
from kubestencil.schema.knowledge.kinds import known_kind
from kubestencil.schema.well_known import META_V1


class ReleaseFacts(NamedTuple):
    """What is known of a ``release`` that is compared: the kinds that each
    definition is part of, paths, stages, and the kinds that it serves, also by
    version."""

    release: Release
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
            release,
            Packages(release, graph),
            RootKinds(release, graph),
            UserPaths(release),
            ReleaseStages(release, graph),
            kinds,
            served_versions(kinds),
        )


#: The versions in which a release serves each kind, by group and kind.
Versions = Mapping[tuple[str, str], frozenset[str]]


def served_versions(kinds: Iterable[GroupVersionKind]) -> Versions:
    """The versions of each kind, by group and kind."""
    versions: dict[tuple[str, str], set[str]] = {}
    for kind in kinds:
        versions.setdefault((kind.group, kind.kind), set()).add(kind.version)
    return {key: frozenset(names) for key, names in versions.items()}


def most_stable_version(kind: GroupVersionKind, versions: Versions) -> str | None:
    """The version of a kind that Kubernetes prefers; None where none is served."""
    return _preferred(versions.get((kind.group, kind.kind), frozenset()))


@lru_cache(maxsize=256)
def _preferred(versions: frozenset[str]) -> str | None:
    """Kept, since it is asked for with each version that a release adds or removes."""
    return max(versions, key=precedence, default=None)


def successor(
    kind: GroupVersionKind, release: str | None, versions: Versions
) -> GroupVersionKind | None:
    """The kind to use instead of another one: its most stable version, or that of the
    kind that replaces it by the facts. None where there is no other.

    ``versions`` are what the release serves; ``release`` is its minor version, None
    where the facts do not apply.
    """
    target = known_kind(kind, release).replacement or kind
    version = most_stable_version(target, versions) or target.version
    result = target._replace(version=version)
    return None if result == kind else result


_MAX_WEIGHT = 1000


class UserPaths:
    """The paths from the kinds of a release to its definitions.

    A path has the JSON names of fields, as ``kubectl explain`` takes them: neither
    indexes of lists, nor keys of maps. Of several paths it is the one that most
    manifests use, then the shortest.
    """

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        self._kinds = {kind: item.name for kind, item in served_kinds(release)}
        self._paths_from = cache(self._search)
        self._fields = cache(self._referring_fields)

    def path(
        self, owner: GroupVersionKind | None, definition: str, field: str | None
    ) -> str:
        """The path of a field of a definition that is part of the kind ``owner``; of
        the definition itself where ``field`` is None.

        It begins with the definition's own name where there is no owner.
        """
        start = self._paths_from(owner).get(definition) if owner else None
        start = start or definition.rpartition(".")[2]
        return start if field is None else f"{start}.{field}"

    def _search(self, kind: GroupVersionKind) -> Mapping[str, str]:
        """The path to each definition that is reachable from a kind."""
        root = self._kinds.get(kind)
        if root is None:
            return {}
        paths: dict[str, str] = {}
        # A path is used as often as its field that is used least.
        pending = [(-_MAX_WEIGHT, 0, 0, root, kind.kind)]
        count = 0
        while pending:
            use, length, _, referrer, path = heappop(pending)
            if referrer in paths:
                continue
            paths[referrer] = path
            for name, (field, weight) in self._fields(referrer).items():
                if name not in paths:
                    count += 1
                    inner = f"{path}.{field}" if field else path
                    item = max(use, -weight), length + 1, count, name, inner
                    heappush(pending, item)
        return paths

    def _referring_fields(self, definition: str) -> Mapping[str, tuple[str, int]]:
        """The field of a definition that refers to each other one, and how often it is
        used: of several the one that is used most. It is empty where the definition
        itself is a reference, or a list or map of them."""
        fields: dict[str, tuple[str, int]] = {}
        item = self._definitions[definition]
        for field, target in _references(item.schema, ""):
            weight = _MAX_WEIGHT
            if field:
                weight = usage_weight(FieldName(item.group_label, item.kind, field))
            if target not in fields or weight > fields[target][1]:
                fields[target] = field, weight
        return fields


def _references(schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    """The references of a schema, each with the path of the field that has it."""
    if schema.ref is not None:
        yield path, schema.ref
    for _, name, part in schema.parts():
        yield from _references(
            part, f"{path}.{name}" if path and name else path or name
        )


def owner_of(
    definition: str,
    distances: Mapping[GroupVersionKind, int],
    non_lists: Collection[GroupVersionKind],
) -> GroupVersionKind | None:
    """The kind that a definition belongs to: the nearest one of its own API version, or
    else the only one that leads to it. A list kind counts as the kind of its items.

    What all kinds share, in the metadata of objects and lists, belongs to none.
    ``distances`` are the numbers of references between each kind and the definition.
    """
    if definition.startswith(f"{META_V1}.") and definition.endswith("Meta"):
        return None
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
    item = owner._replace(kind=owner.kind.removesuffix("List"))
    return item if item in non_lists else owner
