"""Schemas of custom resources as https://github.com/datreeio/CRDs-catalog publishes them:
what kubeconform's openapi2jsonschema.py prints of CustomResourceDefinitions."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from typing import Any

from kubestencil.schema.types import JsonObject
from kubestencil.targets.jsonschema.definitions import INT_OR_STRING_SCHEMA


def catalog_schema(schema: JsonObject, quirks: Container[str]) -> bytes:
    """The file of a kind whose schema in its CustomResourceDefinition is ``schema``.

    Objects inside of it refuse unknown fields, but not the kind itself, and no schema in
    a list (``anyOf``).
    """
    names_fields = "field-called-properties" not in quirks

    def converted(value: Any, *, closes: bool, is_fields: bool = False) -> Any:
        if isinstance(value, list):
            return [converted(item, closes=False) for item in value]
        if not isinstance(value, Mapping):
            return value
        members: dict[str, Any] = {}
        for key, member in value.items():
            if isinstance(member, Mapping) and member.get("format") == "int-or-string":
                members[key] = INT_OR_STRING_SCHEMA
            else:
                inside = names_fields and key == "properties" and not is_fields
                members[key] = converted(member, closes=closes, is_fields=inside)
        is_object = "properties" in value and value is not schema
        if closes and is_object and not is_fields:
            members.setdefault("additionalProperties", False)
        return members

    return f"{json.dumps(converted(schema, closes=True), indent=2)}\n".encode()
