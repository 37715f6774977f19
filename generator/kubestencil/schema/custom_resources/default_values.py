"""Defaults of custom resources: whether a value fits the schema whose default it is.

The API server refuses others (apiextensions-apiserver,
``pkg/apiserver/schema/defaulting/validation.go``). Not checked are CEL rules, objects
of other kinds (``x-kubernetes-embedded-resource``), formats that
``kubestencil check`` does not check either, and patterns that are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.custom_resources.conditions import (
    IS_TYPE,
    keyword_conditions,
    satisfies_keywords,
)
from kubestencil.schema.custom_resources.structural import CrdDefault
from kubestencil.schema.keywords import EMBEDDED, INT_OR_STRING, PRESERVE
from kubestencil.schema.pointer import Pointer
from kubestencil.schema.types import JsonObject

# The API server does not ask whether the items of a set are unique.
_NOT_OF_DEFAULTS = frozenset(["uniqueItems", "x-kubernetes-list-type"])
#: What an API server refuses, after the pointer that leads there.
DefaultMistake = tuple[Pointer, str]


def default_mistakes(default: CrdDefault) -> Iterator[DefaultMistake]:
    """What is wrong with a default. The keywords of its schema are of valid types."""
    schema, pointer = default
    return _mistakes(schema["default"], schema, ("default", pointer))


def _mistakes(
    value: Any, schema: JsonObject, pointer: Pointer
) -> Iterator[DefaultMistake]:
    is_null = value is None and schema.get("nullable")
    if is_null or schema.get(EMBEDDED):
        return
    type_name = schema.get("type")
    if type_name and not IS_TYPE[type_name](value):
        yield pointer, f"must be of type {type_name}, as the schema says"
        return
    if isinstance(value, dict) and not schema.get(INT_OR_STRING):
        yield from _field_mistakes(value, schema, pointer)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        for index, item in enumerate(value):
            yield from _mistakes(item, items, (str(index), pointer))
    for keyword in _unsatisfied(value, schema):
        yield pointer, f"does not satisfy {keyword}, which the schema has"


def _field_mistakes(
    value: Mapping[str, Any], schema: JsonObject, pointer: Pointer
) -> Iterator[DefaultMistake]:
    """What is wrong with the fields of an object. The API server would drop those that
    it does not know."""
    properties = schema.get("properties", {})
    values = schema.get("additionalProperties")
    keeps_others = schema.get(PRESERVE) or values is True
    for name, content in value.items():
        field = properties.get(name, values)
        if isinstance(field, dict):
            yield from _mistakes(content, field, (name, pointer))
        elif not keeps_others:
            yield (name, pointer), "is no field of the schema"
    for name in schema.get("required", ()):
        if name not in value:
            yield pointer, f"has no {name}, which is required"


def _unsatisfied(value: Any, schema: JsonObject) -> Iterator[str]:
    """The keywords of a schema that a value of its type does not satisfy."""
    for keyword, part in keyword_conditions(schema):
        if keyword not in _NOT_OF_DEFAULTS and not satisfies_keywords(value, part):
            yield keyword
    # A number may exceed its format.
    if isinstance(value, str) and "format" in schema:
        part = {"format": schema["format"]}
        if not satisfies_keywords(value, part):
            yield "format"
