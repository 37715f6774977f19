"""Which fields an object of an example has: required ones, and what conditions allow."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from kubestencil.schema import Definition, Field, Schema
from kubestencil.schema.custom_resources.conditions import alternatives, satisfies
from kubestencil.schema.keywords import LOGIC
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import LIST_META, OBJECT_META
from kubestencil.targets.examples.nodes import Entry, Object, to_json

#: The name of objects.
NAME = "example"
_FIELD_ORDER = {"apiVersion": 0, "kind": 1, "metadata": 2}
# The metadata of objects and lists that only the server writes (meta/v1, ObjectMeta and
# ListMeta: "read-only").
_SERVER_METADATA = frozenset(
    {
        *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp"),
        *("generation", "managedFields", "resourceVersion", "selfLink", "uid"),
        *("continue", "remainingItemCount"),
    }
)
# The keywords of an object that say which fields it has, besides "required".
_CONDITIONS = (*LOGIC, "minProperties", "maxProperties")
# An object of any kind inside of another one (x-kubernetes-embedded-resource).
_EMBEDDED = {"apiVersion": "v1", "kind": "ConfigMap"}

#: Whether an inline object has a field.
FieldFilter = Callable[[Field], bool]
#: Whether an object has a field with a value.
EntryFilter = Callable[[Entry], bool]


def example_fields(definition: Definition) -> Sequence[Field]:
    """The fields that examples may have; of a kind, apiVersion, kind and metadata come
    first."""
    server_fields: Container[str] = ("status",) if definition.kinds else ()
    if definition.name in (OBJECT_META, LIST_META):
        server_fields = _SERVER_METADATA
    fields = [
        field
        for field in definition.fields
        if field.required or field.name not in server_fields
    ]
    is_object = definition.kinds or _is_embedded(definition)
    return sorted(fields, key=field_rank) if is_object else fields


def field_rank(field: Field) -> int:
    """A key that sorts the fields of a kind: apiVersion, kind and metadata first."""
    return _FIELD_ORDER.get(field.name, len(_FIELD_ORDER))


def fixed_values_of(definition: Definition) -> Mapping[str, str]:
    """The values of ``apiVersion`` and ``kind`` in an object of a kind."""
    if _is_embedded(definition):
        return _EMBEDDED
    if len(definition.kinds) != 1:
        return {}
    kind = definition.kinds[0]
    return {"apiVersion": kind.api_version, "kind": kind.kind}


def _is_embedded(definition: Definition) -> bool:
    return definition.schema.embedded_resource


def is_required(field: Field) -> bool:
    """Accepts the required fields of inline objects."""
    return field.required


def is_needed(entry: Entry, fixed_values: Mapping[str, str]) -> bool:
    """Whether the smallest value has a field: it is required, or a spec with fields."""
    field, node = entry.field, entry.node
    is_spec = field.name == "spec" and isinstance(node, Object) and bool(node.entries)
    return field.required or field.name in fixed_values or is_spec


def lacks(entries: Iterable[Entry], names: Iterable[str]) -> bool:
    """Whether a field of ``names`` is not among ``entries``."""
    return not {entry.field.name for entry in entries}.issuperset(names)


def has_conditions(schema: JsonObject) -> bool:
    """Whether a schema says which fields an object has, besides "required"."""
    return not schema.keys().isdisjoint(_CONDITIONS)


def conditions_of(schema: Schema) -> JsonObject:
    """The conditions of an object, without what each of its fields satisfies."""
    return {key: schema.raw[key] for key in _CONDITIONS if key in schema.raw}


def conditional_fields(schema: Schema) -> Container[str]:
    """The fields of an object on whose values its conditions depend."""
    if not has_conditions(schema.raw):
        return ()
    return {
        name
        for schemas in alternatives([schema.raw])
        for name in overlays_of(schemas[1:])
    }


def overlays_of(schemas: Iterable[JsonObject]) -> Mapping[str, Sequence[JsonObject]]:
    """What ``schemas`` require of the values of fields."""
    overlays: dict[str, list[JsonObject]] = {}
    for keywords in schemas:
        for name, schema in keywords.get("properties", {}).items():
            if schema:
                overlays.setdefault(name, []).append(schema)
    return overlays


def least(schemas: Iterable[JsonObject], keyword: str) -> int:
    """The largest of the values of a keyword for a least size; 0 without any."""
    return max(int(schema.get(keyword, 0)) for schema in schemas)


def choices(
    entries: Sequence[Entry],
    required: Container[str],
    is_chosen: EntryFilter,
    conditional: Container[str],
    size: int,
) -> Iterator[list[Entry]]:
    """Selections of fields: those that are chosen or required; with as many others as
    it takes for ``size`` fields; with those on whose values conditions depend."""
    chosen = {
        index
        for index, entry in enumerate(entries)
        if is_chosen(entry) or entry.field.name in required
    }
    yield [entries[index] for index in sorted(chosen)]
    missing = size - len(chosen)
    if missing > 0:
        others = [index for index in range(len(entries)) if index not in chosen]
        for first in range(len(others) - missing + 1):
            added = others[first : first + missing]
            yield [entries[index] for index in sorted(chosen.union(added))]
    yield [
        entry
        for index, entry in enumerate(entries)
        if index in chosen or entry.field.name in conditional
    ]


def is_allowed(
    entries: Iterable[Entry], fields: Iterable[Field], conditions: Sequence[JsonObject]
) -> bool:
    """Whether an object satisfies its conditions, before and after the API server has
    added defaults."""
    value = {entry.field.name: to_json(entry.node) for entry in entries}
    defaults = {
        field.name: field.schema.default
        for field in fields
        if field.schema.has_default and field.name not in value
    }
    return all(
        satisfies(candidate, keywords)
        for candidate in (value, {**defaults, **value})
        for keywords in conditions
    )
