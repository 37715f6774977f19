"""Aligns the definitions of two documents or API versions before they are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.documents.inline import own_schema, rename_references
from kubestencil.schema.graph import Graph, distances
from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.kinds import api_versions, served_kinds
from kubestencil.schema.types import ANY_VALUE, Definition, Resource, Schema


class Side(NamedTuple):
    """One side of a comparison.

    ``schemas`` are those of the definitions by the names under which they are compared,
    and ``names`` maps those to their names in ``release``.
    ``resources`` say how custom kinds are served, by the same names.
    """

    release: Release
    schemas: Mapping[str, Schema]
    names: Mapping[str, str]
    resources: Mapping[str, Resource]


def all_definitions(release: Release) -> Side:
    """Every definition of a release, under its own name."""
    return _side(release, release.definitions)


class Packages:
    """The definitions of a release by package, and those of kinds by API version;
    ``graph`` is the reference graph of the release."""

    def __init__(self, release: Release, graph: Graph) -> None:
        self._release = release
        self._graph = graph
        self._by_api_version: dict[str, list[Definition]] = {}
        self._by_package: dict[str, list[str]] = {}
        for kind, definition in served_kinds(release):
            self._by_api_version.setdefault(kind.api_version, []).append(definition)
        for name in release.definitions:
            self._by_package.setdefault(name.rpartition(".")[0], []).append(name)

    def side(self, api_version: str) -> Side:
        """The definitions of one API version: its kinds and the types in their package,
        and what these refer to in other versions of the group.

        Raises UsageError where the release does not have the API version.
        """
        names = _with_references_in_group(self._graph, self._members(api_version))
        return _side(self._release, names)

    def side_of_type(self, definition: str) -> Side:
        """A type and all that it refers to, the nearest first."""
        return _side(self._release, distances(self._graph, definition))

    def _members(self, api_version: str) -> list[str]:
        """The definitions in the packages that have the kinds of an API version."""
        release = self._release
        api_version = api_version.removeprefix("core/")
        version = api_version.rpartition("/")[2]
        definitions = self._by_api_version.get(api_version, [])
        # A kind that all versions share is in the package of another version, which
        # counts only where this version has no package.
        in_own_package = [item for item in definitions if item.version == version]
        packages = {
            item.name.rpartition(".")[0] for item in in_own_package or definitions
        }
        if not packages:
            raise UsageError(
                f"{release.name} has no API version {api_version!r}",
                hint=nearest(api_version, sorted(api_versions(release))),
            )
        if len(packages) == 1:
            return self._by_package[packages.pop()]
        return [
            name for name in release.definitions if name.rpartition(".")[0] in packages
        ]


def _side(release: Release, names: Iterable[str]) -> Side:
    """Definitions of a release under their own names."""
    definitions = {name: release.definitions[name] for name in names}
    return Side(
        release,
        {
            name: (
                own_schema(definition)
                if name in release.inline_definitions
                else definition.schema
            )
            for name, definition in definitions.items()
        },
        {name: name for name in definitions},
        {
            name: release.resources[kind]
            for name, definition in definitions.items()
            for kind in definition.kinds
            if kind in release.custom_kinds
        },
    )


def align_names(side: Side, other: Side) -> Side:
    """``side``, an API version, under the names that ``other`` has for its types.

    A type of v1beta1 is compared with the type of v1 that has the same last part in its
    name, and references between types of the API version are no difference. A type that
    ``other`` does not have is moved to its package.
    """
    # The types of the API version itself come first, and win over referenced ones.
    others = {name.rpartition(".")[2]: name for name in reversed(list(other.schemas))}
    packages = Counter(name.rpartition(".")[0] for name in other.schemas)
    package = max(sorted(packages), key=packages.__getitem__, default="")
    mapping: dict[str, str] = {}
    taken: set[str] = set()
    # A name that both sides have must not be taken by a type with the same last part.
    for name in sorted(side.schemas, key=lambda name: name not in other.schemas):
        kind = name.rpartition(".")[2]
        match = name if name in other.schemas else others.get(kind)
        new_name = match or f"{package}.{kind}"
        mapping[name] = name if new_name in taken else new_name
        taken.add(mapping[name])
    new_refs = {
        f"{REFERENCE_PREFIX}{old}": f"{REFERENCE_PREFIX}{new}"
        for old, new in mapping.items()
    }
    schemas: dict[str, Schema] = {}
    for old, new in mapping.items():
        schema = rename_references(side.schemas[old], new_refs)
        kinds = other.schemas.get(new, ANY_VALUE).value_of(KINDS_KEYWORD)
        # Both sides get the same kinds: that their versions differ is no change.
        if kinds and KINDS_KEYWORD in schema.keywords:
            schema = schema.with_keywords({KINDS_KEYWORD: kinds})
        schemas[new] = schema
    names = {new: side.names[old] for old, new in mapping.items()}
    resources = {mapping[old]: resource for old, resource in side.resources.items()}
    return Side(side.release, schemas, names, resources)


def _with_references_in_group(graph: Graph, names: Sequence[str]) -> list[str]:
    """``names``, and what they refer to in the same groups, directly or indirectly."""
    groups = tuple(f"{group}." for group in {_group_package(name) for name in names})
    included = set(names)
    pending = list(names)
    while pending:
        for other in graph.get(pending.pop(), ()):
            # The cheap test first: most references lead to other groups.
            is_near = other not in included and other.startswith(groups)
            if is_near and f"{_group_package(other)}." in groups:
                included.add(other)
                pending.append(other)
    return [*names, *sorted(included.difference(names))]


def _group_package(name: str) -> str:
    """The package of a group (``io.k8s.api.apps``), which all its versions share."""
    return name.rsplit(".", 2)[0]
