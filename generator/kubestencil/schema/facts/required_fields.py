"""Fields that the API server always required, though older documents do not say so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows

_TABLE = "required-fields"


class RequiredFieldRow(NamedTuple):
    """A row of the table.

    ``listed`` is the first release whose document lists the field as required;
    ``validation`` the file and function of the API server that required it before.
    """

    listed: str
    definition: str
    field: str
    validation: str


def listed_since(definition: str, field: str) -> str | None:
    """The first release whose document lists a field as required that the API server
    required before; None for any other field.

    So an object without it was never accepted, and the document catches up with what
    the server does. ``definition`` is a full name, ``field`` a JSON name.
    """
    return _listed().get((definition, field))


def required_field_rows() -> Iterator[RequiredFieldRow]:
    """The rows of ``specs/required-fields.tsv``."""
    return (RequiredFieldRow(*cells) for cells in rows(_TABLE))


@cache
def _listed() -> Mapping[tuple[str, str], str]:
    return {(row.definition, row.field): row.listed for row in required_field_rows()}
