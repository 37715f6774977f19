"""How printed files reach the disk."""

from generator.output.record import Record, places
from generator.output.tree import (
    Drift,
    Plan,
    commit,
    compare,
    current,
    stage,
    unchanged,
    workspace,
)

__all__ = [
    "Drift",
    "Plan",
    "Record",
    "commit",
    "compare",
    "current",
    "places",
    "stage",
    "unchanged",
    "workspace",
]
