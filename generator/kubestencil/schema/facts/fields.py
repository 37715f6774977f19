"""Fields: when types got, lost, renamed or required them, and how often they are set.

Definitions are full names, fields JSON names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import read_cells, rows
from kubestencil.schema.types import GroupVersionKind


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


def changed_field(definition: str, field: str) -> ChangedField | None:
    """When a type got or lost a field; None for a field that all its releases have, and
    for one that none has."""
    return _changed().get((definition, field))


def listed_since(definition: str, field: str) -> str | None:
    """The first release whose document lists a field as required that the API server
    required before; None for any other field.

    So an object without it was never accepted, and the document catches up with what
    the server does.
    """
    return _listed().get((definition, field))


class RenamedField(NamedTuple):
    """Where later versions of a kind have a field: ``path``, with ``[]`` for indexes of
    lists, and what has to be there as well, by path."""

    path: str
    beside: Mapping[str, str | bool]


def renamed_field(kind: GroupVersionKind, path: str) -> RenamedField | None:
    """Where later versions of a kind have the field at ``path``, such as
    ``spec.backend``; None for a field that is not in the table.

    There are no indexes of lists in ``path``.
    """
    return _renamed().get((kind.group, kind.kind, path))


def renamed_inside(kind: GroupVersionKind, path: str) -> list[str]:
    """Where later versions of a kind have what is inside of an object at ``path``."""
    return [
        renamed.path
        for (group, name, field), renamed in _renamed().items()
        if (group, name) == (kind.group, kind.kind) and field.startswith(f"{path}.")
    ]


def usage_weight(name: FieldName) -> int:
    """1 + log2 of the number of manifests with a field, rounded down; 0 for a field
    that is in none of them, such as those of custom resources."""
    return _weights().get(name, 0)


@cache
def _changed() -> Mapping[tuple[str, str], ChangedField]:
    return {(row.definition, row.field): row for row in changed_field_rows()}


@cache
def _listed() -> Mapping[tuple[str, str], str]:
    return {(row.definition, row.field): row.listed for row in required_field_rows()}


@cache
def _renamed() -> Mapping[tuple[str, str, str], RenamedField]:
    return {
        (group, kind, path): RenamedField(new_path, _values(beside))
        for group, kind, path, new_path, beside in read_cells("renamed-fields")
    }


def _values(cell: str) -> Mapping[str, str | bool]:
    texts = dict(text.split("=") for text in cell.split())
    return {path: text == "true" or text for path, text in texts.items()}


@cache
def _weights() -> Mapping[FieldName, int]:
    table = read_cells("field-usage")
    return {FieldName(*name): int(weight) for *name, weight in table}
