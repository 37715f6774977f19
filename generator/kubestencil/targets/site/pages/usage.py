"""Where each type is used: in which types, and in which kinds by which paths."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
#: The paths from a kind to a type that a page lists.
MAX_PATHS = 3


class Use(NamedTuple):
    """Where a type is used: the full name of a definition, and the paths of fields in
    it that have the type (``spec.template.spec``), at least one. ``has_more`` says
    whether there are others."""

    definition: str
    paths: tuple[str, ...]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Usage:
    """The uses of each type of a release, by its definition's full name.

    ``referenced_by`` has the types that refer to it, with all of their fields that do.
    ``used_in`` has the kinds that it is part of, with the shortest paths to it: the
    first ``MAX_KINDS`` that are not too far away.
    """

    referenced_by: Mapping[str, Sequence[Use]]
    used_in: Mapping[str, Sequence[Use]]


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
            use = Use(name, tuple(fields), has_more=False)
            referenced_by.setdefault(reference, []).append(use)
    used_in: dict[str, list[Use]] = {}
    for kind in kinds:
        for name, paths in _paths_inside(graph, kind, used_in).items():
            use = Use(kind, tuple(paths[:MAX_PATHS]), len(paths) > MAX_PATHS)
            used_in.setdefault(name, []).append(use)
    return Usage(referenced_by, used_in)


def _paths_inside(
    graph: _Graph, kind: str, used_in: Mapping[str, Sequence[Use]]
) -> Mapping[str, Sequence[str]]:
    """The types that a kind is made of, nearest first, each with the shortest paths to
    it, and one more if there is one: also where a type contains itself.

    Types that are listed in enough kinds are left out, with those that they refer to:
    these are in the same kinds. So the time is in proportion to the document.
    """
    paths: dict[str, list[str]] = {}
    level = [(kind, "")]
    for _ in range(_MAX_REFERENCES):
        found: dict[str, list[str]] = {}
        for referrer, prefix in level:
            for name, fields in graph[referrer].items():
                is_listed = len(used_in.get(name, ())) == MAX_KINDS
                if (
                    name != kind
                    and not is_listed
                    and len(paths.get(name, ())) <= MAX_PATHS
                ):
                    found.setdefault(name, []).extend(
                        prefix + field for field in fields
                    )
        level = []
        for name, longer in found.items():
            known = paths.setdefault(name, [])
            shortest = sorted(longer)[: MAX_PATHS + 1 - len(known)]
            known += shortest
            level += [(name, f"{path}.") for path in shortest]
    return paths


def inline_places(release: Release) -> Mapping[str, tuple[str, str]]:
    """Where inline objects are that have names: the definition that the document has them
    in, and the path from it, such as ``spec.issuerRef``."""
    places: dict[str, tuple[str, str]] = {}
    # An object comes before those inside of it.
    for name, definition in release.definitions.items():
        owner, outer = places.get(name, (name, ""))
        for inner, (field, *_) in referring_fields(definition).items():
            if inner in release.inline_definitions:
                places[inner] = owner, f"{outer}.{field}" if outer else field
    return places


def referring_fields(definition: Definition) -> Mapping[str, Sequence[str]]:
    """The definitions that one refers to, each with the names of the fields that do."""
    fields: dict[str, list[str]] = {}
    for field in fields_of(definition.schema):
        for name in dict.fromkeys(references(field.schema)):
            fields.setdefault(name, []).append(field.name)
    return fields
