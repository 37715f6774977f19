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

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.graph import breadth_first
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.fields import (
    conditional_fields,
    example_fields,
    field_rank,
)
from kubestencil.targets.examples.objects import Object, extent
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
    """An object with all fields, each with its smallest value.

    ``expandable`` maps each definition that could be expanded in it to the first field
    that refers to it.
    """

    value: Object
    expandable: Mapping[str, Field]

    @property
    def size(self) -> int:
        """The number of values in the object, as far as it matters."""
        return extent(self.value, _MAX_TREE_SIZE)[0]


class ExampleTrees:
    """The examples of a release, built on request."""

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        self._accepted = AcceptedFields(release.name)
        #: The smallest values of the definitions.
        self.values = Values(release.definitions, self._accepted)
        #: The starters of built-in kinds.
        self.starters = Starters(release.definitions)

    def starter(self, definition: Definition) -> Object | None:
        """The starter of a kind, None where there is none."""
        return self.starters.starter(definition) or self.required(definition)

    def required(self, definition: Definition) -> Object | None:
        """The example with the required fields, None where there is none."""
        smallest = self._smallest(definition)
        if smallest is None:
            return None
        value = {**smallest, **self._metadata(definition)}
        ordered = {name: value[name] for name in sorted(value, key=field_rank)}
        return self._at_places(definition, ordered)

    def all_fields(self, definition: Definition) -> Object | None:
        """The example with all fields, None where there is no example with the
        required ones or it exceeds the size limit."""
        if self._smallest(definition) is None:
            return None
        expansions = self._expansions(definition.name)
        value = self._expanded(definition.name, expansions)
        is_small = extent(value, _MAX_TREE_SIZE)[0] <= _MAX_TREE_SIZE
        return self._at_places(definition, value) if is_small else None

    def _smallest(self, definition: Definition | None) -> Object | None:
        """The smallest value of a definition with fields, None where it has none."""
        if definition is None or not definition.is_object:
            return None
        return self.values.smallest.get(definition.name)

    def _at_places(self, definition: Definition, value: Object) -> Object:
        kind = definition.served_kind
        return self._accepted.at_places(kind, value) if kind else copy.deepcopy(value)

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
        value = dict(outline.value)
        for inner_name in expansions.get(name, ()):
            field = outline.expandable[inner_name]
            inner = self._expanded(inner_name, expansions)
            wrapped = self.values.wrapped(field.schema, inner)
            if wrapped is not None:
                value[field.name] = wrapped
        return value

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
    def _expandable_graph(self) -> Mapping[str, Mapping[str, Field]]:
        return {name: outline.expandable for name, outline in self._outlines.items()}

    def _outline(self, definition: Definition) -> _Outline:
        value = self.values.all_fields(definition)
        conditional = conditional_fields(definition.schema)
        expandable: dict[str, Field] = {}
        for field in example_fields(definition):
            name = self._referenced_object(field.schema)
            if name and field.name in value and field.name not in conditional:
                expandable.setdefault(name, field)
        return _Outline(value, expandable)

    def _metadata(self, definition: Definition) -> Object:
        """The metadata of a kind: a name and the required fields."""
        metadata = self._definitions.get(OBJECT_META)
        smallest = self._smallest(metadata)
        field = definition.schema.field("metadata")
        is_standard = field is not None and field.ref == OBJECT_META
        if metadata is None or smallest is None or not is_standard:
            return {}
        names = {"name", *(field.name for field in metadata.fields if field.required)}
        value = {name: smallest[name] for name in smallest if name in names}
        return {"metadata": value}
