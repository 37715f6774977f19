"""Quantities such as ``500m``: what the API server accepts as one, and its amount."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

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
