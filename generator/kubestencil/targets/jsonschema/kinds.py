"""The kinds that have schemas which nobody published before, and the names of these."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from kubestencil.file_names import portable
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import kind_definitions, served_kinds
from kubestencil.schema.knowledge.configurations import configuration_types
from kubestencil.schema.types import JsonObject, group_version_kind
from kubestencil.schema.well_known import is_built_in

#: The dialect of these schemas.
DIALECT = "http://json-schema.org/draft-07/schema#"


class CustomKind(NamedTuple):
    """A kind of a custom resource; ``definition`` is the full name of its type."""

    group: str
    version: str
    kind: str
    api_version: str
    definition: str

    @property
    def key(self) -> GroupVersionKind:
        """Its names as the API has them: ``group`` is a folder."""
        return group_version_kind(self.api_version, self.kind)

    @property
    def path(self) -> str:
        """The path of its schema: ``example.com/widget_v1.json``."""
        return f"{self.group}/{self.kind.lower()}_{self.version}.json"


def custom_kinds(release: Release) -> tuple[CustomKind, ...]:
    """The kinds that are not Kubernetes' own, without list kinds."""
    return _kinds(release, lambda name: not is_built_in(name))


def configurations(release: Release) -> tuple[CustomKind, ...]:
    """The kinds of configuration files, where the release has them."""
    return _kinds(release, configuration_types().__contains__)


def _kinds(
    release: Release, is_included: Callable[[str], bool]
) -> tuple[CustomKind, ...]:
    return tuple(
        CustomKind(
            portable((kind.group or "core").lower()),
            kind.version,
            kind.kind,
            kind.api_version,
            name,
        )
        for name, kind in kind_definitions(release).items()
        if is_included(name)
    )


class BuiltInKind(NamedTuple):
    """A kind of Kubernetes: ``file`` is what kubeconform looks for
    (``deployment-apps-v1``, ``pod-v1``), ``definition`` the full name of its type."""

    file: str
    definition: str
    key: GroupVersionKind


def built_in_kinds(release: Release) -> tuple[BuiltInKind, ...]:
    """The kinds of Kubernetes, without list kinds."""
    return tuple(
        BuiltInKind(
            "-".join(
                filter(None, (kind.kind, kind.group.partition(".")[0], kind.version))
            ).lower(),
            name,
            kind,
        )
        for name, kind in kind_definitions(release).items()
        if is_built_in(name)
    )


def any_kind(release: Release, custom: Collection[CustomKind]) -> bytes:
    """A schema of any object, for files with objects of several kinds.

    It asks each kind to be as its own file says. Kinds that groups of Kubernetes do not
    have are refused; of groups that nobody knows any object is valid.
    """
    kinds: dict[str, list[str]] = {"v1": ["List"]}
    for kind, definition in served_kinds(release):
        if is_built_in(definition.name):
            kinds.setdefault(kind.api_version, []).append(kind.kind)
    for configuration in custom:
        if configuration.api_version in kinds:
            kinds[configuration.api_version].append(configuration.kind)
    rules = [
        _rule(
            {"apiVersion": version}, {"properties": {"kind": {"enum": sorted(names)}}}
        )
        for version, names in sorted(kinds.items())
    ]
    files = [
        *((f"{each.file}.json", each.key) for each in built_in_kinds(release)),
        *((f"../{each.path}", each.key) for each in custom),
    ]
    for path, key in files:
        given = {"apiVersion": key.api_version, "kind": key.kind}
        rules.append(_rule(given, {"$ref": path}))
    document = {
        "$schema": DIALECT,
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}},
        "allOf": rules,
    }
    return f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode()


def _rule(given: Mapping[str, str], then: JsonObject) -> JsonObject:
    properties = {name: {"const": value} for name, value in given.items()}
    return {"if": {"properties": properties, "required": [*given]}, "then": then}
