"""Fields of kinds that cannot change once an object is there
(``specs/immutable-fields.tsv``), and those that no API server looks into
(``specs/unvalidated-fields.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows, rows_of_release
from kubestencil.schema.types import (
    GroupVersionKind,
    group_version_kind,
)
from kubestencil.source.releases import ReleaseRange

#: The paths of fields by kind.
_Paths = Mapping[GroupVersionKind, frozenset[str]]


class KindField(NamedTuple):
    """A field of a kind in some releases, with all that is inside of it.

    ``path`` has JSON names without the indexes of lists: ``spec.template``.
    """

    releases: ReleaseRange
    api_version: str
    kind: str
    path: str


def immutable_rows() -> Iterator[KindField]:
    """The rows of ``specs/immutable-fields.tsv``. Metadata is left out."""
    return rows("immutable-fields", KindField)


def unvalidated_rows() -> Iterator[KindField]:
    """The rows of ``specs/unvalidated-fields.tsv``."""
    return rows("unvalidated-fields", KindField)


@cache
def immutable_fields(release: str) -> _Paths:
    """What cannot change in a release."""
    return _paths(immutable_rows(), release)


@cache
def unvalidated_fields(release: str) -> _Paths:
    """The fields in which an API server of a release accepts what it refuses elsewhere."""
    return _paths(unvalidated_rows(), release)


def _paths(fields: Iterator[KindField], release: str) -> _Paths:
    found = rows_of_release(
        fields, release, lambda row: group_version_kind(row.api_version, row.kind)
    )
    return {kind: frozenset(row.path for row in rows) for kind, rows in found.items()}
