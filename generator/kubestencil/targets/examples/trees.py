"""Builds the example values of the kinds of a release.

There are two examples of a kind: a starter, which a server accepts, and a skeleton with
all fields. A built-in kind has a starter of its own (``starters.py``); that of another
kind has its required fields. Examples leave out what only the server writes (the
``status`` of a kind, and metadata such as ``uid``) unless the document requires it, and
set ``apiVersion`` and ``kind`` wherever a kind occurs.

- Required fields: the name, and the required fields at every depth. A field called
  ``spec`` counts as required if something in it is: the document requires neither the
  spec of a Deployment nor that of its pods, but no Deployment works without them.
- All fields: a definition is expanded at its first occurrence, nearest to the root, as
  long as the example does not get too large; other occurrences have only its required
  fields.

Required cycles have no finite value, and neither does what exceeds the size limits:
an optional field with such a value is left out, and a kind that requires one has no
examples. The same holds for what no value satisfies (``values.py``); of fields that may
not be there together, the example with all fields has the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.graph import breadth_first
from kubestencil.schema.types import JsonObject
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.fields import conditional_fields, field_rank
from kubestencil.targets.examples.nodes import Entry, Object, object_node
from kubestencil.targets.examples.starters import Starters
from kubestencil.targets.examples.values import MAX_DEPTH, Values

# The largest example of all fields in Kubernetes, a CronJob's, has 670 nodes; of 127
# custom resources, one has more than these (Argo CD's ApplicationSet: 9,709).
_MAX_EXPANDED_SIZE = 4_000
# Only a malicious document has a definition with as many fields.
_MAX_TREE_SIZE = 20_000
# Definitions inside of more nested lists and maps than these are not expanded.
_MAX_NESTING = 2


class _Outline(NamedTuple):
    """All fields of an object, each with its smallest value.

    ``expandable`` maps each definition that could be expanded in it to the index of
    the first entry that refers to it.
    """

    entries: tuple[Entry, ...]
    expandable: Mapping[str, int]

    @property
    def size(self) -> int:
        """The number of nodes of the object."""
        return 1 + sum(entry.node.size for entry in self.entries)


class ExampleTrees:
    """The examples of a release, built on request."""

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        self._accepted = AcceptedFields(release.name)
        #: The smallest values of the definitions.
        self.values = Values(release.definitions, self._accepted)
        self._smallest = self.values.smallest
        self._starters = Starters(release.definitions)

    def starter(self, definition: Definition) -> Object | None:
        """The starter of a kind, None where there is none."""
        return self._starters.starter(definition) or self.required(definition)

    def tree(self, definition: Definition, value: JsonObject) -> Object:
        """An object of a kind as a tree; raises MisfitError as ``Starters.tree``."""
        return self._starters.tree(definition, value)

    def required(self, definition: Definition) -> Object | None:
        """The example with the required fields, None where there is none."""
        smallest = self._smallest.get(definition.name)
        if not isinstance(smallest, Object):
            return None
        metadata = self._metadata(definition)
        if metadata is None:
            return smallest
        entries = {entry.field.name: entry for entry in (*smallest.entries, metadata)}
        ordered = sorted(entries.values(), key=lambda entry: field_rank(entry.field))
        tree = object_node(definition, ordered)
        return self._accepted.at_places(tree)

    def all_fields(self, definition: Definition) -> Object | None:
        """The example with all fields, None where there is no example with the
        required ones or it exceeds the size limit."""
        if not isinstance(self._smallest.get(definition.name), Object):
            return None
        expansions = self._expansions(definition.name)
        tree = self._accepted.at_places(self._expanded(definition.name, expansions))
        return tree if tree.size <= _MAX_TREE_SIZE else None

    def _expansions(self, root: str) -> Mapping[str, Sequence[str]]:
        """The definitions that are expanded inside of each definition of the example
        ``root``: each once, nearest to the root, as many as the size limit allows."""
        depths = {root: 0}
        size = self._outlines[root].size
        expansions: dict[str, list[str]] = {}
        for referrer, name in breadth_first(self._expandable_graph, root):
            if name == root:
                continue
            depths[name] = depths[referrer] + 1
            size += self._outlines[name].size
            if depths[name] == MAX_DEPTH or size > _MAX_EXPANDED_SIZE:
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
            node = self.values.wrapped(field.schema, inner)
            if node is not None:
                entries[index] = Entry(field, node)
        return object_node(self._definitions[name], entries)

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
        entries = tuple(self.values.all_entries(definition))
        conditional = conditional_fields(definition.schema)
        expandable: dict[str, int] = {}
        for index, entry in enumerate(entries):
            name = self._referenced_object(entry.field.schema)
            if name and entry.field.name not in conditional:
                expandable.setdefault(name, index)
        return _Outline(entries, expandable)

    def _metadata(self, definition: Definition) -> Entry | None:
        """The metadata of a kind: a name and the required fields."""
        smallest = self._smallest.get(OBJECT_META)
        field = next(
            (field for field in definition.fields if field.name == "metadata"), None
        )
        if field is None or field.schema.ref != OBJECT_META:
            return None
        if not isinstance(smallest, Object):
            return None
        entries = (
            entry
            for entry in smallest.entries
            if entry.field.required or entry.field.name == "name"
        )
        return Entry(field, object_node(smallest.definition, entries))
