"""What tells two schemas apart for openapi-generator.

It compares them as JSON, after its parser (swagger-parser) has read them as OpenAPI 2.0
and dropped what it has no place for in a schema of that type. Which keywords those are
was found by experiment: two objects that differ in one keyword only are one model, or
two.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

from kubestencil.schema import Schema

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


def signature(schema: Schema, ignored: Collection[str] = ()) -> Signature:
    """A value that is equal for schemas that openapi-generator does not tell apart.

    The order of fields counts, that of keywords does not. ``ignored`` keywords do not
    count at any level.
    """
    if schema.ref is not None:
        return schema.ref
    type_ = schema.type or ("object" if schema.is_object else None)
    return (
        None if "type" in ignored else type_,
        *(
            (keyword, _value(schema, keyword, ignored))
            for keyword in sorted(schema.keywords)
            if keyword not in ignored and _is_kept(schema, type_, keyword)
        ),
    )


def _is_kept(schema: Schema, type_: str | None, keyword: str) -> bool:
    if keyword.startswith("x-"):
        return True
    if keyword == "type":
        return False
    if type_ is None:
        return keyword in _KEPT_WITHOUT_TYPE
    if type_ != "object":
        return keyword not in _DROPPED_OF_TYPE[type_]
    if keyword in _LIMITS_OF_OBJECTS:
        return schema.values is not None
    if keyword == "required":
        return any(field.required for field in schema.fields)
    return keyword not in _DROPPED_OF_OBJECTS


def _value(schema: Schema, keyword: str, ignored: Collection[str]) -> Hashable:
    inner = {"items": schema.items, "additionalProperties": schema.values}.get(keyword)
    if inner is not None:
        return signature(inner, ignored)
    if keyword == "properties":
        return tuple(
            (name, signature(field, ignored)) for name, field, _ in schema.fields
        )
    if keyword == "required":
        return tuple(field.name for field in schema.fields if field.required)
    return _hashable(schema.value_of(keyword))


def _hashable(value: Any) -> Hashable:
    """A JSON value that can be compared; 1.0 is 1."""
    if isinstance(value, Mapping):
        return tuple((key, _hashable(value[key])) for key in sorted(value))
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    # True is 1, too, for Python.
    return (isinstance(value, bool), value)
