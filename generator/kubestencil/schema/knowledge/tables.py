"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar, get_type_hints

from kubestencil.data_files import data_file
from kubestencil.schema.knowledge.snapshots import (
    MISSING,
    differences,
    lines_of_releases,
    ranged,
)
from kubestencil.source.releases import ReleaseRange

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
    readers = _readers(row_type)
    for cells in read_cells(table):
        yield row_type(*(read(cell) for read, cell in zip(readers, cells, strict=True)))


def ranged_rows(table: str, row_type: type[Row], keys: int) -> Iterator[Row]:
    """The rows of a table of ``specs/facts/``, each with its releases as its first column:
    by their first ``keys`` cells, which say what they are about, and by release."""
    _, *readers = _readers(row_type)
    for releases, cells in ranged_cells(table, keys):
        values = (read(cell) for read, cell in zip(readers, cells, strict=True))
        yield row_type(*(releases, *values))


#: The tables of ``specs/facts/`` in which a release has what is known of all until then.
HISTORIES = frozenset({"changed-fields", "go-fields", "lifecycle", "volume-plugins"})


def newest_rows(table: str, row_type: type[Row]) -> Iterator[Row]:
    """The rows of a table of ``HISTORIES``, such as when a kind comes and goes: what the
    newest release knows of all, in the order of its rows."""
    assert table in HISTORIES
    readers = _readers(row_type)
    *_, lines = lines_of_releases(table).values()
    for line in sorted(lines):
        cells = cells_of(line)
        yield row_type(*(read(cell) for read, cell in zip(readers, cells, strict=True)))


def _readers(row_type: type[Any]) -> list[Callable[[str], Any]]:
    return [_READERS[hint] for hint in get_type_hints(row_type).values()]


def ranged_cells(table: str, keys: int) -> Iterator[tuple[ReleaseRange, list[str]]]:
    """The cells of each row of a table of ``specs/facts/``, with its releases, in the order
    of ``ranged_rows``."""
    found = [
        (releases, cells_of(line)) for releases, line in ranged(differences(table))
    ]
    yield from sorted(found, key=lambda row: row[1][:keys])


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
            yield cells_of(line)


def cells_of(line: str) -> list[str]:
    """The cells of a line; a missing fact is an empty text."""
    return ["" if cell == MISSING else cell for cell in line.split("\t")]
