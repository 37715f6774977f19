"""Starters of built-in kinds: first manifests, with the fields that people set.

``starters.yaml`` has them, since no schema says which labels a selector matches, or what
an image is called. Other kinds have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from kubestencil.schema import Definition, GroupVersionKind, Schema
from kubestencil.schema.types import ANY_VALUE, JsonObject
from kubestencil.schema.well_known import is_built_in
from kubestencil.source.yaml import documents
from kubestencil.targets.examples.fields import NAME
from kubestencil.targets.examples.objects import Object

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
            starter = {**manifest, "apiVersion": kind.api_version}
            try:
                self.check(definition.schema, starter)
            except MisfitError:
                continue
            return starter
        return None

    def check(self, schema: Schema, value: Any) -> None:
        """Raise MisfitError where a value has a field or a type that its schema does not
        have, or lacks a required field."""
        while schema.ref is not None:
            schema = self._definitions[schema.ref].schema
        if isinstance(value, dict) and schema.is_object:
            fields = {field.name: field.schema for field in schema.fields}
            if odd := {*schema.required} - value.keys() | value.keys() - fields.keys():
                raise MisfitError(odd)
            for name, inner in value.items():
                self.check(fields[name], inner)
        elif isinstance(value, dict) and value:
            if schema.values is None and schema.type not in (None, "object"):
                raise MisfitError(value)
            for inner in value.values():
                self.check(schema.values or ANY_VALUE, inner)
        elif isinstance(value, list):
            if schema.items is None and schema.type is not None:
                raise MisfitError(value)
            for item in value:
                self.check(schema.items or ANY_VALUE, item)


@cache
def _manifests() -> Mapping[tuple[str, str], Sequence[JsonObject]]:
    """The manifests of the file by API group and kind, in the order of the file."""
    manifests: dict[tuple[str, str], list[JsonObject]] = {}
    for document in documents(_FILE.read_text("utf-8"), _FILE.name):
        manifest = document.value
        group = manifest["apiVersion"].rpartition("/")[0]
        manifests.setdefault((group, manifest["kind"]), []).append(manifest)
    return manifests
