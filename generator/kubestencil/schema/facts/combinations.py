"""Fields that the API server accepts only together, or not together
(``specs/combinations.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows
from kubestencil.source.releases import ReleaseRange


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
