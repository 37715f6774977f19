"""A value as a tree, before it is said in a language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from kubestencil.schema import Definition, Field

Code = TypeVar("Code")

# The key in a map that has one.
_KEY = "key"


# Nodes are compared by what they are, not by what is in them: many examples share
# them, and so do the texts that are made of them.
@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A text, a number, a truth, or an empty object or list of anything."""

    value: Any
    size: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A field with its value. A ``shared`` one is in several examples."""

    field: Field
    node: Node
    shared: bool


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object; ``definition`` is None where it is described in its place."""

    definition: Definition | None
    entries: tuple[Entry, ...]
    size: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class ListNode:
    """A list of one item."""

    item: Node
    size: int
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class MapNode:
    """A map with one key."""

    key: str
    value: Node
    size: int
    depth: int


#: ``size`` counts the nodes of a tree, ``depth`` its levels.
Node = Scalar | Object | ListNode | MapNode


class FragmentCache(Generic[Code]):
    """What a writer made of entries that several examples have in common."""

    def __init__(self) -> None:
        self._made: dict[tuple[Entry, str], Code] = {}

    def get(self, entry: Entry, pad: str, make: Callable[[], Code]) -> Code:
        """What ``make`` makes of ``entry`` behind ``pad``: once, if it is shared."""
        if not entry.shared:
            return make()
        key = entry, pad
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def object_node(definition: Definition | None, entries: Iterable[Entry]) -> Object:
    """An object of ``entries``."""
    inside = tuple(entries)
    size = depth = 0
    for each in inside:
        size += each.node.size
        depth = max(depth, each.node.depth)
    return Object(definition, inside, size + 1, depth + 1)


def list_node(item: Node) -> ListNode:
    """A list of ``item``."""
    return ListNode(item, item.size + 1, item.depth + 1)


def map_node(value: Node) -> MapNode:
    """A map that has ``value``."""
    return MapNode(_KEY, value, value.size + 1, value.depth + 1)


def to_json(node: Node) -> Any:
    """The JSON value that a tree stands for."""
    if isinstance(node, Object):
        return {each.field.name: to_json(each.node) for each in node.entries}
    if isinstance(node, ListNode):
        return [to_json(node.item)]
    if isinstance(node, MapNode):
        return {node.key: to_json(node.value)}
    return node.value
