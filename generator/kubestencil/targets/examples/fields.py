"""Which fields an object of an example has: required ones, and what conditions allow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from kubestencil.schema import Definition, Field, Schema
from kubestencil.schema.custom_resources.conditions import (
    alternatives,
    has_object_conditions,
    satisfies,
)
from kubestencil.schema.well_known import LIST_META, OBJECT_META
from kubestencil.targets.examples.objects import Object

#: The name of objects.
NAME = "example"
_FIELD_ORDER = {"apiVersion": 0, "kind": 1, "metadata": 2}
#: The metadata of objects and lists that only the server writes (meta/v1, ObjectMeta and
# ListMeta: "read-only").
SERVER_METADATA = frozenset(
    {
        *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp"),
        *("generation", "managedFields", "resourceVersion", "selfLink", "uid"),
        *("continue", "remainingItemCount"),
    }
)
# An object of any kind inside of another one (x-kubernetes-embedded-resource).
_EMBEDDED = {"apiVersion": "v1", "kind": "ConfigMap"}

#: Whether an inline object has a field.
FieldFilter = Callable[[Field], bool]
#: Whether an object has a field with a value.
ValueFilter = Callable[[Field, Any], bool]


def example_fields(definition: Definition) -> Sequence[Field]:
    """The fields that examples may have; of a kind, apiVersion, kind and metadata come
    first."""
    server_fields: Container[str] = ("status",) if definition.kinds else ()
    if definition.name in (OBJECT_META, LIST_META):
        server_fields = SERVER_METADATA
    fields = [
        field
        for field in definition.fields
        if field.required or field.name not in server_fields
    ]
    is_object = definition.kinds or _is_embedded(definition)
    return (
        sorted(fields, key=lambda field: field_rank(field.name))
        if is_object
        else fields
    )


def field_rank(name: str) -> int:
    """A key that sorts the fields of a kind: apiVersion, kind and metadata first."""
    return _FIELD_ORDER.get(name, len(_FIELD_ORDER))


def fixed_values_of(definition: Definition) -> Mapping[str, str]:
    """The values of ``apiVersion`` and ``kind`` in an object of a kind, and its name."""
    if _is_embedded(definition):
        return _EMBEDDED
    if definition.name == OBJECT_META:
        return {"name": NAME}
    kind = definition.served_kind
    return {"apiVersion": kind.api_version, "kind": kind.kind} if kind else {}


def _is_embedded(definition: Definition) -> bool:
    return definition.schema.embedded_resource


def is_required(field: Field) -> bool:
    """Accepts the required fields of inline objects."""
    return field.required


def is_needed(field: Field, value: Any, fixed_values: Mapping[str, str]) -> bool:
    """Whether the smallest value has a field: it is required, or a spec with fields."""
    is_spec = field.name == "spec" and isinstance(value, dict) and bool(value)
    return field.required or field.name in fixed_values or is_spec


def conditional_fields(schema: Schema) -> Container[str]:
    """The fields of an object on whose values its conditions depend."""
    if not has_object_conditions(schema):
        return ()
    return {
        name for schemas in alternatives([schema]) for name in overlays_of(schemas[1:])
    }


def overlays_of(schemas: Iterable[Schema]) -> Mapping[str, Sequence[Schema]]:
    """What ``schemas`` require of the values of fields."""
    overlays: dict[str, list[Schema]] = {}
    for schema in schemas:
        for field in schema.fields:
            if field.schema.keywords:
                overlays.setdefault(field.name, []).append(field.schema)
    return overlays


def choices(
    values: Object, chosen: set[str], conditional: Iterable[str], size: int
) -> Iterator[Object]:
    """Selections of fields: those that are ``chosen``; with as many others as it takes for
    ``size`` fields; with those on whose values conditions depend."""
    yield _selected(values, chosen)
    missing = size - len(chosen)
    if missing > 0:
        others = [name for name in values if name not in chosen]
        for first in range(len(others) - missing + 1):
            yield _selected(values, chosen.union(others[first : first + missing]))
    yield _selected(values, chosen.union(conditional))


def _selected(values: Object, names: Container[str]) -> Object:
    return {name: value for name, value in values.items() if name in names}


def is_allowed(
    value: Object, fields: Iterable[Field], conditions: Sequence[Schema]
) -> bool:
    """Whether an object satisfies its conditions, before and after the API server has
    added defaults."""
    defaults = {
        field.name: field.schema.default
        for field in fields
        if field.schema.has_default and field.name not in value
    }
    return all(
        satisfies(candidate, condition)
        for candidate in (value, {**defaults, **value})
        for condition in conditions
    )
