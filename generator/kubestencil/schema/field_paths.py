"""The paths of all fields of a kind: ``spec.template.spec.containers.image``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from kubestencil.schema.kinds import precedence
from kubestencil.schema.lookup import TypeMatch, definitions_of
from kubestencil.schema.types import Definition, Field, Release, Schema

#: Nothing in Kubernetes or known custom resources is as deep.
MAX_DEPTH = 200


class FieldPath(NamedTuple):
    """A field of a kind: its ``path``, JSON names with dots between them, the ``field``,
    and the full name of the ``definition`` that has it."""

    path: str
    field: Field
    definition: str


def newest_definition(match: TypeMatch, release: Release) -> Definition | None:
    """The definition of a type in its preferred API version; None where the release has
    no such type."""
    definitions = definitions_of(match, release)
    return max(definitions, key=lambda each: precedence(each.version), default=None)


def field_paths(
    definition: Definition, release: Release, max_depth: int = MAX_DEPTH
) -> Iterator[FieldPath]:
    """All fields of a type, each before those below it, in the order of the document.

    A field is there at each path that leads to it; a type that contains itself ends
    where it would begin again, and a path with ``max_depth`` names, at most 200.
    """
    depth = min(max_depth, MAX_DEPTH)
    outer = {definition.name}
    return _below(definition.schema, definition.name, "", release, outer, depth)


def fields_along(
    definition: Definition, release: Release, path: str
) -> Iterator[FieldPath]:
    """The fields on the way along a path, through the items of lists and the values of
    maps, as far as there are such fields.

    Names of fields may contain dots: the longest that fits is the one.
    """
    return _along(definition.name, path, release.schema_named)


def field_at_path(
    definition: str, path: str, schema_of: Callable[[str], Schema | None]
) -> FieldPath | None:
    """The field at the end of a path, as ``fields_along``; None where there is none.
    ``schema_of`` returns the schema of a definition, None where there is none."""
    along = _along(definition, path, schema_of)
    return next((step for step in along if step.path == path), None)


def _along(
    owner: str, path: str, schema_of: Callable[[str], Schema | None]
) -> Iterator[FieldPath]:
    schema, start = schema_of(owner), ""
    while path and schema is not None:
        name = first_field(schema, path)
        if not name:
            return
        field = next(field for field in schema.fields if field.name == name)
        yield FieldPath(f"{start}{name}", field, owner)
        path, start = path[len(name) + 1 :], f"{start}{name}."
        schema = field.schema.innermost()
        if schema.ref is not None:
            owner = schema.ref
            schema = schema_of(owner)


def first_field(schema: Schema, path: str) -> str:
    """The field of an object that a path begins with, the longest one: names may contain
    dots. Empty where there is none."""
    names, name = schema.field_names, path
    while name and name not in names:
        name = name.rpartition(".")[0]
    return name


def _below(
    schema: Schema,
    owner: str,
    prefix: str,
    release: Release,
    outer: set[str],
    depth: int,
) -> Iterator[FieldPath]:
    if depth < 1:
        return
    for field in schema.fields:
        path = f"{prefix}{field.name}"
        yield FieldPath(path, field, owner)
        name, inner = owner, field.schema.innermost()
        if inner.ref in outer:
            continue
        if inner.ref is not None:
            name = inner.ref
            inner = release.definitions[name].schema
        yield from _below(inner, name, f"{path}.", release, {*outer, name}, depth - 1)
