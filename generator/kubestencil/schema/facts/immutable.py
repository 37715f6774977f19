"""Fields that cannot change once an object is there (``specs/immutable-fields.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, group_version_kind, rows
from kubestencil.schema.types import GroupVersionKind


class ImmutableField(NamedTuple):
    """A field of a kind that an API server refuses to change in some releases.

    ``path`` has JSON names without the indexes of lists: ``spec.template``. All that is
    inside of the field cannot change either. Metadata is left out.
    """

    releases: ReleaseRange
    api_version: str
    kind: str
    path: str


def immutable_rows() -> Iterator[ImmutableField]:
    """The rows of ``specs/immutable-fields.tsv``."""
    return rows("immutable-fields", ImmutableField)


@cache
def immutable_fields(release: str) -> Mapping[GroupVersionKind, frozenset[str]]:
    """The paths of fields that cannot change in a release, by kind."""
    paths: dict[GroupVersionKind, set[str]] = {}
    for row in immutable_rows():
        if row.releases.includes(release):
            kind = group_version_kind(row.api_version, row.kind)
            paths.setdefault(kind, set()).add(row.path)
    return {kind: frozenset(found) for kind, found in paths.items()}


def is_immutable(release: str, kind: GroupVersionKind, path: str) -> bool:
    """Whether a field, or one that it is inside of, cannot change."""
    known = immutable_fields(release).get(kind, frozenset())
    parts = path.split(".")
    return any(".".join(parts[: end + 1]) in known for end in range(len(parts)))
