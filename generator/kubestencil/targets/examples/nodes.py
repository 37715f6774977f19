"""Example values as trees, which the writer of each language turns into code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kubestencil.schema import Definition, Field


# Nodes are compared by identity, not by content: many examples share them.
@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A string, number or boolean, or an empty object or list of any type."""

    value: Any
    size: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A field with its value."""

    field: Field
    node: Node


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object. ``definition`` is None where the schema is inline, without a name."""

    definition: Definition | None
    entries: tuple[Entry, ...]
    size: int
    depth: int

    @property
    def items(self) -> tuple[tuple[str, Node], ...]:
        """The JSON names of the fields with their values."""
        return tuple([(entry.field.name, entry.node) for entry in self.entries])


@dataclass(frozen=True, slots=True, eq=False)
class ListNode:
    """A list, which has at least one item."""

    items: tuple[Node, ...]
    size: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class MapNode:
    """A map with at least one key."""

    items: tuple[tuple[str, Node], ...]
    size: int
    depth: int


#: ``size`` is the number of nodes of a tree, ``depth`` the number of its levels.
Node = Scalar | Object | ListNode | MapNode


def object_node(definition: Definition | None, entries: Iterable[Entry]) -> Object:
    """An object with ``entries``."""
    entries = tuple(entries)
    return Object(definition, entries, *_extent([entry.node for entry in entries]))


def list_node(items: Sequence[Node]) -> ListNode:
    """A list of ``items``."""
    return ListNode(tuple(items), *_extent(items))


def map_node(values: Mapping[str, Node]) -> MapNode:
    """A map of ``values``."""
    return MapNode(tuple(values.items()), *_extent(values.values()))


def _extent(nodes: Collection[Node]) -> tuple[int, int]:
    """The size and the depth of a node with ``nodes`` in it."""
    size = sum(node.size for node in nodes)
    return 1 + size, 1 + max((node.depth for node in nodes), default=0)


def to_json(node: Node) -> Any:
    """A tree as a JSON value."""
    if isinstance(node, Object | MapNode):
        return {key: to_json(value) for key, value in node.items}
    if isinstance(node, ListNode):
        return [to_json(item) for item in node.items]
    return node.value
