"""Example values as trees, which the writer of each language turns into code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from kubestencil.schema import Definition, Field

Code = TypeVar("Code")


# Nodes are compared by identity, not by content: many examples share them, and a
# writer caches the code of shared ones.
@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A string, number or boolean, or an empty object or list of any type."""

    value: Any
    size: ClassVar[int] = 1
    depth: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A field with its value. A ``shared`` entry is part of several examples."""

    field: Field
    node: Node
    shared: bool


@dataclass(frozen=True, slots=True, eq=False)
class Object:
    """An object. ``definition`` is None where the schema is inline, without a name."""

    definition: Definition | None
    entries: tuple[Entry, ...]
    size: int
    depth: int


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


# More than the examples of a release of Kubernetes have. Those of a large catalogue of
# custom resources share little beyond one kind.
_CACHED_FRAGMENTS = 50_000


class FragmentCache(Generic[Code]):
    """Caches the code of entries that several examples share."""

    def __init__(self) -> None:
        self._fragments: dict[tuple[Entry, str], Code] = {}

    def clear(self) -> None:
        """Drop all code."""
        self._fragments.clear()

    def get(self, entry: Entry, indent: str, write: Callable[[], Code]) -> Code:
        """The code of ``entry`` at an indentation; ``write`` is called unless a
        shared entry has been written at that indentation before."""
        if not entry.shared:
            return write()
        key = entry, indent
        code = self._fragments.get(key)
        if code is None:
            code = write()
            if len(self._fragments) >= _CACHED_FRAGMENTS:
                self._fragments.clear()
            self._fragments[key] = code
        return code


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
    if isinstance(node, Object):
        return {entry.field.name: to_json(entry.node) for entry in node.entries}
    if isinstance(node, ListNode):
        return [to_json(item) for item in node.items]
    if isinstance(node, MapNode):
        return {key: to_json(value) for key, value in node.items}
    return node.value
