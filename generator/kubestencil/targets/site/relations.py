"""Who has a type in it: the types directly, and the kinds by which way."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kubestencil.schema import Release
from kubestencil.schema.graph import references
from kubestencil.targets.site.fields import fields_of


@dataclass(frozen=True, slots=True)
class Relations:
    """Uses of every type of a release, by the full names of definitions.

    ``users`` are the types that have one as a field, with the fields' names;
    ``ways`` the kinds that lead to it, each with the shortest way there
    (``spec``, ``template``, ``spec``).
    """

    users: Mapping[str, Sequence[tuple[str, str]]]
    ways: Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]


def relations(release: Release, kinds: Collection[str]) -> Relations:
    """The relations in a release, of whose definitions ``kinds`` are kinds of their
    own."""
    edges = {
        name: [
            (field.name, ref)
            for field in fields_of(each.schema)
            for ref in dict.fromkeys(references(field.schema))
        ]
        for name, each in release.definitions.items()
    }
    users: dict[str, list[tuple[str, str]]] = {}
    for name, fields in edges.items():
        for field, ref in fields:
            users.setdefault(ref, []).append((name, field))
    ways: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for kind in kinds:
        for name, way in _ways(kind, edges).items():
            ways.setdefault(name, []).append((kind, way))
    return Relations(users, ways)


def _ways(
    start: str, edges: Mapping[str, Sequence[tuple[str, str]]]
) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {start: ()}
    pending = deque([start])
    while pending:
        name = pending.popleft()
        for field, ref in edges[name]:
            if ref not in found:
                found[ref] = (*found[name], field)
                pending.append(ref)
    del found[start]
    return found
