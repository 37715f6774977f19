"""Scalar values of examples: what the document gives, else one that shows the type."""

from __future__ import annotations

from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY
from kubestencil.targets.examples.nodes import Scalar

# The document calls these definitions strings without a format.
_BY_DEFINITION = {
    QUANTITY: "1",
    MICRO_TIME: "2006-01-02T15:04:05.000000Z",
}
_BY_FORMAT: dict[str | None, Any] = {
    "byte": "ZXhhbXBsZQ==",
    "date-time": "2006-01-02T15:04:05Z",
    "int-or-string": 80,
}
_BY_TYPE: dict[str | None, Any] = {
    "array": [],
    "boolean": True,
    "integer": 1,
    "number": 0.5,
    "string": "string",
}
# Larger integers lose precision in Jsonnet, whose numbers are IEEE 754 doubles.
_MAX_NUMBER = 2**53
_MAX_INT32 = 2**31 - 1


def well_known_scalar(definition: Definition) -> Scalar | None:
    """The value of a definition with a known string syntax; None for all others."""
    if definition.schema.type == "string" and definition.name in _BY_DEFINITION:
        return Scalar(_BY_DEFINITION[definition.name])
    return None


def example_scalar(schema: Schema) -> Scalar:
    """A value for ``schema``: its default or else its first enum value, if that has
    the right type and is not empty; otherwise a placeholder."""
    for value in (schema.default, *schema.enum[:1]):
        if _is_usable(value, schema):
            return Scalar(value)
    if schema.int_or_string:
        return Scalar(_BY_FORMAT["int-or-string"])
    if schema.type == "string" and schema.format in _BY_FORMAT:
        return Scalar(_BY_FORMAT[schema.format])
    return Scalar(_BY_TYPE.get(schema.type, {}))


def _is_usable(value: Any, schema: Schema) -> bool:
    if schema.int_or_string or (
        schema.type == "string" and schema.format in _BY_FORMAT
    ):
        return False
    if schema.type == "string":
        return isinstance(value, str) and value != ""
    if schema.type == "boolean":
        return isinstance(value, bool)
    if schema.type in ("integer", "number"):
        python_type = int if schema.type == "integer" else int | float
        maximum = _MAX_INT32 if schema.format == "int32" else _MAX_NUMBER
        return (
            isinstance(value, python_type)
            and not isinstance(value, bool)
            and abs(value) <= maximum
        )
    return False
