"""The formats of texts that limits name (``specs/formats.tsv``): names, keys, addresses,
paths. An empty text is no matter of a format, but of ``min_length``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows

_PART = re.compile(r"\{([a-z][-a-z0-9]*)\}")


class TextFormat(NamedTuple):
    """A format, as a row of ``specs/formats.tsv`` describes it.

    ``expression`` is a regular expression of its whole texts, limits of their length
    aside, in the syntax that ECMA 262, RE2 and Python share; empty where there is none.
    ``meaning`` is for people, without ``longest``; ``example`` a text of the format.
    """

    name: str
    expression: str
    longest: str
    check: str
    example: str
    meaning: str

    @property
    def in_words(self) -> str:
        """What texts of the format are, with their longest length."""
        most = f", up to {self.longest} characters" if self.longest else ""
        return f"{self.meaning}{most}"

    def accepts(self, text: str) -> bool:
        """Whether a text, which is not empty, has the format."""
        if self.longest and len(text) > int(self.longest):
            return False
        if self.name in ("ip", "cidr"):
            return _is_address(text) if self.name == "ip" else _is_cidr(text)
        expression = self.check or self.expression
        return re.fullmatch(expression, text, re.ASCII) is not None


def _expanded(expression: str) -> str:
    """An expression with those of the formats that it names."""
    return _PART.sub(lambda part: _expanded(_ROWS[part[1]].expression), expression)


def _is_address(text: str) -> bool:
    # Zeros before a number are read as decimal (k8s.io/utils/net, ParseIPSloppy).
    plain = re.sub(r"(?<![0-9A-Fa-f:])0+(?=\d)", "", text) if "." in text else text
    try:
        ip_address(plain)
    except ValueError:
        return False
    return "%" not in text


def _is_cidr(text: str) -> bool:
    address, _, bits = text.partition("/")
    if not _is_address(address) or not re.fullmatch(r"[0-9]{1,3}", bits):
        return False
    return int(bits) <= (128 if ":" in address else 32)


_ROWS = {row.name: row for row in rows("formats", TextFormat)}
#: Formats by name.
FORMATS: Mapping[str, TextFormat] = {
    name: row._replace(expression=_expanded(row.expression), check=_expanded(row.check))
    for name, row in _ROWS.items()
}
