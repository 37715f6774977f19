"""Texts that the API server decodes to something else: times, base64, quantities.

Each function says whether Go's decoder accepts a text. The rules are those of the
UnmarshalJSON methods of apimachinery, and of Go's own packages.
"""

from __future__ import annotations

import binascii
import re
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

_SECONDS = r"(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)"
_ZONE = r"(?:Z|[+-](\d\d):(\d\d))\Z"
_TIME = re.compile(rf"{_SECONDS}([.,]\d+)?{_ZONE}", re.ASCII)
_MICRO_TIME = re.compile(rf"{_SECONDS}([.,]\d{{6}}){_ZONE}", re.ASCII)
_DURATION = re.compile(
    r"[+-]?(?:0|(?:(?:\d++(?:\.\d*+)?|\.\d++)(?:ns|us|µs|μs|ms|s|m|h))+)\Z", re.ASCII
)
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=\r\n]")
# resource.ParseQuantity accepts more than its documentation says: a sign alone, a
# suffix alone, "1.". An empty text is none.
# Digits are never tried again with fewer of them, which takes quadratic time.
_QUANTITY = re.compile(
    r"[+-]?[0-9]*+(?:\.[0-9]*+)?"
    r"(?:n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]+)?\Z"
)
_LONGEST = 40
_FACTORS = {
    "": Decimal(1),
    **{suffix: Decimal(f"1e{3 * power}") for power, suffix in enumerate("num", -3)},
    **{suffix: Decimal(1000) ** power for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}


def is_time(text: str) -> bool:
    """Whether metav1.Time accepts a text: ``2026-01-31T12:00:00Z``."""
    return _is_date(_TIME.match(text))


def is_micro_time(text: str) -> bool:
    """Whether metav1.MicroTime accepts a text, which needs six digits of fractions."""
    return _is_date(_MICRO_TIME.match(text))


def is_duration(text: str) -> bool:
    """Whether metav1.Duration accepts a text: ``1h30m``."""
    return _DURATION.match(text) is not None


def base64_error(text: str) -> int | None:
    """The index of the first byte that is not base64; None for a valid text.

    Line breaks are ignored (encoding/base64, StdEncoding).
    """
    encoded = text.encode()
    illegal = _NOT_BASE64.search(text)
    if illegal is not None:
        return len(text[: illegal.start()].encode())
    plain = encoded.replace(b"\r", b"").replace(b"\n", b"")
    padding = plain.find(b"=")
    content = plain if padding < 0 else plain[:padding]
    if padding >= 0 and plain[padding:].strip(b"="):
        return padding
    if len(plain) % 4 or len(plain) - len(content) > 2:
        return len(content)
    try:
        binascii.a2b_base64(plain)
    except binascii.Error:
        return len(content)
    return None


def is_quantity(text: str) -> bool:
    """Whether resource.Quantity accepts a text: ``500m``, ``1.5Gi``, ``1e3``."""
    # Other white space is escaped in JSON, and not trimmed then.
    stripped = text.strip(" ")
    return bool(stripped) and _QUANTITY.match(stripped) is not None


def quantity_value(value: Any) -> Decimal | None:
    """The amount of a quantity, which may be a number; None for what is none, and for
    one of unusual length."""
    text = str(value).strip(" ")
    if type(value) not in (str, int) or len(text) > _LONGEST or not is_quantity(text):
        return None
    number = text.rstrip("numkKMGTPEi")
    try:
        return Decimal(number) * _FACTORS[text[len(number) :]]
    except InvalidOperation:
        return None


def _is_date(match: re.Match[str] | None) -> bool:
    if match is None:
        return False
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    offset_hour, offset_minute = (int(part or 0) for part in match.groups()[7:9])
    try:
        datetime(max(year, 1), month, day, hour, minute, second)
    except ValueError:
        return False
    return offset_hour <= 24 and offset_minute < 60
