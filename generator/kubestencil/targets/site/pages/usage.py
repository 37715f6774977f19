"""Where each type is used: in which types, and in which kinds by which paths."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.graph import references
from kubestencil.targets.site.fields.paths import fields_of

#: How many kinds a page lists that its type is part of. Kubernetes has fewer, and the
#: search weighs no more (``assets/find.js``). Where all kinds refer to each other, all
#: pages would have all kinds.
MAX_KINDS = 255
# The references from a kind to a type that it lists, more than any known kind has.
_MAX_REFERENCES = 40
# The paths from a kind to a type that a page lists; of the others it has the number.
_MAX_PATHS = 3
#: More paths are not counted: their number can double with every reference.
MAX_COUNTED_PATHS = 1_000


class Use(NamedTuple):
    """Where a type is used: the full name of a definition, and the paths of fields in
    it that have the type (``spec.template.spec``), at least one.

    ``path_count`` is the number of all paths, not above ``MAX_COUNTED_PATHS``; None
    where there is no limit, since a type on a path contains itself.
    """

    definition: str
    paths: tuple[str, ...]
    path_count: int | None


@dataclass(frozen=True, slots=True)
class Usage:
    """The uses of each type of a release, by its definition's full name.

    ``referenced_by`` has the types that refer to it, with all of their fields that do.
    ``used_in`` has the kinds that it is part of, with the shortest paths to it: the
    first ``MAX_KINDS`` that are not too far away.
    """

    referenced_by: Mapping[str, Sequence[Use]]
    used_in: Mapping[str, Sequence[Use]]


class _Paths(NamedTuple):
    """Paths to a type, each with its length, shortest first, and their number."""

    shortest: tuple[tuple[int, str], ...]
    total: int


_Graph = Mapping[str, Mapping[str, Sequence[str]]]


def find_usage(release: Release, kinds: Collection[str]) -> Usage:
    """The usage of the types of a release; ``kinds`` are the full names of the kinds'
    definitions."""
    graph = {
        name: referring_fields(definition)
        for name, definition in release.definitions.items()
    }
    referenced_by: dict[str, list[Use]] = {}
    for name, fields_by_reference in graph.items():
        for reference, fields in fields_by_reference.items():
            use = Use(name, tuple(fields), len(fields))
            referenced_by.setdefault(reference, []).append(use)
    used_in: dict[str, list[Use]] = {}
    for kind in kinds:
        parts = _parts(graph, kind, used_in)
        paths = _paths(graph, kind, parts)
        for name, first_path in parts.items():
            use = Use(kind, (first_path,), None)
            if name in paths:
                shortest, count = paths[name]
                use = Use(kind, tuple(path for _, path in shortest), count)
            used_in.setdefault(name, []).append(use)
    return Usage(referenced_by, used_in)


def _parts(
    graph: _Graph, kind: str, used_in: Mapping[str, Sequence[Use]]
) -> Mapping[str, str]:
    """The types that a kind is made of, nearest first, each with a shortest path to it.

    Types that are listed in enough kinds are left out, with those that they refer to:
    these are in the same kinds. So the time is in proportion to the document.
    """
    parts: dict[str, str] = {}
    level = [(kind, "")]
    for _ in range(_MAX_REFERENCES):
        next_level: list[tuple[str, str]] = []
        for referrer, prefix in level:
            for name, fields in graph[referrer].items():
                is_listed = len(used_in.get(name, ())) == MAX_KINDS
                if name == kind or name in parts or is_listed:
                    continue
                parts[name] = f"{prefix}{fields[0]}"
                next_level.append((name, f"{parts[name]}."))
        level = next_level
    return parts


def _paths(graph: _Graph, kind: str, parts: Collection[str]) -> Mapping[str, _Paths]:
    """The paths from a kind to each of its parts; without those parts that are on a
    cycle of references, or behind one.

    A type is visited once all types that refer to it are (Kahn, "Topological sorting of
    large networks", 1962): those on a cycle never are.
    """
    names = {kind, *parts}
    missing = dict.fromkeys(names, 0)
    for name in names:
        for target in graph[name]:
            if target in missing:
                missing[target] += 1
    # A kind that is part of itself begins its paths all the same.
    missing[kind] = 0
    paths = {kind: _Paths(((0, ""),), 1)}
    incoming: dict[str, list[tuple[_Paths, Sequence[str]]]] = {}
    ready = deque([kind])
    while ready:
        referrer = ready.popleft()
        for name, fields in graph[referrer].items():
            if name not in missing or name == kind:
                continue
            incoming.setdefault(name, []).append((paths[referrer], fields))
            missing[name] -= 1
            if not missing[name]:
                paths[name] = _joined(incoming.pop(name))
                ready.append(name)
    return paths


def _joined(incoming: Iterable[tuple[_Paths, Sequence[str]]]) -> _Paths:
    """The paths to a type, from those to its referrers and the fields there."""
    # Most types have so few that heapq.nsmallest takes twice as long.
    all_paths = sorted(
        (length + 1, f"{path}.{field}" if path else field)
        for paths, fields in incoming
        for length, path in paths.shortest
        for field in fields[:_MAX_PATHS]
    )
    count = sum(paths.total * len(fields) for paths, fields in incoming)
    return _Paths(tuple(all_paths[:_MAX_PATHS]), min(count, MAX_COUNTED_PATHS))


def referring_fields(definition: Definition) -> Mapping[str, Sequence[str]]:
    """The definitions that one refers to, each with the names of the fields that do."""
    fields: dict[str, list[str]] = {}
    for field in fields_of(definition.schema):
        for name in dict.fromkeys(references(field.schema)):
            fields.setdefault(name, []).append(field.name)
    return fields
