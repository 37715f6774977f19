"""YAML keys and scalars that YAML 1.1 and 1.2 read alike.

A string has no quotes only where neither YAML 1.1 (PyYAML, Kubernetes) nor YAML 1.2
could read it as another type, or as more than a string. Others are in double quotes,
with escapes for characters that are not printable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

# Begins with a letter, so that it is no number, date, anchor, tag or comment.
_PLAIN = re.compile(r"\$?[A-Za-z][A-Za-z0-9_./-]*\Z")
# The same outside of braces and brackets, where a string may also have spaces and colons,
# be a path, a quantity (100m, 1.5Gi), an IP address or a version of three numbers.
_PLAIN_IN_BLOCK = re.compile(
    r"""
    [/$]?[A-Za-z] (?: [A-Za-z0-9_./+()<>=;*-] | :(?=[A-Za-z0-9_/]) | [ ](?=[A-Za-z0-9_./(<>=]) )*
    | /
    | [1-9][0-9]* (?:\.[0-9]+)? (?: [EPTGMK]i | [TGMkmsh] )
    | [0-9]+ (?:\.[0-9]+){2,} (?:/[0-9]+)?
    """,
    re.VERBOSE,
)
# https://yaml.org/type/bool.html and null.html, in lower case.
_RESERVED = frozenset(["false", "n", "no", "null", "off", "on", "true", "y", "yes"])
# What a literal in double quotes cannot hold as it is, and what cannot be seen.
_SPECIAL = re.compile(r'[\\"]|[^\x20-\x7e]')
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# The length limit of a key on the line of its value (YAML 1.2, section 7.4.2).
_MAX_KEY_LENGTH = 1024


def string(text: str) -> str:
    """The string ``text`` as a scalar on one line."""
    if _PLAIN.match(text) and text.lower() not in _RESERVED:
        return text
    return double_quoted(text, _escape)


def block_string(text: str) -> str:
    """The same for the value of a key or an item on a line of its own."""
    if _PLAIN_IN_BLOCK.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    return string(text)


def literal_lines(text: str) -> list[str]:
    """The lines of a literal scalar: its header, ``|`` or ``|-``, and those of a text of
    several lines, which are to be indented. Empty where the text needs escapes."""
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 2 or not all(map(_is_literal, lines)) or lines[0].startswith(" "):
        return []
    return ["|" if text.endswith("\n") else "|-", *lines]


def _is_literal(line: str) -> bool:
    """Whether a line can be part of a literal scalar, and is not empty."""
    return line.isprintable() and line == line.rstrip() != ""


def key(name: str, indent: str) -> str:
    """The key ``name`` with its colon, in a line that begins with ``indent``.

    A key that is too long for that is spread over two lines.
    """
    scalar = string(name)
    if len(scalar) <= _MAX_KEY_LENGTH:
        return f"{scalar}:"
    return f"? {scalar}\n{indent}:"


def value(data: object) -> str:
    """A JSON value on one line."""
    if isinstance(data, str):
        return string(data)
    if isinstance(data, dict):
        # Inside of braces, a key may have any length.
        entries = (f"{string(name)}: {value(data[name])}" for name in data)
        return f"{{{', '.join(entries)}}}"
    if isinstance(data, list):
        return f"[{', '.join(map(value, data))}]"
    # In YAML 1.1, a number with an exponent needs a point, too.
    return re.sub(r"\A(-?\d+)e", r"\1.0e", json.dumps(data))


def double_quoted(text: str, escape: Callable[[int], str]) -> str:
    """``text`` in double quotes, with the escapes of YAML and of most languages;
    ``escape`` spells a code point that is not printable."""

    def replacement(match: re.Match[str]) -> str:
        character = match[0]
        if character in _SHORT_ESCAPES:
            return _SHORT_ESCAPES[character]
        return character if character.isprintable() else escape(ord(character))

    return f'"{_SPECIAL.sub(replacement, text)}"'


def four_or_eight_digits(code: int) -> str:
    """The escape of a code point in YAML and many languages."""
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code <= 0xFF else four_or_eight_digits(code)


def dump_all(documents: Iterable[Any]) -> str:
    """Values of JSON as YAML documents, whose keys keep their order."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes what YAML 1.1 or 1.2 could read as another type."""

    def represent_string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = "|" if literal_lines(text) else None
        if style is None and block_string(text) != text:
            style = '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)

    Dumper.add_representer(str, represent_string)
    return yaml.dump_all(
        documents, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1_000_000
    )
