"""The packages and modules of the classes.

``models`` has the classes of Kubernetes' own types, each in a module of its own. A group
and version of custom kinds is a package, ``cert_manager_io.v1``, in which all of its
classes can be found. They are defined in one module for each kind, which is executed
when a class of the kind is first used: a single module of argoproj.io/v1alpha1 would
take a third of a second to import. A kind's types are in its module. Those that several
kinds share, which only API servers with OpenAPI documents of their own have, are in
``_types``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from keyword import iskeyword
from typing import NamedTuple

from kubestencil.schema import Definition
from kubestencil.schema.graph import Graph, components, reference_graph
from kubestencil.schema.kinds import list_item
from kubestencil.targets.languages.custom_kinds import CustomGroupVersion
from kubestencil.targets.languages.python.spelling import (
    Spelling,
    class_name,
    module_name,
)
from kubestencil.targets.languages.python.types import is_any_resource
from kubestencil.text.unique_names import free_names, shortened_name

#: The package of Kubernetes' own types.
MODELS = "models"
# What the package itself has under these names.
_RESERVED_GROUPS = frozenset(["dump", "dump_json", "load", "model_for", MODELS])
# The owner of types that several kinds share.
_SHARED = ""
_MAX_LENGTH = 100
_NOT_WORD = re.compile(r"[^a-z0-9]")


class ClassLocation(NamedTuple):
    """A class, and the package and the module in which it is defined: ``models`` and
    ``v1_pod``, ``cert_manager_io.v1`` and ``_certificate``."""

    name: str
    package: str
    module: str

    @property
    def path(self) -> str:
        """The path of the module within the generated package."""
        return f"{self.package}.{self.module}"

    @property
    def reference(self) -> str:
        """The class as the package itself refers to it: ``V1Pod`` of ``models``, of custom
        kinds ``example_com.v1:Widget``."""
        return self.name if self.package == MODELS else f"{self.package}:{self.name}"


class ClassModule(NamedTuple):
    """A module with the classes of definitions, each of which follows those that it
    refers to, unless they refer to each other."""

    name: str
    definitions: tuple[Definition, ...]


class ClassPackage(NamedTuple):
    """A package of classes. ``path`` is ``models``, or of custom kinds the packages of
    their group and version; ``api_version`` is what manifests have, such as
    ``cert-manager.io/v1``, and empty of ``models``."""

    path: str
    api_version: str
    modules: tuple[ClassModule, ...]


def relative_module(location: ClassLocation, other: ClassLocation) -> str:
    """The module of another class as the module of a class imports it."""
    own, path = location.package.split("."), other.path.split(".")
    dots = "."
    while own != path[: len(own)]:
        own.pop()
        dots += "."
    return f"{dots}{'.'.join(path[len(own) :])}"


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


def model_package(
    definitions: Iterable[Definition], classes: Mapping[str, str], spelling: Spelling
) -> ClassPackage:
    """The package ``models``, sorted by class: ``classes`` are the names of these."""
    objects = (definition for definition in definitions if definition.is_object)
    modules = (
        ClassModule(
            module_name(classes[definition.name], spelling.acronyms), (definition,)
        )
        for definition in sorted(objects, key=lambda each: classes[each.name])
    )
    return ClassPackage(MODELS, "", tuple(modules))


def custom_class_names(
    definitions: Mapping[str, Definition],
    members: Mapping[str, CustomGroupVersion],
    spelling: Spelling,
) -> Mapping[str, str]:
    """The class of each custom definition, unique in its group and version, which
    ``members`` has."""
    spelled: dict[CustomGroupVersion, tuple[dict[str, str], dict[str, str]]] = {}
    for name, group_version in members.items():
        kinds, types = spelled.setdefault(group_version, ({}, {}))
        short = name.rpartition(".")[2]
        group = kinds if definitions[name].kinds else types
        group[name] = class_name(short, spelling.reserved_classes)
    names: dict[str, str] = {}
    for kinds, types in spelled.values():
        kinds = free_names(kinds)
        # No type takes the name of a kind.
        names |= kinds | free_names(types, kinds.values())
    return names


def custom_packages(
    definitions: Mapping[str, Definition],
    members: Mapping[str, CustomGroupVersion],
    classes: Mapping[str, str],
    spelling: Spelling,
) -> Iterator[ClassPackage]:
    """The packages of custom kinds, sorted by API version. ``members`` has the group and
    version of each custom definition, ``classes`` its class."""
    by_version: dict[CustomGroupVersion, dict[str, Definition]] = {}
    for name, group_version in members.items():
        definition = definitions[name]
        is_object = definition.is_object and not is_any_resource(definition.schema)
        if definition.kinds or is_object:
            by_version.setdefault(group_version, {})[name] = definition
    groups = _package_names(
        {group for group, _ in by_version}, "group", _RESERVED_GROUPS
    )
    for group, keys in groupby(sorted(by_version), lambda key: key.group):
        versions = _package_names((key.version for key in keys), "version")
        for version, package in versions.items():
            own = by_version[CustomGroupVersion(group, version)]
            yield ClassPackage(
                f"{groups[group]}.{package}",
                f"{group}/{version}",
                tuple(_modules(own, definitions, classes, spelling)),
            )


def _modules(
    members: Mapping[str, Definition],
    definitions: Mapping[str, Definition],
    classes: Mapping[str, str],
    spelling: Spelling,
) -> Iterator[ClassModule]:
    """The modules of a group and version, which has ``members``."""
    graph = reference_graph(members)
    owners = _owners(members, graph, definitions)
    modules: dict[str, list[Definition]] = {}
    for component in components(graph):
        for name in component:
            modules.setdefault(owners[name], []).append(definitions[name])
    names = free_names(
        {owner: _module_name(classes.get(owner, ""), spelling) for owner in modules}
    )
    for owner in sorted(modules):
        yield ClassModule(names[owner], tuple(modules[owner]))


def _module_name(kind: str, spelling: Spelling) -> str:
    """The module of the types of a kind, which is a class; of several without one."""
    if not kind:
        return "_types"
    return shortened_name(f"_{module_name(kind, spelling.acronyms)}", _MAX_LENGTH)


def _owners(
    members: Mapping[str, Definition],
    graph: Graph,
    definitions: Mapping[str, Definition],
) -> Mapping[str, str]:
    """The kind that each definition of a group and version is part of; empty for what
    several share. ``definitions`` are all of the release."""
    kinds = {name for name, definition in members.items() if definition.kinds}
    owners: dict[str, str] = {}
    for kind in members:
        if kind in kinds:
            item = list_item(members[kind], definitions)
            owners[kind] = item.name if item and item.name in kinds else kind
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


def _package_names(
    names: Iterable[str], prefix: str, reserved: Iterable[str] = ()
) -> Mapping[str, str]:
    """The package of each name: ``cert_manager_io`` for cert-manager.io, with ``prefix``
    where that is no name.

    Names of the package's own modules begin with an underscore, and these do not.
    """

    def spell(name: str) -> str:
        package = _NOT_WORD.sub("_", name.lower()).strip("_")
        if iskeyword(package) or not package.isidentifier():
            package = f"{prefix}_{package}"
        return shortened_name(package, _MAX_LENGTH)

    return free_names({name: spell(name) for name in sorted(names)}, reserved)
