"""The strategies of API servers: ``specs/strategies.tsv``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, rows


class StrategyFacts(NamedTuple):
    """The Go code that prepares and validates objects of a kind in some releases.

    ``expression`` is a variable or a call of a constructor in ``package``; ``types`` is
    the package that adds the types of the group to a scheme. Group and kind are ``*``
    for custom resources.
    """

    releases: ReleaseRange
    group: str
    kind: str
    package: str
    expression: str
    types: str

    @property
    def is_custom(self) -> bool:
        """Whether the row is about all custom resources."""
        return self.kind == "*"


def strategy_rows() -> Iterator[StrategyFacts]:
    """The rows of the table, sorted by group, kind and release."""
    return rows("strategies", StrategyFacts)
