"""Fields and the paths by which pages name them: ``spec.template.spec``."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kubestencil.schema import Field, Release, Schema
from kubestencil.schema.field_paths import field_at_path


def fields_of(schema: Schema) -> Collection[Field]:
    """The fields of an object, including those of inline objects in a list or map.

    ``kubestencil.diff`` names the latter in the same way. Of several fields with one
    name the outermost is returned.
    """
    fields = {field.name: field for field in schema.fields}
    for inner in (schema.items, schema.values):
        for field in fields_of(inner) if inner is not None else ():
            fields.setdefault(field.name, field)
    return fields.values()


def field_paths(schema: Schema, prefix: str = "") -> Iterator[str]:
    """The path of each field that a type's page shows, including fields of inline
    objects."""
    for field in fields_of(schema):
        path = f"{prefix}{field.name}"
        yield path
        yield from field_paths(field.schema, f"{path}.")


def has_field(release: Release, definition: str, path: str) -> bool:
    """Whether a release has the field at a path of a type."""
    return field_at_path(definition, path, release.schema_named) is not None
