"""Finds removed fields of a definition inside of fields that were added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from kubestencil.diff.differences.definitions import Schemas
from kubestencil.schema.types import ANY_VALUE, Schema

#: The paths of fields below added ones, with their types, by name.
_Index = Mapping[str, Sequence[tuple[str, str | None]]]


class MovedFields:
    """Where the removed fields of definitions are now.

    A definition is indexed when it is asked for, once: thousands of its fields may be
    removed, and thousands added.
    """

    def __init__(self, before: Schemas, after: Schemas) -> None:
        self._before = before
        self._after = after
        self._index = cache(self._fields_below_added_ones)

    def path(self, definition: str, name: str, type_name: object) -> str | None:
        """The path of the first field with a name and type that is inside of an added
        field of a definition; None where there is none."""
        candidates = self._index(definition).get(name, ())
        return next((path for path, other in candidates if other == type_name), None)

    def _fields_below_added_ones(self, definition: str) -> _Index:
        old, new = (
            {field.name: field.schema for field in schema.fields}
            for schema in (
                self._before.get(definition, ANY_VALUE),
                self._after.get(definition, ANY_VALUE),
            )
        )
        removed = old.keys() - new.keys()
        index: dict[str, list[tuple[str, str | None]]] = {}
        for added in sorted(new.keys() - old.keys()):
            for field in resolved(new[added], self._after).fields:
                if field.name in removed:
                    entry = f"{added}.{field.name}", field.schema.type
                    index.setdefault(field.name, []).append(entry)
        return index


def resolved(schema: Schema, definitions: Schemas) -> Schema:
    """A schema, with the keywords of the definition that it refers to, if it refers to
    one that there is."""
    target = None if schema.ref is None else definitions.get(schema.ref)
    return schema if target is None else schema.beside(target)
