"""What a generated Jsonnet library has for a release: groups, versions and types.

The library, its pages and examples of its use are all made from ``Library``. The
rules are those of https://github.com/jsonnet-libs/k8s (pkg/model).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.schema import Release
from kubestencil.targets.jsonnet.builders import Builders
from kubestencil.targets.jsonnet.members import LibraryType, NestedObject
from kubestencil.targets.jsonnet.paths import type_paths

#: The accidents of k8s-gen in what it makes of CustomResourceDefinitions.
_CUSTOM_QUIRKS: Mapping[str, str] = {
    "dash-is-no-group": "a group whose first label has a dash is called nogroup, and "
    "groups with the same first label are one",
    "lost-line-break": "a description of several lines that begins with a line break "
    "loses it",
}

#: The accidents of k8s-gen in what is in the library.
LIBRARY_QUIRKS: Mapping[str, str] = {
    **_CUSTOM_QUIRKS,
    "camel-json-name": "the JSON name of a field is spelled like its builder",
    "dotted-path": "a dot in the name of a field separates two levels",
    "list-meta-is-a-list": "what has a ListMeta as metadata is a list kind, and "
    "nothing else",
    "new-without-metadata": "new sets a name for kinds without metadata too",
    "quote-at-end": "a description that ends in a quote loses the closing one",
    "status-anywhere": "fields called status have no builders at any level",
    "type-description": "the description of a field is that of its type",
}


@dataclass(frozen=True, slots=True)
class JsonnetOptions:
    """The options of the views ``jsonnet`` and ``jsonnet-docs``.

    ``name`` and ``description`` are those of the library, ``repository`` is where it is
    imported from. ``overlay`` is a folder of files that extend it, or "default", or
    empty. ``prefix`` is a regular expression that the full names of its types match.
    ``custom_resources`` says whether the builders of custom resources have the quirks
    of the target.
    """

    name: str
    description: str
    repository: str
    overlay: str
    prefix: str
    custom_resources: Literal["correct", "k8s-gen"]


#: The objects of a library by name: groups, the versions in them, the types in those,
#: and the objects at the top of a type, which are empty here.
ObjectTree = Mapping[str, "ObjectTree"]


@dataclass(frozen=True, slots=True)
class Library:
    """A generated library.

    ``name`` is the variable that its users import it as, ``url`` where from, and
    ``description`` its documentation. ``types`` are sorted by group, version and name.
    """

    release: str
    name: str
    url: str
    description: str
    types: tuple[LibraryType, ...]

    def groups(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each group with its versions."""
        for group, types in groupby(self.types, lambda type_: type_.group):
            yield group, tuple(dict.fromkeys(type_.version for type_ in types))

    def versions(self) -> Iterator[tuple[str, str, tuple[LibraryType, ...]]]:
        """Each group and version with its types."""
        for (group, version), types in groupby(
            self.types, lambda type_: type_.path[:2]
        ):
            yield group, version, tuple(types)

    def object_tree(self) -> ObjectTree:
        """The objects of the library, without what is inside those of a type."""
        groups: dict[str, dict[str, dict[str, ObjectTree]]] = {}
        for type_ in self.types:
            versions = groups.setdefault(type_.group, {})
            versions.setdefault(type_.version, {})[type_.name] = {
                member.name: {}
                for member in type_.members.entries
                if isinstance(member, NestedObject)
            }
        return groups


def make_library(release: Release, target: Target) -> Library:
    """The library of a release, with the options and quirks of ``target``.

    Raises SpecError for two builders with one name and for a type that is too large,
    UsageError for an option that is not a regular expression.
    """
    options = read_options(target, JsonnetOptions)
    quirks = frozenset(target.quirks) - _CUSTOM_QUIRKS.keys()
    # In the builders of custom resources: all quirks of the target, or none.
    has_custom_quirks = options.custom_resources == "k8s-gen"
    custom_quirks = frozenset(target.quirks if has_custom_quirks else ())
    try:
        re.compile(options.prefix)
    except re.error as error:
        raise target.option_error(
            f"is not a regular expression: {error}", "prefix"
        ) from error
    builders = Builders(release, quirks, custom_quirks)
    paths = type_paths(release, options.prefix, quirks, custom_quirks)
    types = (
        LibraryType(
            name, *path, builders.help(definition), builders.of_type(definition)
        )
        for name, path in paths.items()
        for definition in [release.definitions[name]]
    )
    return Library(
        release=release.name,
        name=options.name,
        url=f"{options.repository}/{release.name}/main.libsonnet",
        description=options.description.replace("{release}", release.name),
        types=tuple(sorted(types, key=lambda type_: type_.path)),
    )
