"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, get_type_hints

from kubestencil.data_files import data_file
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import release_order

#: A cell of a table without a fact.
MISSING = "-"

Row = TypeVar("Row")
Key = TypeVar("Key", bound=Hashable)


class ReleaseRange(NamedTuple):
    """Releases from ``first`` to ``last``, both included.

    Without ``last``, the range ends with the newest release of the table, and includes
    newer releases and names that are no versions, such as my-cluster, since the newest
    facts are the best for them.
    """

    first: str
    last: str | None = None

    @classmethod
    def parse(cls, text: str) -> ReleaseRange:
        """The range in a cell: ``1.29..1.31``, or ``1.29..``."""
        first, _, last = text.partition("..")
        return cls(first, last or None)

    def __str__(self) -> str:
        return f"{self.first}..{self.last or ''}"

    def includes(self, release: str) -> bool:
        """Whether ``release`` is in the range."""
        order = release_order(release)
        return release_order(self.first) <= order and (
            self.last is None or order <= release_order(self.last)
        )

    def nearest(self, release: str) -> str:
        """``release``, or the end of the range that is next to it."""
        if self.includes(release):
            return release
        if self.last is not None and release_order(self.last) < release_order(release):
            return self.last
        return self.first


class _Ranged(Protocol):
    """A row that holds in some releases."""

    @property
    def releases(self) -> ReleaseRange: ...


RangedRow = TypeVar("RangedRow", bound=_Ranged)


def is_between(release: str | None, before: str, after: str) -> bool:
    """Whether ``release`` comes after ``before``, and not after ``after``."""
    if release is None:
        return False
    since = ReleaseRange(release)
    return not since.includes(before) and since.includes(after)


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


def group_version_kind(api_version: str, kind: str) -> GroupVersionKind:
    """The kind of an ``apiVersion``: ``v1``, ``apps/v1``."""
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)
