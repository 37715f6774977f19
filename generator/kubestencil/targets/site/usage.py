"""Where each type is used: in which types, and in which kinds by which path."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.graph import references
from kubestencil.targets.site.field_paths import fields_of

#: How many kinds a page lists that its type is part of. Kubernetes has fewer, and the
#: search weighs no more (``assets/find.js``). Where all kinds refer to each other, all
#: pages would have all kinds.
MAX_KINDS = 255
# The references from a kind to a type that it lists, more than any known kind has.
_MAX_REFERENCES = 40


class FieldUse(NamedTuple):
    """A use of a type: the full name of a definition, and the path of the field in it
    that has the type."""

    definition: str
    path: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The uses of each type of a release, by its definition's full name.

    ``referenced_by`` has the fields that refer to it, ``used_in`` the kinds that it is
    part of, each with the shortest path to it (``spec.template.spec``): the first
    ``MAX_KINDS`` that are not too far away.
    """

    referenced_by: Mapping[str, Sequence[FieldUse]]
    used_in: Mapping[str, Sequence[FieldUse]]


def find_usage(release: Release, kinds: Collection[str]) -> Usage:
    """The usage of the types of a release; ``kinds`` are the full names of the kinds'
    definitions."""
    graph = {
        name: _referring_fields(definition)
        for name, definition in release.definitions.items()
    }
    referenced_by: dict[str, list[FieldUse]] = {}
    for name, fields_by_reference in graph.items():
        for reference, fields in fields_by_reference.items():
            uses = referenced_by.setdefault(reference, [])
            uses += (FieldUse(name, field) for field in fields)
    used_in: dict[str, list[FieldUse]] = {}
    for kind in kinds:
        for name, path in _parts(graph, kind, used_in):
            used_in.setdefault(name, []).append(FieldUse(kind, path))
    return Usage(referenced_by, used_in)


def _parts(
    graph: Mapping[str, Mapping[str, Sequence[str]]],
    kind: str,
    used_in: Mapping[str, Sequence[FieldUse]],
) -> Iterator[tuple[str, str]]:
    """The types that a kind is made of, nearest first, each with the path to it.

    Types that are listed in enough kinds are left out, with those that they refer to:
    these are in the same kinds. So the time is in proportion to the document.
    """
    reached = {kind}
    level = [(kind, "")]
    for _ in range(_MAX_REFERENCES):
        next_level: list[tuple[str, str]] = []
        for referrer, prefix in level:
            for name, fields in graph[referrer].items():
                if name in reached or len(used_in.get(name, ())) == MAX_KINDS:
                    continue
                reached.add(name)
                path = f"{prefix}.{fields[0]}" if prefix else fields[0]
                yield name, path
                next_level.append((name, path))
        level = next_level


def _referring_fields(definition: Definition) -> Mapping[str, Sequence[str]]:
    """The definitions that one refers to, each with the names of the fields that do."""
    fields: dict[str, list[str]] = {}
    for field in fields_of(definition.schema):
        for name in dict.fromkeys(references(field.schema)):
            fields.setdefault(name, []).append(field.name)
    return fields
