"""How printed files reach the disk."""

from generator.output.tree import (
    Drift,
    Plan,
    commit,
    compare,
    is_current,
    stage,
    workspace,
)

__all__ = ["Drift", "Plan", "commit", "compare", "is_current", "stage", "workspace"]
