"""Which types have a page, and which are described on the page of another type.

A resource has a page in the folder of its group. A type that belongs to it by name
(``PodSpec``, ``PodList``), or that is nearest to one resource only, is a section there.
All other types have pages in the folder ``definitions``. Of a type in several versions
only the newest is documented.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release
from kubestencil.schema.graph import distances, reference_graph, reverse
from kubestencil.schema.kinds import group_names, precedence
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.website.operations import (
    LIST_TITLES,
    OperationIndex,
    TitledOperation,
)
from kubestencil.targets.website.quirks import contents, unlisted_types

# Types that belong to a resource by their names.
_PARTS = (
    "{}Spec", "{}Status", "{}List", "{}Strategy", "{}Rollback", "RollingUpdate{}",
    "{}EventSource",
)  # fmt: skip
# Small types of the core group that resources of many groups use.
_SHARED = frozenset(
    [
        "LocalObjectReference", "NodeSelector", "NodeSelectorTerm",
        "TypedLocalObjectReference",
    ]
)  # fmt: skip
_API_MACHINERY = "io.k8s.apimachinery."
# The group of the types that all groups share.
_META = "meta"
# The package of Quantity, which has no version.
_NO_VERSION = "resource"


class DocumentedType(NamedTuple):
    """A type of the document under the names that pages give it.

    ``group`` is the short name of its group (``rbac``), ``full_group`` the name
    (``rbac.authorization.k8s.io``). ``version`` is that of its package, which for
    ``Quantity`` is ``resource``.
    """

    definition: Definition
    group: str
    full_group: str
    version: str

    @property
    def kind(self) -> str:
        """The last part of the full name."""
        return self.definition.kind

    @property
    def is_custom(self) -> bool:
        """Whether it is of a group of custom resources, whose names have a dot."""
        return "." in self.group

    @property
    def api_version(self) -> str:
        """The group and version: ``apps/v1``."""
        return (
            self.version
            if self.full_group == "core"
            else f"{self.full_group}/{self.version}"
        )


class Reference(NamedTuple):
    """What is documented, and where.

    ``types`` has the documented types by full name. ``resources`` are those with a page
    in the folder of their group, by group; ``standalone`` those in ``definitions``. ``parts`` are
    the types that belong to a type by name, ``nearest`` those that are described on the
    page of a resource since it is nearest to them. ``operations`` are those of resources,
    by full name.
    """

    types: Mapping[str, DocumentedType]
    resources: Mapping[str, Sequence[DocumentedType]]
    standalone: Sequence[DocumentedType]
    parts: Mapping[str, Sequence[DocumentedType]]
    nearest: Mapping[str, Sequence[DocumentedType]]
    operations: Mapping[str, Sequence[TitledOperation]]


def make_reference(
    release: Release, operations: OperationIndex, target: Target
) -> Reference:
    """Decide where each type of a release is documented."""
    types = _documented_types(release, unlisted_types(target))
    by_key = {
        (type_.group, type_.version, type_.kind): type_ for type_ in types.values()
    }
    parts = {
        name: [
            by_key[key]
            for part in _PARTS
            if (key := (type_.group, type_.version, part.format(type_.kind))) in by_key
        ]
        for name, type_ in types.items()
    }
    in_parent = {part.definition.name for group in parts.values() for part in group}
    outdated = _outdated(types.values())
    titled = {
        name: operations.of_kind(kind)
        for name, type_ in types.items()
        if name not in in_parent and (kind := type_.definition.served_kind) is not None
    }
    listed = contents(target, release.name)
    resources = {
        name
        for name, of_kind in titled.items()
        if name not in outdated
        and name in operations.returned
        and not types[name].kind.endswith("List")
        and any(title in LIST_TITLES for title, _ in of_kind)
    }
    hidden = {name for name, type_ in types.items() if _is_named(type_, listed.hidden)}
    pages = {name for name, type_ in types.items() if _is_named(type_, listed.pages)}
    tops = resources | ((hidden | pages) - outdated)
    candidates = types.keys() - tops - outdated - in_parent
    homes = _homes(release, types, candidates, tops)
    nearest: dict[str, list[DocumentedType]] = defaultdict(list)
    for name, home in homes.items():
        nearest[home].append(types[name])
    return Reference(
        types,
        _by_group(types[name] for name in resources | (pages - outdated)),
        sorted_types(types[name] for name in candidates - homes.keys()),
        parts,
        {name: sorted_types(group) for name, group in nearest.items()},
        titled,
    )


def _documented_types(
    release: Release, unlisted: Collection[str]
) -> dict[str, DocumentedType]:
    """The documented types of a release by full name."""
    full_names = group_names(release)
    full_groups = {_META: _META}
    types = {}
    for name, definition in release.definitions.items():
        package = name.rpartition(".")[0]
        names = (
            _short_names(name) if is_built_in(name) else _own_names(name, full_names)
        )
        if names is None or any(word in name for word in unlisted):
            continue
        if package in full_names:
            full_groups.setdefault(names[0], full_names[package])
        types[name] = DocumentedType(definition, names[0], "", names[1])
    return {
        name: type_._replace(full_group=full_groups.get(type_.group, type_.group))
        for name, type_ in types.items()
    }


def _short_names(name: str) -> tuple[str, str] | None:
    """The group and version in the full name of a built-in type; None for one of a
    package without a version (``…util.intstr.IntOrString``)."""
    *_, first, second, version, _ = ("", "", *name.split("."))
    if second == "api":
        return "core", version
    return (second, version) if first in ("api", "apis") else None


def has_no_version(name: str) -> bool:
    """Whether a built-in type is in a package without a version."""
    return is_built_in(name) and _short_names(name) is None


def _own_names(name: str, full_names: Mapping[str, str]) -> tuple[str, str] | None:
    """The group and version of the type of a custom resource."""
    package = name.rpartition(".")[0]
    reversed_group, _, version = package.rpartition(".")
    group = ".".join(reversed(reversed_group.split(".")))
    return (full_names.get(package, group), version) if group else None


def _is_named(type_: DocumentedType, names: Collection[str]) -> bool:
    return f"{type_.group}/{type_.kind}" in names


def _outdated(types: Iterable[DocumentedType]) -> set[str]:
    """The full names of the types of which there is a newer version."""
    versions: dict[tuple[str, str], list[DocumentedType]] = defaultdict(list)
    for type_ in types:
        versions[type_.group, type_.kind].append(type_)
    return {
        type_.definition.name
        for group in versions.values()
        for type_ in sorted_types(group)[1:]
    }


def _homes(
    release: Release,
    types: Mapping[str, DocumentedType],
    candidates: Collection[str],
    tops: Collection[str],
) -> dict[str, str]:
    """For types that are nearest to one of ``tops`` only, which one that is."""
    referrers = reverse(reference_graph(release.definitions))
    # A search ends at a page.
    graph = {
        name: [other for other in others if other in types] if name not in tops else []
        for name, others in referrers.items()
    }
    homes = {}
    for name in candidates:
        if name.startswith(_API_MACHINERY) or types[name].kind in _SHARED:
            continue
        above = {
            top: distance
            for top, distance in distances(graph, name).items()
            if top in tops
        }
        nearest = [top for top in above if above[top] == min(above.values())]
        if len(nearest) == 1:
            homes[name] = nearest[0]
    return homes


def _by_group(
    resources: Iterable[DocumentedType],
) -> dict[str, Sequence[DocumentedType]]:
    groups: dict[str, list[DocumentedType]] = defaultdict(list)
    for type_ in resources:
        groups[type_.group].append(type_)
    return {group: sorted_types(types) for group, types in groups.items()}


def sorted_types(types: Iterable[DocumentedType]) -> list[DocumentedType]:
    """Types by name, the newest version first, and then by group; those of custom
    resources last, so that they change no other page."""
    by_group = sorted(types, key=lambda type_: type_.group)
    by_version = sorted(
        by_group, key=lambda type_: precedence(type_.version), reverse=True
    )
    return sorted(by_version, key=lambda type_: (type_.is_custom, type_.kind))


def group_versions(reference: Reference) -> Iterator[tuple[str, list[str]]]:
    """The groups by full name, each with its versions, the newest first."""
    versions: dict[str, set[str]] = defaultdict(set)
    for type_ in reference.types.values():
        if type_.group != _META and type_.version != _NO_VERSION:
            versions[type_.full_group].add(type_.version)
    for group in sorted(versions):
        yield group, sorted(versions[group], key=precedence, reverse=True)
