"""Tells which definitions of several releases are equal: most are as in the release
before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from itertools import count

from kubestencil.schema.graph import components, reference_graph
from kubestencil.schema.types import Definition, Release, Schema

_numbers = count(1)
# The keywords whose schemas are compared one by one, and the text.
_NESTED_OR_TEXT = frozenset(
    ["additionalProperties", "description", "items", "properties"]
)


def _whole(definition: Definition) -> object:
    return definition


def structure_of(definition: Definition) -> bytes:
    """A digest of a definition without its descriptions.

    Only descriptions inside of ``allOf`` and the like are part of it.
    """
    named = (definition.name, definition.kinds, _structure(definition.schema))
    return hashlib.sha256(repr(named).encode()).digest()


def _structure(schema: Schema) -> tuple[object, ...]:
    keywords = {
        keyword: value
        for keyword, value in schema.raw.items()
        if keyword not in _NESTED_OR_TEXT
    }
    return (
        keywords,
        schema.type,
        schema.format,
        schema.ref,
        schema.is_object,
        None if schema.items is None else _structure(schema.items),
        None if schema.values is None else _structure(schema.values),
        [
            (field.name, field.required, _structure(field.schema))
            for field in schema.fields
        ],
    )


class Contents:
    """Numbers the definitions of releases. No number has two meanings in a process.

    ``compared`` returns what is compared of a definition; without it, that is all.
    """

    def __init__(self, compared: Callable[[Definition], object] = _whole) -> None:
        self._compared = compared
        self._distinct: dict[str, list[tuple[int, object]]] = {}
        self._reached: dict[Hashable, int] = {}

    def of(self, release: Release) -> Mapping[str, int]:
        """A number for each definition, by full name: the same for equal ones."""
        return {
            name: self._number(definition)
            for name, definition in release.definitions.items()
        }

    def reached(self, release: Release) -> Mapping[str, int]:
        """A number for each definition with all that it refers to, directly or through
        others. Definitions that refer to each other have the same."""
        own = self.of(release)
        graph = reference_graph(release.definitions)
        reached: dict[str, int] = {}
        for component in components(graph):
            targets = {target for name in component for target in graph[name]}
            key = (
                frozenset(own[name] for name in component),
                frozenset(reached[target] for target in targets.difference(component)),
            )
            if key not in self._reached:
                self._reached[key] = next(_numbers)
            reached.update(dict.fromkeys(component, self._reached[key]))
        return reached

    def _number(self, definition: Definition) -> int:
        compared = self._compared(definition)
        distinct = self._distinct.setdefault(definition.name, [])
        # The release before is the most similar one.
        for number, other in reversed(distinct):
            if compared == other:
                return number
        distinct.append((next(_numbers), compared))
        return distinct[-1][0]
