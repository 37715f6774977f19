"""Schemas of kinds with all that the API server knows of their values (draft-07).

Fields of Kubernetes' own types have facts. They refuse only what the API server refuses of
an object that is created: the values of a Go type, which answers of the server do not
prove to be all, are proposed (``examples``). Fields of custom resources have what OpenAPI
3.0 says of them, as JSON Schema.

A file has everything that it refers to.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.field_paths import fields_along
from kubestencil.schema.graph import (
    Graph,
    cyclic_edges,
    reachable,
    reference_graph,
    references,
)
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.knowledge.fields import KnownField, known_fields
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.types import GroupVersionKind, JsonObject
from kubestencil.schema.well_known import QUANTITY, is_built_in
from kubestencil.targets.jsonschema.facts import fact_keywords
from kubestencil.targets.jsonschema.kinds import DIALECT
from kubestencil.targets.jsonschema.writer import SchemaWriter, TooLargeError
from kubestencil.text.re2.ecma import ecma_pattern

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


class _Position(NamedTuple):
    """Where a schema stands: whether it may be null, is part of a custom resource, and
    is in what combines schemas, which says nothing of unknown fields."""

    or_null: bool
    is_custom: bool
    is_branch: bool = False

    @property
    def null(self) -> list[str]:
        """The type of null, where a value may be that."""
        return ["null"] if self.or_null else []


class FileSchemas:
    """Makes the schemas of the kinds of a release.

    ``strict`` ones refuse unknown fields. With ``refers`` a file has each type once, and
    references to it; without, only types that contain themselves are referred to.
    """

    def __init__(self, release: Release, *, strict: bool, refers: bool) -> None:
        self._release = release
        self._definitions = release.definitions
        self._strict = strict
        self._refers = refers
        self._writer = SchemaWriter({}, ascii_only=False)
        self._in_place = cache(self._definition)
        self._text = cache(self._referred_text)

    def file(self, name: str, kind: GroupVersionKind) -> bytes:
        """The file of a kind, whose definition is ``name``. Raises SpecError where it
        would be too large."""
        try:
            return f"{self._document(name, kind)}\n".encode()
        except (TooLargeError, RecursionError) as error:
            raise SpecError(
                f"the schema of {name} would be too large or nested too deeply, since it "
                "contains all that it refers to"
            ) from error

    def _document(self, name: str, kind: GroupVersionKind) -> str:
        schema = dict(self._in_place(name, or_null=False))
        names = {"apiVersion": kind.api_version, "kind": kind.kind}
        properties = dict(schema.get("properties", {}))
        for key, value in names.items():
            inner = {**properties.get(key, {}), "type": "string", "enum": [value]}
            properties[key] = inner
        required = dict.fromkeys([*names, *schema.get("required", ())])
        fields = {field.name: field.schema for field in self._definitions[name].fields}
        status = fields.get("status")
        if status and is_built_in(name) and self._release.resolve(status).is_object:
            # The server drops what is created with an object, complete or not.
            properties["status"] = {"type": ["object", "null"]}
            required.pop("status", None)
            del fields["status"]
        members = {
            "$schema": DIALECT,
            **schema,
            "type": "object",
            "properties": properties,
            "required": list(required),
            **self._places(name, kind),
        }
        texts = {key: self._writer.plain(members[key], "  ") for key in members}
        starts = [name for schema in fields.values() for name in references(schema)]
        definitions = {
            name: self._text(name)
            for name in sorted(reachable(self._graph, starts))
            if self._is_referred_to(name)
        }
        if definitions or self._refers:
            texts["definitions"] = self._writer.members(definitions, "  ")
        return self._writer.members(texts)

    @cached_property
    def _graph(self) -> Graph:
        return reference_graph(self._definitions)

    @cached_property
    def _cyclic(self) -> frozenset[str]:
        return frozenset(cyclic_edges(self._graph))

    def _is_referred_to(self, name: str) -> bool:
        is_object = self._definitions[name].is_object
        return name in self._cyclic or (self._refers and is_object)

    def _referred_text(self, name: str) -> str:
        text = self._writer.plain(self._definition(name, or_null=True))
        return text.replace("\n", "\n    ")

    def _definition(self, name: str, *, or_null: bool) -> JsonObject:
        definition = self._definitions[name]
        if name == QUANTITY:
            # Kubernetes reads a quantity from a number, too.
            null = ["null"] if or_null else []
            return {
                **_description(definition.schema),
                "type": ["string", "number", *null],
            }
        # A definition without fields is a type of Go that has its own JSON.
        is_custom = definition.is_object and not is_built_in(name)
        position = _Position(or_null, is_custom)
        if definition.is_object and not is_custom:
            return self._built_in(definition, position)
        return self._schema(definition.schema, position)

    def _built_in(self, definition: Definition, position: _Position) -> JsonObject:
        """The schema of an object of a type of Kubernetes."""
        schema = definition.schema
        fields = list(known_fields(self._release, definition.name))
        required = [known.name for known in fields if known.required]
        return {
            **_description(schema),
            "type": _type("object", position),
            **({"required": required} if required else {}),
            "properties": {known.name: self._known_field(known) for known in fields},
            **self._additional_properties(schema, position),
        }

    def _known_field(self, known: KnownField) -> JsonObject:
        schema, facts, enforced = known.schema, known.facts, known.server.enforced
        position = _Position(schema.nullable or not known.required, is_custom=False)
        value = self._schema(schema, position)
        proposed = () if enforced.enum else facts.enum
        keywords = fact_keywords(
            self._release.resolve(schema), enforced, proposed, null=position.or_null
        )
        default = {} if facts.default is None else {"default": facts.default.value}
        return {**_description(schema), **_merged(value, keywords), **default}

    def _schema(self, value: Schema, position: _Position) -> JsonObject:
        if value.ref is not None:
            return {**self._reference(value.ref, position), **_copied(value, position)}
        logic = self._logic(value)
        if position.or_null and logic:
            plain = self._plain(value, position._replace(or_null=False), logic)
            return {"anyOf": [{"type": "null"}, plain]}
        return self._plain(value, position, logic)

    def _reference(self, name: str, position: _Position) -> JsonObject:
        """A reference to a definition, or its schema in place of one."""
        if not self._is_referred_to(name):
            return self._in_place(name, or_null=position.or_null)
        reference = {"$ref": f"{REFERENCE_PREFIX}{name}"}
        if position.or_null:
            return reference
        is_object = self._definitions[name].is_object
        kept = {"type": "object"} if is_object else {"not": {"type": "null"}}
        return {**kept, "allOf": [reference]}

    def _plain(
        self, value: Schema, position: _Position, logic: JsonObject
    ) -> JsonObject:
        """A schema without a reference; null is one more type of it."""
        schema = _copied(value, position)
        if value.int_or_string:
            schema["type"] = ["integer", "string", *position.null]
        elif value.type:
            schema["type"] = _type(value.type, position)
        schema |= logic
        if value.items is not None:
            or_null = value.items.keeps_null or not position.is_custom
            inner = position._replace(or_null=or_null)
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
        branch = _Position(or_null=False, is_custom=True, is_branch=True)
        schema: dict[str, Any] = {
            keyword: [self._schema(schema, branch) for schema in schemas]
            for keyword, schemas in combined.items()
            if schemas
            and not (value.int_or_string and all(schema.type for schema in schemas))
        }
        if value.negated is not None:
            schema["not"] = self._schema(value.negated, branch)
        return schema

    def _places(self, name: str, kind: GroupVersionKind) -> JsonObject:
        """What holds at one place of a kind, such as the ``restartPolicy`` of a
        Deployment's pods."""
        root: dict[str, Any] = {}
        for path, facts in facts_in_kind(self._release.name, kind).items():
            steps = [*fields_along(self._definitions[name], self._release, path)]
            if not steps or steps[-1].path != path:
                continue
            place = root
            *outer, (_, (last, field, _), _) = steps
            for step in outer:
                place = place.setdefault("properties", {})
                place = place.setdefault(step.field.name, {})
                if step.field.schema.items is not None:
                    place = place.setdefault("items", {})
            keywords = fact_keywords(
                self._release.resolve(field), facts, (), null=not facts.required
            )
            place.setdefault("properties", {}).setdefault(last, {}).update(keywords)
            # The server makes a name of generateName.
            if facts.required and path != "metadata.name":
                place.setdefault("required", []).append(last)
        return {"allOf": [root]} if root else {}


def _type(name: str, position: _Position) -> str | list[str]:
    return [name, *position.null] if position.or_null else name


def _of_field(field: Field, position: _Position) -> _Position:
    """The position of a field: the API server reads null in an optional one as if it
    were absent."""
    has_default = position.is_custom and field.schema.has_default
    or_null = field.schema.keeps_null or not field.required or has_default
    return position._replace(or_null=or_null)


def _copied(value: Schema, position: _Position) -> dict[str, Any]:
    """The keywords of a custom resource that say what they say in JSON Schema, with those
    that are spelled differently; of others the description."""
    if not position.is_custom:
        return _description(value)
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
    required = list(_required(value))
    if required:
        schema["required"] = required
    if value.enum:
        null = [None] if position.or_null and None not in value.enum else []
        schema["enum"] = [*value.enum, *null]
    if value.format and not value.int_or_string:
        schema["format"] = value.format
    return schema


def _required(value: Schema) -> Iterator[str]:
    """The fields of a custom resource that must be there, without those that the API
    server adds: it does so before it validates."""
    defaults = {field.name for field in value.fields if field.schema.has_default}
    return (name for name in dict.fromkeys(value.required) if name not in defaults)


def _description(schema: Schema) -> dict[str, Any]:
    return {"description": schema.description} if schema.description else {}


def _merged(value: JsonObject, facts: JsonObject) -> dict[str, Any]:
    """A schema with keywords of facts, also in its items and values."""
    inner = {
        key: {**value[key], **facts[key]}
        for key in ("items", "additionalProperties")
        if key in facts and key in value
    }
    return {**value, **facts, **inner}
