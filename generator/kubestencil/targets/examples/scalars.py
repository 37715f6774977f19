"""The scalars of examples: what the document names, else one that shows the type."""

from __future__ import annotations

from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.targets.examples.nodes import Scalar

# Definitions that say less of their values than people know.
_KNOWN = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "1",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "2006-01-02T15:04:05.000000Z",
}
_FORMATS: dict[str | None, Any] = {
    "byte": "ZXhhbXBsZQ==",
    "date-time": "2006-01-02T15:04:05Z",
    "int-or-string": 80,
}
_PLACEHOLDERS: dict[str | None, Any] = {
    "array": [],
    "boolean": True,
    "integer": 1,
    "number": 0.5,
    "string": "string",
}
# What every reader of numbers keeps: Jsonnet's are those of JavaScript.
_LARGEST = 2**53
_LARGEST_INT32 = 2**31 - 1


def known(definition: Definition) -> Scalar | None:
    """The value of a definition that is known by its name."""
    if definition.schema.type == "string" and definition.name in _KNOWN:
        return Scalar(_KNOWN[definition.name])
    return None


def scalar(schema: Schema) -> Scalar:
    """The document's default, or the first of its enum, where that is of the right
    type and says something; else a placeholder."""
    for named in (schema.default, *schema.enum[:1]):
        if _fits(named, schema):
            return Scalar(named)
    if schema.int_or_string:
        return Scalar(_FORMATS["int-or-string"])
    if schema.type == "string" and schema.format in _FORMATS:
        return Scalar(_FORMATS[schema.format])
    return Scalar(_PLACEHOLDERS.get(schema.type, {}))


def _fits(value: Any, schema: Schema) -> bool:
    if schema.int_or_string or (schema.type == "string" and schema.format in _FORMATS):
        return False
    if schema.type == "string":
        return isinstance(value, str) and value != ""
    if schema.type == "boolean":
        return isinstance(value, bool)
    if schema.type in ("integer", "number"):
        allowed = int if schema.type == "integer" else int | float
        largest = _LARGEST_INT32 if schema.format == "int32" else _LARGEST
        return (
            isinstance(value, allowed)
            and not isinstance(value, bool)
            and abs(value) <= largest
        )
    return False
