"""Fields: when types got, lost, renamed or required them, and how often they are set.

Definitions are full names, fields JSON names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows


class ChangedField(NamedTuple):
    """A field that a type got or lost.

    ``added`` is the first release that has the field, empty where that is the first
    release of its type; ``removed`` the first one that no longer has it, or empty.
    """

    definition: str
    field: str
    added: str
    removed: str


class RequiredField(NamedTuple):
    """A field that the API server always required, though older documents do not say so.

    ``listed`` is the first release whose document lists the field as required;
    ``validation`` the file and function of the API server that required it before.
    """

    listed: str
    definition: str
    field: str
    validation: str


class FieldName(NamedTuple):
    """A field of a type in any version, or the type itself, where ``field`` is empty.

    ``group`` is that of the type's package: ``rbac``, not rbac.authorization.k8s.io.
    """

    group: str
    type: str
    field: str


def changed_field_rows() -> Iterator[ChangedField]:
    """The rows of ``specs/changed-fields.tsv``."""
    return rows("changed-fields", ChangedField)


def required_field_rows() -> Iterator[RequiredField]:
    """The rows of ``specs/required-fields.tsv``."""
    return rows("required-fields", RequiredField)


class RenamedField(NamedTuple):
    """Where later versions of a kind have a field: ``path``, with ``[]`` for indexes of
    lists, and what has to be there as well, by path."""

    path: str
    beside: Mapping[str, str | bool]
