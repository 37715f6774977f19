"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
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


# How a cell is read, by the type of its column.
_READERS: dict[Any, Callable[[str], Any]] = {
    str: str,
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
    readers = [_READERS[hint] for hint in get_type_hints(row_type).values()]
    for cells in read_cells(table):
        yield row_type(*(read(cell) for read, cell in zip(readers, cells, strict=True)))


def rows_of_release(
    rows: Iterable[RangedRow], release: str, key: Callable[[RangedRow], Key]
) -> dict[Key, list[RangedRow]]:
    """The rows that hold in a release, by a key."""
    found: dict[Key, list[RangedRow]] = defaultdict(list)
    for row in rows:
        if row.releases.includes(release):
            found[key(row)].append(row)
    return dict(found)


def read_cells(table: str) -> Iterator[Sequence[str]]:
    """The cells of each row, texts; lines that begin with "#" are comments."""
    for line in data_file(f"specs/{table}.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield ["" if cell == MISSING else cell for cell in line.split("\t")]
