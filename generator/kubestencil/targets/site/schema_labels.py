"""What pages show about a schema: its type, its attributes and its validation rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.targets.site.addresses import PageAddress

_MAX_VALUE_LENGTH = 300

_LIMITS = {
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "minLength": "min length",
    "maxLength": "max length",
    "minItems": "min items",
    "maxItems": "max items",
}


class Attribute(NamedTuple):
    """A constraint or other property of a schema, such as its default."""

    name: str
    values: tuple[str, ...]


class ValidationRule(NamedTuple):
    """A CEL rule, and the message that the API server shows where it is violated."""

    rule: str
    message: str


def unwrapped(schema: Schema) -> tuple[str, Schema]:
    """The lists and maps around a value in Go's notation, and the value's schema."""
    container = ""
    while True:
        if schema.items is not None:
            container, schema = f"{container}[]", schema.items
        elif schema.values is not None:
            container, schema = f"{container}map[string]", schema.values
        else:
            return container, schema


def type_label(schema: Schema, addresses: Mapping[str, PageAddress]) -> str:
    """A short name of a type: ``[]Container``, ``map[string]Quantity``,
    ``integer (int32)``."""
    container, value = unwrapped(schema)
    name = addresses[value.ref].kind if value.ref else plain_label(value)
    return f"{container}{name}"


def plain_label(schema: Schema) -> str:
    """The name of a type that is no reference: ``string``, ``integer (int32)``."""
    if schema.int_or_string:
        return "integer or string"
    name = schema.type or "any value"
    return f"{name} ({schema.format})" if schema.format else name


def attributes_of(schema: Schema) -> Iterator[Attribute]:
    """The attributes of a schema besides its type and its description."""
    # The document has the default {} for each field that is a struct in Go.
    if schema.has_default and schema.default != {}:
        yield Attribute("default", (_value_text(schema.default),))
    value = unwrapped(schema)[1]
    if value.enum:
        yield Attribute("allowed values", tuple(map(_value_text, value.enum)))
    if schema.list_type:
        yield Attribute("list type", (schema.list_type,))
    if schema.list_map_keys:
        yield Attribute("list map keys", schema.list_map_keys)
    if schema.map_type:
        yield Attribute("map type", (schema.map_type,))
    if schema.patch_strategy:
        yield Attribute("patch strategy", schema.patch_strategy)
    if schema.patch_merge_key:
        yield Attribute("patch merge key", (schema.patch_merge_key,))
    if schema.nullable:
        yield Attribute("nullable", ("true",))
    if schema.preserves_unknown_fields:
        yield Attribute("unknown fields", ("preserved",))
    for keyword, label in _LIMITS.items():
        if keyword in value.raw:
            yield Attribute(label, (_value_text(value.raw[keyword]),))


def validation_rules_of(schema: Schema) -> Iterator[ValidationRule]:
    """The CEL rules of a schema."""
    for rule in schema.validations:
        yield ValidationRule(str(rule.get("rule", "")), str(rule.get("message", "")))


def _value_text(value: object) -> str:
    """A value as JSON, a non-empty string without quotes; long ones are shortened."""
    if isinstance(value, str) and value:
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(text) <= _MAX_VALUE_LENGTH:
        return text
    return f"{text[: _MAX_VALUE_LENGTH - 1]}…"
