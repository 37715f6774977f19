"""YAML: keys and scalars that every reader takes for what they are.

A text is written plainly only where neither YAML 1.1 (PyYAML, and Kubernetes' own
reader) nor YAML 1.2 could take it for something else; all others are in double
quotes, with escapes for whatever cannot be seen.
"""

from __future__ import annotations

import json
import re
from functools import cache

# It begins with a letter, so that it is no number, date, anchor, tag or comment.
_PLAIN = re.compile(r"\$?[A-Za-z][A-Za-z0-9_./-]*\Z")
# https://yaml.org/type/bool.html and null.html, in small letters.
_WORDS = frozenset(["false", "n", "no", "null", "off", "on", "true", "y", "yes"])
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# YAML 1.2, 7.4.2: a key on the line of its value may have this many characters.
_MAX_KEY = 1024


@cache
def string(text: str) -> str:
    """A scalar that is ``text``, on one line."""
    if _PLAIN.match(text) and text.lower() not in _WORDS:
        return text
    return f'"{"".join(map(_character, text))}"'


@cache
def key(name: str, indent: str) -> str:
    """``name`` with its colon, in a line that begins with ``indent``."""
    spelled = string(name)
    if len(spelled) <= _MAX_KEY:
        return f"{spelled}:"
    return f"? {spelled}\n{indent}:"


def value(data: object) -> str:
    """A JSON value on one line."""
    if isinstance(data, str):
        return string(data)
    if isinstance(data, dict):
        # Inside of braces, a key of any length is one that is in quotes.
        inside = (f"{string(name)}: {value(data[name])}" for name in data)
        return f"{{{', '.join(inside)}}}"
    if isinstance(data, list):
        return f"[{', '.join(map(value, data))}]"
    # For YAML 1.1 a number with an exponent has a point, too.
    return re.sub(r"\A(-?\d+)e", r"\1.0e", json.dumps(data))


def _character(character: str) -> str:
    known = _ESCAPES.get(character)
    if known or character.isprintable():
        return known or character
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
