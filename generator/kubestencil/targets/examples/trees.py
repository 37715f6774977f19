"""What the examples of a kind say, for all languages.

Both shapes leave out what is the server's, unless the document requires it: the
``status`` of a kind, and ``managedFields``. A kind says its ``apiVersion`` and
``kind``, wherever it is.

- ``required``: the name, and what is required, at every depth. A field called
  ``spec`` counts as required where something inside is: the document requires
  neither the spec of a Deployment nor that of its pods, but nothing works without.
- ``every``: all fields. A definition is written out where it comes first, a shallow
  place before a deep one; everywhere else it has what it requires.

What requires itself has no smallest value, and what is huge or deep counts as such:
where a field may be absent, it is; and a kind that has none has no examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.targets.examples.nodes import (
    Entry,
    Node,
    Object,
    Scalar,
    list_node,
    map_node,
    object_node,
)
from kubestencil.targets.examples.scalars import known, scalar

_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_NAME = "example"
_ORDER = {"apiVersion": 0, "kind": 1, "metadata": 2}
# Larger or deeper than anybody reads: only a document that is made for it has such.
_MAX_SIZE = 500
_MAX_DEPTH = 30
# The largest example of all fields in Kubernetes, a CronJob's, has 670 nodes.
_MAX_WHOLE = 20_000
# In lists of lists of lists, no definition is written out.
_MAX_NESTING = 2

_Choice = Callable[[Field], bool]
# Which definitions are written out in which: the number of the entry, and the name.
_Written = Mapping[str, Sequence[tuple[int, str]]]


class _Plan(NamedTuple):
    """What an object can have: each field with its smallest value, and those (by
    their numbers) in which a definition could be written out."""

    entries: tuple[Entry, ...]
    targets: tuple[tuple[int, str], ...]


class ExampleTrees:
    """The examples of a release, made when they are asked for."""

    def __init__(self, release: Release) -> None:
        self.definitions = release.definitions
        self.plans: dict[str, _Plan] = {}
        self.smallest: dict[str, Node] = {}
        self.find_smallest()

    def required(self, definition: Definition) -> Object | None:
        """The example with what is required, None where there is none."""
        smallest = self.smallest.get(definition.name)
        if not isinstance(smallest, Object):
            return None
        metadata = self.metadata(definition)
        if metadata is None:
            return smallest
        entries = {each.field.name: each for each in (*smallest.entries, metadata)}
        return object_node(definition, sorted(entries.values(), key=_place))

    def every(self, definition: Definition) -> Object | None:
        """The example with all fields, None where it is huge, or there is not even a
        smallest."""
        if not isinstance(self.smallest.get(definition.name), Object):
            return None
        written: dict[str, list[tuple[int, str]]] = {}
        met, level = {definition.name}, [definition.name]
        for _ in range(_MAX_DEPTH):
            below: list[str] = []
            for name in level:
                here = written[name] = []
                for each in self.plan(name).targets:
                    if each[1] not in met:
                        met.add(each[1])
                        below.append(each[1])
                        here.append(each)
            level = below
        found = self.full(definition.name, written)
        return found if found.size <= _MAX_WHOLE else None

    def full(self, name: str, written: _Written) -> Object:
        """A definition in full, with what is written out in it."""
        entries = list(self.plan(name).entries)
        for index, target in written[name]:
            if target in written:
                field = entries[index].field
                node = self.around(field.schema, self.full(target, written))
                entries[index] = Entry(field, node, False)
        return object_node(self.definitions[name], entries)

    def around(self, schema: Schema, inside: Object) -> Node:
        """``inside``, in the lists and maps of ``schema``."""
        if schema.ref is not None:
            definition = self.definitions[schema.ref]
            if definition.is_object:
                return inside
            return self.around(definition.schema, inside)
        if schema.values is not None:
            return map_node(self.around(schema.values, inside))
        return list_node(self.around(schema.items, inside)) if schema.items else inside

    def target(self, schema: Schema, nesting: int = 0) -> str:
        """The definition that a field comes to, empty where it has no fields."""
        if schema.ref is not None:
            definition = self.definitions[schema.ref]
            if not definition.is_object:
                return self.target(definition.schema, nesting)
            return schema.ref if definition.fields else ""
        inside = schema.values or (schema.items if schema.type == "array" else None)
        if inside is None or nesting == _MAX_NESTING:
            return ""
        return self.target(inside, nesting + 1)

    def plan(self, name: str) -> _Plan:
        """What a definition can have."""
        found = self.plans.get(name)
        if found is None:
            entries = tuple(self.all_entries(self.definitions[name]))
            targets = (
                (index, self.target(each.field.schema))
                for index, each in enumerate(entries)
            )
            found = _Plan(entries, tuple(each for each in targets if each[1]))
            self.plans[name] = found
        return found

    def metadata(self, definition: Definition) -> Entry | None:
        """The metadata of a kind, with what it requires and a name."""
        smallest = self.smallest.get(_OBJECT_META)
        field = next((each for each in definition.fields if _is_metadata(each)), None)
        if field is None or not isinstance(smallest, Object):
            return None
        required = {each.field.name for each in smallest.entries}
        entries = (
            each
            for each in self.plan(_OBJECT_META).entries
            if each.field.name == "name" or each.field.name in required
        )
        return Entry(field, object_node(smallest.definition, entries), False)

    def find_smallest(self) -> None:
        """Find the smallest value of each definition that has one.

        What a definition needs comes before it, so that what requires itself never
        gets its turn.
        """
        pending = {
            name: frozenset(_needs(definition.schema))
            for name, definition in self.definitions.items()
        }
        while ready := [
            name for name, needs in pending.items() if needs <= self.smallest.keys()
        ]:
            for name in ready:
                del pending[name]
                node = self.whole(self.definitions[name])
                if node is not None and _is_small(node):
                    self.smallest[name] = node

    def whole(self, definition: Definition) -> Node | None:
        """The smallest value of a definition."""
        if definition.is_object:
            return object_node(definition, self.required_entries(definition))
        return known(definition) or self.value(definition.schema, _is_required)

    def required_entries(self, definition: Definition) -> Iterator[Entry]:
        said = _said(definition)
        for field in _fields(definition):
            node = self.of_field(field, said, _is_required)
            if node is None:
                continue
            if field.required or field.name in said or _is_useful(field, node):
                yield Entry(field, node, True)

    def all_entries(self, definition: Definition) -> Iterator[Entry]:
        said = _said(definition)
        if definition.name == _OBJECT_META:
            said = {"name": _NAME}
        for field in _fields(definition):
            node = self.of_field(field, said, _is_any)
            if node is not None and (field.required or _is_small(node)):
                yield Entry(field, node, True)

    def of_field(
        self, field: Field, said: Mapping[str, str], choice: _Choice
    ) -> Node | None:
        if field.name in said and field.schema.type == "string":
            return Scalar(said[field.name])
        return self.value(field.schema, choice)

    def value(self, schema: Schema, choice: _Choice) -> Node | None:
        """A value, with the chosen fields of objects that have no definition; None
        where something in it has no smallest value."""
        if schema.ref is not None:
            return self.smallest.get(schema.ref)
        if schema.values is not None:
            inside = self.value(schema.values, choice)
            return map_node(inside) if inside else None
        if schema.fields:
            return self.inline(schema, choice)
        if schema.type == "array" and schema.items is not None:
            inside = self.value(schema.items, choice)
            return list_node(inside) if inside else None
        return scalar(schema)

    def inline(self, schema: Schema, choice: _Choice) -> Object | None:
        entries: list[Entry] = []
        for field in filter(choice, schema.fields):
            node = self.value(field.schema, choice)
            if node is not None:
                entries.append(Entry(field, node, True))
            elif field.required:
                return None
        return object_node(None, entries)


def _fields(definition: Definition) -> Sequence[Field]:
    """The fields that examples may have, those first that say what it is."""
    hidden = "managedFields" if definition.name == _OBJECT_META else ""
    if definition.kinds:
        hidden = "status"
    found = [each for each in definition.fields if each.required or each.name != hidden]
    return sorted(found, key=_rank) if definition.kinds else found


def _said(definition: Definition) -> Mapping[str, str]:
    """What a kind says of itself."""
    if len(definition.kinds) != 1:
        return {}
    kind = definition.kinds[0]
    return {"apiVersion": kind.api_version, "kind": kind.kind}


def _needs(schema: Schema) -> Iterator[str]:
    """The definitions that the smallest value of ``schema`` may have in it."""
    if schema.ref is not None:
        yield schema.ref
    for each in (schema.items, schema.values):
        if each is not None:
            yield from _needs(each)
    for field in schema.fields:
        if field.required or field.name == "spec":
            yield from _needs(field.schema)


def _is_useful(field: Field, node: Node) -> bool:
    return field.name == "spec" and isinstance(node, Object) and bool(node.entries)


def _is_metadata(field: Field) -> bool:
    return field.name == "metadata" and field.schema.ref == _OBJECT_META


def _is_small(node: Node) -> bool:
    return node.size <= _MAX_SIZE and node.depth <= _MAX_DEPTH


def _is_any(_: Field) -> bool:
    return True


def _is_required(field: Field) -> bool:
    return field.required


def _rank(field: Field) -> int:
    return _ORDER.get(field.name, len(_ORDER))


def _place(entry: Entry) -> int:
    return _rank(entry.field)
