"""Text for terminals: colours, and protection against control sequences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

# Characters that move the cursor, begin a control sequence, or change the direction of
# text.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
_BREAKS = re.compile(r"[\t\r\n]+")

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


def one_line(text: str) -> str:
    """``text`` on one line, with U+FFFD for each control character."""
    return _CONTROL.sub("\ufffd", _BREAKS.sub(" ", text))


def colored(text: str, role: Role) -> str:
    """``text`` in the colour or font of its role."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text
