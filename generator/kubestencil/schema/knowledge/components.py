"""What is known of the components of Kubernetes: their metrics and command line flags, and
the Go code that their validator is made of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kubestencil.schema.facts.components import Flag, Metric
from kubestencil.schema.facts.strategies import (
    StrategyFacts,
    go_module_rows,
    strategy_rows,
)
from kubestencil.schema.facts.tables import rows

__all__ = ["Flag", "Metric", "StrategyFacts", "go_module_rows", "strategy_rows"]


@cache
def metrics(release: str) -> Mapping[str, Metric]:
    """The metrics of a release by name; none of one that the table does not have."""
    table = rows("metrics", Metric)
    return {row.name: row for row in table if row.releases.includes(release)}


@cache
def flags(release: str) -> Mapping[tuple[str, str], Flag]:
    """The flags of a release by component and name; none of one that the table does not
    have."""
    table = rows("flags", Flag)
    return {
        (row.component, row.name): row
        for row in table
        if row.releases.includes(release)
    }
