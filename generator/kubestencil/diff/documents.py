"""Makes documents comparable that differ in what they have, and not in what they describe.

What Kubernetes publishes has neither configuration files nor allowed values. What its API
server serves has allowed values, in schemas and in descriptions; in OpenAPI 3.0 it has
defaults, too, and types that are one of several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kubestencil.schema import Release
from kubestencil.schema.frozen import frozen
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.knowledge.configurations import (
    configuration_types,
    with_configurations,
    without_configurations,
)
from kubestencil.schema.types import Schema, schema_of
from kubestencil.schema.well_known import is_built_in

# What a server appends to the description of a field with allowed values.
_VALUES = "Possible enum values:"
_VALUE_KEYWORDS = ("enum", "default", "oneOf")
_PARTS = ("items", "additionalProperties")


def comparable(releases: Sequence[Release]) -> list[Release]:
    """``releases`` with what can be compared in all of them: with the kinds of
    configuration files where all are of Kubernetes, and without what some documents alone
    state of the values of its types, which are compared by the tables of facts."""
    if not all(release.kubernetes for release in releases):
        return list(map(without_configurations, releases))
    releases = list(map(with_configurations, releases))
    if len({(item.from_openapi3, _states_values(item)) for item in releases}) < 2:
        return releases
    return list(map(_without_values, releases))


def _states_values(release: Release) -> bool:
    return any(map(_has_values, map(json_object, _types(release).values())))


def _types(release: Release) -> Mapping[str, Schema]:
    """The schemas of the types of Kubernetes that documents have."""
    others = configuration_types()
    return {
        name: release.definitions[name].schema
        for name in release.definitions
        if is_built_in(name) and name not in others
    }


def _has_values(schema: Mapping[str, Any]) -> bool:
    fields = schema.get("properties", {}).values()
    return "enum" in schema or any("enum" in field for field in fields)


def _without_values(release: Release) -> Release:
    """``release`` without what its document states of the values of fields."""
    changed = {
        name: replace(
            release.definitions[name],
            schema=schema_of(frozen(_plain(json_object(schema)))),
        )
        for name, schema in _types(release).items()
    }
    return release.with_definitions({**release.definitions, **changed})


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without allowed values and defaults, in the schemas in it as well."""
    plain = {key: value for key, value in schema.items() if key not in _VALUE_KEYWORDS}
    if "oneOf" in schema:
        # OpenAPI 2.0 has one type of what is a number or a text.
        plain.setdefault("type", "string")
    text = plain.get("description")
    if isinstance(text, str) and _VALUES in text:
        plain["description"] = text.partition(_VALUES)[0].rstrip()
        if not plain["description"]:
            del plain["description"]
    for keyword in _PARTS:
        if isinstance(part := plain.get(keyword), Mapping):
            plain[keyword] = _plain(part)
    if "properties" in plain:
        fields = plain["properties"].items()
        plain["properties"] = {name: _plain(field) for name, field in fields}
    return plain
