"""How printed files reach the disk."""

from generator.output.record import Record
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
    "stage",
    "unchanged",
    "workspace",
]
