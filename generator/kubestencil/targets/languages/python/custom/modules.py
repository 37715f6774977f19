"""The classes of custom kinds: their names, attributes and modules.

A group and version is a package of its own, ``cert_manager_io.v1``, in which all of its
classes can be found. They are defined in one file for each kind, which is executed when
a class of the kind is first used: a single module of argoproj.io/v1alpha1 would take a
third of a second to import. A kind's types are in its file. Those that several kinds
share, which only API servers with OpenAPI documents of their own have, are in ``_types``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from keyword import iskeyword
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.graph import Graph, components, reference_graph
from kubestencil.schema.kinds import list_item
from kubestencil.targets.languages.python.custom.kinds import (
    CustomGroupVersion,
    custom_definitions,
)
from kubestencil.targets.languages.python.custom.types import (
    RUNTIME_NAMES,
    is_any_resource,
)
from kubestencil.targets.languages.python.imports import import_cycles
from kubestencil.targets.languages.python.spelling import (
    Spelling,
    attribute_names,
    class_name,
    module_name,
    unique_spellings,
)
from kubestencil.text.unique_names import shortened_name

# What the package itself has under these names.
_RESERVED_GROUPS = frozenset(["dump", "dump_json", "load", "model_for", "models"])
# The owner of types that several kinds share.
_SHARED = ""
_MAX_LENGTH = 100
_NOT_WORD = re.compile(r"[^a-z0-9]")
# msgspec refuses these characters in the JSON name of a field (msgspec.Struct, rename).
_NOT_IN_JSON_NAME = re.compile(r'[\\"\x00-\x1f\ud800-\udfff]')
# Names that the classes of ``_custom.py`` define, besides those of ``_base.py``.
_RESERVED = frozenset(["unknown_fields", "to_exact_time"])


class CustomFile(NamedTuple):
    """A file with the classes of a kind: ``name`` is its module, ``_certificate``.

    ``definitions`` are in an order in which each follows those that it refers to,
    unless they refer to each other.
    """

    name: str
    definitions: tuple[Definition, ...]


class CustomVersion(NamedTuple):
    """The package of an API group and version.

    ``group`` and ``version`` are the names of the packages, ``cert_manager_io`` and
    ``v1``; ``api_version`` is what manifests have, ``cert-manager.io/v1``.
    """

    group: str
    version: str
    api_version: str
    files: tuple[CustomFile, ...]


class ClassLocation(NamedTuple):
    """A custom class, and the packages and the file in which it is defined."""

    class_name: str
    group: str
    version: str
    file: str

    @property
    def module(self) -> str:
        """The module of the file, within the package."""
        return f"{self.group}.{self.version}.{self.file}"


class CustomClasses:
    """The classes of the custom kinds of a release, and their modules.

    ``members`` has the group and version of each custom definition, ``versions`` the
    packages, sorted by API version, ``locations`` the class of each definition that
    has one; keys are full names.
    """

    def __init__(self, release: Release, spelling: Spelling) -> None:
        self._definitions = release.definitions
        self._spelling = replace(spelling, reserved=spelling.reserved | _RESERVED)
        self.members = custom_definitions(release)

    @cached_property
    def versions(self) -> Sequence[CustomVersion]:
        definitions: dict[CustomGroupVersion, list[Definition]] = {}
        for name, group_version in self.members.items():
            if _has_class(self._definitions[name]):
                definitions.setdefault(group_version, []).append(
                    self._definitions[name]
                )
        groups = unique_spellings(
            sorted({group for group, _ in definitions}),
            lambda group: _package_name(group, "group"),
            "_",
            _RESERVED_GROUPS,
        )
        versions = {group: _version_names(definitions, group) for group in groups}
        return [
            CustomVersion(
                group=groups[group],
                version=versions[group][version],
                api_version=f"{group}/{version}",
                files=tuple(
                    self._files(definitions[CustomGroupVersion(group, version)])
                ),
            )
            for group, version in sorted(definitions)
        ]

    @cached_property
    def locations(self) -> Mapping[str, ClassLocation]:
        return {
            definition.name: ClassLocation(
                self._classes[definition.name],
                version.group,
                version.version,
                file.name,
            )
            for version in self.versions
            for file in version.files
            for definition in file.definitions
        }

    @cached_property
    def graph(self) -> Graph:
        """The definitions that each definition refers to."""
        return reference_graph(self._definitions)

    @cached_property
    def cycles(self) -> Mapping[str, int]:
        """A number for each module, the same for those that import each other.

        Raises SpecError where imports would be nested too deeply.
        """
        graph: dict[str, set[str]] = {}
        for name, location in self.locations.items():
            graph.setdefault(location.module, set()).update(
                self.locations[reference].module
                for reference in referred_classes(
                    self.graph[name], self.graph, self.locations.__contains__
                )
            )
        return import_cycles(graph)

    @cached_property
    def _classes(self) -> Mapping[str, str]:
        """The class of each definition; unique in its group and version."""
        reserved = self._spelling.reserved_classes | RUNTIME_NAMES
        names: dict[CustomGroupVersion, list[str]] = {}
        # Kinds come first, so that no type takes the name of one.
        for is_kind in (True, False):
            for name, group_version in self.members.items():
                if bool(self._definitions[name].kinds) is is_kind:
                    names.setdefault(group_version, []).append(name)
        return {
            name: unique_name
            for members in names.values()
            for name, unique_name in unique_spellings(
                members,
                lambda name: class_name(name.rpartition(".")[2], reserved),
            ).items()
        }

    def _files(self, definitions: Sequence[Definition]) -> Iterable[CustomFile]:
        """The files of the definitions of a group and version."""
        graph = reference_graph(
            {definition.name: definition for definition in definitions}
        )
        owners = self._owners(definitions, graph)
        order = [name for component in components(graph) for name in component]
        members: dict[str, list[Definition]] = {}
        for name in order:
            members.setdefault(owners[name], []).append(self._definitions[name])
        names = unique_spellings(sorted(members), self._file_name, "_")
        for owner in sorted(members):
            yield CustomFile(names[owner], tuple(members[owner]))

    def _file_name(self, owner: str) -> str:
        if owner == _SHARED:
            return "_types"
        name = module_name(self._classes[owner], self._spelling.acronyms)
        return shortened_name(f"_{name}", _MAX_LENGTH)

    def _owners(
        self, definitions: Sequence[Definition], graph: Graph
    ) -> Mapping[str, str]:
        """The kind that each definition is part of; empty for what several share."""
        kinds = {definition.name for definition in definitions if definition.kinds}
        owners: dict[str, str] = {}
        for definition in definitions:
            if definition.kinds:
                item = list_item(definition, self._definitions)
                is_list = item is not None and item.name in kinds
                owners[definition.name] = (
                    item.name if item and is_list else definition.name
                )
        for kind in tuple(owners):
            pending = [kind]
            while pending:
                for name in graph[pending.pop()]:
                    if name in kinds or name not in graph:
                        continue
                    if name not in owners:
                        owners[name] = kind
                        pending.append(name)
                    elif owners[name] not in (kind, _SHARED):
                        owners[name] = _SHARED
                        pending.append(name)
        return {name: owners.get(name, _SHARED) for name in graph}

    def fields(self, definition: Definition) -> Sequence[Field]:
        """The fields that have an attribute, sorted by JSON name.

        A field whose name msgspec does not allow has none.
        """
        return sorted(_attribute_fields(definition), key=lambda field: field.name)

    def attributes(self, definition: Definition) -> Mapping[str, str]:
        """The attribute of each field that has one, by JSON name."""
        return attribute_names(_attribute_fields(definition), self._spelling)

    def keeps_unknown_fields(self, definition: Definition) -> bool:
        """Whether objects of the class keep fields that the schema does not have."""
        return definition.schema.preserves_unknown_fields or not definition.is_object

    def fields_without_attribute(self, definition: Definition) -> Sequence[str]:
        """The JSON names of the fields that are kept although they have no attribute."""
        names = (field.name for field in definition.fields)
        return sorted(name for name in names if not _can_be_attribute(name))

    def nullable_fields(self, definition: Definition) -> Sequence[str]:
        """The JSON names of the fields in which null differs from an absent value."""
        return [
            field.name
            for field in self.fields(definition)
            if (field.schema.keeps_null or field.schema.is_any) and not field.required
        ]

    def is_open(self, name: str) -> bool:
        """Whether a definition's objects may have other fields than attributes."""
        definition = self._definitions[name]
        return self.keeps_unknown_fields(definition) or bool(
            self.nullable_fields(definition)
            or self.fields_without_attribute(definition)
        )


def referred_classes(
    names: Iterable[str], references: Graph, has_class: Callable[[str], bool]
) -> Iterator[str]:
    """Those of some definitions that have classes, and those that the others refer to,
    which are references, lists or maps."""
    pending, visited = deque(names), set[str]()
    while pending:
        name = pending.popleft()
        if has_class(name):
            yield name
        elif name not in visited:
            visited.add(name)
            pending.extend(references[name])


def _has_class(definition: Definition) -> bool:
    return bool(definition.kinds) or (
        definition.is_object and not is_any_resource(definition.schema)
    )


def _version_names(
    definitions: Iterable[CustomGroupVersion], group: str
) -> Mapping[str, str]:
    versions = sorted(version for other, version in definitions if other == group)
    return unique_spellings(
        versions, lambda version: _package_name(version, "version"), "_"
    )


def _package_name(name: str, prefix: str) -> str:
    """``cert_manager_io`` for cert-manager.io; with ``prefix`` where that is no name.

    Names of the package's own modules begin with an underscore, and these do not.
    """
    package = _NOT_WORD.sub("_", name.lower()).strip("_")
    if iskeyword(package) or not package.isidentifier():
        package = f"{prefix}_{package}"
    return shortened_name(package, _MAX_LENGTH)


def _attribute_fields(definition: Definition) -> Iterator[Field]:
    return (field for field in definition.fields if _can_be_attribute(field.name))


def _can_be_attribute(json_name: str) -> bool:
    return _NOT_IN_JSON_NAME.search(json_name) is None
