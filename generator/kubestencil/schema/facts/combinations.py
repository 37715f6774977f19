"""Fields that the API server accepts only together, or not together
(``specs/combinations.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, rows


class Combination(NamedTuple):
    """A rule about the fields of a definition.

    ``condition`` has the terms of ``facts.values.Default``, all of which hold; empty for
    always. ``rule`` is ``needs``, ``forbids``, ``exactly-one-of``, ``at-most-one-of`` or
    ``at-least-one-of``; ``fields`` are JSON names. A field counts as set where it is
    neither null, nor an empty text or list; ``needs`` accepts an empty one, too.
    """

    releases: ReleaseRange
    definition: str
    condition: tuple[str, ...]
    rule: str
    fields: tuple[str, ...]


def combination_rows() -> Iterator[Combination]:
    """The rows of ``specs/combinations.tsv``."""
    return rows("combinations", Combination)


@cache
def combinations(release: str) -> Mapping[str, Sequence[Combination]]:
    """The combinations of a release by definition."""
    found: dict[str, list[Combination]] = {}
    for row in combination_rows():
        if row.releases.includes(release):
            found.setdefault(row.definition, []).append(row)
    return found
