"""Writes patterns of RE2 for ECMA 262, the syntax of JSON Schema."""

from __future__ import annotations

import re

from kubestencil.text.re2.syntax import (
    MAX_CODE_POINT,
    Assertion,
    AssertionKind,
    Chars,
    Choice,
    Expression,
    PatternError,
    Ranges,
    Repeat,
    complement,
    parse,
)

# What ECMA 262 has not, or means something else by: flags, named groups as Python has
# them, \A, \z, \Q, \C, \a, classes of Unicode and POSIX and those that begin with ],
# \x{10FFFF}, octal numbers.
_RE2_ONLY = re.compile(
    r"\(\?[imsU-]|\(\?P<|\\[AzQCapP]|\\x\{|\\[0-7]|\[\[:|\[\^\[:|\[\^?\]"
)
_ASSERTIONS: dict[AssertionKind, str] = {
    "text-start": "^",
    "text-end": "$",
    "line-start": r"(?:^|(?<=\n))",
    "line-end": r"(?:$|(?=\n))",
    "word": r"\b",
    "no-word": r"\B",
}
_MAX_UNIT = 0xFFFF


def ecma_pattern(pattern: str) -> str | None:
    """A pattern of RE2 as ECMA 262 has it: itself, unless it uses what RE2 alone has.
    None for a pattern that is not valid."""
    if not _RE2_ONLY.search(pattern):
        return pattern
    try:
        return _expression(parse(pattern))
    except PatternError:
        return None


def _expression(expression: Expression) -> str:
    if isinstance(expression, Chars):
        return _class(expression.ranges)
    if isinstance(expression, Assertion):
        return _ASSERTIONS[expression.kind]
    if isinstance(expression, Repeat):
        return f"(?:{_expression(expression.item)}){_times(expression)}"
    texts = map(_expression, expression.items)
    if isinstance(expression, Choice):
        return f"(?:{'|'.join(texts)})"
    return "".join(texts)


def _times(repeat: Repeat) -> str:
    limits = repeat.least, repeat.most
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    most = "" if repeat.most is None else repeat.most
    return short.get(limits, f"{{{repeat.least},{most}}}")


def _class(ranges: Ranges) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] <= _MAX_UNIT:
        return _char(ranges[0][0])
    is_open = bool(ranges) and ranges[-1][1] == MAX_CODE_POINT
    listed = complement(ranges) if is_open else ranges
    texts = (
        f"{_char(low)}-{_char(min(high, _MAX_UNIT))}" if low < high else _char(low)
        for low, high in listed
        if low <= _MAX_UNIT
    )
    content = "".join(texts)
    if not content:
        # In other languages than JavaScript, the ] of [^] is a part of the class.
        return r"[\s\S]" if is_open else r"[^\s\S]"
    return f"[{'^' if is_open else ''}{content}]"


def _char(code: int) -> str:
    char = chr(code)
    # Validators that are written in Go, such as kubeconform, know no \u.
    is_plain = char.isalnum() or char in " _/:,;@%&=~"
    return char if is_plain else f"\\u{code:04x}"
