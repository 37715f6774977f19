"""Cells of CSV files (RFC 4180) that spreadsheets show as they are."""

from __future__ import annotations

# What begins a formula in a spreadsheet
# (https://owasp.org/www-community/attacks/CSV_Injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_QUOTED = frozenset(',"\r\n')


def cell(value: str | int | float) -> str:
    """A value as a cell, quoted where it must be.

    A text that a spreadsheet would read as a formula gets an apostrophe before it,
    which spreadsheets do not show. A number stays as it is.
    """
    text = str(value)
    if isinstance(value, str) and text.startswith(_FORMULA):
        text = f"'{text}"
    if _QUOTED.isdisjoint(text):
        return text
    return '"{}"'.format(text.replace('"', '""'))
