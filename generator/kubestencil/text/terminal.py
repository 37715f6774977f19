"""Colours and fonts of text in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

#: What text stands for: a severity, deleted or inserted text, emphasis.
Role = Literal["breaking", "warning", "safe", "docs", "del", "ins", "strong", "dim"]

# Parameters of the control sequence SGR (ECMA-48, 8.3.117).
_CODES: Mapping[Role, str] = {
    "breaking": "1;31",
    "warning": "33",
    "safe": "32",
    "docs": "36",
    "del": "9;31",
    "ins": "32",
    "strong": "1",
    "dim": "2",
}


def colored(text: str, role: Role) -> str:
    """``text`` in the colour or font of its role."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text
