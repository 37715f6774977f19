"""Reads structural schemas: those of CustomResourceDefinitions.

Source: "Specifying a structural schema" in the Kubernetes documentation of
CustomResourceDefinitions, and ``pkg/apiserver/schema`` of apiextensions-apiserver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.errors import SpecError
from kubestencil.schema.pointer import Pointer, printable_pointer
from kubestencil.schema.types import JsonObject

# The keywords that the API server drops from a schema (structural.go).
_DROPPED = frozenset(["example", "externalDocs", "id", "$schema"])
_FORBIDDEN = (
    "$ref", "definitions", "dependencies", "patternProperties", "additionalItems"
)  # fmt: skip
_LOGIC = ("allOf", "anyOf", "oneOf")
# The keywords that a schema in allOf, anyOf, oneOf and not must leave to the one around.
_STRUCTURE_ONLY = (
    "description", "default", "additionalProperties", "nullable", "title"
)  # fmt: skip
_MAX_DEPTH = 100


class StructuralSchemas:
    """Reads the schemas of one CustomResourceDefinition.

    ``where`` is its file and line, for errors; ``embedded`` are the schemas of the
    fields that every embedded object has.
    """

    def __init__(self, where: str, embedded: Mapping[str, JsonObject]) -> None:
        self.where = where
        self.embedded = embedded

    def read(self, raw: Any, pointer: Pointer, depth: int = 0) -> dict[str, Any]:
        """A structural schema as the API server publishes it."""
        if not isinstance(raw, Mapping):
            raise self.error("a schema must be an object", pointer)
        if depth > _MAX_DEPTH:
            raise self.error(f"is nested more than {_MAX_DEPTH} deep", pointer)
        self.check_structural(raw, pointer)
        result = {key: value for key, value in raw.items() if key not in _DROPPED}
        inner = depth + 1
        if "properties" in raw:
            if not isinstance(raw["properties"], Mapping):
                raise self.error("must be an object", ("properties", pointer))
            result["properties"] = {
                name: self.read(schema, (name, ("properties", pointer)), inner)
                for name, schema in raw["properties"].items()
            }
        for key in ("items", "additionalProperties"):
            if isinstance(raw.get(key), Mapping):
                result[key] = self.read(raw[key], (key, pointer), inner)
        if raw.get("x-kubernetes-int-or-string"):
            result.setdefault("anyOf", [{"type": "integer"}, {"type": "string"}])
        if raw.get("x-kubernetes-embedded-resource"):
            # An embedded object has apiVersion and kind (builder.go,
            # addEmbeddedProperties).
            result["properties"] = {
                **result.get("properties", {}),
                **self.embedded,
            }
            required = result.get("required", [])
            missing = [name for name in ("kind", "apiVersion") if name not in required]
            result["required"] = [*required, *missing]
        return result

    def check_structural(self, raw: JsonObject, pointer: Pointer) -> None:
        """Raise SpecError for what no structural schema has.

        Source: "Specifying a structural schema" in the Kubernetes documentation of
        CustomResourceDefinitions, and validateStructuralInvariants.
        """
        for key in _FORBIDDEN:
            if key in raw:
                raise self.error(
                    "is not allowed in a structural schema", (key, pointer)
                )
        if not (
            raw.get("type")
            or raw.get("x-kubernetes-int-or-string")
            or raw.get("x-kubernetes-preserve-unknown-fields")
        ):
            raise self.error("has no type, as a structural schema must", pointer)
        if "properties" in raw and raw.get("additionalProperties"):
            raise self.error(
                "has both properties and additionalProperties, which a structural "
                "schema cannot",
                pointer,
            )
        if isinstance(raw.get("items"), list):
            raise self.error("must be one schema, not a list", ("items", pointer))
        if raw.get("uniqueItems"):
            raise self.error(
                "is not allowed",
                ("uniqueItems", pointer),
                "use x-kubernetes-list-type: set",
            )
        for key in (*_LOGIC, "not"):
            if key in raw:
                self.check_logic(raw, key, pointer)

    def check_logic(self, raw: JsonObject, key: str, pointer: Pointer) -> None:
        branches = raw[key] if key != "not" else [raw[key]]
        if not isinstance(branches, list):
            raise self.error("must be a list of schemas", (key, pointer))
        for index, branch in enumerate(branches):
            branch_pointer: Pointer = (
                (key, pointer) if key == "not" else (str(index), (key, pointer))
            )
            if not isinstance(branch, Mapping):
                raise self.error("a schema must be an object", branch_pointer)
            for name in _STRUCTURE_ONLY:
                if name in branch:
                    raise self.error(
                        f"may not stand inside of {key} in a structural schema",
                        (name, branch_pointer),
                    )

    def error(self, what: str, pointer: Pointer | None, hint: str = "") -> SpecError:
        return schema_error(self.where, what, pointer, hint)


def schema_error(
    where: str, what: str, pointer: Pointer | None, hint: str = ""
) -> SpecError:
    """An error at a JSON pointer of the object at ``where``."""
    return SpecError(what, where=f"{where}#{printable_pointer(pointer)}", hint=hint)
