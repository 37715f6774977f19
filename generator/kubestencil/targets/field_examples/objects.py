"""Puts a field into the starter of its kind, with what it needs beside and inside of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.custom_resources.stated_rules import stated_rules, stated_text
from kubestencil.schema.field_paths import first_field
from kubestencil.schema.knowledge.conditions import (
    Combination,
    ExampleChange,
    combinations,
    example_changes,
)
from kubestencil.schema.knowledge.values import (
    FORMATS,
    FieldFacts,
    ServerFacts,
    server_facts,
)
from kubestencil.schema.types import GroupVersionKind
from kubestencil.schema.well_known import is_built_in
from kubestencil.targets.examples.accepted import conditions_of
from kubestencil.targets.examples.fields import is_required
from kubestencil.targets.examples.objects import Object, values_at
from kubestencil.targets.examples.places import put_at_places
from kubestencil.targets.examples.rules import Siblings, follow
from kubestencil.targets.examples.scalars import well_known_scalar
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.targets.field_examples.changes import merged

#: The key of maps whose keys have no format.
MAP_KEY = "key"
# Types that contain themselves.
_MAX_DEPTH = 40


class FieldExamples:
    """The examples of the fields of a release, made on request.

    ``changes`` are what some of them need besides, by definition: those of the tables of
    the release where they are not given; ``trees`` are those of the release, to share.
    """

    def __init__(
        self,
        release: Release,
        changes: Mapping[str, Sequence[ExampleChange]] | None = None,
        trees: ExampleTrees | None = None,
    ) -> None:
        self.release = release
        self.trees = trees or ExampleTrees(release)
        self.changes = example_changes(release.name) if changes is None else changes
        self._starters: dict[str, Object | None] = {}

    def starter(self, definition: Definition) -> Object | None:
        """The object that all examples of a kind are made of; None where it has none."""
        if definition.name not in self._starters:
            starter, kind = self.trees.starter(definition), definition.served_kind
            if starter is not None and kind and not is_built_in(definition.name):
                starter = ObjectMaker(self, kind).completed(definition, starter)
            self._starters[definition.name] = starter
        return copy.deepcopy(self._starters[definition.name])

    def example(self, definition: Definition, path: str) -> Object | None:
        """The starter of a kind with the field at ``path``, JSON names with dots between
        them; None where the kind has no starter, or no such field has a value."""
        starter, kind = self.starter(definition), definition.served_kind
        if starter is None or kind is None:
            return None
        return ObjectMaker(self, kind).with_field(definition, starter, path)


class ObjectMaker:
    """Makes the objects of one kind, and what is in them; without a kind, as they are
    wherever no kind has facts of its own."""

    def __init__(
        self, examples: FieldExamples, kind: GroupVersionKind | None = None
    ) -> None:
        self._release = examples.release
        self._definitions = examples.release.definitions
        self._values = examples.trees.values
        self._kind = kind
        self._rules = combinations(examples.release.name)
        self._changes = examples.changes
        self._smallest: dict[str, Object] = {}

    @cached_property
    def _facts(self) -> ServerFacts:
        return server_facts(self._release.name)

    def with_field(
        self, definition: Definition, starter: Object, path: str
    ) -> Object | None:
        """An object of the kind with the field at a path."""
        root = self.with_path(definition, starter, path)
        if root is not None:
            put_at_places(root, self.places)
        return root

    def with_path(
        self, definition: Definition, obj: Object, path: str
    ) -> Object | None:
        """An object of a definition with the field at a path, by the rules of types."""
        return self._with(definition.schema, definition.name, obj, path, "")

    def completed(self, definition: Definition, value: Object) -> Object:
        """An object of a kind that follows its rules."""
        schema, name = definition.schema, definition.name
        completed: Object = self._complete(schema, name, value, "")
        return completed

    @cached_property
    def places(self) -> Mapping[str, FieldFacts]:
        """The fields that have values of their own in the kind, by their paths."""
        in_kind = self._facts.in_kinds.get(self._kind, {}) if self._kind else {}
        return {path: facts for path, facts in in_kind.items() if facts.enum}

    def _with(
        self, schema: Schema, owner: str, obj: Object, rest: str, prefix: str
    ) -> Object | None:
        """An object with the field at ``rest``; ``prefix`` is where it is in its kind."""
        name = first_field(schema, rest)
        field = schema.field(name)
        if field is None:
            return None
        if name not in obj:
            obj = self.added(schema, owner, obj, name, prefix)
        inner, path = rest[len(name) + 1 :], _joined(prefix, name)
        if inner:
            value = self._inside(field, owner, name, obj[name], inner, path)
            if value is None:
                return None
            obj = self.with_inner(schema, owner, {**obj, name: value}, rest, prefix)
        return obj

    def added(
        self, schema: Schema, owner: str, obj: Object, name: str, prefix: str
    ) -> Object:
        """An object, which is changed, with a field that it lacks, and all that the field
        needs."""
        field = schema.field(name)
        assert field is not None
        obj[name] = self.value(field, owner, name, _joined(prefix, name))
        if name not in self.related_fields(owner):
            return obj
        self._follow(schema, owner, self.rules_of(owner), obj, name, prefix)
        for change in self.changes_of(owner):
            if change.path == name:
                obj = merged(obj, change.value)
        return obj

    def with_inner(
        self, schema: Schema, owner: str, obj: Object, rest: str, prefix: str
    ) -> Object:
        """An object, which is changed, with what the field at ``rest``, inside of one of
        its fields, needs in it."""
        rules = [rule for rule in self.rules_of(owner) if inner_paths(rule)]
        self._follow(schema, owner, rules, obj, first_field(schema, rest), prefix)
        for change in self.changes_of(owner):
            if len(change.steps) > 1 and f"{rest}.".startswith(f"{change.path}."):
                obj = merged(obj, change.value)
        return obj

    def _inside(
        self,
        schema: Schema,
        owner: str,
        name: str,
        value: Any,
        rest: str,
        path: str,
    ) -> Any:
        """A value of a field with what is at ``rest`` in it: in the first of its items."""
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if not definition.is_object:
                return self._inside(definition.schema, owner, name, value, rest, path)
        if schema.values is not None:
            key = next(iter(value or ()), None) or _key(self._facts.of(owner, name))
            old = value.get(key) if isinstance(value, dict) else None
            new = self._inside(schema.values, owner, name, old, rest, path)
            return None if new is None else {**(value or {}), key: new}
        if schema.items is not None:
            first, *others = value or [None]
            new = self._inside(schema.items, owner, name, first, rest, path)
            return None if new is None else [new, *others]
        if not isinstance(value, dict):
            value = self._made(schema, owner, self._facts.of(owner, name), path)
            if not isinstance(value, dict):
                return None
        if schema.ref is not None:
            owner, schema = schema.ref, self._definitions[schema.ref].schema
        return self._with(schema, owner, value, rest, path)

    def value(self, schema: Schema, owner: str, name: str, path: str) -> Any:
        """A value of a field at a path of this kind, from the facts of this, with all that it
        needs inside."""
        facts = self.places.get(path)
        if facts is None:
            facts = self._facts.of(owner, name)
            usual = self._usual_value(facts, schema)
            if usual is not None:
                return usual
        value = self._made(schema, owner, facts, path)
        for change in self.changes_of(owner):
            if change.path == name and name in change.value:
                value = merged(value, change.value[name])
        return value

    def _usual_value(self, facts: FieldFacts, schema: Schema) -> Any:
        """The value that the server fills in, always or on some condition, where it shows
        what a field is; None where it does not."""
        is_object = schema.ref is not None and self._definitions[schema.ref].is_object
        value = facts.defaults[0].value if facts.defaults else None
        is_plain = type(value) in (str, int, bool) and value not in ("", "0", 0)
        return value if is_plain and not is_object else None

    def _made(self, schema: Schema, owner: str, facts: FieldFacts, path: str) -> Any:
        if schema.ref is not None:
            definition = self._definitions[schema.ref]
            if definition.is_object:
                return self.smallest(schema.ref, path)
            scalar = well_known_scalar(definition)
            if scalar is not None:
                return scalar
            return self._made(definition.schema, owner, facts, path)
        if schema.values is not None:
            return {_key(facts): self._made(schema.values, owner, facts, path)}
        if schema.items is not None:
            return [self._made(schema.items, owner, facts, path)]
        if text := stated_text(schema):
            return text
        value = self._values.value(schema, is_required, conditions_of(facts, schema))
        return copy.deepcopy(value) if value is not None else {}

    def smallest(self, name: str, path: str) -> Object:
        """The smallest object of a definition."""
        if name in self._smallest:
            return copy.deepcopy(self._smallest[name])
        obj = copy.deepcopy(self._values.smallest.get(name, {}))
        schema = self._definitions[name].schema
        smallest: Object = self._complete(schema, name, obj, path)
        if self._kind is None:
            self._smallest[name] = copy.deepcopy(smallest)
        return smallest

    def _complete(self, schema: Schema, owner: str, value: Any, path: str) -> Any:
        """A value in which all objects follow the rules."""
        if schema.ref is not None:
            owner, schema = schema.ref, self._definitions[schema.ref].schema
        if isinstance(value, list) and schema.items is not None:
            items = schema.items
            return [self._complete(items, owner, item, path) for item in value]
        if not isinstance(value, dict):
            return stated_text(schema) or value
        if not schema.fields:
            if schema.values is None:
                return value
            inner = schema.values
            return {k: self._complete(inner, owner, v, path) for k, v in value.items()}
        for name in value:
            field = schema.field(name)
            if field is not None:
                at = _joined(path, name)
                value[name] = self._complete(field, owner, value[name], at)
        self._follow(schema, owner, self.rules_of(owner), value, None, path)
        for change in self.changes_of(owner):
            if values_at(value, change.steps):
                value = merged(value, change.value)
        return value

    def _follow(
        self,
        schema: Schema,
        owner: str,
        rules: Sequence[Combination],
        obj: Object,
        kept: str | None,
        path: str,
    ) -> None:
        def add(target: Object, name: str) -> None:
            first, _, rest = name.partition(".")
            field, at = schema.field(first), _joined(path, first)
            if field is None or at.count(".") > _MAX_DEPTH:
                return
            if first not in target or not rest:
                target[first] = self.value(field, owner, first, at)
            if rest:
                value = self._inside(field, owner, first, target[first], rest, at)
                if value is not None:
                    target[first] = value

        def values(name: str) -> Sequence[str]:
            field = schema.field(name)
            stated = field.enum if field is not None else ()
            return self._facts.of(owner, name).enum or stated

        if rules:
            follow(obj, rules, kept, Siblings(add, values))

    def related_fields(self, owner: str) -> Sequence[str]:
        """The fields of a definition that need or exclude others, or may."""
        rules, changes = self.rules_of(owner), self.changes_of(owner)
        if not rules and not changes:
            return ()
        names = {name for rule in rules for name in rule.names}
        names.update(change.steps[0] for change in changes)
        return sorted(names)

    def changes_of(self, owner: str) -> Sequence[ExampleChange]:
        """The changes of the objects of a definition."""
        return self._changes.get(owner, ())

    def rules_of(self, owner: str) -> Sequence[Combination]:
        """The rules about the objects of a definition."""
        if is_built_in(owner):
            return self._rules.get(owner, ())
        return stated_rules(owner, self._definitions[owner].schema)


@cache
def inner_paths(rule: Combination) -> frozenset[str]:
    """The paths inside of an object's fields that a rule is about."""
    terms = (term.field for term in rule.terms)
    return frozenset(path for path in (*rule.fields, *terms) if "." in path)


def _key(facts: FieldFacts) -> str:
    return FORMATS[facts.key_format].example if facts.key_format else MAP_KEY


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
