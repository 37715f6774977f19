"""What tells two schemas apart for openapi-generator.

It compares them as JSON, after its parser (swagger-parser) has read them as OpenAPI 2.0
and dropped what it has no place for in a schema of that type. Which keywords those are
was found by experiment: two objects that differ in one keyword only are one model, or
two.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

from kubestencil.schema.types import JsonObject

Signature = Hashable

_LIMITS_OF_OBJECTS = frozenset(["minProperties", "maxProperties"])
_DROPPED_OF_OBJECTS = frozenset(["default", "enum", "format", "nullable"])
_DROPPED_OF_TYPE: Mapping[str, frozenset[str]] = {
    "array": frozenset(["enum", "format"]),
    "boolean": frozenset(["enum"]),
    "integer": frozenset(["enum", "default"]),
    "number": frozenset(["enum", "default"]),
    "string": frozenset(),
}
_KEPT_WITHOUT_TYPE = frozenset(["description", "format", "title"])


def signature(schema: Any, ignored: Collection[str] = ()) -> Signature:
    """A value that is equal for schemas that openapi-generator does not tell apart.

    The order of fields counts, that of keywords does not. ``ignored`` keywords do not
    count at any level.
    """
    if "$ref" in schema:
        return str(schema["$ref"])
    type_ = schema.get("type", "object" if "properties" in schema else None)
    return (
        None if "type" in ignored else type_,
        *(
            (keyword, _value(schema, keyword, ignored))
            for keyword in sorted(schema)
            if keyword not in ignored and _is_kept(schema, type_, keyword)
        ),
    )


def _is_kept(schema: JsonObject, type_: str | None, keyword: str) -> bool:
    if keyword.startswith("x-"):
        return True
    if keyword == "type":
        return False
    if type_ is None:
        return keyword in _KEPT_WITHOUT_TYPE
    if type_ != "object":
        return keyword not in _DROPPED_OF_TYPE[type_]
    if keyword in _LIMITS_OF_OBJECTS:
        return isinstance(schema.get("additionalProperties"), Mapping)
    if keyword == "required":
        return bool(_required(schema))
    return keyword not in _DROPPED_OF_OBJECTS


def _required(schema: JsonObject) -> tuple[str, ...]:
    """The required fields, as far as there are such fields, in their order."""
    required = schema.get("required", ())
    return tuple(name for name in schema.get("properties", ()) if name in required)


def _value(schema: JsonObject, keyword: str, ignored: Collection[str]) -> Hashable:
    value = schema[keyword]
    if keyword == "properties":
        return tuple((name, signature(field, ignored)) for name, field in value.items())
    if keyword in ("items", "additionalProperties") and isinstance(value, Mapping):
        return signature(value, ignored)
    if keyword == "required":
        return _required(schema)
    return _hashable(value)


def _hashable(value: Any) -> Hashable:
    """A JSON value that can be compared; 1.0 is 1."""
    if isinstance(value, Mapping):
        return tuple((key, _hashable(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    # True is 1, too, for Python.
    return (isinstance(value, bool), value)
