"""Writes the files in ``specs/facts/``, which ``kubestencil.schema.knowledge.snapshots``
reads: the facts of a release that differ from those of the release that it is based on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubestencil import atomic
from kubestencil.data_files import data_file
from kubestencil.schema.knowledge.snapshots import (
    Line,
    TableDifference,
    base_of,
    lines_of_releases,
    snapshots,
)
from kubestencil.source.releases import release_order
from specs.make.corrections import corrected, line_of

_COMMENT = "# Facts of Kubernetes {}: specs/facts/README.md explains the columns.\n"


def write_facts(table: str, rows: Mapping[str, Iterable[Sequence[str]]]) -> None:
    """Write all facts of a table in some releases, rows of cells, into the files of these,
    with ``specs/corrections.tsv`` applied.

    The facts of other releases stay what they are, so that the files of those that are
    based on one of these change with them.
    """
    lines = {
        **lines_of_releases(table),
        **{
            release: corrected(table, release, dict.fromkeys(map(line_of, found)))
            for release, found in rows.items()
        },
    }
    for release, change in changes_of(lines).items():
        _write_section(release, table, change, base_of(release, [*snapshots(), *lines]))


def changes_of(lines: Mapping[str, Mapping[Line, None]]) -> dict[str, TableDifference]:
    """What differs between the rows of releases, oldest first, and those of their bases."""
    names = sorted(lines, key=release_order)
    return {release: _difference(lines, release) for release in names}


def _difference(
    lines: Mapping[str, Mapping[Line, None]], release: str
) -> TableDifference:
    rows, former = lines[release], lines.get(base_of(release, lines) or "", {})
    return TableDifference(
        [line for line in rows if line not in former],
        [line for line in former if line not in rows],
    )


def _write_section(
    release: str, table: str, change: TableDifference, base: str | None
) -> None:
    known = snapshots().get(release)
    sections = dict(known.sections) if known else {}
    rows = sorted(
        [
            *((line, "-") for line in change.removed),
            *((line, "+") for line in change.added),
        ]
    )
    sections[table] = "".join(f"{sign}\t{line}\n" for line, sign in rows)
    texts = [f"[{name}]\n{sections[name]}" for name in sorted(sections)]
    header = _COMMENT.format(release) + (f"base\t{base}\n" if base else "")
    path = data_file("specs/facts") / f"{release}.tsv"
    atomic.write(path, "".join([header, *texts]).encode())
    snapshots.cache_clear()
