"""Types for histories: with the inline objects inside of them, and without the names
that differ between versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.diff.align import rewrite_refs
from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject


class NestedField(NamedTuple):
    """A field of a type or of an inline object in it: its schema, in which inline
    objects are references."""

    schema: JsonObject
    required: bool


class NestedType(NamedTuple):
    """A type: its ``schema``, which has the inline objects inside, and its ``fields``
    by their JSON names, with dots between those of nested objects.

    References to types of its own version have only the last part of their names, so
    that they are equal to those in other versions.
    """

    schema: JsonObject
    fields: Mapping[str, NestedField]


def nested_type(definition: Definition, release: Release) -> NestedType:
    """The type ``definition`` of a release with its inline objects."""
    package = definition.name.rpartition(".")[0]
    new_refs = {
        f"{REFERENCE_PREFIX}{name}": name.rpartition(".")[2]
        for name in release.definitions
        if name.rpartition(".")[0] == package
    }
    schema = _with_inline_objects(definition.schema.raw, release)
    fields = {
        name: NestedField(rewrite_refs(field.schema, new_refs), field.required)
        for name, field in _fields(definition, release, "")
    }
    return NestedType(rewrite_refs(schema, new_refs), fields)


def _with_inline_objects(schema: Any, release: Release) -> Any:
    """A schema in which references to inline objects are these objects again."""
    if isinstance(schema, list):
        return [_with_inline_objects(item, release) for item in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix(REFERENCE_PREFIX)
    if name in release.inline_definitions:
        inner = release.definitions[name].schema.raw
        schema = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**inner, **schema}
    return {
        keyword: _with_inline_objects(value, release)
        for keyword, value in schema.items()
    }


def _fields(
    definition: Definition, release: Release, prefix: str
) -> Iterator[tuple[str, NestedField]]:
    """The fields of a type and of its inline objects, each behind the one it is in."""
    for field in definition.fields:
        name = f"{prefix}{field.name}"
        yield name, NestedField(field.schema.raw, field.required)
        inline = _inline_object(field.schema, release)
        if inline is not None:
            yield from _fields(inline, release, f"{name}.")


def _inline_object(schema: Schema | None, release: Release) -> Definition | None:
    """The inline object of a field, or of the items or values of one."""
    while schema is not None:
        if schema.ref is not None:
            is_inline = schema.ref in release.inline_definitions
            return release.definitions[schema.ref] if is_inline else None
        schema = schema.items or schema.values
    return None
