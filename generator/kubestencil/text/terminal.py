"""Text for terminals: colours, and protection against control sequences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

# Characters that move the cursor, begin a control sequence, or change the direction of
# text; and bytes of file names that are no text.
_CONTROLS = r"\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_CONTROL = re.compile(f"[\\x00-\\x1f{_CONTROLS}]")
_CONTROL_OF_JSON = re.compile(f"[{_CONTROLS}]")
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


def without_controls(text: str) -> str:
    """``text`` with its line breaks, and U+FFFD for other control characters."""
    return "\n".join(map(one_line, text.split("\n")))


def escape_json(text: str) -> str:
    """JSON with escapes for the control characters that its strings may have as such."""
    return _CONTROL_OF_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def colored(text: str, role: Role) -> str:
    """``text`` in the colour or font of its role."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text
