"""Reads structural schemas: those of CustomResourceDefinitions.

What the API server refuses is refused: see "Specifying a structural schema" in the
Kubernetes documentation of CustomResourceDefinitions, and ``pkg/apiserver/schema``
(validation.go, complete.go) of apiextensions-apiserver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources import merge_types
from kubestencil.schema.keywords import (
    CONTENT,
    EMBEDDED,
    INT_OR_STRING,
    LOGIC,
    PRESERVE,
)
from kubestencil.schema.pointer import Pointer, extended, printable_pointer
from kubestencil.schema.types import JsonObject
from kubestencil.text.re2 import syntax as re2_syntax

# The keywords that the API server drops from a schema (structural.go).
_DROPPED = frozenset(["example", "externalDocs", "id", "$schema"])
_FORBIDDEN = frozenset(
    ["$ref", "definitions", "dependencies", "patternProperties", "additionalItems"]
)
# The keywords whose empty values (false, {}, "") mean something, or are refused.
_MEANT_EMPTY = frozenset(["additionalProperties", "default", "items", "not", PRESERVE])
# The keywords that a schema in allOf, anyOf, oneOf and not must leave to the one around.
_STRUCTURE_ONLY = (
    "type", "additionalProperties", "default", "title", "description", "nullable",
    "externalDocs", PRESERVE, EMBEDDED, INT_OR_STRING,
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-validations",
)  # fmt: skip
_INT_OR_STRING_TYPES = [{"type": "integer"}, {"type": "string"}]
# The keywords whose schema may be read as another one, or is remembered.
_CHANGING = frozenset(
    ["additionalProperties", "default", "items", "properties", EMBEDDED, INT_OR_STRING]
)
_KIND_FIELDS = frozenset(["apiVersion", "kind", "metadata"])
_METADATA_FIELDS = frozenset(["name", "generateName"])
_MAX_DEPTH = 100


class CrdDefault(NamedTuple):
    """A default: the schema that has it, and the pointer of this schema."""

    schema: JsonObject
    pointer: Pointer


class StructuralSchemas:
    """Reads the schemas of one CustomResourceDefinition.

    ``where`` is its file and line, for errors; ``embedded`` are the schemas of the
    fields that every embedded object has. ``defaults`` are those of the schemas that were
    read: they can be checked when all keywords have been.
    """

    def __init__(
        self,
        where: str,
        embedded: Mapping[str, JsonObject],
    ) -> None:
        self.where = where
        self.embedded = embedded
        self.defaults: list[CrdDefault] = []

    def read(self, raw: Any, pointer: Pointer) -> JsonObject:
        """The schema of a kind as the API server publishes it.

        Raises SpecError, with a JSON pointer, where it is not structural.
        """
        result = self.read_schema(raw, pointer, 0)
        if result.get(PRESERVE):
            # The API server requires no type of it (apiextensions-apiserver,
            # pkg/apiserver/schema/validation.go); an object of a kind has only one.
            result = {"type": "object", **result}
        if result.get("type") != "object":
            raise self.error("must be object at the root", ("type", pointer))
        for key in ("additionalProperties", "nullable"):
            if key in result:
                raise self.error("is not allowed at the root", (key, pointer))
        self.check_metadata(result, pointer)
        for _, branch, branch_pointer in self.branches(result, pointer):
            self.check_completeness(branch, result, branch_pointer)
        return result

    def read_schema(
        self, raw: Any, pointer: Pointer, depth: int, checks_defaults: bool = True
    ) -> JsonObject:
        """A structural schema as the API server publishes it; ``raw`` itself where that
        is the same.

        The API server does not check defaults below additionalProperties, and those of
        metadata in other ways.
        """
        if not isinstance(raw, dict):
            raise self.error("a schema must be an object", pointer)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        result = {
            key: value
            for key, value in raw.items()
            if key not in _DROPPED and (value or not _is_absent(key, value))
        }
        self.check_structural(result, pointer)
        if len(result) == len(raw) and _CHANGING.isdisjoint(raw):
            # A large catalogue has half a million of these.
            unchanged: JsonObject = raw
            return unchanged
        inner = depth + 1
        if "properties" in result:
            if not isinstance(result["properties"], dict):
                raise self.error("must be an object", ("properties", pointer))
            properties_pointer: Pointer = ("properties", pointer)
            unchecked = () if depth and EMBEDDED not in result else _KIND_FIELDS
            result["properties"] = {
                name: self.read_schema(
                    schema,
                    (name, properties_pointer),
                    inner,
                    checks_defaults and name not in unchecked,
                )
                for name, schema in result["properties"].items()
            }
        for key in CONTENT:
            if isinstance(result.get(key), dict):
                result[key] = self.read_schema(
                    result[key],
                    (key, pointer),
                    inner,
                    checks_defaults and key == "items",
                )
        if result.get(INT_OR_STRING):
            result |= _either_type(result)
        if result.get(EMBEDDED):
            self.embed(result, pointer)
        if depth and checks_defaults and "default" in result:
            self.defaults.append(CrdDefault(result, pointer))
        return result

    def embed(self, schema: dict[str, Any], pointer: Pointer) -> None:
        """Add the fields of an embedded object, which has apiVersion and kind
        (builder.go, addEmbeddedProperties)."""
        if schema.get("type") != "object":
            raise self.error(f"must be object beside {EMBEDDED}", ("type", pointer))
        if "additionalProperties" in schema:
            raise self.error(
                f"is not allowed beside {EMBEDDED}", ("additionalProperties", pointer)
            )
        if not schema.get("properties") and not schema.get(PRESERVE):
            raise self.error(f"needs properties, or {PRESERVE}", pointer)
        schema["properties"] = {**schema.get("properties", {}), **self.embedded}
        required = schema.get("required", [])
        if not isinstance(required, list):
            raise self.error("must be a list of strings", ("required", pointer))
        missing = [name for name in ("kind", "apiVersion") if name not in required]
        schema["required"] = [*required, *missing]

    def check_structural(self, schema: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError for what no structural schema has
        (validateStructuralInvariants)."""
        if not _FORBIDDEN.isdisjoint(schema):
            key = next(key for key in schema if key in _FORBIDDEN)
            raise self.error("is not allowed in a structural schema", (key, pointer))
        type_name = schema.get("type")
        if not type_name and not schema.get(INT_OR_STRING) and not schema.get(PRESERVE):
            raise self.error("has no type, as a structural schema must", pointer)
        if type_name == "array" and "items" not in schema:
            raise self.error("has no items, as a list must", pointer)
        if isinstance(schema.get("items"), list):
            raise self.error("must be one schema, not a list", ("items", pointer))
        values = schema.get("additionalProperties")
        if schema.get("properties") and values is not None and values is not True:
            raise self.error(
                "is not allowed beside properties, unless it is true",
                ("additionalProperties", pointer),
            )
        if schema.get("uniqueItems"):
            raise self.error(
                "is not allowed",
                ("uniqueItems", pointer),
                "use x-kubernetes-list-type: set",
            )
        if not merge_types.KEYWORDS.isdisjoint(schema):
            for path, message in merge_types.merge_mistakes(schema):
                raise self.error(message, extended(pointer, path))
        if schema.get(PRESERVE) is False:
            raise self.error("must be true, or absent", (PRESERVE, pointer))
        self.check_pattern(schema, pointer)
        if schema.get(INT_OR_STRING):
            for key in (PRESERVE, EMBEDDED):
                if schema.get(key):
                    raise self.error(
                        f"is not allowed with {INT_OR_STRING}", (key, pointer)
                    )
        if any(keyword in schema for keyword in LOGIC):
            for key, branch, branch_pointer in self.branches(schema, pointer):
                self.check_branch(branch, key, branch_pointer)

    def check_pattern(self, schema: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError for a pattern that Go cannot compile."""
        pattern = schema.get("pattern")
        mistake = re2_syntax.mistake(pattern) if isinstance(pattern, str) else None
        if mistake is not None:
            raise self.error(
                mistake,
                ("pattern", pointer),
                "patterns have the syntax of RE2: https://github.com/google/re2/wiki/Syntax",
            )

    def check_metadata(self, schema: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError where the root says more of ``metadata`` than what its name
        may be, which the API server forbids."""
        properties: Pointer = ("properties", pointer)
        fields = schema.get("properties", {})
        for name in ("apiVersion", "kind"):
            if name in fields and fields[name].get("type") != "string":
                raise self.error("must be string", ("type", (name, properties)))
        for name in _KIND_FIELDS & fields.keys():
            self.check_no_default(fields[name], (name, properties))
        metadata = fields.get("metadata", {"type": "object"})
        metadata_pointer: Pointer = ("metadata", properties)
        if metadata.get("type") != "object":
            raise self.error("must be object", ("type", metadata_pointer))
        for name, field in metadata.get("properties", {}).items():
            field_pointer: Pointer = (name, ("properties", metadata_pointer))
            if name not in _METADATA_FIELDS:
                raise self.error(
                    "is not allowed: only name and generateName are", field_pointer
                )
            self.check_no_default(field, field_pointer)
        for key in metadata:
            if key not in ("type", "properties"):
                raise self.error(
                    "is not allowed: only the type, and properties called name and "
                    "generateName are",
                    (key, metadata_pointer),
                )

    def check_no_default(self, schema: JsonObject, pointer: Pointer) -> None:
        if "default" in schema:
            raise self.error(
                "is not allowed for what every object has", ("default", pointer)
            )

    def branches(
        self, schema: JsonObject, pointer: Pointer
    ) -> Iterator[tuple[str, JsonObject, Pointer]]:
        """The schemas of allOf, anyOf, oneOf and not: keyword, schema, pointer.

        The types of an integer or string are left out, which may be spelled out in
        anyOf, or in an anyOf of the first allOf.
        """
        for key in LOGIC:
            if key not in schema or schema[key] == _INT_OR_STRING_TYPES:
                continue
            branches = schema[key] if key != "not" else [schema[key]]
            if not isinstance(branches, list):
                raise self.error("must be a list of schemas", (key, pointer))
            for index, branch in enumerate(branches):
                branch_pointer: Pointer = (
                    (key, pointer) if key == "not" else (str(index), (key, pointer))
                )
                if not isinstance(branch, dict):
                    raise self.error("a schema must be an object", branch_pointer)
                yield key, branch, branch_pointer

    def check_branch(
        self, branch: JsonObject, key: str, pointer: Pointer, depth: int = 0
    ) -> None:
        """Raise SpecError where a schema in allOf, anyOf, oneOf or not says more than
        which values are valid (validateNestedValueValidation)."""
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        for name in _STRUCTURE_ONLY:
            if branch.get(name) or (
                name in _MEANT_EMPTY and branch.get(name) is not None
            ):
                raise self.error(
                    f"may not stand inside of {key} in a structural schema",
                    (name, pointer),
                )
        self.check_pattern(branch, pointer)
        for inner_key, inner, inner_pointer in self.branches(branch, pointer):
            self.check_branch(inner, inner_key, inner_pointer, depth + 1)
        for inner, inner_pointer in self.nested(branch, pointer):
            if inner_pointer == ("metadata", ("properties", pointer)):
                raise self.error(
                    f"may not stand inside of {key} in a structural schema",
                    inner_pointer,
                )
            self.check_branch(inner, key, inner_pointer, depth + 1)

    def check_completeness(
        self, branch: JsonObject, schema: JsonObject, pointer: Pointer
    ) -> None:
        """Raise SpecError where a schema in allOf, anyOf, oneOf or not has a field
        that ``schema``, the one around it, does not have (complete.go)."""
        for _, inner, inner_pointer in self.branches(branch, pointer):
            self.check_completeness(inner, schema, inner_pointer)
        for inner, inner_pointer in self.nested(branch, pointer):
            token = inner_pointer[0]
            around = (
                schema.get("items")
                if inner_pointer[1] is pointer
                else schema.get("properties", {}).get(token)
            )
            if around is None:
                raise self.error(
                    "is not in the schema outside, as a structural schema must have it",
                    inner_pointer,
                )
            self.check_completeness(inner, around, inner_pointer)

    def nested(
        self, branch: JsonObject, pointer: Pointer
    ) -> Iterator[tuple[JsonObject, Pointer]]:
        """The schemas of the items and fields of a schema in allOf, anyOf, …"""
        properties = branch.get("properties") or {}
        properties_pointer: Pointer = ("properties", pointer)
        if not isinstance(properties, dict):
            raise self.error("must be an object", properties_pointer)
        schemas: list[tuple[Any, Pointer]] = [
            (schema, (name, properties_pointer)) for name, schema in properties.items()
        ]
        if branch.get("items") is not None:
            schemas.append((branch["items"], ("items", pointer)))
        for schema, schema_pointer in schemas:
            if not isinstance(schema, dict):
                raise self.error("a schema must be an object", schema_pointer)
            yield schema, schema_pointer

    def error(self, what: str, pointer: Pointer | None, hint: str = "") -> SpecError:
        return schema_error(self.where, what, pointer, hint)


def _is_absent(key: str, value: Any) -> bool:
    """Whether a keyword means the same as none, so that the API server does not store
    it: null, ``nullable: false``, ``properties: {}``, ``required: []``."""
    is_empty = value is False or value in ("", [], {})
    return value is None or (is_empty and key not in _MEANT_EMPTY)


def _either_type(schema: JsonObject) -> JsonObject:
    """The keywords that say which types an int-or-string has (unfold.go)."""
    all_of = schema.get("allOf", [])
    first = all_of[0].get("anyOf") if all_of else None
    if _INT_OR_STRING_TYPES in (schema.get("anyOf"), first):
        return {}
    if "anyOf" not in schema:
        return {"anyOf": _INT_OR_STRING_TYPES}
    return {"allOf": [{"anyOf": _INT_OR_STRING_TYPES}, *all_of]}


def schema_error(
    where: str, what: str, pointer: Pointer | None, hint: str = ""
) -> SpecError:
    """An error at a JSON pointer of the object at ``where``."""
    return SpecError(what, where=f"{where}#{printable_pointer(pointer)}", hint=hint)
