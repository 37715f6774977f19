"""Examples are JSON values: how large they are, what is in them, and of which schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kubestencil.schema import Definition, Schema

Object = dict[str, Any]


def extent(value: Any, max_size: int) -> tuple[int, int]:
    """The number of values in a value, itself among them, and of its levels. A value with
    more than ``max_size`` is not counted to its end."""
    size, depth, level = 0, 0, [value]
    while level and size <= max_size:
        size, depth = size + len(level), depth + 1
        level = [inner for value in level for inner in _content(value)]
    return size, depth


def _content(value: Any) -> Sequence[Any]:
    if isinstance(value, dict):
        return tuple(value.values())
    return value if isinstance(value, list) else ()


def values_at(value: Any, steps: Sequence[str]) -> list[Any]:
    """The values at a path without indexes of lists, in all their items."""
    if isinstance(value, list):
        return [inner for item in value for inner in values_at(item, steps)]
    if not steps:
        return [value]
    if not isinstance(value, dict):
        return []
    name, *rest = steps
    return values_at(value[name], rest) if name in value else []


def is_container(value: Any) -> bool:
    """Whether a value is an object, a list or a map with something in it."""
    return isinstance(value, dict | list) and bool(value)


def referenced(
    schema: Schema, definitions: Mapping[str, Definition]
) -> Definition | None:
    """The definition at the end of a chain of references; None for a schema that is no
    reference."""
    definition = None
    while schema.ref is not None:
        definition = definitions[schema.ref]
        schema = definition.schema
    return definition
