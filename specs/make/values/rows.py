"""The facts of fields as the tables have them: what is known before a release is asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from kubestencil.schema.knowledge.snapshots import base_of, differences
from kubestencil.schema.knowledge.tables import ranged_cells
from kubestencil.source.releases import ReleaseRange, release_order
from specs.make.documents import listed_release

#: A definition, a field, a context, and a condition or a rule.
Key = tuple[str, str, str, str]
#: A value, and how it was found.
Found = tuple[str, str]


class Known(NamedTuple):
    """What the tables say before a release is asked.

    ``limits`` are the values that any release has, those of the nearest one first.
    ``defaults`` are the facts of the release itself, or of the one that it is based on.
    ``fields`` are those of the documents of both that were looked at before, with their
    definitions.
    """

    limits: Mapping[Key, Sequence[str]]
    defaults: Mapping[Key, Found]
    fields: Set[tuple[str, str]]

    @classmethod
    def of(cls, release: str) -> Known:
        """What is known of a release."""
        defaults: dict[Key, Found] = {
            (definition, field, context, condition): (value, found)
            for definition, field, context, condition, value, found in rows_of(
                release, "defaults", 4
            )
        }
        return cls(_limits(release), defaults, _fields(release))


def rows_of(release: str, table: str, keys: int) -> Iterator[tuple[str, ...]]:
    """The rows of a release, or, where it was not looked at, of its base: ``keys`` cells
    say what they are about."""
    asked = differences(table)
    name = release if release in asked else base_of(release, asked)
    for releases, cells in ranged_cells(table, keys):
        if name is not None and releases.includes(name):
            yield tuple(cells)


def _limits(release: str) -> Mapping[Key, Sequence[str]]:
    minor = release_order(release)[1]

    def distance(releases: ReleaseRange) -> int:
        if releases.includes(release):
            return 0
        return abs(release_order(releases.first)[1] - minor)

    found: dict[Key, list[str]] = defaultdict(list)
    rows = sorted(ranged_cells("limits", 4), key=lambda row: distance(row[0]))
    for _, (definition, field, context, rule, value, _) in rows:
        found[definition, field, context, rule].append(value)
    return found


def _fields(release: str) -> Set[tuple[str, str]]:
    """The fields of the newest document that was looked at, up to a release."""
    asked = differences("limits")
    name = release if release in asked else base_of(release, asked)
    document = listed_release(name) if name else None
    return {
        (definition.name, field)
        for definition in (document.definitions.values() if document else ())
        for field in definition.schema.field_names
    }


def cell_of_values(values: Iterable[str]) -> str:
    """Values as a cell of a table, sorted."""
    return " ".join(value.replace(" ", "%20") or '""' for value in sorted(values))
