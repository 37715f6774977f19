"""Parses single lines of block YAML, for ``yaml_block``.

CustomResourceDefinitions repeat themselves: six of seven lines of real ones were read
before, in the same file or in another one. Each different line is parsed once.
"""

from __future__ import annotations

import re
import sys
from enum import IntEnum
from typing import Any, NamedTuple

from kubestencil.source.yaml.scalars import (
    NOT_FINITE,
    RESOLVABLE,
    as_json_number,
    key_text,
    resolve,
)

# The indentation, the dashes of lists, and a key with its value, or a value alone.
_LINE = re.compile(
    r"( *)((?:-(?: +|\Z))*)"
    r"(?:((?:[\w$./]|-(?=\w))[\w$./:@+-]{0,200}|\"[^\"\\]{1,200}\"|'[^']{1,200}'):(?: +|\Z)|)"
    r"(.*)",
)
# The first character of a plain scalar; a dash is one where no space follows.
_PLAIN = re.compile(r"[\w$./+~<=()^;\\]|-[^ ]")
# Some 20 MB of lines as long as those of descriptions.
_MAX_LINES = 65_536


class UnusualYamlError(Exception):
    """A text that is not the YAML which ``yaml_block`` reads; it may still be YAML."""


class Form(IntEnum):
    """What a line is.

    ``KEY`` is a key without a value, ``FIELD`` one with a scalar, ``ITEM`` a dash with a
    scalar. ``TEXT`` can only continue the plain scalar of a line before. ``OTHER`` is
    everything else; its value may be invalid, or go on in the next lines.
    """

    EMPTY = 0
    COMMENT = 1
    KEY = 2
    FIELD = 3
    ITEM = 4
    TEXT = 5
    OTHER = 6


class Line(NamedTuple):
    """A line of block YAML.

    ``column`` is its indentation, ``dashes`` are those of list items, with their
    spaces. ``key`` is as it is in the line, ``name`` what it means; both are None of a
    line without a key, and ``name`` of keys that are not usual. ``text`` is what follows,
    of a ``FIELD`` or ``ITEM`` only where it is a plain scalar, which other lines may
    continue; ``value`` is the scalar.
    """

    form: Form
    column: int
    dashes: str = ""
    key: str | None = None
    name: str | None = None
    text: str = ""
    value: Any = None


_lines: dict[str, Line] = {}


def parse_line(text: str) -> Line:
    """Parse a line, which has no line break."""
    line = _lines.get(text)
    if line is None:
        if len(_lines) >= _MAX_LINES:
            _lines.clear()
        line = _lines[text] = _parse(text)
    return line


#: The line of a text that was parsed before, None of another one: ``parse_line`` without
#: the call of a Python function.
parsed_line = _lines.get


def _parse(line: str) -> Line:
    match = _LINE.match(line)
    assert match is not None
    indent, dashes, key, text = match.groups()
    column = len(indent)
    if key is None and not dashes:
        if not text:
            return Line(Form.EMPTY, column)
        return Line(Form.COMMENT if text[0] == "#" else Form.TEXT, column, text=text)
    name = None if key is None else _key_name(key)
    other = Line(Form.OTHER, column, dashes, key, name, text)
    if key is not None:
        if name is None or dashes:
            return other
        if not text:
            return other._replace(form=Form.KEY)
    elif not text or dashes.count("-") != 1:
        return other
    scalar = _scalar(text)
    if scalar is None:
        return other
    form = Form.FIELD if key is not None else Form.ITEM
    return other._replace(form=form, text=scalar.plain, value=scalar.value)


def _key_name(key: str) -> str | None:
    if key[0] in "\"'":
        name: str | None = key[1:-1]
    else:
        # A float has no text here, since that of a key is another one.
        name = None if key in NOT_FINITE else key_text(resolve(key))
    return None if name is None or name == "<<" else sys.intern(name)


class _Scalar(NamedTuple):
    """A value, and the text of a plain scalar, which is empty for a quoted one."""

    value: Any
    plain: str


def _scalar(text: str) -> _Scalar | None:
    """The scalar that a text is as a whole; None where it is none."""
    quote = text[0]
    if quote in "'\"":
        end = text.find(quote, 1)
        if end != len(text) - 1 or end < 1 or "\\" in text[: end * (quote == '"')]:
            return None
        return _Scalar(text[1:-1], "")
    try:
        plain = plain_text(text)
        return _Scalar(plain_value(plain), plain)
    except UnusualYamlError:
        return None


def plain_text(text: str) -> str:
    """The plain scalar that a text is; raises UnusualYamlError where it is none."""
    if not _PLAIN.match(text):
        raise UnusualYamlError
    if text[-1] == " ":
        text = text.rstrip(" ")
    check_plain(text)
    return text


def check_plain(text: str) -> None:
    """Raise UnusualYamlError for what cannot be part of a plain scalar."""
    if text[-1] == ":" or ": " in text or " #" in text:
        raise UnusualYamlError


def plain_value(text: str) -> Any:
    """The value of a plain scalar; raises UnusualYamlError where JSON has none."""
    if text[0] not in RESOLVABLE:
        return text
    if text in NOT_FINITE:
        raise UnusualYamlError
    value = resolve(text)
    return as_json_number(value) if type(value) is float else value
