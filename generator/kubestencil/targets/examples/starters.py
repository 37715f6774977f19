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
from kubestencil.schema.types import JsonObject, schema_of
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

# What is inside of an object of which a document says nothing.
_ANYTHING = schema_of({})
_FILE = Path(__file__).with_name("starters.yaml")


class MisfitError(Exception):
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
                return self.tree(
                    definition, {**manifest, "apiVersion": kind.api_version}
                )
            except MisfitError:
                continue
        return None

    def tree(self, definition: Definition, value: JsonObject) -> Object:
        """An object of a definition as a tree. Raises MisfitError where it has a field or
        a type that the definition does not have, or lacks a required field."""
        return object_node(definition, self._entries(definition.schema, value))

    def _entries(self, schema: Schema, value: JsonObject) -> Iterator[Entry]:
        fields = {field.name: field for field in schema.fields}
        if missing := set(schema.required) - value.keys():
            raise MisfitError(missing)
        for name, field_value in value.items():
            if name not in fields:
                raise MisfitError(name)
            field = fields[name]
            yield Entry(field, self._node(field.schema, field_value))

    def _node(self, schema: Schema, value: Any) -> Node:
        """A value of a schema. Raises MisfitError where the schema has another type."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object and isinstance(value, dict):
                return self.tree(definition, value)
            return self._node(definition.schema, value)
        if isinstance(value, dict):
            return self._mapping(schema, value)
        if isinstance(value, list):
            if schema.items is None and schema.type is not None:
                raise MisfitError(value)
            inner = schema.items or _ANYTHING
            items = [self._node(inner, item) for item in value]
            return list_node(items) if items else Scalar([])
        return Scalar(value)

    def _mapping(self, schema: Schema, value: JsonObject) -> Node:
        if schema.fields:
            return object_node(None, self._entries(schema, value))
        if not value:
            return Scalar({})
        if schema.values is None and schema.type not in (None, "object"):
            raise MisfitError(value)
        inner = schema.values or _ANYTHING
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
