"""Colours and fonts of text in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, runtime_checkable

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
# Deleted and inserted words in a text without colours, as "git diff --word-diff" marks
# them.
_MARKS: Mapping[str, str] = {"del": "[-{}-]", "ins": "{{+{}+}}"}


#: What templates can do with the variable ``paint``.
PAINT_MEANING = (
    "paint(text, role) is text in the colour of its role where the report goes to a "
    "terminal: breaking, warning, safe, docs, del, ins, strong or dim"
)


@runtime_checkable
class Paint(Protocol):
    """Colours text for a terminal, or marks deleted and inserted text where there are
    no colours."""

    def __call__(self, text: str, role: Role) -> str:
        """``text`` in the colour of its role: a severity of changes, ``del``, ``ins``,
        ``strong`` or ``dim``."""
        ...


def colored(text: str, role: Role) -> str:
    """``text`` in the colour or font of its role."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text


def plain(text: str, role: Role) -> str:
    """``text`` without colours, marked where it was deleted or inserted."""
    return _MARKS[role].format(text) if role in _MARKS else text
