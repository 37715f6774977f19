"""The kinds that have schemas which nobody published before, and the names of these."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from kubestencil.file_names import portable
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import kind_definitions, served_kinds
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import is_built_in

#: The dialect of these schemas.
DIALECT = "http://json-schema.org/draft-07/schema#"


class SchemaKind(NamedTuple):
    """A kind whose schema has a file of its own; ``definition`` is the full name of its
    type."""

    key: GroupVersionKind
    definition: str

    @property
    def file(self) -> str:
        """What kubeconform looks for: ``deployment-apps-v1``, ``pod-v1``."""
        group, version, kind = self.key
        parts = (kind, group.partition(".")[0], version)
        return "-".join(filter(None, parts)).lower()

    @property
    def folder(self) -> str:
        """The folder of the group of a custom kind."""
        return portable((self.key.group or "core").lower())

    @property
    def path(self) -> str:
        """The path of a custom kind: ``example.com/widget_v1.json``."""
        return f"{self.folder}/{self.key.kind.lower()}_{self.key.version}.json"


def schema_kinds(
    release: Release, is_included: Callable[[str], bool]
) -> tuple[SchemaKind, ...]:
    """The kinds without list kinds, of which definitions ``is_included`` accepts."""
    return tuple(
        SchemaKind(kind, name)
        for name, kind in kind_definitions(release).items()
        if is_included(name)
    )


def any_kind(release: Release, custom: Collection[SchemaKind]) -> bytes:
    """A schema of any object, for files with objects of several kinds.

    It asks each kind to be as its own file says. Kinds that groups of Kubernetes do not
    have are refused; of groups that nobody knows any object is valid.
    """
    kinds: dict[str, list[str]] = {"v1": ["List"]}
    for kind, definition in served_kinds(release):
        if is_built_in(definition.name):
            kinds.setdefault(kind.api_version, []).append(kind.kind)
    for key, _ in custom:
        if key.api_version in kinds:
            kinds[key.api_version].append(key.kind)
    rules = [
        _rule(
            {"apiVersion": version}, {"properties": {"kind": {"enum": sorted(names)}}}
        )
        for version, names in sorted(kinds.items())
    ]
    files = [
        *(
            (f"{each.file}.json", each.key)
            for each in schema_kinds(release, is_built_in)
        ),
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
