"""Which group and version each definition belongs to.

Every definition is in exactly one module, so that a target can generate a file for each
group and version. A package of the document (``io.k8s.api.apps.v1``) is one module:

- A package with kinds of one API group is that group, under the name that manifests
  have for it: ``apps``, ``resource.k8s.io``; ``core`` for the group without a name.
- The packages of apimachinery (``…pkg.apis.meta.v1``, ``…pkg.runtime``,
  ``…pkg.util.intstr``, ``…pkg.api.resource``) are ``meta`` and ``v1``: every other
  group uses them.
- Any other package is called like its last parts, ``<group>.<version>``, and without a
  version ``unversioned``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kubestencil.file_names import portable
from kubestencil.schema import Definition, GroupVersionKind
from kubestencil.schema.kinds import precedence

_APIMACHINERY = "io.k8s.apimachinery.pkg"
_CORE = "core"
_UNVERSIONED = "unversioned"
# RFC 1123: what a custom resource may be called by, and a folder, too.
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]|\.(?=[a-z0-9])){0,252}\Z")


class ModuleName(NamedTuple):
    """The group and the version of a module; neither is empty, and both are names that
    a folder can have."""

    group: str
    version: str


def module_names(definitions: Mapping[str, Definition]) -> Mapping[str, ModuleName]:
    """The module of each definition, by full name, in the order of the document."""
    packages: dict[str, list[Definition]] = {}
    for definition in definitions.values():
        packages.setdefault(_package(definition.name), []).append(definition)
    modules = {
        package: ModuleName(*map(portable, _module_name(package, members)))
        for package, members in packages.items()
    }
    return {name: modules[_package(name)] for name in definitions}


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _module_name(package: str, members: Sequence[Definition]) -> ModuleName:
    if package == _APIMACHINERY or package.startswith(f"{_APIMACHINERY}."):
        return ModuleName("meta", "v1")
    names = {
        ModuleName(kind.group or _CORE, kind.version)
        for kind in (definition.served_kind for definition in members)
        if kind and _is_named_after(package, kind)
    }
    if len(names) == 1:
        return names.pop()
    parts = [_CORE, *package.split(".")] if package else [_CORE]
    if precedence(parts[-1]) >= precedence("v0alpha0"):
        return ModuleName(parts[-2], parts[-1])
    return ModuleName(parts[-1], _UNVERSIONED)


def _is_named_after(package: str, kind: GroupVersionKind) -> bool:
    """Whether ``kind`` can give its package a name: they agree on the version, and both
    of its names can be those of a folder."""
    return (
        package.rpartition(".")[2] == kind.version
        and _SUBDOMAIN.match(kind.group or _CORE) is not None
        and _SUBDOMAIN.match(kind.version) is not None
    )
