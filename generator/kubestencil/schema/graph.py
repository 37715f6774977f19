"""References between definitions: who refers to whom, cycles, what is reachable.

Every traversal of a document's schemas or references is here. A graph maps each name
to the names that it refers to. No function recurses over references, so that the
length of a chain does not matter.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from kubestencil.schema.kinds import list_item
from kubestencil.schema.pointer import Pointer
from kubestencil.schema.types import Definition, GroupVersionKind, Release, Schema

Graph = Mapping[str, Collection[str]]


def walk(schema: Schema, pointer: Pointer) -> Iterator[tuple[Pointer, Schema]]:
    """A schema and all schemas nested in it, each with its pointer."""
    yield pointer, schema
    if schema.items is not None:
        yield from walk(schema.items, ("items", pointer))
    if schema.values is not None:
        yield from walk(schema.values, ("additionalProperties", pointer))
    for field in schema.fields:
        yield from walk(field.schema, (field.name, ("properties", pointer)))


def references(schema: Schema) -> Iterator[str]:
    """The names of the definitions that a schema refers to, with repetitions."""
    if schema.ref is not None:
        yield schema.ref
    for inner in schema.inner():
        yield from references(inner)


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
    """The names that refer to each name of ``graph``."""
    referrers: dict[str, list[str]] = {name: [] for name in graph}
    for name, others in graph.items():
        for other in others:
            referrers.setdefault(other, []).append(name)
    return referrers


def distances(graph: Graph, start: str) -> dict[str, int]:
    """What is reachable from ``start``, and how many references away it is; nearest
    first, ``start`` included."""
    found = {start: 0}
    pending = deque([start])
    while pending:
        name = pending.popleft()
        for other in graph.get(name, ()):
            if other not in found:
                found[other] = found[name] + 1
                pending.append(other)
    return found


def reachable(graph: Graph, starts: Iterable[str]) -> set[str]:
    """What is reachable from any of ``starts``, these included."""
    found = set(starts)
    pending = list(found)
    while pending:
        for other in graph.get(pending.pop(), ()):
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def components(graph: Graph) -> list[tuple[str, ...]]:
    """The strongly connected components, each after those that it refers to.

    Names of one component refer to each other, directly or by way of others (Tarjan,
    "Depth-first search and linear graph algorithms", 1972). References to names that
    ``graph`` does not have are ignored.
    """
    found: list[tuple[str, ...]] = []
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    for start in graph:
        path = [] if start in index else [(start, iter(graph[start]))]
        while path:
            name, others = path[-1]
            if name not in index:
                index[name] = lowest[name] = len(index)
                stack.append(name)
                on_stack.add(name)
            for other in others:
                if other in graph and other not in index:
                    path.append((other, iter(graph[other])))
                    break
                if other in on_stack:
                    lowest[name] = min(lowest[name], index[other])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[name])
                if lowest[name] == index[name]:
                    first = stack.index(name)
                    component = tuple(stack[first:])
                    del stack[first:]
                    on_stack.difference_update(component)
                    found.append(component)
    return found


def cyclic_edges(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The references that are part of a cycle, by name; names without one are left
    out."""
    number = {
        name: index for index, names in enumerate(components(graph)) for name in names
    }
    edges = {
        name: tuple(other for other in others if number.get(other) == number[name])
        for name, others in graph.items()
    }
    return {name: others for name, others in edges.items() if others}


def on_or_between_cycles(graph: Graph) -> frozenset[str]:
    """The names on a cycle, or on a path from one cycle to another."""
    cyclic = cyclic_edges(graph)
    return frozenset(reachable(graph, cyclic) & reachable(reverse(graph), cyclic))


@dataclass(frozen=True, slots=True)
class RootKinds:
    """The kinds that lead to each definition, with the number of references between."""

    kinds: Mapping[str, Mapping[GroupVersionKind, int]]

    def of(self, definition: str) -> Mapping[GroupVersionKind, int]:
        """The kinds that lead to a definition; none for an unknown name."""
        return self.kinds.get(definition, {})


def root_kinds(release: Release) -> RootKinds:
    """Follow every kind of a release to all definitions that are part of it.

    A list kind leads where its items do, so that list kinds count only for what no
    other kind leads to.
    """
    graph = reference_graph(release.definitions)
    of_lists: dict[str, dict[GroupVersionKind, int]] = {}
    of_others: dict[str, dict[GroupVersionKind, int]] = {}
    for definition in release.definitions.values():
        if definition.kinds:
            is_list = list_item(definition, release.definitions) is not None
            found = of_lists if is_list else of_others
            for name, distance in distances(graph, definition.name).items():
                kinds = found.setdefault(name, {})
                for kind in definition.kinds:
                    kinds[kind] = min(distance, kinds.get(kind, distance))
    return RootKinds({**of_lists, **of_others})
