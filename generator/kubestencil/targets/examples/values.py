"""Values of schemas: for each definition the smallest one that its schema allows.

A value has the required fields, and what limits and conditions (``minItems``,
``oneOf``, …) require besides. Required cycles have no finite value, and neither has what
exceeds the size limits, or what no value satisfies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

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
    FieldFilter,
    ValueFilter,
    choices,
    example_fields,
    fixed_values_of,
    is_allowed,
    is_needed,
    is_required,
    overlays_of,
)
from kubestencil.targets.examples.objects import Object, extent, referenced
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
    """The fields of an object that are ``chosen``, out of all ``values``."""

    chosen: Object
    values: Object


class Values:
    """The smallest values of the definitions of a release.

    ``smallest`` has that of each definition that has a finite one; values share what is
    in them. ``accepted`` is what the API server accepts.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        accepted: AcceptedFields,
    ) -> None:
        self.smallest: dict[str, Any] = {}
        self._definitions = definitions
        self._accepted = accepted
        self._find_smallest(definitions.values())

    def all_fields(self, definition: Definition) -> Object:
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
            lambda field, value: is_needed(field, value, fixed_values),
            self._accepted.conditions(definition),
        )
        if selection is None:
            return {}
        chosen = selection.chosen
        others = {
            name: value
            for name, value in selection.values.items()
            if name not in chosen and _is_within_limits(value)
        }
        if not has_object_conditions(schema):
            chosen = {**chosen, **others}
        else:
            for name in islice(others, _MAX_TRIED_FIELDS):
                extended = {**chosen, name: others[name]}
                if is_allowed(extended, fields, [object_conditions(schema)]):
                    chosen = extended
        ordered = {name: chosen[name] for name in selection.values if name in chosen}
        return self._accepted.compatible(definition, ordered, ordered)

    def value(
        self,
        schema: Schema,
        include: FieldFilter,
        conditions: Sequence[Schema] = (),
    ) -> Any:
        """A value for ``schema`` that satisfies ``conditions``, too; None where it has
        no finite one. Inline objects have the fields that ``include`` accepts."""
        if schema.ref is not None:
            if not conditions:
                return self.smallest.get(schema.ref)
            return self._definition_value(self._definitions[schema.ref], conditions)
        is_map = schema.values is not None
        content = schema.values if is_map or schema.type != "array" else schema.items
        if content is not None:
            inner = [each.values if is_map else each.items for each in conditions]
            first = self.value(content, include, list(filter(None, inner)))
            return self._container(first, schema, include, conditions)
        if not schema.fields:
            return example_scalar(schema, conditions)
        selection = self._selection(
            schema,
            schema.fields,
            {},
            conditions,
            include,
            lambda field, _: include(field),
        )
        return selection and selection.chosen

    def wrapped(self, schema: Schema, inner: Object) -> Any:
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
        return self._container(self.wrapped(content, inner), schema, _is_any, ())

    def _container(
        self,
        first: Any,
        schema: Schema,
        include: FieldFilter,
        conditions: Sequence[Schema],
    ) -> Any:
        """A list that begins with ``first``, or a map whose first value it is, with as
        many items or keys as it must have; None where that is None."""
        conditions = (schema, *conditions)
        limits = [condition.limits for condition in conditions]
        is_map = schema.values is not None
        sizes = [each.min_properties if is_map else each.min_items for each in limits]
        count = max(size or 0 for size in sizes)
        if first is None or count > _MAX_ITEMS:
            return None
        others = self._other_values(schema, first, include) if count > 1 else ()
        values = [first, *islice(others, max(count - 1, 0))]
        if is_map:
            keys = (_MAP_KEY, *(f"{_MAP_KEY}{n}" for n in range(2, count + 1)))
            return _checked(dict(zip(keys, values, strict=False)), {}, conditions)
        return _checked(values, [], conditions)

    def _other_values(
        self, schema: Schema, first: Any, include: FieldFilter
    ) -> Iterator[Any]:
        """Further items of a list, or values of a map: other values in a set, other keys in
        a list with keys."""
        content = schema.values or schema.items
        assert content is not None
        definition = referenced(content, self._definitions)
        fields = (definition.schema if definition else content).fields
        if schema.list_type == "map" and fields:
            for rank in range(1, _MAX_ITEMS):
                yield _with_other_key(first, fields, schema.list_map_keys, rank)
        elif schema.list_type == "set" or schema.limits.unique_items:
            yield from islice(valid_values(content, ()), 1, _MAX_ITEMS)
        else:
            other = self.value(content, include)
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
        value = self._definition_value(self._definitions[name], ())
        if value is None or not _is_within_limits(value):
            return False
        self.smallest[name] = value
        return True

    def _definition_value(
        self, definition: Definition, conditions: Sequence[Schema]
    ) -> Any:
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
            lambda field, value: is_needed(field, value, fixed_values)
            or self._accepted.is_needed(definition, field.name),
            self._accepted.conditions(definition),
        )
        return selection and self._accepted.compatible(definition, *selection)

    def _selection(
        self,
        schema: Schema,
        fields: Sequence[Field],
        fixed_values: Mapping[str, str],
        conditions: Sequence[Schema],
        include: FieldFilter,
        is_chosen: ValueFilter,
        allowed: Mapping[str, Sequence[Schema]] = MappingProxyType({}),
    ) -> FieldSelection | None:
        """The fields of an object: those that ``is_chosen`` accepts, and what conditions
        require. None where a required field has no value, or no fields satisfy all
        conditions. ``allowed`` are conditions of single fields.

        Inline objects in it have the fields that ``include`` accepts.
        """
        if not conditions and not has_object_conditions(schema):
            values = self._values_of(fields, fixed_values, allowed, include)
            if not values.keys() >= {*schema.required}:
                return None
            return FieldSelection(_chosen(fields, values, is_chosen), values)
        for schemas in alternatives((schema, *conditions)):
            overlays = overlays_of(schemas[1:])
            values = self._values_of(fields, fixed_values, overlays, include)
            required = {name for branch in schemas for name in branch.required}
            if not values.keys() >= required:
                continue
            size = max(branch.limits.min_properties or 0 for branch in schemas)
            names = required.union(_chosen(fields, values, is_chosen))
            for chosen in choices(values, names, overlays, size):
                if is_allowed(chosen, fields, (object_conditions(schema), *conditions)):
                    return FieldSelection(chosen, values)
        return None

    def _values_of(
        self,
        fields: Iterable[Field],
        fixed_values: Mapping[str, str],
        overlays: Mapping[str, Sequence[Schema]],
        include: FieldFilter,
    ) -> Object:
        """The fields that have a value. ``overlays`` are further conditions of the
        values of fields."""
        values: Object = {}
        for field in fields:
            conditions = overlays.get(field.name, ())
            value: Any = fixed_values.get(field.name)
            if value is None or not _accepts(field, value, conditions):
                value = self.value(field.schema, include, conditions)
            if value is not None:
                values[field.name] = value
        return values


def _chosen(fields: Iterable[Field], values: Object, is_chosen: ValueFilter) -> Object:
    return {
        field.name: values[field.name]
        for field in fields
        if field.name in values and is_chosen(field, values[field.name])
    }


def _accepts(field: Field, value: str, conditions: Sequence[Schema]) -> bool:
    """Whether a field can have a string."""
    return field.schema.type == "string" and all(
        satisfies(value, condition) for condition in (field.schema, *conditions)
    )


def _checked(value: Any, empty: Any, conditions: Sequence[Schema]) -> Any:
    """The first of a list or map and an empty one that satisfies all conditions."""
    schema, *others = conditions
    limits = schema.limits
    most = 1 if limits.max_items is None else limits.max_items
    takes_one = (limits.min_items or 0) <= 1 <= most
    is_free = not (others or has_object_conditions(schema))
    if len(value) == 1 and takes_one and is_free:
        return value
    for candidate in (value, empty):
        if all(satisfies(candidate, condition) for condition in conditions):
            return candidate
    return None


def _with_other_key(
    item: Object, fields: Iterable[Field], keys: Sequence[str], rank: int
) -> Object:
    """``item`` with the value of a rank in the first key that has as many."""
    for field in fields:
        if field.name in keys and field.name in item:
            values = valid_values(field.schema, ())
            value = next(islice(values, rank, None), None)
            if value is not None:
                return {**item, field.name: value}
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


def _is_within_limits(value: Any) -> bool:
    size, depth = extent(value, _MAX_SIZE)
    return size <= _MAX_SIZE and depth <= MAX_DEPTH


def _is_any(_: Field) -> bool:
    return True
