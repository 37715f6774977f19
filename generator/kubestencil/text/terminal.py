"""Text for a terminal: colours of ours, and no control sequence of anybody else's."""

from __future__ import annotations

import re

# What moves the cursor, starts a sequence, or turns the direction of writing.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
_BREAKS = re.compile(r"[\t\r\n]+")
_CODES = {
    "breaking": "1;31",
    "warning": "33",
    "safe": "32",
    "docs": "36",
    "del": "9;31",
    "ins": "32",
    "strong": "1",
    "dim": "2",
}


def plain(text: str) -> str:
    """``text`` on one line, with nothing in it that a terminal would obey."""
    return _CONTROL.sub("\ufffd", _BREAKS.sub(" ", text))


def painted(text: str, role: str) -> str:
    """``text`` in the colour of a role: a severity, ``del``, ``ins``, ``strong``."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text
