"""References between definitions: referrers, cycles, reachability, distances.

A graph maps each name to the names that it refers to. The functions on graphs take
time in proportion to the size of the graph and do not recurse, so that chains of
references may be of any length. Only ``walk`` and ``references`` recurse, over the
schemas nested in one definition, whose depth the reader limits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from kubestencil.schema.kinds import list_item
from kubestencil.schema.pointer import Pointer
from kubestencil.schema.types import Definition, GroupVersionKind, Release, Schema

Graph = Mapping[str, Collection[str]]


def walk(schema: Schema, pointer: Pointer) -> Iterator[tuple[Pointer, Schema]]:
    """A schema and all schemas nested in it, each with its pointer; ``pointer`` is
    that of ``schema``."""
    yield pointer, schema
    for keyword, name, part in schema.parts():
        inner: Pointer = (keyword, pointer)
        yield from walk(part, (name, inner) if keyword == "properties" else inner)


def references(schema: Schema) -> Iterator[str]:
    """The names of the definitions that a schema and those nested in it refer to,
    with repetitions."""
    names: list[str] = []
    _add_references(schema, names)
    return iter(names)


def _add_references(schema: Schema, names: list[str]) -> None:
    # Generators inside of each other would take several times as long.
    _, _, _, _, ref, items, values, fields = schema
    if ref is not None:
        names.append(ref)
    if items is not None:
        _add_references(items, names)
    if values is not None:
        _add_references(values, names)
    for _, nested, _ in fields:
        _add_references(nested, names)


def reference_graph(
    definitions: Mapping[str, Definition],
) -> dict[str, tuple[str, ...]]:
    """The definitions that each definition refers to, without repetitions, in the
    order of the document."""
    return {
        name: tuple(dict.fromkeys(references(definition.schema)))
        for name, definition in definitions.items()
    }


def reverse(graph: Graph) -> dict[str, list[str]]:
    """The names that refer to each name, in the order of ``graph``.

    Names that ``graph`` only refers to have an entry, too.
    """
    referrers: dict[str, list[str]] = {name: [] for name in graph}
    for name, targets in graph.items():
        for target in targets:
            referrers.setdefault(target, []).append(name)
    return referrers


def breadth_first(graph: Graph, start: str) -> Iterator[tuple[str, str]]:
    """The names that are reachable from ``start``, nearest first, each with a name that
    refers to it: pairs of referrer and name.

    ``start`` is among the names only where it is on a cycle.
    """
    reached: set[str] = set()
    pending = deque([start])
    while pending:
        referrer = pending.popleft()
        for name in graph.get(referrer, ()):
            if name not in reached:
                reached.add(name)
                yield referrer, name
                if name != start:
                    pending.append(name)


def distances(graph: Graph, start: str) -> dict[str, int]:
    """The names that are reachable from ``start``, nearest first, and the number of
    references to each; ``start`` itself has the distance 0."""
    distance = {start: 0}
    for referrer, name in breadth_first(graph, start):
        distance.setdefault(name, distance[referrer] + 1)
    return distance


def reachable(graph: Graph, starts: Iterable[str]) -> set[str]:
    """The names that are reachable from any of ``starts``, these included."""
    names = set(starts)
    pending = list(names)
    while pending:
        for target in graph.get(pending.pop(), ()):
            if target not in names:
                names.add(target)
                pending.append(target)
    return names


def components(graph: Graph) -> list[tuple[str, ...]]:
    """The strongly connected components, each after those that it refers to.

    The names of one component refer to each other, directly or through others.
    References to names that ``graph`` does not have are ignored. The algorithm is
    Tarjan's ("Depth-first search and linear graph algorithms", 1972), with a path of
    iterators instead of recursion.
    """
    result: list[tuple[str, ...]] = []
    # Of each visited name: when it was visited, and the first visited name of its
    # component that is known to be reachable from it.
    visited: dict[str, int] = {}
    lowest: dict[str, int] = {}
    # The visited names whose component is not complete yet.
    open_names: dict[str, None] = {}
    for start in graph:
        path = [] if start in visited else [(start, iter(graph[start]))]
        while path:
            name, targets = path[-1]
            if name not in visited:
                visited[name] = lowest[name] = len(visited)
                open_names[name] = None
            for target in targets:
                if target in graph and target not in visited:
                    path.append((target, iter(graph[target])))
                    break
                if target in open_names:
                    lowest[name] = min(lowest[name], visited[target])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[name])
                if lowest[name] == visited[name]:
                    result.append(_pop_component(open_names, name))
    return result


def _pop_component(open_names: dict[str, None], first: str) -> tuple[str, ...]:
    """Remove the names from ``first`` to the last and return them in this order."""
    component: list[str] = []
    while not component or component[-1] != first:
        component.append(open_names.popitem()[0])
    return tuple(reversed(component))


def cyclic_edges(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The references that are part of a cycle, by the name that has them; names
    without such references are left out."""
    component = {
        name: index for index, names in enumerate(components(graph)) for name in names
    }
    edges = {
        name: tuple(
            target for target in targets if component.get(target) == component[name]
        )
        for name, targets in graph.items()
    }
    return {name: targets for name, targets in edges.items() if targets}


def on_or_between_cycles(graph: Graph) -> frozenset[str]:
    """The names on a cycle, or on a path from one cycle to another."""
    cyclic = cyclic_edges(graph)
    return frozenset(reachable(graph, cyclic) & reachable(reverse(graph), cyclic))


class RootKinds:
    """The kinds that each definition of a release is part of.

    ``graph`` is the reference graph of the release.
    """

    def __init__(self, release: Release, graph: Graph) -> None:
        self._definitions = release.definitions
        self._referrers = reverse(graph)
        # What every group serves (DeleteOptions, WatchEvent) counts as one kind.
        self._served = {
            name: (min(definition.kinds), list_item(definition, release.definitions))
            for name, definition in release.definitions.items()
            if definition.kinds
        }
        self._kinds = cache(self._search)

    def of(self, definition: str) -> Mapping[GroupVersionKind, int]:
        """The kinds from which a definition is reachable, each with the number of
        references in between; none for an unknown name.

        List kinds are left out where there are others, because all that is reachable
        from a list's items is reachable from the kind of the items.
        """
        return self._kinds(definition) if definition in self._definitions else {}

    def _search(self, name: str) -> Mapping[GroupVersionKind, int]:
        list_kinds: dict[GroupVersionKind, int] = {}
        other_kinds: dict[GroupVersionKind, int] = {}
        for referrer, distance in distances(self._referrers, name).items():
            if referrer in self._served:
                kind, item = self._served[referrer]
                kinds = other_kinds if item is None else list_kinds
                # The nearest definitions come first.
                kinds.setdefault(kind, distance)
        return other_kinds or list_kinds
