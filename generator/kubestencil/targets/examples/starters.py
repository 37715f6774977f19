"""Starters of built-in kinds: first manifests, with the fields that people set.

``starters.yaml`` has them, since no schema says which labels a selector matches, or what
an image is called. Other kinds have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kubestencil.schema import Definition, GroupVersionKind, Schema
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import is_built_in
from kubestencil.source.yaml import documents
from kubestencil.targets.examples.fields import NAME
from kubestencil.targets.examples.nodes import (
    Entry,
    Node,
    Object,
    Scalar,
    list_node,
    map_node,
    object_node,
)

_FILE = Path(__file__).with_name("starters.yaml")


class _MisfitError(Exception):
    """A manifest has a field or a type that a definition does not have."""


def starter_name(kind: GroupVersionKind) -> str:
    """The name of the object in the starter of a kind; that of generated examples where
    there is none."""
    for manifest in _manifests().get((kind.group, kind.kind), ()):
        name = manifest.get("metadata", {}).get("name")
        if isinstance(name, str):
            return name
    return NAME


class Starters:
    """The starters of a release with ``definitions``."""

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self._definitions = definitions

    def starter(self, definition: Definition) -> Object | None:
        """The starter of a kind; None where there is none that fits the definition."""
        kind = definition.served_kind
        if kind is None or not is_built_in(definition.name):
            return None
        for manifest in _manifests().get((kind.group, kind.kind), ()):
            try:
                return self._object(
                    definition, {**manifest, "apiVersion": kind.api_version}
                )
            except _MisfitError:
                continue
        return None

    def _object(self, definition: Definition, value: JsonObject) -> Object:
        return object_node(definition, self._entries(definition.schema, value))

    def _entries(self, schema: Schema, value: JsonObject) -> Iterator[Entry]:
        fields = {field.name: field for field in schema.fields}
        if missing := set(schema.required) - value.keys():
            raise _MisfitError(missing)
        for name, field_value in value.items():
            if name not in fields:
                raise _MisfitError(name)
            field = fields[name]
            yield Entry(field, self._node(field.schema, field_value))

    def _node(self, schema: Schema, value: Any) -> Node:
        """A value of a schema. Raises _MisfitError where the schema has another type."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object and isinstance(value, dict):
                return self._object(definition, value)
            return self._node(definition.schema, value)
        if isinstance(value, dict):
            return self._mapping(schema, value)
        if isinstance(value, list):
            if schema.items is None:
                raise _MisfitError(value)
            items = [self._node(schema.items, item) for item in value]
            return list_node(items) if items else Scalar([])
        return Scalar(value)

    def _mapping(self, schema: Schema, value: JsonObject) -> Node:
        if schema.fields:
            return object_node(None, self._entries(schema, value))
        if not value:
            return Scalar({})
        if schema.values is None:
            raise _MisfitError(value)
        inner = schema.values
        return map_node({key: self._node(inner, item) for key, item in value.items()})


@cache
def _manifests() -> Mapping[tuple[str, str], Sequence[JsonObject]]:
    """The manifests of the file by API group and kind, in the order of the file."""
    manifests: dict[tuple[str, str], list[JsonObject]] = {}
    for document in documents(_FILE.read_text("utf-8"), _FILE.name):
        manifest = document.value
        group = manifest["apiVersion"].rpartition("/")[0]
        manifests.setdefault((group, manifest["kind"]), []).append(manifest)
    return manifests
