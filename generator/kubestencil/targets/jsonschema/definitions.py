"""The definitions of a document, as openapi2jsonschema changes them before it prints.

The rules are those of https://github.com/yannh/openapi2jsonschema (``command.py`` and
``util.py``) with the option ``--kubernetes``. They are about JSON: openapi2jsonschema
does not tell keywords from fields that are called like them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.schema import Definition
from kubestencil.schema.graph import Graph
from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY

Definitions = Mapping[str, JsonObject]

#: An integer or a string, whatever the document says of it.
INT_OR_STRING_SCHEMA: JsonObject = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
# Kubernetes reads a quantity from a number, too.
_QUANTITY_SCHEMA: JsonObject = {"oneOf": [{"type": "string"}, {"type": "number"}]}
_REPLACED: Definitions = {
    INT_OR_STRING: INT_OR_STRING_SCHEMA,
    QUANTITY: _QUANTITY_SCHEMA,
}


class PreparedDefinitions(NamedTuple):
    """Definitions by full name, in the two forms that are printed.

    In ``by_kind`` a kind has its name as the only value of ``kind``; in
    ``by_api_version`` it has its API versions, too. ``differing`` has the names of
    those that are not the same in both.
    """

    by_kind: Definitions
    by_api_version: Definitions
    differing: frozenset[str]


def prepare(
    definitions: Mapping[str, Definition], *, strict: bool
) -> PreparedDefinitions:
    """The definitions with their kinds, quantities and integers or strings.

    ``strict`` ones forbid additional properties in every object that lists its own.
    """
    schemas = {name: json_object(value.schema) for name, value in definitions.items()}
    schemas |= {name: _REPLACED[name] for name in schemas.keys() & _REPLACED.keys()}
    by_kind, by_api_version = dict(schemas), dict(schemas)
    for name, definition in definitions.items():
        properties = schemas[name].get("properties")
        if properties and definition.kinds:
            kinds = [kind.kind for kind in definition.kinds]
            versions = [kind.api_version for kind in definition.kinds]
            named = _with_values(properties, "kind", kinds)
            by_kind[name] = {**schemas[name], "properties": named}
            versioned = _with_values(named, "apiVersion", versions)
            by_api_version[name] = {**schemas[name], "properties": versioned}
    differing = frozenset(
        name for name in schemas if by_kind[name] is not by_api_version[name]
    )
    if strict:
        by_kind, by_api_version = _closed(by_kind), _closed(by_api_version)
    return PreparedDefinitions(by_kind, by_api_version, differing)


def _with_values(properties: JsonObject, name: str, values: list[str]) -> JsonObject:
    schema = properties.get(name)
    if schema is None:
        return properties
    enum = list(dict.fromkeys([*schema.get("enum", ()), *values]))
    return {**properties, name: {**schema, "enum": enum}}


def _closed(value: JsonObject) -> dict[str, Any]:
    """``value`` with additional properties forbidden in the objects inside of it, but
    not in those inside of lists."""
    result = {}
    for key, inner in value.items():
        if isinstance(inner, dict):
            closed = _closed(inner)
            if "properties" in inner and "additionalProperties" not in inner:
                closed = {**closed, "additionalProperties": False}
            result[key] = closed
        else:
            result[key] = inner
    return result


def with_prefix(value: Any, prefix: str) -> Any:
    """``value`` with ``prefix`` in front of every reference."""
    if isinstance(value, list):
        return [with_prefix(item, prefix) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: (
            f"{prefix}{inner}"
            if key == "$ref" and isinstance(inner, str)
            else with_prefix(inner, prefix)
        )
        for key, inner in value.items()
    }


def referenced(value: JsonObject, definitions: Definitions) -> str | None:
    """The name of the definition that ``value`` is a reference to, else None.

    Of a definition that is but a reference, it is the name of the one at the end.
    """
    name = None
    while isinstance(reference := value.get("$ref"), str):
        target = reference.removeprefix(REFERENCE_PREFIX)
        if target not in definitions:
            break
        name, value = target, definitions[target]
    return name


def reference_graph(definitions: Definitions) -> Graph:
    """The definitions that each definition refers to, anywhere in it."""
    return {
        name: tuple(dict.fromkeys(_references(value, definitions)))
        for name, value in definitions.items()
    }


def _references(value: JsonObject, definitions: Definitions) -> Iterator[str]:
    pending: list[Any] = [value]
    while pending:
        inner = pending.pop()
        if isinstance(inner, dict):
            name = referenced(inner, definitions)
            if name is not None:
                yield name
            pending += inner.values()
        elif isinstance(inner, list):
            pending += inner
