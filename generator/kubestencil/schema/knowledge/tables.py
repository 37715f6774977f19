"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Protocol, TypeVar, get_type_hints

from kubestencil.data_files import data_file
from kubestencil.source.releases import ReleaseRange

#: A cell of a table without a fact.
MISSING = "-"

Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)


class _Ranged(Protocol):
    """A row that holds in some releases."""

    @property
    def releases(self) -> ReleaseRange: ...


RangedRow = TypeVar("RangedRow", bound=_Ranged)


# How a cell that is no text is read, by the type of its column.
_READERS: dict[Any, Callable[[str], Any]] = {
    int: int,
    bool: bool,
    str | None: lambda cell: cell or None,
    tuple[str, ...]: lambda cell: tuple(cell.split()),
    ReleaseRange: ReleaseRange.parse,
    tuple[ReleaseRange, ...]: lambda cell: tuple(map(ReleaseRange.parse, cell.split())),
}


def rows(table: str, row_type: type[Row]) -> Iterator[Row]:
    """The rows of ``specs/<table>.tsv``; ``row_type`` is a tuple that names and types
    their columns. A missing fact is an empty text."""
    hints = enumerate(get_type_hints(row_type).values())
    readers = [(column, _READERS[hint]) for column, hint in hints if hint is not str]
    for cells in read_cells(table):
        for column, read in readers:
            cells[column] = read(cells[column])
        yield row_type(*cells)


def rows_of_release(
    rows: Iterable[RangedRow], release: str, key: Callable[[RangedRow], Key]
) -> dict[Key, list[RangedRow]]:
    """The rows that hold in a release, by a key."""
    found: dict[Key, list[RangedRow]] = defaultdict(list)
    for row in rows:
        if row.releases.includes(release):
            found[key(row)].append(row)
    return dict(found)


def read_cells(table: str) -> Iterator[list[str]]:
    """The cells of each row, texts; lines that begin with "#" are comments."""
    for line in data_file(f"specs/{table}.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            cells = line.split("\t")
            if MISSING in cells:
                cells = ["" if cell == MISSING else cell for cell in cells]
            yield cells
