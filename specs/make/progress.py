"""What commands print of their progress."""

from __future__ import annotations

import sys


def report(line: str) -> None:
    """Say what a command is doing."""
    print(line, file=sys.stderr, flush=True)
