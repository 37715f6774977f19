"""Fields that a later version of a kind has under another name."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kubestencil.schema.facts.tables import rows
from kubestencil.schema.types import GroupVersionKind

_TABLE = "renamed-fields"


def renamed_field(kind: GroupVersionKind, path: str) -> str | None:
    """Where later versions of a kind have the field at ``path``, such as
    ``spec.backend``; None for a field that is not in the table.

    Indexes of lists are neither in ``path``, nor numbers in the result.
    """
    return _table().get((kind.group, kind.kind, path))


@cache
def _table() -> Mapping[tuple[str, str, str], str]:
    return {
        (group, kind, path): new_path for group, kind, path, new_path in rows(_TABLE)
    }
