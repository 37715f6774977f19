"""Checks objects against the schema of their CustomResourceDefinition, as the API server
does it before CEL rules, with the package ``jsonschema``."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema
from jsonschema.validators import extend

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_Errors = Iterator[jsonschema.ValidationError]


def schema_of(crd: Mapping[str, Any], version: str) -> Mapping[str, Any]:
    """The schema of a version, with the fields that the API server adds."""
    (entry,) = (entry for entry in crd["spec"]["versions"] if entry["name"] == version)
    schema = entry.get("schema", {}).get("openAPIV3Schema", {_PRESERVE: True})
    added = {"apiVersion": {}, "kind": {}, "metadata": {_PRESERVE: True}}
    return {**schema, "properties": {**schema.get("properties", {}), **added}}


def errors(schema: Mapping[str, Any], value: Any) -> list[str]:
    """What is wrong with a value, each with its path; unknown fields are, too."""
    validator = _VALIDATOR(schema, format_checker=_FORMATS)
    messages = [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in validator.iter_errors(value)
    ]
    return [*messages, *_unknown_fields(schema, value, "")]


def _unknown_fields(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _unknown_fields(schema.get("items", {}), item, f"{path}[]")
    if not isinstance(value, dict):
        return
    properties = dict(schema.get("properties", {}))
    values = schema.get("additionalProperties")
    embedded = schema.get("x-kubernetes-embedded-resource")
    for name, inner in value.items():
        if embedded and name in ("apiVersion", "kind", "metadata"):
            continue
        if name in properties:
            yield from _unknown_fields(properties[name], inner, f"{path}.{name}")
        elif isinstance(values, dict):
            yield from _unknown_fields(values, inner, f"{path}.{name}")
        elif not values and not schema.get(_PRESERVE):
            yield f"{path}.{name}: unknown field"


def python_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of RE2 for Python, which has ``(?i)`` at the start only.

    They agree but for texts that end in a newline.
    """
    flags = re.ASCII | (re.IGNORECASE if "(?i)" in pattern else 0)
    return re.compile(pattern.replace("(?i)", ""), flags)


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> _Errors:
    if isinstance(value, str) and not python_pattern(pattern).search(value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


def _type(validator: Any, type_: str, value: Any, schema: Mapping[str, Any]) -> _Errors:
    if value is None and schema.get("nullable"):
        return
    if not validator.is_type(value, type_):
        yield jsonschema.ValidationError(f"{value!r} is no {type_}")


def _enum(
    validator: Any, enum: list[Any], value: Any, schema: Mapping[str, Any]
) -> _Errors:
    if value not in enum and not (value is None and schema.get("nullable")):
        yield jsonschema.ValidationError(f"{value!r} is not one of {enum!r}")


def _list_type(
    validator: Any, list_type: str, value: Any, schema: Mapping[str, Any]
) -> _Errors:
    if not isinstance(value, list) or list_type == "atomic":
        return
    keys = schema.get("x-kubernetes-list-map-keys", ())
    items = (
        value
        if list_type == "set"
        else [{key: item.get(key) for key in keys} for item in value]
    )
    if any(item in items[:index] for index, item in enumerate(items)):
        yield jsonschema.ValidationError(f"{value!r} has equal items")


_FORMATS = jsonschema.FormatChecker(formats=())
_FORMATS.checks("ipv4", raises=ValueError)(
    lambda v: not isinstance(v, str) or bool(ipaddress.IPv4Address(v))
)
_FORMATS.checks("ipv6", raises=ValueError)(
    lambda v: not isinstance(v, str) or bool(ipaddress.IPv6Address(v))
)
_FORMATS.checks("int32")(lambda v: not isinstance(v, int) or -(2**31) <= v < 2**31)
_FORMATS.checks("byte")(
    lambda v: not isinstance(v, str)
    or re.fullmatch(r"(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?", v, re.ASCII)
    is not None
)
_FORMATS.checks("date-time")(
    lambda v: not isinstance(v, str)
    or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", v) is not None
)

# The keywords are those of JSON Schema's draft 4, whose exclusiveMinimum is a boolean.
_extend: Any = extend  # Its types are those of its caller.
_VALIDATOR = _extend(
    jsonschema.Draft4Validator,
    {
        "pattern": _pattern,
        "type": _type,
        "enum": _enum,
        "x-kubernetes-list-type": _list_type,
    },
)
