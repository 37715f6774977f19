"""What an API server publishes under ``/openapi/v2``, for what is in OpenAPI 3.0.

For custom resources, the rules are those of apiextensions-apiserver. Its package
``pkg/controller/openapi/v2`` decides what is left of a schema, since kubectl once refused
the rest, and ``pkg/controller/openapi/builder`` what is left of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import CONTENT, EMBEDDED, KINDS_KEYWORD, PRESERVE
from kubestencil.schema.types import JsonObject, Schema, schema_of
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY

# kube-openapi prunes defaults (builder/openapi.go, PruneDefaultsSchema), the others are
# no part of OpenAPI 2.0, or were a problem for kubectl.
_DROPPED = ("default", "allOf", "anyOf", "oneOf", "not", "nullable")
_STRINGS = (QUANTITY, INT_OR_STRING)
_FIELDS_OF_KINDS = ("apiVersion", "kind", "metadata")
# What the server adds to a kind, whatever its schema says.
_EXTENSIONS_OF_KINDS = (KINDS_KEYWORD, "x-kubernetes-selectable-fields")


def published_definition(name: str, schema: Schema) -> Schema:
    """The definition with this full name in OpenAPI 2.0, for that in OpenAPI 3.0.

    Fields are sorted by name, as the server has them. A definition of OpenAPI 2.0 is
    its own.
    """
    return schema_of(_definition(name, json_object(schema)))


def _definition(name: str, schema: JsonObject) -> JsonObject:
    if name in _STRINGS:
        # In OpenAPI 3.0 they may be numbers, too.
        return {**_published(schema), "type": "string"}
    if schema.get(PRESERVE) and KINDS_KEYWORD in schema:
        # kubectl would refuse fields that are not listed.
        extensions = {
            keyword: schema[keyword]
            for keyword in _EXTENSIONS_OF_KINDS
            if keyword in schema
        }
        return {"type": "object", **extensions}
    return _published(schema)


def _published(schema: JsonObject) -> JsonObject:
    """A schema without what OpenAPI 2.0 lacks, and what kubectl did not understand."""
    result: dict[str, Any] = {
        keyword: value for keyword, value in schema.items() if keyword not in _DROPPED
    }
    nullable = bool(schema.get("nullable"))
    preserves = bool(schema.get(PRESERVE))
    if nullable or preserves:
        result.pop("items", None)
        result.pop("properties", None)
    if (
        nullable
        or (preserves and result.get("type") == "object")
        or (result.get("type") == "array" and "items" not in result)
    ):
        result.pop("type", None)
    if schema.get(EMBEDDED):
        _restore_fields_of_kinds(schema, result, preserves)
    for keyword in CONTENT:
        if isinstance(result.get(keyword), Mapping):
            result[keyword] = _published(result[keyword])
    properties = result.get("properties")
    if properties is not None:
        result["properties"] = {
            name: _published(properties[name]) for name in sorted(properties)
        }
    required = list(_required(schema, result))
    if required:
        result["required"] = required
    else:
        result.pop("required", None)
    return result


def _required(schema: JsonObject, published: JsonObject) -> Iterator[str]:
    """The required fields: none that may be null, since those have no type."""
    values = published.get("additionalProperties")
    if isinstance(values, Mapping) and schema["additionalProperties"].get("nullable"):
        return
    properties = schema["properties"] if "properties" in published else {}
    for name in published.get("required", ()):
        if not properties.get(name, {}).get("nullable"):
            yield name


def _restore_fields_of_kinds(
    schema: JsonObject, result: dict[str, Any], preserves: bool
) -> None:
    """Give an embedded object the fields that all kinds have, where it keeps no
    unknown ones."""
    if not preserves:
        properties = schema["properties"]
        result.setdefault(
            "properties", {name: properties[name] for name in _FIELDS_OF_KINDS}
        )
    elif result.get("required", [])[-2:] == ["kind", "apiVersion"]:
        result["required"] = result["required"][:-2]
