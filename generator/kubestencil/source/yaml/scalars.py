"""The scalars and keys of YAML, as go-yaml v2 resolves them (goyaml.v2/resolve.go)."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

#: The plain scalars that are words with a meaning of their own.
WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"], True),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "off", "Off", "OFF"], False),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
#: The numbers that YAML has and JSON has not.
NOT_FINITE = frozenset(
    [
        ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF",
        "-.inf", "-.Inf", "-.INF",
    ]
)  # fmt: skip
# strconv.ParseInt with base 0: a prefix decides the base, and 0 alone means octal.
_INTEGER = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z"
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
# strconv.ParseFloat: underscores stand between digits.
_SEPARATED = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:"
    r"[Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})|"
    r" [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:\.[0-9]+)?)?\Z"
)
#: The first characters of numbers.
NUMBER_START = frozenset("+-.0123456789")
# No integer of 64 bits has more digits, a binary one with its prefix included; Python
# refuses to read decimal ones of some thousands.
_MAX_INTEGER_LENGTH = 100
_MAX_UINT64 = 2**64 - 1
_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1
# json.Marshal writes larger numbers with an exponent, which makes them no integers.
_MAX_PLAIN_FLOAT = 1e21
_MAX_EXACT = 2**53
# Of keys, numbers with these exponents are written without one. Nine digits tell all
# numbers of 32 bits apart.
_MIN_PLAIN_EXPONENT, _MAX_PLAIN_EXPONENT = -4, 5
_MAX_DIGITS = 9


def resolve(text: str) -> Any:
    """The JSON value of a plain scalar."""
    if text in WORDS:
        return WORDS[text]
    return _number(text) if text[0] in NUMBER_START else text


def as_json_number(number: float) -> int | float:
    """A float as JSON has it: ``1e3`` and ``1.0`` are written 1000 and 1, which
    decoders of JSON take for integers (encoding/json, encode.go: floatEncoder)."""
    if not number.is_integer() or abs(number) >= _MAX_PLAIN_FLOAT:
        return number
    # Digits that do not count are zeros.
    return int(number) if abs(number) < _MAX_EXACT else int(Decimal(repr(number)))


def key_text(value: Any) -> str | None:
    """A key as JSON has it (sigs.k8s.io/yaml, yaml.go: convertToJSONableObject); None
    for what cannot be a key."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value <= _MAX_INT64:
        return str(value)
    return None


def float_key(number: float) -> str:
    """A float as the text of a key: the shortest one that gives the same number of 32
    bits (strconv.FormatFloat with the format g)."""
    try:
        bits = struct.pack("<f", number)
    except OverflowError:
        return ".inf" if number > 0 else "-.inf"
    (single,) = struct.unpack("<f", bits)
    texts = (f"{single:.{digits}e}" for digits in range(_MAX_DIGITS))
    text = next(text for text in texts if struct.pack("<f", float(text)) == bits)
    exponent = int(text.partition("e")[2])
    if _MIN_PLAIN_EXPONENT <= exponent <= _MAX_PLAIN_EXPONENT:
        return format(Decimal(text), "f")
    return text


def convert_tagged(tag: str, text: str) -> Any:
    """The value of a scalar with a tag: ``int`` for ``!!int``. A scalar with a tag of
    its own is a string.

    Raises ValueError where the text is not what the tag says.
    """
    convert = _TAGGED.get(tag)
    if convert is None:
        return text
    try:
        return convert(text)
    except binascii.Error as error:
        raise ValueError(text) from error


def _number(text: str) -> int | float | str:
    if text[0] == "." and "_" in text and not _SEPARATED.match(text):
        return text
    plain = text.replace("_", "")
    match = _INTEGER.match(plain) if len(plain) <= _MAX_INTEGER_LENGTH else None
    if match is not None:
        sign, *digits = match.groups()
        bases = zip(digits, (16, 2, 8, 10), strict=True)
        number = next(int(part, base) for part, base in bases if part)
        number = -number if sign == "-" else number
        if _MIN_INT64 <= number <= _MAX_UINT64:
            return number
    if _FLOAT.match(plain):
        value = float(plain)
        return value if abs(value) != float("inf") else text
    return text


def _binary(text: str) -> str:
    return base64.b64decode(text, validate=False).decode("utf-8", "replace")


def _timestamp(text: str) -> str:
    if _TIMESTAMP.match(text) is None:
        raise ValueError(text)
    return text


def _typed(kind: type | tuple[type, ...]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        value = resolve(text)
        if not isinstance(value, kind) or (
            isinstance(value, bool) and kind is not bool
        ):
            raise ValueError(text)
        return value

    return convert


_TAGGED: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "binary": _binary,
    "int": _typed(int),
    "float": lambda text: float(_typed((int, float))(text)),
    "bool": _typed(bool),
    "null": _typed(type(None)),
    "timestamp": _timestamp,
}
