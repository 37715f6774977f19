"""JSON values as Rust expressions."""

from __future__ import annotations

import json
import math
from base64 import b64decode
from typing import Any

from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.value_types import TIME

_INTEGERS = {
    f"{sign}{bits}": (0 if sign == "u" else -(2 ** (bits - 1)), maximum)
    for bits in (8, 16, 32, 64)
    for sign, maximum in (("i", 2 ** (bits - 1) - 1), ("u", 2**bits - 1))
}


def scalar(value: Any, type_: str) -> str | None:
    """``value`` as a Rust value of ``type_``; None where it is no such value, or the
    type needs an import."""
    if isinstance(value, bool):
        return json.dumps(value) if type_ == "bool" else None
    if isinstance(value, str):
        text = spelling.string_literal(value)
        suffixes = {"String": ".into()", TIME: ".parse().unwrap()"}
        return f"{text}{suffixes[type_]}" if type_ in suffixes else None
    if isinstance(value, int) and type_ in _INTEGERS:
        minimum, maximum = _INTEGERS[type_]
        return str(value) if minimum <= value <= maximum else None
    if isinstance(value, int | float) and type_ == "f64":
        return _float(value)
    return None


def hand_written(value: Any, form: str) -> str | None:
    """``value`` as a value of a hand-written type, behind the path of that; None where it
    is none."""
    if form.startswith("props_or_"):
        return "::Schema(Box::default())"
    if form == "int_or_string":
        integer, text = scalar(value, "i32"), scalar(value, "String")
        if integer is not None:
            return f"::Int({integer})"
        return text and f"::String({text})"
    text = scalar(value, "String" if form == "quantity" else TIME)
    return text and f"({text})"


def decoded(value: Any) -> str | None:
    """The text of which ``value`` is the base64; None where it is none."""
    try:
        return b64decode(value, validate=True).decode()
    except (TypeError, ValueError):
        return None


def json_macro(value: Any) -> str:
    """A JSON value in the syntax of the macro ``json!``."""
    if isinstance(value, str):
        return spelling.string_literal(value)
    if isinstance(value, dict):
        members = (
            f"{spelling.string_literal(key)}: {json_macro(member)}"
            for key, member in value.items()
        )
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_macro, value))}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return scalar(value, "i64") or _float(value) or "null"
    return json.dumps(value)


def _float(value: float) -> str | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return repr(number) if math.isfinite(number) else None
