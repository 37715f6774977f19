"""What is merged into an object that gets a field, by the type that has the field.

The example of a field is made of the starter of its kind and the addition of each field on
the way, from the outside. All decisions are in the additions; what is left is to merge
them, which ``assets/code.js`` of the site does, too. Few depend on more than the type: those
of fields inside of a field that says what may be in it, and of objects in a starter.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Field, Schema
from kubestencil.schema.field_paths import FieldPath, fields_along
from kubestencil.targets.examples.objects import Object
from kubestencil.targets.field_examples.changes import difference, merged
from kubestencil.targets.field_examples.objects import (
    FieldExamples,
    ObjectMaker,
    inner_paths,
)

#: By the name of a field, or a path.
Changes = Mapping[str, Object]


class TypeAdditions(NamedTuple):
    """The smallest object of a type, and the changes of an object that gets a field.

    ``fields`` are made where the object lacks the field of the name. ``inner`` are made
    besides where it gets a field inside of one of its own: ``rollingUpdate.maxSurge``.
    """

    smallest: Object
    fields: Changes
    inner: Changes


class KindAdditions(NamedTuple):
    """The starter of a kind, and its own changes by the paths of fields.

    ``fields`` are made instead of those of the type, where the object of the starter that
    lacks the field needs another one. ``inner`` are changes of the whole object, which
    are made last. ``places`` are the values that fields may have in this kind only: the
    first stands in for others.
    """

    starter: Object
    fields: Changes
    inner: Changes
    places: Mapping[str, Sequence[Any]]


class Additions:
    """The additions of a release, made on request."""

    def __init__(self, examples: FieldExamples) -> None:
        self._examples = examples
        self._release = examples.release
        self._definitions = examples.release.definitions
        self._maker = ObjectMaker(examples)
        self._types: dict[str, TypeAdditions] = {}

    def of(self, name: str) -> TypeAdditions:
        """The additions of a definition."""
        if name not in self._types:
            definition = self._definitions[name]
            smallest = self._maker.smallest(name, "")
            related = self._maker.related_fields(name)
            fields = {
                field.name: (
                    self._added(self._maker, definition, smallest, field.name, "")
                    if field.name in related
                    else {field.name: self._value(field, name)}
                )
                for field in definition.fields
            }
            inner: dict[str, Object] = {}
            self._types[name] = TypeAdditions(smallest, fields, inner)
            for path in self._dependent_paths(definition):
                after = self._maker.with_path(definition, copy.deepcopy(smallest), path)
                made = self._with(smallest, self._steps(definition, path), {})
                if after is not None and after != made:
                    inner[path] = difference(made, after)
        return self._types[name]

    def of_kind(self, definition: Definition) -> KindAdditions | None:
        """The additions of a kind; None for one without a starter."""
        starter, kind = self._examples.starter(definition), definition.served_kind
        if starter is None or kind is None:
            return None
        maker = ObjectMaker(self._examples, kind)
        fields: dict[str, Object] = {}
        inner: dict[str, Object] = {}
        for owner, obj, prefix in self._objects(definition, starter, ""):
            fields_of_type = self.of(owner.name).fields
            for name in maker.related_fields(owner.name):
                addition = fields_of_type.get(name)
                if addition is not None and name not in obj:
                    own = self._added(maker, owner, obj, name, prefix)
                    if own != addition and merged(obj, own) != merged(obj, addition):
                        fields[f"{prefix}{name}"] = own
            paths = {*self._ruled_paths(owner), *self.of(owner.name).inner}
            for path in sorted(map(prefix.__add__, paths), key=_depth):
                after = maker.with_path(definition, copy.deepcopy(starter), path)
                made = self._with(starter, self._steps(definition, path), fields)
                if after is not None and after != made:
                    inner[path] = difference(made, after)
        places = {path: facts.enum for path, facts in maker.places.items()}
        return KindAdditions(starter, fields, inner, places)

    def _steps(self, definition: Definition, path: str) -> Sequence[FieldPath]:
        return [*fields_along(definition, self._release, path)]

    def _value(self, field: Field, owner: str) -> Any:
        return self._maker.value(field.schema, owner, field.name, field.name)

    def _added(
        self,
        maker: ObjectMaker,
        definition: Definition,
        obj: Object,
        name: str,
        prefix: str,
    ) -> Object:
        """The change of an object, without a field, that gets it."""
        before = {key: value for key, value in obj.items() if key != name}
        schema, lacking = definition.schema, copy.deepcopy(before)
        after = maker.added(schema, definition.name, lacking, name, prefix)
        change: Object = difference(before, after)
        return change

    def _with(
        self, obj: Object, steps: Sequence[FieldPath], own_fields: Changes
    ) -> Object:
        """An object with the field at the end of some steps."""
        (path, field, owner), *rest = steps
        additions, name = self.of(owner), field.name
        if path in own_fields:
            obj = merged(obj, own_fields[path])
        elif name not in obj:
            obj = merged(obj, additions.fields[name])
        if rest:
            value = self._inside(field.schema, obj[name], rest, own_fields)
            obj = {**obj, name: value}
            for step in rest:
                relative = step.path[len(path) - len(name) :]
                obj = merged(obj, additions.inner.get(relative, {}))
        return obj

    def _inside(
        self, schema: Schema, value: Any, steps: Sequence[FieldPath], own: Changes
    ) -> Any:
        """A value with the field at the end of some steps in its first object."""
        if schema.items is not None:
            first, *others = value or [{}]
            return [self._inside(schema.items, first, steps, own), *others]
        if schema.values is not None:
            key = next(iter(value))
            return {**value, key: self._inside(schema.values, value[key], steps, own)}
        return self._with(value, steps, own)

    def _objects(
        self, definition: Definition, value: Any, prefix: str
    ) -> Iterator[tuple[Definition, Object, str]]:
        """The first objects in the lists and maps of an object, and itself, with their
        definitions, and the paths before their fields."""
        if not isinstance(value, dict):
            return
        yield definition, value, prefix
        for field in definition.fields:
            inner = first_part(field.schema, value.get(field.name))
            ref = field.schema.innermost().ref
            if ref is not None:
                yield from self._objects(
                    self._definitions[ref], inner, f"{prefix}{field.name}."
                )

    def _dependent_paths(self, definition: Definition) -> Sequence[str]:
        """The paths inside of the fields of a type where the object may need more than the
        objects inside of it: those of rules and changes, and in values that are not the
        smallest of their type."""
        additions = self.of(definition.name).fields
        paths = {*self._ruled_paths(definition)}
        for field in definition.fields:
            inner = field.schema.innermost()
            value = first_part(field.schema, additions[field.name][field.name])
            if inner.ref and value and value != self._maker.smallest(inner.ref, ""):
                related = self._maker.related_fields(inner.ref)
                paths |= {f"{field.name}.{name}" for name in related}
        return sorted(paths, key=_depth)

    def _ruled_paths(self, definition: Definition) -> Iterator[str]:
        """The paths inside of the fields of a type that rules or changes are about."""
        for change in self._maker.changes_of(definition.name):
            if len(change.steps) > 1:
                yield change.path
        for rule in self._maker.rules_of(definition.name):
            for path in inner_paths(rule):
                # A name may contain dots, and a rule may be about a field that is not there.
                for outer in self._steps(definition, path)[:-1][-1:]:
                    inner = self._release.resolve(outer.field.schema.innermost())
                    yield from (f"{outer.path}.{field.name}" for field in inner.fields)


def first_part(schema: Schema, value: Any) -> Any:
    """What is first in the lists and maps of a value."""
    while schema.content is not None and value:
        value = value[0] if schema.items else next(iter(value.values()))
        schema = schema.content
    return value


def _depth(path: str) -> tuple[int, str]:
    return path.count("."), path
