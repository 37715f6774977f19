"""Schemas of custom resources: what OpenAPI 3.0 says of them, as JSON Schema (draft-07).

A file has everything that it refers to. Its name is that in
https://github.com/datreeio/CRDs-catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.file_names import portable
from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import cyclic_edges, reachable, reference_graph
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.configurations import configuration_types
from kubestencil.schema.types import JsonObject, group_version_kind
from kubestencil.schema.well_known import QUANTITY, is_built_in
from kubestencil.targets.jsonschema.writer import SchemaWriter, TooLargeError
from kubestencil.text.re2.ecma import ecma_pattern

#: The dialect of schemas that nobody published before.
DIALECT = "http://json-schema.org/draft-07/schema#"

# Keywords that mean something else in JSON Schema, or nothing; the others are copied.
_REWRITTEN = frozenset(
    {
        "exclusiveMinimum", "exclusiveMaximum", "$ref", "type", "format", "enum", "properties", "items",
        "additionalProperties", "allOf", "anyOf", "oneOf", "not", "example",
        "externalDocs", "nullable", "x-nullable", "required", "pattern",
    }
)  # fmt: skip

# Anything but objects with fields, in lists as well: lists of more lists are left out,
# since only a definition can refer to itself.
_WITHOUT_FIELDS: JsonObject = {"additionalProperties": False}
for _ in range(4):
    _WITHOUT_FIELDS = {"additionalProperties": False, "items": _WITHOUT_FIELDS}


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


class _Position(NamedTuple):
    """Where a schema stands: whether it may be null, is part of a custom resource, and
    is in what combines schemas, which says nothing of unknown fields."""

    or_null: bool = False
    is_custom: bool = True
    is_branch: bool = False


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


class CustomSchemas:
    """Makes the schemas of custom resources; ``strict`` ones refuse unknown fields."""

    def __init__(self, release: Release, *, strict: bool) -> None:
        self._definitions = release.definitions
        self._strict = strict
        self._schemas: dict[tuple[str, _Position], JsonObject] = {}

    def schema(self, kind: CustomKind) -> bytes:
        """The file of a kind. Raises SpecError where it would be too large."""
        try:
            value = self._top_level(kind)
            return f"{SchemaWriter({}).plain(value)}\n".encode()
        except (TooLargeError, RecursionError) as error:
            raise SpecError(
                f"the schema of {kind.definition} would be too large or nested too "
                "deeply, since it contains all that it refers to"
            ) from error

    def _top_level(self, kind: CustomKind) -> JsonObject:
        definition = self._definitions[kind.definition]
        schema = dict(self._definition(definition, _Position()))
        names = {"apiVersion": kind.api_version, "kind": kind.kind}
        properties = schema.get("properties", {})
        schema["properties"] = {
            **properties,
            **{
                name: {**properties.get(name, {}), "type": "string", "enum": [value]}
                for name, value in names.items()
            },
        }
        schema["required"] = list(dict.fromkeys([*names, *schema.get("required", ())]))
        cycles = reachable(self._graph, [kind.definition]) & self._cyclic
        if cycles:
            schema["definitions"] = {
                name: self._definition(self._definitions[name], _Position())
                for name in sorted(cycles)
            }
        return {"$schema": DIALECT, **schema, "type": "object"}

    @cached_property
    def _graph(self) -> Mapping[str, tuple[str, ...]]:
        return reference_graph(self._definitions)

    @cached_property
    def _cyclic(self) -> frozenset[str]:
        return frozenset(cyclic_edges(self._graph))

    def _definition(self, definition: Definition, position: _Position) -> JsonObject:
        # A definition without fields is a type of Go that has its own JSON.
        is_custom = not is_built_in(definition.name) and definition.is_object
        position = position._replace(is_custom=is_custom)
        key = (definition.name, position)
        schema = self._schemas.get(key)
        if schema is None:
            schema = self._schema(definition.schema, position)
            if definition.name == QUANTITY:
                # Kubernetes reads a quantity from a number, too.
                null = ["null"] if position.or_null else []
                schema = {**schema, "type": ["string", "number", *null]}
            self._schemas[key] = schema
        return schema

    def _schema(self, value: Schema, position: _Position) -> JsonObject:
        if value.ref is not None:
            return {**self._reference(value.ref, position), **_copied(value, position)}
        logic = self._logic(value)
        if position.or_null and logic:
            plain = self._plain(value, position._replace(or_null=False), logic)
            return {"anyOf": [{"type": "null"}, plain]}
        return self._plain(value, position, logic)

    def _reference(self, name: str, position: _Position) -> JsonObject:
        """The schema of a definition in place of a reference to it."""
        if name not in self._cyclic:
            outer = position._replace(is_branch=False)
            return self._definition(self._definitions[name], outer)
        reference = {"$ref": f"{REFERENCE_PREFIX}{name}"}
        if position.or_null:
            return {"anyOf": [reference, {"type": "null"}]}
        return {"allOf": [reference]}

    def _plain(
        self, value: Schema, position: _Position, logic: JsonObject
    ) -> JsonObject:
        """A schema without a reference; null is one more type of it."""
        null = ["null"] if position.or_null else []
        schema = _copied(value, position)
        if value.int_or_string and logic:
            schema["type"] = ["integer", "string"]
        elif value.int_or_string:
            names = ["integer", "string", *null]
            schema["oneOf"] = [{"type": name} for name in names]
        elif value.type:
            schema["type"] = [value.type, *null] if null else value.type
        schema |= logic
        if value.items is not None:
            inner = position._replace(or_null=value.items.keeps_null)
            schema["items"] = self._schema(value.items, inner)
        if value.is_object:
            schema["properties"] = {
                field.name: self._schema(field.schema, _of_field(field, position))
                for field in value.fields
            }
        schema |= self._additional_properties(value, position)
        return schema

    def _additional_properties(self, value: Schema, position: _Position) -> JsonObject:
        if value.values is not None:
            inner = position._replace(or_null=True)
            return {"additionalProperties": self._schema(value.values, inner)}
        if self._strict and position.is_custom and value.drops_inner_fields:
            return {"additionalProperties": _WITHOUT_FIELDS}
        is_open = value.preserves_unknown_fields or position.is_branch
        is_pruned = value.is_object or (position.is_custom and value.drops_all_fields)
        if self._strict and is_pruned and not is_open:
            return {"additionalProperties": False}
        return value.part("additionalProperties") or {}

    def _logic(self, value: Schema) -> JsonObject:
        """The keywords that combine schemas. Those of an integer or a string are left
        out where they say no more than that."""
        combined = {"allOf": value.all_of, "anyOf": value.any_of, "oneOf": value.one_of}
        branch = _Position(is_branch=True)
        schema: dict[str, Any] = {
            keyword: [self._schema(schema, branch) for schema in schemas]
            for keyword, schemas in combined.items()
            if schemas
            and not (value.int_or_string and all(schema.type for schema in schemas))
        }
        if value.negated is not None:
            schema["not"] = self._schema(value.negated, branch)
        return schema


def _of_field(field: Field, position: _Position) -> _Position:
    """The position of a field: the API server reads null in an optional one as if it
    were absent."""
    has_default = position.is_custom and field.schema.has_default
    or_null = field.schema.keeps_null or not field.required or has_default
    return position._replace(or_null=or_null)


def _copied(value: Schema, position: _Position) -> dict[str, Any]:
    """The keywords that say what they say in JSON Schema, with those that are spelled
    differently."""
    limits = value.limits
    schema = {
        keyword: value.value_of(keyword)
        for keyword in value.keywords
        if keyword not in _REWRITTEN
    }
    # Draft-07 has a number where OpenAPI has a boolean.
    if limits.exclusive_minimum and limits.minimum is not None:
        schema["exclusiveMinimum"] = limits.minimum
    if limits.exclusive_maximum and limits.maximum is not None:
        schema["exclusiveMaximum"] = limits.maximum
    pattern = None if limits.pattern is None else ecma_pattern(limits.pattern)
    if pattern is not None:
        schema["pattern"] = pattern
    required = list(_required(value, position))
    if required:
        schema["required"] = required
    if value.enum:
        null = [None] if position.or_null and None not in value.enum else []
        schema["enum"] = [*value.enum, *null]
    if value.format and not value.int_or_string:
        schema["format"] = value.format
    return schema


def _required(value: Schema, position: _Position) -> Iterator[str]:
    """The fields that must be there, without those that the API server adds: it does
    so before it validates a custom resource."""
    defaults = {field.name for field in value.fields if field.schema.has_default}
    for name in dict.fromkeys(value.required):
        if not (position.is_custom and name in defaults):
            yield name
