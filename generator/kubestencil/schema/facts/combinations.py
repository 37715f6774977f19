"""Fields that the API server accepts only together, or not together
(``specs/combinations.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, rows, rows_of_release


class Combination(NamedTuple):
    """A rule about the fields of a definition.

    ``condition`` has the terms of ``facts.values.Default``, all of which hold; empty for
    always. ``rule`` is ``needs``, ``forbids``, ``exactly-one-of``, ``at-most-one-of``,
    ``at-least-one-of``, or ``at-most`` and ``at-least``, which compare the first field
    with the second one; ``fields`` are JSON names. A field counts as set where it is
    neither null, nor an empty text or list; ``needs`` accepts an empty text, too.
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
def refused_fields(release: str) -> frozenset[tuple[str, str]]:
    """The fields, with their definitions, without which every object has to be."""
    return frozenset(
        (definition, field)
        for definition, found in combinations(release).items()
        for row in found
        if row.rule == "forbids" and not row.condition
        for field in row.fields
    )


@cache
def combinations(release: str) -> Mapping[str, Sequence[Combination]]:
    """The combinations of a release by definition."""
    return rows_of_release(combination_rows(), release, lambda row: row.definition)
