"""The table ``changed-fields.tsv``: fields that types got or lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from kubestencil.schema.knowledge.fields import changed_field_rows
from specs.make.checkouts import Checkout

HEADER = """
Fields that types got or lost after their first release in the table, tab-separated:

  definition  full name of the type in the OpenAPI document
  field       its JSON name
  added       the first release that has the field; - where that is the first of the type
  removed     the first release of the type that no longer has it; - where all have it

Made by `python -m specs.make changed-fields` (specs/README.md) from
api/openapi-spec/swagger.json in k8s.io/kubernetes.
"""

#: Full name of a definition, and JSON name of a field.
Key = tuple[str, str]


def make_rows(
    checkouts: Sequence[Checkout], *, append: bool
) -> list[tuple[str, str, str, str]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is; the first release is then the
    one before, which is compared with.
    """
    changes = (
        {
            (row.definition, row.field): (row.added, row.removed)
            for row in changed_field_rows()
        }
        if append
        else {}
    )
    documents = [(checkout.release, checkout.document) for checkout in checkouts]
    for (_, before), (release, after) in pairwise(documents):
        _add_changes(changes, release, before["definitions"], after["definitions"])
    return sorted((*key, *releases) for key, releases in changes.items())


def _add_changes(
    changes: dict[Key, tuple[str, str]],
    release: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
) -> None:
    for name in before.keys() & after.keys():
        earlier = before[name].get("properties", {}).keys()
        later = after[name].get("properties", {}).keys()
        for field in later - earlier:
            # A field that comes back counts from then on.
            changes[name, field] = release, ""
        for field in earlier - later:
            changes[name, field] = changes.get((name, field), ("", ""))[0], release
