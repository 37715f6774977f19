"""Schemas of Kubernetes' own kinds with what the API server knows of their values, for
editors (draft-07).

Each refers to definitions in its own file. It refuses only what the API server refuses
of an object that is created: the values of a Go type, which answers of the server do not
prove to be all, are proposed (``examples``).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema import Release, Schema
from kubestencil.schema.graph import (
    Graph,
    reachable,
    reference_graph,
    references,
)
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.kinds import kind_definitions, served_kinds
from kubestencil.schema.knowledge.fields import KnownField, known_fields
from kubestencil.schema.knowledge.places import facts_in_kind
from kubestencil.schema.knowledge.values import FORMATS, FieldFacts
from kubestencil.schema.types import GroupVersionKind, JsonObject, schema_of
from kubestencil.schema.well_known import QUANTITY, is_built_in
from kubestencil.targets.jsonschema.custom import DIALECT, CustomKind
from kubestencil.targets.jsonschema.writer import (
    DefinitionSchema,
    SchemaWriter,
    TooLargeError,
)

# What a field that a release does not have is.
_NOTHING = schema_of({})

_LIMITS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "minimum": "minimum",
    "maximum": "maximum",
}


def any_kind(release: Release, custom: Collection[CustomKind]) -> bytes:
    """A schema of any object, for files with objects of several kinds.

    It asks each kind to be as its own file says. Kinds that groups of Kubernetes do not
    have are refused; of groups that nobody knows any object is valid.
    """
    schemas: list[tuple[str, GroupVersionKind | CustomKind]] = [
        *((f"{name}.json", kind) for name, kind in _names(release).values()),
        *((f"../{kind.path}", kind) for kind in custom),
    ]
    kinds: dict[str, list[str]] = {"v1": ["List"]}
    for kind, definition in served_kinds(release):
        if is_built_in(definition.name):
            kinds.setdefault(kind.api_version, []).append(kind.kind)
    for configuration in custom:
        if configuration.api_version in kinds:
            kinds[configuration.api_version].append(configuration.kind)
    rules = [
        _rule(
            {"apiVersion": version}, {"properties": {"kind": {"enum": sorted(names)}}}
        )
        for version, names in sorted(kinds.items())
    ]
    for path, each in schemas:
        given = {"apiVersion": each.api_version, "kind": each.kind}
        rules.append(_rule(given, {"$ref": path}))
    document = {
        "$schema": DIALECT,
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}},
        "allOf": rules,
    }
    return f"{json.dumps(document, indent=2, ensure_ascii=False)}\n".encode()


def _rule(given: Mapping[str, str], then: JsonObject) -> JsonObject:
    properties = {name: {"const": value} for name, value in given.items()}
    return {"if": {"properties": properties, "required": [*given]}, "then": then}


def _names(release: Release) -> dict[str, tuple[str, GroupVersionKind]]:
    """The definitions of the built-in kinds that are no lists, each with the name that
    kubeconform looks for (``deployment-apps-v1``, ``pod-v1``) and its kind."""
    names = {}
    for definition, kind in kind_definitions(release).items():
        if is_built_in(definition):
            parts = filter(
                None, (kind.kind, kind.group.partition(".")[0], kind.version)
            )
            names[definition] = ("-".join(parts).lower(), kind)
    return names


class EditorSchemas:
    """Makes the schemas of the kinds of a release, without list kinds."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._definitions = release.definitions
        self._writer = SchemaWriter({}, ascii_only=False)
        self._text = cache(lambda name: self._writer.plain(self._definition(name)))

    def schemas(self) -> Iterator[DefinitionSchema]:
        """The schemas, with the names that kubeconform looks for:
        ``deployment-apps-v1``, ``pod-v1``. Raises SpecError for one that is too large.
        """
        for definition, (name, kind) in _names(self._release).items():
            yield DefinitionSchema(name, definition, self._file(definition, kind))

    @cached_property
    def _graph(self) -> Graph:
        return reference_graph(self._definitions)

    def _file(self, name: str, kind: GroupVersionKind) -> bytes:
        try:
            return f"{self._document(name, kind)}\n".encode()
        except (TooLargeError, RecursionError) as error:
            raise SpecError(
                f"the schema of {name} would be too large or nested too deeply"
            ) from error

    def _document(self, name: str, kind: GroupVersionKind) -> str:
        schema = self._definition(name)
        names = {"apiVersion": kind.api_version, "kind": kind.kind}
        fixed = {key: {"type": "string", "enum": [names[key]]} for key in names}
        properties = {**schema["properties"], **fixed}
        required = dict.fromkeys([*names, *schema.get("required", ())])
        starts: list[str] = []
        for field in self._definitions[name].fields:
            if field.name == "status" and self._release.resolve(field.schema).is_object:
                # The server drops what is created with an object, complete or not.
                properties["status"] = {"type": ["object", "null"]}
                required.pop("status", None)
            else:
                starts += references(field.schema)
        members = {
            "$schema": DIALECT,
            **schema,
            "type": "object",
            "properties": properties,
            "required": list(required),
            **self._places(name, kind),
        }
        texts = {key: self._writer.plain(members[key], "  ") for key in members}
        texts["definitions"] = self._referred(starts)
        return self._writer.members(texts)

    def _referred(self, starts: Iterable[str]) -> str:
        """The text of the definitions that a schema with these references needs."""
        texts = {
            name: self._text(name).replace("\n", "\n    ")
            for name in sorted(reachable(self._graph, starts))
            if self._definitions[name].is_object
        }
        return self._writer.members(texts, "  ")

    def _definition(self, name: str) -> JsonObject:
        """The schema of an object; null is an object without fields to the server."""
        schema = self._definitions[name].schema
        fields = list(known_fields(self._release, name))
        required = [known.name for known in fields if known.required]
        return {
            **_description(schema),
            "type": ["object", "null"],
            **({"required": required} if required else {}),
            "properties": {known.name: self._field(known) for known in fields},
            "additionalProperties": schema.preserves_unknown_fields,
        }

    def _field(self, known: KnownField) -> JsonObject:
        schema, facts, enforced = known.schema, known.facts, known.server.enforced
        null = schema.nullable or not known.required
        value = self._value(schema)
        if not null and "$ref" in value:
            value = {"type": "object", "allOf": [value]}
        elif not null and "type" in value:
            value = {**value, "type": _without_null(value["type"])}
        proposed = () if enforced.enum else facts.enum
        keywords = self._fact_keywords(schema, enforced, proposed, null=null)
        default = {} if facts.default is None else {"default": facts.default.value}
        return {**_description(schema), **_merged(value, keywords), **default}

    def _value(self, schema: Schema) -> dict[str, Any]:
        """The schema of a value without facts; null is the same as no value."""
        if schema.ref == QUANTITY:
            # Kubernetes reads a quantity from a number, too.
            return {"type": ["string", "number", "null"]}
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object:
                return {"$ref": f"{REFERENCE_PREFIX}{schema.ref}"}
            return self._value(definition.schema)
        if schema.int_or_string:
            return {"type": ["integer", "string", "null"]}
        if schema.items is not None:
            return {"type": ["array", "null"], "items": self._value(schema.items)}
        if schema.values is not None:
            values = self._value(schema.values)
            return {"type": ["object", "null"], "additionalProperties": values}
        return {"type": [schema.type, "null"]} if schema.type else {}

    def _fact_keywords(
        self,
        schema: Schema,
        facts: FieldFacts,
        proposed: tuple[str, ...],
        *,
        null: bool,
    ) -> dict[str, Any]:
        """Facts as keywords; those about items and values are in theirs."""
        value = self._release.resolve(schema)
        if value.items is not None:
            keywords = {"items": _scalar_keywords(facts, proposed, null=True)}
            return {**keywords, **_list_keywords(facts)}
        if value.values is not None:
            inner = _scalar_keywords(facts, proposed, null=True)
            names = _pattern(facts.key_format)
            return {
                "additionalProperties": inner,
                **({"propertyNames": names} if names else {}),
            }
        return _scalar_keywords(facts, proposed, null=null)

    def _places(self, name: str, kind: GroupVersionKind) -> JsonObject:
        """What holds at one place of a kind, such as the ``restartPolicy`` of a
        Deployment's pods."""
        root: dict[str, Any] = {}
        for path, facts in facts_in_kind(self._release.name, kind).items():
            place, schema = root, self._definitions[name].schema
            *outer, last = path.split(".")
            for step in outer:
                place = place.setdefault("properties", {}).setdefault(step, {})
                schema = self._release.resolve(schema.field(step) or _NOTHING)
                if schema.items is not None:
                    place = place.setdefault("items", {})
                    schema = self._release.resolve(schema.items)
            field = schema.field(last)
            if field is None:
                continue
            keywords = self._fact_keywords(field, facts, (), null=not facts.required)
            place.setdefault("properties", {}).setdefault(last, {}).update(keywords)
            # The server makes a name of generateName.
            if facts.required and path != "metadata.name":
                place.setdefault("required", []).append(last)
        return {"allOf": [root]} if root else {}


def _description(schema: Schema) -> JsonObject:
    return {"description": schema.description} if schema.description else {}


def _without_null(types: list[str]) -> str | list[str]:
    others = [name for name in types if name != "null"]
    return others if len(others) > 1 else others[0]


def _merged(value: JsonObject, facts: JsonObject) -> dict[str, Any]:
    """A schema with keywords of facts, also in its items and values."""
    inner = {
        key: {**value[key], **facts[key]}
        for key in ("items", "additionalProperties")
        if key in facts and key in value
    }
    return {**value, **facts, **inner}


def _scalar_keywords(
    facts: FieldFacts, proposed: tuple[str, ...], *, null: bool
) -> dict[str, Any]:
    """What is known of a text or a number."""
    keywords: dict[str, Any] = {
        keyword: getattr(facts, name)
        for name, keyword in _LIMITS.items()
        if getattr(facts, name) is not None
    }
    keywords |= _pattern(facts.format)
    if facts.enum:
        # An empty text is the same as none to the server.
        empty = [] if facts.min_length or facts.required else [""]
        absent = [*empty, *([None] if null else [])]
        keywords["enum"] = list(dict.fromkeys([*facts.enum, *absent]))
    elif proposed:
        keywords["examples"] = list(proposed)
    return keywords


def _list_keywords(facts: FieldFacts) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if facts.required:
        keywords["minItems"] = 1
    if facts.max_items is not None:
        keywords["maxItems"] = facts.max_items
    if facts.unique == ("",):
        keywords["uniqueItems"] = True
    return keywords


def _pattern(name: str | None) -> JsonObject:
    """The expression of a format, or an empty text, which is no matter of a format."""
    expression = FORMATS[name].expression if name is not None else ""
    return {"pattern": f"^(?:{expression})?$"} if expression else {}
