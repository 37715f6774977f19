"""Applies ``specs/corrections.tsv``: what upstream states wrongly, or in a form that cannot
be read, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.errors import SourceError
from kubestencil.schema.knowledge.snapshots import MISSING, Line
from kubestencil.source.releases import ReleaseRange

_FILE = "specs/corrections.tsv"
# How a fact was found that a maker reads from the present table, and writes again.
_REVIEWED = "reviewed"


class Correction(NamedTuple):
    """A row of a table that some releases have (``+``), or have not (``-``), whatever
    their sources say; ``reason`` is where that is to be seen."""

    releases: ReleaseRange
    table: str
    sign: str
    row: Line
    reason: str


def corrected(table: str, release: str, lines: Mapping[Line, None]) -> dict[Line, None]:
    """The rows of a table of a release, with what is reviewed.

    Raises SourceError for a correction of what sources say by now.
    """
    rows = dict(lines)
    for correction in _corrections():
        if correction.table != table or not correction.releases.includes(release):
            continue
        if _is_stated(correction, lines):
            verb = "has" if correction.sign == "+" else "lacks"
            raise SourceError(
                f"the sources of {release} say what a correction does: the table {verb} "
                f"{' '.join(correction.row.split())}",
                where=f"{_FILE}: {table}",
                hint=f"end the releases of that correction before {release}, or remove it",
            )
        if correction.sign == "+":
            rows[correction.row] = None
        else:
            del rows[correction.row]
    return rows


def without_corrections(
    table: str, rows: Iterable[Sequence[str]]
) -> Iterator[Sequence[str]]:
    """The rows of a table that are no corrections, which no source of a later release says
    again."""
    added = {row.row for row in _corrections() if (row.table, row.sign) == (table, "+")}
    return (cells for cells in rows if line_of(cells) not in added)


def line_of(cells: Sequence[str]) -> Line:
    """The cells of a row as a line."""
    return "\t".join(cell or MISSING for cell in cells)


def _is_stated(correction: Correction, lines: Mapping[Line, None]) -> bool:
    if correction.sign == "-":
        return correction.row not in lines
    fact, _, found = correction.row.rpartition("\t")
    if found != _REVIEWED:
        return correction.row in lines
    return any(
        line.rpartition("\t")[0] == fact for line in lines if line != correction.row
    )


@cache
def _corrections() -> tuple[Correction, ...]:
    return tuple(_read(data_file(_FILE).read_text("utf-8")))


def _read(text: str) -> Iterator[Correction]:
    for line in text.splitlines():
        if not line.startswith("#"):
            releases, table, sign, *row, reason = line.split("\t")
            yield Correction(
                ReleaseRange.parse(releases), table, sign, "\t".join(row), reason
            )
