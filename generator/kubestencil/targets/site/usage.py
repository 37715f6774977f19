"""Where each type is used: in which types, and in which kinds by which path."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.schema import Definition, Release
from kubestencil.schema.graph import breadth_first, references
from kubestencil.targets.site.field_paths import fields_of


class FieldUse(NamedTuple):
    """A use of a type: the full name of a definition, and the path of the field in it
    that has the type."""

    definition: str
    path: str


@dataclass(frozen=True, slots=True)
class Usage:
    """The uses of each type of a release, by its definition's full name.

    ``referenced_by`` has the fields that refer to it, ``used_in`` the kinds that it is
    part of, each with the shortest path to it (``spec.template.spec``).
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
        paths = {kind: ""}
        for referrer, name in breadth_first(graph, kind):
            if name != kind:
                field = graph[referrer][name][0]
                paths[name] = f"{paths[referrer]}.{field}" if paths[referrer] else field
                used_in.setdefault(name, []).append(FieldUse(kind, paths[name]))
    return Usage(referenced_by, used_in)


def _referring_fields(definition: Definition) -> Mapping[str, Sequence[str]]:
    """The definitions that one refers to, each with the names of the fields that do."""
    fields: dict[str, list[str]] = {}
    for field in fields_of(definition.schema):
        for name in dict.fromkeys(references(field.schema)):
            fields.setdefault(name, []).append(field.name)
    return fields
