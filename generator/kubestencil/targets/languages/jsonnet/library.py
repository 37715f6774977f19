"""What a generated Jsonnet library has for a release: groups, versions and types.

The library, its pages and examples of its use are all made from ``Library``. The
rules are those of https://github.com/jsonnet-libs/k8s (pkg/model).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.errors import SpecError
from kubestencil.file_names import portable
from kubestencil.schema import Definition, Release
from kubestencil.schema.kinds import list_item
from kubestencil.schema.well_known import LIST_META, is_built_in
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.builders import Builders
from kubestencil.targets.languages.jsonnet.members import LibraryType, NestedObject
from kubestencil.text.unique_names import free_names

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
    "html-escapes-with-apostrophe": "< is \\u003c in a text with both quotes, in its files",
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


#: The packages of Kubernetes that the published library has: the prefix in
#: libs/k8s/config.jsonnet of jsonnet-libs/k8s.
BUILT_IN_PREFIX = r"^io\.k8s\.(api|(kube-aggregator|apimachinery)\.pkg\.apis)\."

# The last two or three parts of a full name, as k8s-gen matches them: a part with a
# dash is not a group.
_NAME_PARTS = re.compile(
    r".+?\.(?:(?P<group>\w+)\.)?(?P<version>\w+)\.(?P<kind>\w+)", re.ASCII
)
_NO_GROUP = "nogroup"
_NOT_IN_FIELD = re.compile(r"[^A-Za-z0-9_]")
# Files beside those of the types: main.libsonnet, index.md.
_RESERVED_NAMES = ("main", "index")


class TypePath(NamedTuple):
    """The fields of a library that lead to a type: ``k.apps.v1.deployment``."""

    group: str
    version: str
    name: str


def type_paths(
    release: Release, prefix: str, quirks: frozenset[str], custom: frozenset[str]
) -> Mapping[str, TypePath]:
    """Where each type of a library is, by the full name of its definition.

    The types of Kubernetes itself are where k8s-gen has them. A custom resource is in the
    first label of its group, with an underscore for a dash: ``cert_manager`` for
    cert-manager.io. Where two groups would get one field, those of custom resources get
    more labels: ``networking_istio`` beside ``networking`` of networking.k8s.io.

    ``prefix`` is a regular expression for the full names; empty for Kubernetes' own
    groups and those of custom resources. ``quirks`` are those of the definitions of
    Kubernetes, ``custom`` those of custom resources. Raises SpecError where k8s-gen
    has only one of two groups.
    """
    served_packages = {
        definition.name.rpartition(".")[0]
        for definition in release.definitions.values()
        if definition.kinds and not is_built_in(definition.name)
    }
    pattern = re.compile(prefix or BUILT_IN_PREFIX)
    as_k8s_gen: list[str] = []
    by_package: list[str] = []
    for name, definition in release.definitions.items():
        if name in release.inline_definitions:
            continue
        is_custom = name.rpartition(".")[0] in served_packages
        if not pattern.match(name) and (prefix or not is_custom):
            continue
        if _is_list(definition, release, custom if is_custom else quirks):
            continue
        if is_custom and _has_list_metadata(definition):
            # A CustomResourceDefinition can give its list kind any name.
            continue
        if is_custom and "dash-is-no-group" not in custom:
            by_package.append(name)
        else:
            as_k8s_gen.append(name)
    paths = dict(_k8s_gen_paths(as_k8s_gen))
    groups = {path.group for path in paths.values()}
    paths |= dict(_package_paths(by_package, groups))
    # Fields are the names of files, too.
    return {name: TypePath(*map(portable, path)) for name, path in paths.items()}


def _k8s_gen_paths(names: Iterable[str]) -> Iterator[tuple[str, TypePath]]:
    """The paths by the rules of k8s-gen.

    Raises SpecError where two packages have the same path: k8s-gen generates one of
    them, and not always the same.
    """
    packages: dict[tuple[str, str], str] = {}
    for name in names:
        match = _NAME_PARTS.fullmatch(name)
        if match is None:
            continue
        group, version = match["group"] or _NO_GROUP, match["version"]
        package = name.rpartition(".")[0]
        other = packages.setdefault((group, version), package)
        if other != package:
            raise SpecError(
                f"{package} and {other} are both {group}.{version} in a library of "
                "k8s-gen",
                hint="choose one of them with the option prefix",
            )
        yield name, TypePath(group, version, jsonnet.lower_first_word(match["kind"]))


def _package_paths(
    names: Iterable[str], taken_groups: set[str]
) -> Iterator[tuple[str, TypePath]]:
    """The paths of custom resources, no two of which are equal on any file system."""
    packages = {name: name.split(".")[:-1] for name in names}
    groups = _group_fields(
        {tuple(reversed(parts[:-1])) for parts in packages.values()} - {()},
        taken_groups,
    )
    fields: dict[tuple[str, str], dict[str, str]] = {}
    for name, parts in packages.items():
        if labels := tuple(reversed(parts[:-1])):
            types = fields.setdefault((groups[labels], parts[-1]), {})
            types[name] = jsonnet.lower_first_word(name.rpartition(".")[2])
    for (group, version), types in fields.items():
        for name, field in free_names(types, _RESERVED_NAMES, fold=str.lower).items():
            yield name, TypePath(group, version, field)


def _group_fields(
    groups: Iterable[tuple[str, ...]], taken: set[str]
) -> Mapping[tuple[str, ...], str]:
    """A field for each group, whose labels are given."""
    counts = dict.fromkeys(sorted(groups), 1)
    while True:
        fields = {
            labels: _NOT_IN_FIELD.sub("_", "_".join(labels[:count]))
            for labels, count in counts.items()
        }
        uses = Counter(fields.values())
        ambiguous = [
            labels
            for labels, field in fields.items()
            if (uses[field] > 1 or field in taken) and counts[labels] < len(labels)
        ]
        if not ambiguous:
            break
        for labels in ambiguous:
            counts[labels] += 1
    # Groups can differ in dashes and dots only.
    names = free_names({".".join(labels): fields[labels] for labels in fields}, taken)
    return {labels: names[".".join(labels)] for labels in fields}


def _is_list(definition: Definition, release: Release, quirks: frozenset[str]) -> bool:
    """Whether a definition is a list kind. Those have no builders."""
    if "list-meta-is-a-list" in quirks:
        return _has_list_metadata(definition)
    return list_item(definition, release.definitions) is not None


def _has_list_metadata(definition: Definition) -> bool:
    return any(
        field.name == "metadata" and field.schema.ref == LIST_META
        for field in definition.fields
    )
