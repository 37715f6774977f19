"""What is known of the configuration files of programs, such as the kubelet's: kinds that
no server serves and no OpenAPI document has, which join a release like custom resources.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.documents.openapi2 import parse_definitions
from kubestencil.schema.frozen import FrozenObject
from kubestencil.schema.keywords import KINDS_KEYWORD, REFERENCE_PREFIX
from kubestencil.schema.knowledge.components import flags
from kubestencil.schema.knowledge.tables import ranged_rows, rows
from kubestencil.schema.pointer import SourceMap
from kubestencil.schema.types import (
    GroupVersionKind,
    JsonObject,
    Release,
    group_version_kind,
)
from kubestencil.schema.well_known import META_V1
from kubestencil.source.releases import ReleaseRange, version_in


class ConfigurationRow(NamedTuple):
    """A field of a type; of a kind, ``field`` is empty and ``type`` its apiVersion and
    name, and of a type without fields ``object``.

    ``definition`` is without ``io.k8s.``; ``specs/facts/README.md`` describes the other
    columns.
    """

    releases: ReleaseRange
    definition: str
    field: str
    type: str
    required: str
    values: tuple[str, ...]
    default: str

    @property
    def kind(self) -> GroupVersionKind | None:
        """The kind that the row is of; None for a field and a type without fields."""
        api_version, _, kind = self.type.rpartition(" ")
        is_kind = not self.field and bool(api_version)
        return group_version_kind(api_version, kind) if is_kind else None


@cache
def configuration_rows() -> tuple[ConfigurationRow, ...]:
    """The rows of the tables ``configurations`` and ``kustomize``."""
    return (
        *ranged_rows("configurations", ConfigurationRow, 2),
        *rows("kustomize", ConfigurationRow),
    )


class ConfigurationKind(NamedTuple):
    """The releases that read a kind, and the one from which on it is deprecated."""

    releases: ReleaseRange
    deprecated: str | None


@cache
def configuration_kinds() -> Mapping[GroupVersionKind, ConfigurationKind]:
    """The kinds of configuration files."""
    kinds: dict[GroupVersionKind, ConfigurationKind] = {}
    for row in configuration_rows():
        if kind := row.kind:
            before = kinds.get(kind)
            first = before.releases.first if before else row.releases.first
            kinds[kind] = ConfigurationKind(
                ReleaseRange(first, row.releases.last),
                row.releases.first if row.required else None,
            )
    return kinds


_PREFIX = "io.k8s."
#: What the full names of the types of kustomize's files begin with.
KUSTOMIZE = f"{_PREFIX}sigs.kustomize."
# Types of apimachinery that documents lack which do not use them.
_SHARED: Mapping[str, JsonObject] = {
    f"{META_V1}.Duration": {"type": "string"},
    "io.k8s.apimachinery.pkg.runtime.RawExtension": {"type": "object"},
}
_DURATION, _OBJECT = _SHARED
_TYPES: Mapping[str, JsonObject] = {
    "duration": {"$ref": f"{REFERENCE_PREFIX}{_DURATION}"},
    "object": {"$ref": f"{REFERENCE_PREFIX}{_OBJECT}"},
    "any": {},
    "bytes": {"type": "string", "format": "byte"},
    **{name: {"type": name} for name in ("string", "integer", "number", "boolean")},
}


def with_configurations(release: Release) -> Release:
    """``release`` with the kinds of its configuration files; the same where it has them, is
    limited to some kinds, or is none of Kubernetes.

    Formats that others publish have none of them.
    """
    version = release.kubernetes or version_in(release.name)
    raw = {
        name: schema
        for name, schema in configuration_definitions(version or "").items()
        if version and name not in release.definitions
    }
    if not raw or release.is_limited:
        return release
    try:
        parsed = parse_definitions(raw, release.definitions, SourceMap(""))
    except SpecError:
        # They refer to types that a document with some definitions only does not have.
        return release
    return replace(
        release, definitions=FrozenObject({**release.definitions, **parsed.definitions})
    )


def without_configurations(release: Release) -> Release:
    """``release`` as its document is."""
    added = configuration_types()
    if added.isdisjoint(release.definitions):
        return release
    return replace(
        release,
        definitions=FrozenObject(
            {
                name: definition
                for name, definition in release.definitions.items()
                if name not in added
            }
        ),
    )


@cache
def configuration_types() -> frozenset[str]:
    """The full names of the types in the table, of all releases."""
    return frozenset(f"{_PREFIX}{row.definition}" for row in configuration_rows())


@cache
def configuration_definitions(release: str) -> Mapping[str, JsonObject]:
    """The definitions of the configuration files of a release, as an OpenAPI document
    would have them; descriptions have the command line flags that set the same."""
    definitions: dict[str, Any] = dict(_SHARED)
    for row in configuration_rows():
        if row.releases.includes(release):
            package = row.definition.rpartition(".")[0]
            definition = definitions.setdefault(
                f"{_PREFIX}{row.definition}", {"type": "object", "properties": {}}
            )
            properties = definition["properties"]
            if row.field:
                properties[row.field] = _schema(row, package)
                if row.required:
                    definition.setdefault("required", []).append(row.field)
            elif kind := row.kind:
                definition[KINDS_KEYWORD] = [kind._asdict()]
                properties |= {
                    "apiVersion": {"type": "string"},
                    "kind": {"type": "string"},
                }
    _describe_flags(definitions, release)
    return definitions


def fields_on_path(
    definitions: Mapping[str, Any], path: str
) -> list[list[tuple[str, str]]]:
    """The definitions and names of the fields on a path (``Kind.list[].field``), regardless
    of the case of these, in each version of the kind that has them."""
    name, *names = path.replace("[]", "").split(".")
    suffix = f".{name}"
    owners = [owner for owner in definitions if owner.endswith(suffix)]
    return [
        fields for owner in owners if (fields := _fields(definitions, owner, names))
    ]


def _fields(
    definitions: Mapping[str, Any], owner: str, names: Iterable[str]
) -> list[tuple[str, str]]:
    """The fields called ``names``, each of the type of the one before; none where one is
    missing."""
    fields: list[tuple[str, str]] = []
    for name in names:
        properties = definitions.get(owner, {}).get("properties", {})
        if name not in properties:
            same = (key for key in properties if key.lower() == name.lower())
            name = next(same, "")
        if not name:
            return []
        fields.append((owner, name))
        schema = properties[name].get("items", properties[name])
        owner = schema.get("$ref", "").removeprefix(REFERENCE_PREFIX)
    return fields


def _describe_flags(definitions: Mapping[str, Any], release: str) -> None:
    """Add the flags of a release to the descriptions of fields."""
    for flag in filter(attrgetter("field"), flags(release).values()):
        for path in fields_on_path(definitions, flag.field):
            definition, field = path[-1]
            schema = definitions[definition]["properties"][field]
            before = schema.get("description")
            schema["description"] = f"{before}, {flag}" if before else f"Flag: {flag}"


def _schema(row: ConfigurationRow, package: str) -> JsonObject:
    """The schema of a field of a type in ``package``."""
    type_name = row.type
    wrappers: list[str] = []
    for prefix, keyword in (("map ", "additionalProperties"), ("[]", "items")) * 2:
        if type_name.startswith(prefix):
            type_name = type_name.removeprefix(prefix)
            wrappers.append(keyword)
    if type_name in _TYPES:
        schema = dict(_TYPES[type_name])
    else:
        name = type_name if "." in type_name else f"{package}.{type_name}"
        schema = {"$ref": f"{REFERENCE_PREFIX}{_PREFIX}{name}"}
    if row.values:
        schema["enum"] = list(row.values)
    for keyword in reversed(wrappers):
        is_list = keyword == "items"
        schema = {"type": "array" if is_list else "object", keyword: schema}
    if row.default:
        schema["default"] = json.loads(row.default)
    return schema


def is_configuration_kind(kind: GroupVersionKind | None) -> bool:
    """Whether a kind is that of a configuration file, which no server serves."""
    return kind in configuration_kinds()


@cache
def is_configuration_group(group: str) -> bool:
    """Whether the table of configuration files has a group."""
    # The core group has one, too (EncryptionConfig).
    return group != "" and any(kind.group == group for kind in configuration_kinds())
