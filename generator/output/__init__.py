"""How printed files reach the disk."""

from generator.output.record import Record
from generator.output.tree import (
    Drift,
    Plan,
    commit,
    compare,
    is_current,
    stage,
    workspace,
)

__all__ = [
    "Drift",
    "Plan",
    "Record",
    "commit",
    "compare",
    "is_current",
    "stage",
    "workspace",
]
