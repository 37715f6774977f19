"""The definitions of a document, as openapi2jsonschema changes them before it prints.

The rules are those of https://github.com/yannh/openapi2jsonschema (``command.py`` and
``util.py``) with the option ``--kubernetes``, and of openapi2jsonschema.py of kubeconform
(``closed``). They are about JSON: openapi2jsonschema
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
        return PreparedDefinitions(closed(by_kind), closed(by_api_version), differing)
    return PreparedDefinitions(by_kind, by_api_version, differing)


def _with_values(properties: JsonObject, name: str, values: list[str]) -> JsonObject:
    schema = properties.get(name)
    if schema is None:
        return properties
    enum = list(dict.fromkeys([*schema.get("enum", ()), *values]))
    return {**properties, name: {**schema, "enum": enum}}


def closed(schema: JsonObject, *, names_fields: bool = False) -> JsonObject:
    """A schema, or a map of some, with integers or strings, and with additional properties
    forbidden in the objects inside of it, but not in it, nor in those inside of lists.

    What has a key called properties is taken for an object, fields of which one is called
    so, too, unless ``names_fields``.
    """

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

    result: JsonObject = converted(schema, closes=True)
    return result


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
