"""Types for histories: with everything below them, and without the names that differ
between versions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.documents.inline import restored_schema
from kubestencil.schema.documents.references import renamed_references
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import Field, Json

#: The name of the type that has only the field that a tree is limited to.
ONE_FIELD = ""


class NestedField(NamedTuple):
    """A field of a type or of an object below it.

    In its ``schema`` inline objects are references. ``definition`` is the full name of
    the definition that has the field, in which it is called ``name``.
    """

    schema: Schema
    required: bool
    definition: str
    name: str


class NestedType(NamedTuple):
    """A type below another one.

    ``path`` leads to it from the outer type: JSON names with dots between them, empty
    for the outer type itself. ``raw`` is its schema as JSON, with the inline objects
    inside, and ``fields`` has its fields and theirs by their paths from the outer type.

    References to types of the outer type's version have only the last part of their
    names in ``raw``, so that they are equal to those in other versions.
    """

    path: str
    raw: Json
    fields: Mapping[str, NestedField]


class TypeTree(NamedTuple):
    """A type and the types below it, by the names under which versions are compared.

    Each type is there once, at its former path or a shortest one. The first one is the
    type itself, or the one field that the tree is limited to: a type with only this
    field, whose ``path`` is that of the type that has it; there are no types where the
    type has no such field. ``new_refs`` has the references to types of its version as
    these are compared. ``schemas`` are those of the release, and of the type that has the
    one field, or would have it, called ``ONE_FIELD``.
    """

    types: Mapping[str, NestedType]
    new_refs: Mapping[str, str] = MappingProxyType({})
    schemas: Mapping[str, Schema] = MappingProxyType({})

    @property
    def outer(self) -> NestedType:
        """The type itself, or the one field."""
        return next(iter(self.types.values()))

    def fields(self) -> Mapping[str, NestedField]:
        """All fields by their paths, those of outer types first."""
        return {
            path: field
            for nested in self.types.values()
            for path, field in nested.fields.items()
        }


def type_tree(
    definition: Definition,
    release: Release,
    field_path: str | None = None,
    former_paths: Mapping[str, str] | None = None,
) -> TypeTree:
    """The type ``definition`` of a release and all below it; only the field at a path
    and what is below that, where one is given.

    ``former_paths`` are paths that types had in earlier releases. A type that is still
    there keeps its path, even where a shorter one leads to it now.
    """
    reader = _NestedTypeReader(definition, release, former_paths or {})
    if field_path is None:
        return TypeTree(dict(reader.types(definition, "")), reader.new_refs)
    schemas = {name: item.schema for name, item in release.definitions.items()}
    parent = _field_at(definition, release, field_path.rpartition(".")[0])
    target = _target(parent[1].schema, release) if parent else None
    schemas[ONE_FIELD] = (target or definition).schema
    step = _field_at(definition, release, field_path)
    if step is None:
        return TypeTree({}, schemas=schemas)
    holder, field = step
    path = field_path[: -len(field.name)].rstrip(".")
    target = _target(field.schema, release)
    below = {} if target is None else dict(reader.types(target, field_path))
    types = {ONE_FIELD: reader.only_field(holder, field, path), **below}
    return TypeTree(types, reader.new_refs, schemas)


class _NestedTypeReader:
    """Reads the types below one type."""

    def __init__(
        self, outer: Definition, release: Release, former_paths: Mapping[str, str]
    ) -> None:
        self._outer = outer
        self._former_paths = former_paths
        self._package = outer.name.rpartition(".")[0]
        self._release = release
        self.new_refs = {
            f"{REFERENCE_PREFIX}{name}": name.rpartition(".")[2]
            for name in release.definitions
            if name.rpartition(".")[0] == self._package
        }

    def types(self, start: Definition, path: str) -> Iterator[tuple[str, NestedType]]:
        """The type at a path and those below it, nearest first, with their names."""
        reached = {start.name}
        pending = deque([(start, path)])
        while pending:
            definition, path = pending.popleft()
            fields: dict[str, NestedField] = {}
            prefix = f"{path}." if path else ""
            for name, owner, field in _fields(definition, self._release, prefix):
                fields[name] = _nested_field(owner, field)
                target = _target(field.schema, self._release)
                if (
                    target is not None
                    and target.name not in reached
                    and target.name not in self._release.inline_definitions
                ):
                    reached.add(target.name)
                    pending.append((target, self._path(target, name)))
            schema = self._with_inline_objects(definition.schema)
            yield self._name(definition), NestedType(
                path, renamed_references(schema, self.new_refs), fields
            )

    def only_field(self, holder: Definition, field: Field, path: str) -> NestedType:
        """A type with one field of the definition ``holder``, which is at a path."""
        schema = self._with_inline_objects(field.schema)
        raw: dict[str, Json] = {
            "properties": {field.name: renamed_references(schema, self.new_refs)}
        }
        if field.required:
            raw["required"] = [field.name]
        name = f"{path}.{field.name}" if path else field.name
        return NestedType(path, raw, {name: _nested_field(holder, field)})

    def _path(self, definition: Definition, path: str) -> str:
        """The former path of a type if it still leads to it, else ``path``."""
        former = self._former_paths.get(self._name(definition))
        step = former and _field_at(self._outer, self._release, former)
        if former and step and _target(step[1].schema, self._release) is definition:
            return former
        return path

    def _name(self, definition: Definition) -> str:
        package, _, name = definition.name.rpartition(".")
        return name if package == self._package else definition.name

    def _with_inline_objects(self, schema: Schema) -> Schema:
        """A schema in which references to inline objects are these objects again."""
        inline = self._release.inline_definitions
        if not inline:
            return schema
        return restored_schema(schema, self._release.definitions, inline)


def _nested_field(owner: Definition, field: Field) -> NestedField:
    return NestedField(field.schema, field.required, owner.name, field.name)


def _fields(
    definition: Definition, release: Release, prefix: str
) -> Iterator[tuple[str, Definition, Field]]:
    """The fields of a type and of its inline objects, each behind the one it is in,
    with their paths and the definitions that have them."""
    for field in definition.fields:
        path = f"{prefix}{field.name}"
        yield path, definition, field
        target = _target(field.schema, release)
        if target is not None and target.name in release.inline_definitions:
            yield from _fields(target, release, f"{path}.")


def _target(schema: Schema | None, release: Release) -> Definition | None:
    """The definition that a field refers to, or the items or values of one."""
    name = schema and schema.unwrapped()[1].ref
    return release.definitions[name] if name else None


def _field_at(
    definition: Definition, release: Release, path: str
) -> tuple[Definition, Field] | None:
    """The field at a path below a type, and the definition that has it.

    Names of fields may contain dots, so that the longest match is tried first.
    """
    for field in definition.fields:
        if field.name == path:
            return definition, field
    for field in definition.fields:
        if path.startswith(f"{field.name}."):
            target = _target(field.schema, release)
            if target is not None:
                rest = path[len(field.name) + 1 :]
                step = _field_at(target, release, rest)
                if step is not None:
                    return step
    return None
