"""Python string literals and docstrings, written so that black leaves them unchanged."""

from __future__ import annotations

import re
from functools import cache

#: The length of a line in generated Python, which is black's default.
LINE_LENGTH = 88

# What needs an escape in a literal: quotes, backslashes, and everything but printable
# ASCII, of which _escape keeps what is printable.
_SPECIAL = re.compile(r'[\\"]|[^ -~]')
_SPECIAL_IN_DOCSTRING = re.compile(r'\\|"""|[^\n -~]')


@cache
def literal(text: str) -> str:
    """``text`` as a string literal in double quotes, on one line."""
    return f'"{_SPECIAL.sub(_escape, text)}"'


@cache
def docstring(text: str, indent: int) -> str:
    """``text`` as a docstring that begins in column ``indent``.

    Long lines are broken at spaces. Empty where ``text`` is empty or only white space.
    """
    text = text.replace("\r\n", "\n").replace("\t", "    ").strip()
    if not text:
        return ""
    # A quote next to the delimiter would become a part of it, or black would add a
    # space between them.
    opening = '"""\n' if text[0] == '"' else '"""'
    closing = ' """' if text[-1] == '"' else '"""'
    text = opening + _SPECIAL_IN_DOCSTRING.sub(_escape, text)
    lines = _wrap(text, LINE_LENGTH - indent - len(closing))
    if len(lines) == 1:
        return text + closing
    first, *others = lines
    common = min((_indentation(line) for line in others if line), default=0)
    margin = " " * indent
    body = (margin + line[common:] if line else "" for line in others)
    return "\n".join([first, *body, f'{margin}"""'])


def _escape(match: re.Match[str]) -> str:
    """The escape sequence for a piece of text that needs one.

    A quote is written as a number, since black would otherwise change the delimiters
    around it.
    """
    text = match[0]
    if text == "\\":
        return "\\\\"
    if text == '"""':
        return '\\"\\"\\"'
    if text == '"':
        return "\\x22"
    if text.isprintable():
        return text
    code = ord(text)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _wrap(text: str, width: int) -> list[str]:
    """The lines of ``text``, long ones broken into pieces of up to ``width`` columns."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= width:
            lines.append(line.rstrip())
            continue
        # A deeper margin would be repeated in each piece, and leave no room for words.
        margin = " " * min(_indentation(line), width // 2)
        line = margin + line.lstrip()
        while len(line) > width:
            cut = line.rfind(" ", len(margin), width + 1)
            if cut <= len(margin):
                cut = line.find(" ", width)
            if cut < 0:
                break
            lines.append(line[:cut].rstrip())
            line = margin + line[cut:].lstrip()
        lines.append(line.rstrip())
    return lines


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
