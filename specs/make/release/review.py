"""The review page of a release: how its facts differ from those of its base, in Markdown,
and what nobody has read for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.engine.environment import Environment
from kubestencil.schema.knowledge.snapshots import (
    Line,
    TableDifference,
    base_of,
    difference,
    differences,
    snapshots,
)
from kubestencil.schema.knowledge.tables import cells_of, read_cells
from kubestencil.source.releases import is_after
from kubestencil.text.markdown import literal

# How many cells at the beginning of a row say what it is about: rows that share them are
# one that changed.
_KEYS = {
    **dict.fromkeys(("feature-gates", "gate-dependencies", "go-modules", "metrics"), 1),
    "volume-plugins": 1,
    **dict.fromkeys(("enums", "immutable-fields", "parameters"), 3),
    **dict.fromkeys(("defaults", "limits"), 4),
}
_OTHER_KEYS = 2
# Rows of a table that a page shows; a text of a pull request has at most 65,536
# characters.
_SHOWN = 60
_COLUMN = re.compile(r"^- \*\*(.+?)\*\*", re.M)


class TableReview(NamedTuple):
    """What a release changed in a table, rows with the columns ``columns``; ``changed`` has
    ``before → after`` where a cell differs."""

    name: str
    columns: Sequence[str]
    added: Sequence[Sequence[str]]
    removed: Sequence[Sequence[str]]
    changed: Sequence[Sequence[str]]

    @property
    def kinds(self) -> Mapping[str, Sequence[Sequence[str]]]:
        """The changed rows by what became of them, without those of which there are none."""
        found = {
            "Added": self.added, "Removed": self.removed, "Changed": self.changed,
        }  # fmt: skip
        return {name: rows for name, rows in found.items() if rows}


class Unread(NamedTuple):
    """A table that people write, which was read for releases ``until`` one."""

    table: str
    until: str


def review_page(release: str, left_out: Mapping[str, str]) -> str:
    """The page of a release; ``left_out`` are the tables that could not be made, each
    with the reason."""
    environment = Environment([str(Path(__file__).parent)])
    environment.filters["literal"] = literal
    return environment.find("review.md.j2").render(
        release=release,
        base=base_of(release, snapshots()),
        tables=list(_tables(release)),
        left_out=left_out,
        unread=list(unread(release)),
        shown=_SHOWN,
    )


def unread(release: str) -> Iterator[Unread]:
    """The tables whose rows need words or judgement, and that nobody has read for a
    release (``specs/coverage.tsv``)."""
    for table, until, *_ in read_cells("coverage"):
        is_made = table in snapshots()[release].sections
        if until and not is_made and is_after(release, until):
            yield Unread(table, until)


def _tables(release: str) -> Iterator[TableReview]:
    explained = data_file("specs/facts/README.md").read_text("utf-8")
    for table in sorted(snapshots()[release].sections):
        text = explained.partition(f"\n## {table}\n")[2].partition("\n## ")[0]
        # The first release of a table differs from nothing.
        if base_of(release, differences(table)) is not None:
            changes = difference(snapshots()[release], table)
            yield _review(table, _COLUMN.findall(text), changes)


def _review(
    table: str, columns: Sequence[str], changes: TableDifference
) -> TableReview:
    added, removed = (_by_key(table, lines) for lines in changes)
    changed = [
        [_change(old, new) for old, new in zip(removed[key], added[key], strict=True)]
        for key in added
        if key in removed
    ]
    return TableReview(
        table,
        columns,
        [row for key, row in added.items() if key not in removed],
        [row for key, row in removed.items() if key not in added],
        changed,
    )


def _by_key(table: str, lines: Sequence[Line]) -> dict[tuple[str, ...], list[str]]:
    """The cells of rows by what they are about; by all of them where several are about the
    same."""
    count = _KEYS.get(table, _OTHER_KEYS)
    rows = [cells_of(line) for line in lines]
    keys = [tuple(row[:count]) for row in rows]
    return {
        key if keys.count(key) == 1 else tuple(row): row
        for key, row in zip(keys, rows, strict=True)
    }


def _change(old: str, new: str) -> str:
    return new if old == new else f"{old or 'none'} → {new or 'none'}"
