"""Fields that types of Kubernetes got or lost, and the releases in which they did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows

_TABLE = "changed-fields"


class ChangedField(NamedTuple):
    """A row of the table.

    ``added`` is the first release that has the field, empty where that is the first
    release of its type; ``removed`` the first one that no longer has it, or empty.
    """

    definition: str
    field: str
    added: str
    removed: str


def changed_field(definition: str, field: str) -> ChangedField | None:
    """When a type got or lost a field; None for a field that all its releases have, and
    for one that none has.

    ``definition`` is a full name, ``field`` a JSON name.
    """
    return _table().get((definition, field))


def changed_field_rows() -> Iterator[ChangedField]:
    """The rows of ``specs/changed-fields.tsv``."""
    return (ChangedField(*cells) for cells in rows(_TABLE))


@cache
def _table() -> Mapping[tuple[str, str], ChangedField]:
    return {(row.definition, row.field): row for row in changed_field_rows()}
