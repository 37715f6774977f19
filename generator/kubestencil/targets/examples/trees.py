"""Builds the example values of the kinds of a release.

There are two examples of a kind. Both leave out what only the server writes (the
``status`` of a kind, and ``managedFields``) unless the document requires it, and set
``apiVersion`` and ``kind`` wherever a kind occurs.

- Required fields: the name, and the required fields at every depth. A field called
  ``spec`` counts as required if something in it is: the document requires neither the
  spec of a Deployment nor that of its pods, but no Deployment works without them.
- All fields: a definition is expanded at its first occurrence, nearest to the root;
  other occurrences have only its required fields.

Required cycles have no finite value, and neither does what exceeds the size limits:
an optional field with such a value is left out, and a kind that requires one has no
examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.graph import breadth_first, components
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.nodes import (
    Entry,
    Node,
    Object,
    Scalar,
    list_node,
    map_node,
    object_node,
)
from kubestencil.targets.examples.scalars import example_scalar, well_known_scalar

_NAME = "example"
_MAP_KEY = "key"
_FIELD_ORDER = {"apiVersion": 0, "kind": 1, "metadata": 2}
# Only a malicious document has smallest values beyond these limits.
_MAX_SIZE = 500
_MAX_DEPTH = 30
# The largest example of all fields in Kubernetes, a CronJob's, has 670 nodes.
_MAX_EXPANDED_SIZE = 20_000
# Definitions inside of more nested lists and maps than these are not expanded.
_MAX_NESTING = 2

_FieldFilter = Callable[[Field], bool]


class _Outline(NamedTuple):
    """All fields of an object, each with its smallest value.

    ``expandable`` maps each definition that could be expanded in it to the index of
    the first entry that refers to it.
    """

    entries: tuple[Entry, ...]
    expandable: Mapping[str, int]


class ExampleTrees:
    """The examples of a release, built on request."""

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        # The smallest value of each definition that has a finite one.
        self._smallest: dict[str, Node] = {}
        self._find_smallest()

    def required(self, definition: Definition) -> Object | None:
        """The example with the required fields, None where there is none."""
        smallest = self._smallest.get(definition.name)
        if not isinstance(smallest, Object):
            return None
        metadata = self._metadata(definition)
        if metadata is None:
            return smallest
        entries = {entry.field.name: entry for entry in (*smallest.entries, metadata)}
        return object_node(definition, sorted(entries.values(), key=_entry_rank))

    def all_fields(self, definition: Definition) -> Object | None:
        """The example with all fields, None where there is no example with the
        required ones or it exceeds the size limit."""
        if not isinstance(self._smallest.get(definition.name), Object):
            return None
        expansions = self._expansions(definition.name)
        tree = self._expanded(definition.name, expansions)
        return tree if tree.size <= _MAX_EXPANDED_SIZE else None

    def _expansions(self, root: str) -> Mapping[str, Sequence[str]]:
        """The definitions that are expanded inside of each definition of the example
        ``root``: each once, nearest to the root."""
        depths = {root: 0}
        expansions: dict[str, list[str]] = {}
        for referrer, name in breadth_first(self._expandable_graph, root):
            if name == root:
                continue
            depths[name] = depths[referrer] + 1
            if depths[name] == _MAX_DEPTH:
                break
            expansions.setdefault(referrer, []).append(name)
        return expansions

    def _expanded(self, name: str, expansions: Mapping[str, Sequence[str]]) -> Object:
        """A definition with all fields, and the expanded definitions in it."""
        outline = self._outlines[name]
        entries = list(outline.entries)
        for inner_name in expansions.get(name, ()):
            index = outline.expandable[inner_name]
            field = entries[index].field
            inner = self._expanded(inner_name, expansions)
            entries[index] = Entry(field, self._wrapped(field.schema, inner), False)
        return object_node(self._definitions[name], entries)

    def _wrapped(self, schema: Schema, inner: Object) -> Node:
        """``inner`` in the lists and maps that ``schema`` has around it."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object:
                return inner
            return self._wrapped(definition.schema, inner)
        if schema.values is not None:
            return map_node({_MAP_KEY: self._wrapped(schema.values, inner)})
        return (
            list_node([self._wrapped(schema.items, inner)]) if schema.items else inner
        )

    def _referenced_object(self, schema: Schema, nesting: int = 0) -> str:
        """The definition with fields that ``schema`` refers to, directly or through
        lists and maps; empty where there is none."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if not definition.is_object:
                return self._referenced_object(definition.schema, nesting)
            return schema.ref if definition.fields else ""
        inner = schema.values or (schema.items if schema.type == "array" else None)
        if inner is None or nesting == _MAX_NESTING:
            return ""
        return self._referenced_object(inner, nesting + 1)

    @cached_property
    def _outlines(self) -> Mapping[str, _Outline]:
        return {
            name: self._outline(definition)
            for name, definition in self._definitions.items()
        }

    @cached_property
    def _expandable_graph(self) -> Mapping[str, Mapping[str, int]]:
        return {name: outline.expandable for name, outline in self._outlines.items()}

    def _outline(self, definition: Definition) -> _Outline:
        entries = tuple(self._all_entries(definition))
        expandable: dict[str, int] = {}
        for index, entry in enumerate(entries):
            name = self._referenced_object(entry.field.schema)
            if name:
                expandable.setdefault(name, index)
        return _Outline(entries, expandable)

    def _metadata(self, definition: Definition) -> Entry | None:
        """The metadata of a kind: a name and the required fields."""
        smallest = self._smallest.get(OBJECT_META)
        field = next(filter(_is_object_meta, definition.fields), None)
        if field is None or not isinstance(smallest, Object):
            return None
        names = {"name", *(entry.field.name for entry in smallest.entries)}
        entries = (
            entry
            for entry in self._outlines[OBJECT_META].entries
            if entry.field.name in names
        )
        return Entry(field, object_node(smallest.definition, entries), False)

    def _find_smallest(self) -> None:
        """Find the smallest value of each definition, those that it requires first."""
        required = {
            name: frozenset(_required_references(definition.schema))
            for name, definition in self._definitions.items()
        }
        for name, *cycle in components(required):
            # A cycle, or something that requires what has no finite value.
            if cycle or not required[name] <= self._smallest.keys():
                continue
            node = self._smallest_value(self._definitions[name])
            if node is not None and _is_within_limits(node):
                self._smallest[name] = node

    def _smallest_value(self, definition: Definition) -> Node | None:
        if definition.is_object:
            return object_node(definition, self._required_entries(definition))
        return well_known_scalar(definition) or self._value(
            definition.schema, _is_required
        )

    def _required_entries(self, definition: Definition) -> Iterator[Entry]:
        fixed_values = _type_meta(definition)
        for field in _example_fields(definition):
            node = self._field_value(field, fixed_values, _is_required)
            if node is None:
                continue
            is_needed = field.required or field.name in fixed_values
            if is_needed or _is_non_empty_spec(field, node):
                yield Entry(field, node, True)

    def _all_entries(self, definition: Definition) -> Iterator[Entry]:
        fixed_values = _type_meta(definition)
        if definition.name == OBJECT_META:
            fixed_values = {"name": _NAME}
        for field in _example_fields(definition):
            node = self._field_value(field, fixed_values, _is_any)
            if node is not None and (field.required or _is_within_limits(node)):
                yield Entry(field, node, True)

    def _field_value(
        self, field: Field, fixed_values: Mapping[str, str], include: _FieldFilter
    ) -> Node | None:
        if field.name in fixed_values and field.schema.type == "string":
            return Scalar(fixed_values[field.name])
        return self._value(field.schema, include)

    def _value(self, schema: Schema, include: _FieldFilter) -> Node | None:
        """A value for ``schema``, None where it has no finite one. Inline objects have
        the fields that ``include`` accepts."""
        if schema.ref is not None:
            return self._smallest.get(schema.ref)
        if schema.values is not None:
            inner = self._value(schema.values, include)
            return map_node({_MAP_KEY: inner}) if inner else None
        if schema.fields:
            return self._inline_object(schema, include)
        if schema.type == "array" and schema.items is not None:
            inner = self._value(schema.items, include)
            return list_node([inner]) if inner else None
        return example_scalar(schema)

    def _inline_object(self, schema: Schema, include: _FieldFilter) -> Object | None:
        entries: list[Entry] = []
        for field in filter(include, schema.fields):
            node = self._value(field.schema, include)
            if node is not None:
                entries.append(Entry(field, node, True))
            elif field.required:
                return None
        return object_node(None, entries)


def _example_fields(definition: Definition) -> Sequence[Field]:
    """The fields that examples may have; of a kind, apiVersion, kind and metadata come
    first."""
    server_field = "managedFields" if definition.name == OBJECT_META else ""
    if definition.kinds:
        server_field = "status"
    fields = [
        field
        for field in definition.fields
        if field.required or field.name != server_field
    ]
    return sorted(fields, key=_rank) if definition.kinds else fields


def _type_meta(definition: Definition) -> Mapping[str, str]:
    """The values of ``apiVersion`` and ``kind`` in an object of a kind."""
    if len(definition.kinds) != 1:
        return {}
    kind = definition.kinds[0]
    return {"apiVersion": kind.api_version, "kind": kind.kind}


def _required_references(schema: Schema) -> Iterator[str]:
    """The definitions that the smallest value of ``schema`` may contain."""
    if schema.ref is not None:
        yield schema.ref
    for inner in (schema.items, schema.values):
        if inner is not None:
            yield from _required_references(inner)
    for field in schema.fields:
        if field.required or field.name == "spec":
            yield from _required_references(field.schema)


def _is_non_empty_spec(field: Field, node: Node) -> bool:
    return field.name == "spec" and isinstance(node, Object) and bool(node.entries)


def _is_object_meta(field: Field) -> bool:
    return field.name == "metadata" and field.schema.ref == OBJECT_META


def _is_within_limits(node: Node) -> bool:
    return node.size <= _MAX_SIZE and node.depth <= _MAX_DEPTH


def _is_any(_: Field) -> bool:
    return True


def _is_required(field: Field) -> bool:
    return field.required


def _rank(field: Field) -> int:
    return _FIELD_ORDER.get(field.name, len(_FIELD_ORDER))


def _entry_rank(entry: Entry) -> int:
    return _rank(entry.field)
