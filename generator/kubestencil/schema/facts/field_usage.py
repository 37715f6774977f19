"""How often public manifests set a field: ``specs/field-usage.tsv``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows

_TABLE = "field-usage"


class FieldName(NamedTuple):
    """A field of a type in any version, or the type itself, where ``field`` is empty.

    ``group`` is that of the type's package: ``rbac``, not rbac.authorization.k8s.io.
    """

    group: str
    type: str
    field: str


def usage_weight(name: FieldName) -> int:
    """1 + log2 of the number of manifests with a field, rounded down; 0 for a field
    that is in none of them, such as those of custom resources."""
    return _table().get(name, 0)


@cache
def _table() -> Mapping[FieldName, int]:
    return {
        FieldName(group, type_name, field): int(weight)
        for group, type_name, field, weight in rows(_TABLE)
    }
