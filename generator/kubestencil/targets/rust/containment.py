"""Finds which Rust values contain each other directly, not in a ``Vec`` or map.

A Rust value has a fixed size, so a type cannot contain itself without a ``Box``, and
has a default only if all that it requires have one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.graph import Graph, cyclic_edges, reachable, reverse
from kubestencil.schema.pointer import json_pointer
from kubestencil.targets.rust.hand_written import HandWrittenType


class Containment(NamedTuple):
    """The definitions that a value of each definition can contain, and those that it
    always contains, since they are required."""

    possible: Graph
    required: Graph


class _Reference(NamedTuple):
    """A reference to a definition, from a field that may be required."""

    definition: str
    required: bool


def containment(
    definitions: Mapping[str, Definition], hand_written: Collection[str]
) -> Containment:
    """What values of ``definitions`` contain directly. The types named in
    ``hand_written`` contain nothing: they box their fields."""
    possible: dict[str, tuple[str, ...]] = {}
    required: dict[str, tuple[str, ...]] = {}
    for name, definition in definitions.items():
        references = [] if name in hand_written else _references(definition)
        possible[name] = tuple([reference.definition for reference in references])
        required[name] = tuple(
            [reference.definition for reference in references if reference.required]
        )
    return Containment(possible, required)


def _references(definition: Definition) -> list[_Reference]:
    if definition.is_object:
        return [
            _Reference(schema.ref, is_required and not schema.nullable)
            for _, schema, is_required in definition.fields
            if schema.ref is not None
        ]
    reference = definition.schema.ref
    return [] if reference is None else [_Reference(reference, True)]


def boxed_references(
    contained: Containment, release: Release
) -> frozenset[tuple[str, str]]:
    """The references, from one definition to another, that need a ``Box``.

    Raises SpecError for a cycle of required fields, of which no finite value exists.
    """
    cycles = cyclic_edges(contained.possible)
    # What a value always contains, it can contain.
    for name, targets in cyclic_edges(contained.required).items() if cycles else ():
        raise SpecError(
            f"{name} has no finite value: it requires {targets[0]}, which requires "
            f"{name}",
            where=f"{release.origin}#{json_pointer(('definitions', name))}",
        )
    return frozenset(
        (name, target) for name, targets in cycles.items() for target in targets
    )


def types_without_default(
    definitions: Mapping[str, Definition],
    hand_written: Mapping[str, HandWrittenType],
    contained: Containment,
) -> frozenset[str]:
    """The definitions whose types have no default: hand-written types without one, types
    that require a time, and types that require one of these types."""
    without = {name for name, type_ in hand_written.items() if not type_.has_default}
    without.update(
        name
        for name, definition in definitions.items()
        if name not in hand_written and any(map(is_time, _required(definition)))
    )
    return frozenset(reachable(reverse(contained.required), without))


def _required(definition: Definition) -> Iterator[Schema]:
    if not definition.is_object:
        yield definition.schema
    for field in definition.fields:
        if field.required and not field.schema.nullable:
            yield field.schema


def is_time(schema: Schema) -> bool:
    """Whether a schema is a time, whose Rust type has no default."""
    return schema.type == "string" and schema.format == "date-time"
