"""Reads the facts of releases in ``specs/facts/``: a file for each, with what differs from
the release that it is based on.

Tables are sections of these files. A release without a section was not looked at: what is
known of the one before it and of the one after it holds in it where both have it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.data_files import data_file
from kubestencil.source.releases import (
    ReleaseRange,
    full_version,
    has_reached,
    is_prerelease,
    minor_of_patch,
    minor_version_in,
    release_order,
)

#: A cell of a table without a fact.
MISSING = "-"
#: A row of a section: its cells as the file has them, between tabs.
Line = str

_SECTION = re.compile(r"^\[([a-z-]+)\]\n((?:[^\[\n].*\n)*)", re.MULTILINE)
_BASE = re.compile(r"^base\t(\S+)$", re.MULTILINE)


class Snapshot(NamedTuple):
    """The facts of a release, as its file has them: ``sections`` are the lines of each
    table, ``+`` or ``-``, a tab, and a row that ``base`` does not have, or has. Without
    ``base``, these are all facts."""

    release: str
    base: str | None
    sections: Mapping[str, str]


class TableDifference(NamedTuple):
    """The rows of a table that a release has, and its base does not, and the reverse."""

    added: Sequence[Line] = ()
    removed: Sequence[Line] = ()


@cache
def snapshots() -> Mapping[str, Snapshot]:
    """The releases whose facts are known, oldest first."""
    paths = {path.stem: path for path in data_file("specs/facts").glob("*.tsv")}
    found = {}
    for release in sorted(paths, key=release_order):
        text = paths[release].read_text("utf-8")
        base = _BASE.search(text)
        sections = dict(_SECTION.findall(text))
        found[release] = Snapshot(release, base[1] if base else None, sections)
    return found


def difference(snapshot: Snapshot, table: str) -> TableDifference:
    """What a section of a release has."""
    lines = snapshot.sections[table].splitlines()
    added, removed = (
        [line[2:] for line in lines if line[0] == sign] for sign in ("+", "-")
    )
    return TableDifference(added, removed)


def differences(table: str) -> dict[str, TableDifference]:
    """What the releases that were looked at have in a table, oldest first."""
    return {
        release: difference(snapshot, table)
        for release, snapshot in snapshots().items()
        if table in snapshot.sections
    }


def lines_of_releases(table: str) -> dict[str, dict[Line, None]]:
    """All rows of a table of each release that was looked at, oldest first."""
    found: dict[str, dict[Line, None]] = {}
    for release, own in differences(table).items():
        former = found.get(base_of(release, found) or "", {})
        removed = set(own.removed)
        kept = (line for line in former if line not in removed)
        found[release] = dict.fromkeys((*kept, *own.added))
    return found


def base_of(release: str, known: Iterable[str]) -> str | None:
    """The release whose facts those of another one are compared with: the newest minor
    version before it that is final; None for the oldest one."""
    order = release_order(release)
    minors = {
        name
        for name in known
        if minor_version_in(name) == name and release_order(name) < order
    }
    return max(minors, key=release_order, default=None)


def ranged(
    changes: Mapping[str, TableDifference],
) -> Iterator[tuple[ReleaseRange, Line]]:
    """The rows of a table, each with the releases that have it, by the first of these:
    ``changes`` has those that were looked at, oldest first. A range has no end where the
    newest one has the row."""
    begun: dict[Line, str] = {}
    ended: list[tuple[ReleaseRange, Line]] = []
    former, on_branch = "", TableDifference()
    for release, own in changes.items():
        # A minor version stands for its pre-releases, too, where none of them is known.
        is_known = minor_version_in(former) == release
        first = full_version(release) if is_known else release
        # The release after a patch is based on what was before that.
        has_row = {
            **dict.fromkeys(on_branch.added, False),
            **dict.fromkeys(on_branch.removed, True),
            **dict.fromkeys(own.removed, False),
            **dict.fromkeys(own.added, True),
        }
        for line, is_there in has_row.items():
            if is_there:
                begun.setdefault(line, first)
            elif line in begun:
                last = _last_before(release, former)
                ended.append((ReleaseRange(begun.pop(line), last), line))
        former = release
        on_branch = TableDifference() if minor_version_in(release) == release else own
    found = [*ended, *((ReleaseRange(first), line) for line, first in begun.items())]
    yield from sorted(found, key=lambda row: (release_order(row[0].first), row[1]))


def _last_before(release: str, former: str) -> str:
    """The last release that has the facts of ``former``, the one before ``release``."""
    minor = minor_version_in(former) or former
    if minor != minor_version_in(release):
        return minor
    if is_prerelease(former):
        return former
    return f"{minor}.{release_order(release)[2] - 1}"


def sections_until(release: str, tables: Iterable[str]) -> Iterator[str]:
    """The sections of some tables, as their files have them, that the facts of a release
    add up from; much faster to get than its rows."""
    for name, each in snapshots().items():
        if has_reached(release, name):
            yield from (each.sections.get(table, "") for table in tables)


@cache
def newest_patch(table: str, release: str) -> str:
    """The newest patch of a minor version that has facts of its own in a table; any other
    release, and one without such patches, itself."""
    known = (
        name
        for name, each in snapshots().items()
        if table in each.sections and minor_of_patch(name) == release
    )
    return max(known, key=release_order, default=release)
