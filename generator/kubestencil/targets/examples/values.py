"""Values of schemas: for each definition the smallest one that its schema allows.

A value has the required fields, and what limits and conditions (``minItems``,
``oneOf``, …) require besides. Required cycles have no finite value, and neither has what
exceeds the size limits, or what no value satisfies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Schema
from kubestencil.schema.custom_resources.conditions import (
    alternatives,
    has_object_conditions,
    object_conditions,
    satisfies,
)
from kubestencil.schema.graph import components
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.fields import (
    EntryFilter,
    FieldFilter,
    choices,
    example_fields,
    fixed_values_of,
    is_allowed,
    is_needed,
    is_required,
    lacks,
    overlays_of,
)
from kubestencil.targets.examples.nodes import (
    Entry,
    ListNode,
    MapNode,
    Node,
    Object,
    Scalar,
    list_node,
    map_node,
    object_node,
    to_json,
)
from kubestencil.targets.examples.scalars import (
    example_scalar,
    valid_values,
    well_known_scalar,
)

_MAP_KEY = "key"
# Only a malicious document has smallest values beyond these limits.
_MAX_SIZE = 500
#: The levels that a value may have.
MAX_DEPTH = 30
_MAX_ITEMS = 10
# Of an object with conditions, each further field is tried with those before it.
_MAX_TRIED_FIELDS = 300


class FieldSelection(NamedTuple):
    """The fields of an object that are ``chosen``, out of ``entries``."""

    chosen: Sequence[Entry]
    entries: Sequence[Entry]


class Values:
    """The smallest values of the definitions of a release.

    ``smallest`` has that of each definition that has a finite one. ``accepted`` is what
    the API server accepts.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        accepted: AcceptedFields,
    ) -> None:
        self.smallest: dict[str, Node] = {}
        self._definitions = definitions
        self._accepted = accepted
        self._find_smallest(definitions.values())

    def all_entries(self, definition: Definition) -> list[Entry]:
        """All fields of an object, each with its smallest value. Left out are those
        that the conditions of the object, or the API server, do not allow beside others.
        """
        fixed_values = fixed_values_of(definition)
        schema, fields = definition.schema, example_fields(definition)
        selection = self._selection(
            schema,
            fields,
            fixed_values,
            (),
            _is_any,
            lambda entry: is_needed(entry, fixed_values),
            self._accepted.conditions(definition),
        )
        if selection is None:
            return []
        chosen = {entry.field.name: entry for entry in selection.chosen}
        others = [
            entry
            for entry in selection.entries
            if entry.field.name not in chosen and _is_within_limits(entry.node)
        ]
        if not has_object_conditions(schema):
            chosen.update((entry.field.name, entry) for entry in others)
        else:
            for entry in others[:_MAX_TRIED_FIELDS]:
                extended = {**chosen, entry.field.name: entry}
                if is_allowed(extended.values(), fields, [object_conditions(schema)]):
                    chosen = extended
        entries = [chosen[field.name] for field in fields if field.name in chosen]
        return list(self._accepted.compatible(definition, entries))

    def value(
        self,
        schema: Schema,
        include: FieldFilter,
        conditions: Sequence[Schema] = (),
    ) -> Node | None:
        """A value for ``schema`` that satisfies ``conditions``, too; None where it has
        no finite one. Inline objects have the fields that ``include`` accepts."""
        if schema.ref is not None:
            if not conditions:
                return self.smallest.get(schema.ref)
            return self._definition_value(self._definitions[schema.ref], conditions)
        if schema.values is not None:
            value_conditions = [
                condition.values for condition in conditions if condition.values
            ]
            value = self.value(schema.values, include, value_conditions)
            return value and self._container(value, schema, include, conditions)
        if schema.fields:
            selection = self._selection(
                schema,
                schema.fields,
                {},
                conditions,
                include,
                lambda entry: include(entry.field),
            )
            return selection and object_node(None, selection.chosen)
        if schema.type == "array" and schema.items is not None:
            item_conditions = [
                condition.items for condition in conditions if condition.items
            ]
            item = self.value(schema.items, include, item_conditions)
            return item and self._container(item, schema, include, conditions)
        return example_scalar(schema, conditions)

    def wrapped(self, schema: Schema, inner: Object) -> Node | None:
        """``inner`` in the lists and maps that ``schema`` has around it; None where
        these have no such value."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object:
                return inner
            return self.wrapped(definition.schema, inner)
        content = schema.values or schema.items
        if content is None:
            return inner
        node = self.wrapped(content, inner)
        return node and self._container(node, schema, _is_any, ())

    def _container(
        self,
        first: Node,
        schema: Schema,
        include: FieldFilter,
        conditions: Sequence[Schema],
    ) -> Node | None:
        """A list that begins with ``first``, or a map whose first value it is, with as
        many items or keys as it must have."""
        conditions = (schema, *conditions)
        limits = [condition.limits for condition in conditions]
        if schema.values is None:
            count = max(limit.min_items or 0 for limit in limits)
            if count > _MAX_ITEMS:
                return None
            others = (
                self._other_items(schema, first, include) if count > 1 else iter(())
            )
            items = [first, *islice(others, max(count - 1, 0))]
            return _checked(list_node(items), Scalar([]), conditions)
        count = max(limit.min_properties or 0 for limit in limits)
        if count > _MAX_ITEMS:
            return None
        values = {_MAP_KEY: first}
        for number in range(2, count + 1):
            other = self.value(schema.values, include)
            values[f"{_MAP_KEY}{number}"] = first if other is None else other
        return _checked(map_node(values), Scalar({}), conditions)

    def _other_items(
        self, schema: Schema, first: Node, include: FieldFilter
    ) -> Iterator[Node]:
        """Further items of a list: other values in a set, other keys in a map."""
        assert schema.items is not None
        if schema.list_type == "map" and isinstance(first, Object):
            for rank in range(1, _MAX_ITEMS):
                yield _with_other_key(first, schema.list_map_keys, rank)
        elif schema.list_type == "set" or schema.limits.unique_items:
            values = valid_values(schema.items, ())
            yield from map(Scalar, islice(values, 1, _MAX_ITEMS))
        else:
            other = self.value(schema.items, include)
            yield from [first if other is None else other] * _MAX_ITEMS

    def _find_smallest(self, definitions: Iterable[Definition]) -> None:
        """Find the smallest value of each definition, those that it requires first."""
        required: dict[str, frozenset[str]] = {}
        useful: dict[str, frozenset[str]] = {}
        for definition in definitions:
            name = definition.name
            required[name] = frozenset(_required_references(definition.schema))
            useful[name] = required[name].union(
                _conditional_references(definition.schema),
                self._needed_references(definition),
            )
        # In an order, so that a value does not depend on what else is in the document.
        for component in components(useful):
            missing = sorted(component)
            # Conditions that need each other take further rounds.
            for _ in range(MAX_DEPTH):
                count = len(missing)
                missing = [
                    name
                    for name in missing
                    if not self._has_value(name, required[name])
                ]
                if len(missing) in (0, count):
                    break

    def _needed_references(self, definition: Definition) -> Iterator[str]:
        """The definitions that the smallest value may contain for the API server."""
        for field in definition.fields:
            if self._accepted.may_need(definition, field.name):
                yield from _required_references(field.schema)

    def _has_value(self, name: str, required: Set[str]) -> bool:
        """Whether a smallest value is found for a definition: not where it requires
        one that has none, or none so far on a cycle."""
        if not required <= self.smallest.keys():
            return False
        node = self._definition_value(self._definitions[name], ())
        if node is None or not _is_within_limits(node):
            return False
        self.smallest[name] = node
        return True

    def _definition_value(
        self, definition: Definition, conditions: Sequence[Schema]
    ) -> Node | None:
        if not definition.is_object:
            return well_known_scalar(definition) or self.value(
                definition.schema, is_required, conditions
            )
        fixed_values = fixed_values_of(definition)
        selection = self._selection(
            definition.schema,
            example_fields(definition),
            fixed_values,
            conditions,
            is_required,
            lambda entry: is_needed(entry, fixed_values)
            or self._accepted.is_needed(definition, entry.field.name),
            self._accepted.conditions(definition),
        )
        return selection and object_node(
            definition, self._accepted.with_needed(definition, *selection)
        )

    def _selection(
        self,
        schema: Schema,
        fields: Sequence[Field],
        fixed_values: Mapping[str, str],
        conditions: Sequence[Schema],
        include: FieldFilter,
        is_chosen: EntryFilter,
        allowed: Mapping[str, Sequence[Schema]] = MappingProxyType({}),
    ) -> FieldSelection | None:
        """The fields of an object: those that ``is_chosen`` accepts, and what conditions
        require. None where a required field has no value, or no fields satisfy all
        conditions. ``allowed`` are conditions of single fields.

        Inline objects in it have the fields that ``include`` accepts.
        """
        if not conditions and not has_object_conditions(schema):
            entries = list(self._entries(fields, fixed_values, allowed, include))
            if lacks(entries, schema.required):
                return None
            return FieldSelection(list(filter(is_chosen, entries)), entries)
        for schemas in alternatives((schema, *conditions)):
            overlays = overlays_of(schemas[1:])
            entries = list(self._entries(fields, fixed_values, overlays, include))
            required = {name for branch in schemas for name in branch.required}
            if lacks(entries, required):
                continue
            size = max(branch.limits.min_properties or 0 for branch in schemas)
            for chosen in choices(entries, required, is_chosen, overlays, size):
                if is_allowed(chosen, fields, (object_conditions(schema), *conditions)):
                    return FieldSelection(chosen, entries)
        return None

    def _entries(
        self,
        fields: Iterable[Field],
        fixed_values: Mapping[str, str],
        overlays: Mapping[str, Sequence[Schema]],
        include: FieldFilter,
    ) -> Iterator[Entry]:
        """The fields that have a value. ``overlays`` are further conditions of the
        values of fields."""
        for field in fields:
            conditions = overlays.get(field.name, ())
            fixed_value = fixed_values.get(field.name)
            if fixed_value is not None and _accepts(field, fixed_value, conditions):
                yield Entry(field, Scalar(fixed_value))
            else:
                node = self.value(field.schema, include, conditions)
                if node is not None:
                    yield Entry(field, node)


def _accepts(field: Field, value: str, conditions: Sequence[Schema]) -> bool:
    """Whether a field can have a string."""
    return field.schema.type == "string" and all(
        satisfies(value, condition) for condition in (field.schema, *conditions)
    )


def _checked(
    node: ListNode | MapNode, empty: Scalar, conditions: Sequence[Schema]
) -> Node | None:
    """The first of ``node`` and ``empty`` that satisfies all conditions."""
    schema, *others = conditions
    limits = schema.limits
    most = 1 if limits.max_items is None else limits.max_items
    takes_one = (limits.min_items or 0) <= 1 <= most
    is_free = not (others or has_object_conditions(schema))
    if len(node.items) == 1 and takes_one and is_free:
        return node
    candidates: tuple[Node, ...] = (node, empty)
    for candidate in candidates:
        value = to_json(candidate)
        if all(satisfies(value, condition) for condition in conditions):
            return candidate
    return None


def _with_other_key(item: Object, keys: Sequence[str], rank: int) -> Object:
    """``item`` with the value of a rank in the first key that has as many."""
    for index, entry in enumerate(item.entries):
        if entry.field.name in keys:
            values = valid_values(entry.field.schema, ())
            value = next(islice(values, rank, None), None)
            if value is not None:
                changed = Entry(entry.field, Scalar(value))
                before, after = item.entries[:index], item.entries[index + 1 :]
                return object_node(item.definition, (*before, changed, *after))
    return item


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


def _conditional_references(schema: Schema) -> Iterator[str]:
    """The definitions that the smallest value may contain because of conditions."""
    if has_object_conditions(schema):
        for field in schema.fields:
            yield from _required_references(field.schema)


def _is_within_limits(node: Node) -> bool:
    return node.size <= _MAX_SIZE and node.depth <= MAX_DEPTH


def _is_any(_: Field) -> bool:
    return True
