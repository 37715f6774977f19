"""Reads the tables of facts in ``specs/``: what no embedded document says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import release_order

#: A cell of a table without a fact.
MISSING = "-"


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


def rows(table: str) -> Iterator[list[str]]:
    """The cells of each row of ``specs/<table>.tsv``.

    Lines that begin with "#" are comments. A missing fact is an empty text.
    """
    for line in data_file(f"specs/{table}.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            cells = line.split("\t")
            if MISSING in cells:
                cells = ["" if cell == MISSING else cell for cell in cells]
            yield cells


def group_version_kind(api_version: str, kind: str) -> GroupVersionKind:
    """The kind of an ``apiVersion``: ``v1``, ``apps/v1``."""
    group, _, version = api_version.rpartition("/")
    return GroupVersionKind(group, version, kind)
