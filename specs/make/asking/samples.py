"""Values of fields that objects do not have yet."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kubestencil.schema.knowledge.values import NO_FACTS, FieldFacts
from kubestencil.schema.types import Release, Schema
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY

# Objects that are required inside of each other.
_DEPTH = 6
# A resource, which can also be the key of a label.
_KEY = "cpu"
_BY_FORMAT = {
    "date-time": "2030-01-31T12:00:00.000000Z",
    "byte": "YQ==",
    "int-or-string": 1,
}
_BY_TYPE = {"integer": 1, "number": 1, "boolean": True}


def sample(
    release: Release,
    field: tuple[str, str],
    schema: Schema,
    facts: Mapping[tuple[str, str], FieldFacts] = MappingProxyType({}),
    depth: int = 0,
) -> Any:
    """A value of a field, with what is required in it; ``field`` has its definition.
    ``facts`` are about the texts that fields accept."""
    if schema.ref is not None:
        definition = release.definitions[schema.ref]
        if schema.ref in (QUANTITY, INT_OR_STRING):
            return "1" if schema.ref == QUANTITY else 1
        if not definition.is_object:
            return sample(release, field, definition.schema, facts, depth)
        return {
            inner.name: sample(
                release,
                (definition.name, inner.name),
                inner.schema,
                facts,
                depth + 1,
            )
            for inner in definition.fields
            if inner.required and depth <= _DEPTH
        }
    if schema.items is not None:
        return [sample(release, field, schema.items, facts, depth)]
    if schema.values is not None:
        return {_KEY: sample(release, field, schema.values, facts, depth)}
    if schema.type == "string":
        names = schema.enum or facts.get(field, NO_FACTS).enum
        return next(iter(names), _BY_FORMAT.get(schema.format or "", "a"))
    return _BY_TYPE.get(schema.type or "", {})
