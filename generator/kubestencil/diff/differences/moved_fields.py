"""Finds removed fields of a definition inside of fields that were added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kubestencil.diff.differences.definitions import Definitions
from kubestencil.schema.keywords import REFERENCE_PREFIX
from kubestencil.schema.types import JsonObject

#: The paths of fields below added ones, with their types, by name.
_Index = Mapping[str, Sequence[tuple[str, Any]]]


class MovedFields:
    """Where the removed fields of definitions are now.

    A definition is indexed when it is asked for, once: thousands of its fields may be
    removed, and thousands added.
    """

    def __init__(self, before: Definitions, after: Definitions) -> None:
        self._before = before
        self._after = after
        self._index = cache(self._fields_below_added_ones)

    def path(self, definition: str, name: str, type_name: object) -> str | None:
        """The path of the first field with a name and type that is inside of an added
        field of a definition; None where there is none."""
        candidates = self._index(definition).get(name, ())
        return next((path for path, other in candidates if other == type_name), None)

    def _fields_below_added_ones(self, definition: str) -> _Index:
        old = self._before.get(definition, {}).get("properties", {})
        new = self._after.get(definition, {}).get("properties", {})
        removed = old.keys() - new.keys()
        index: dict[str, list[tuple[str, Any]]] = {}
        for added in sorted(new.keys() - old.keys()):
            inner = resolved(new[added], self._after).get("properties", {})
            for name in inner.keys() & removed:
                entry = f"{added}.{name}", inner[name].get("type")
                index.setdefault(name, []).append(entry)
        return index


def resolved(schema: JsonObject, definitions: Definitions) -> JsonObject:
    """A schema, with the keywords of the definition that it refers to, if it refers to
    one that there is."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    name = reference.removeprefix(REFERENCE_PREFIX)
    return {**definitions.get(name, {}), **schema}
