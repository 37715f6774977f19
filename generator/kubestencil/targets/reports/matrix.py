"""Histories and timelines as template variables: rows through columns of releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, groupby
from typing import Annotated, Literal, NamedTuple, TypedDict

from kubestencil.diff.history import Event, History, Row
from kubestencil.diff.rules.audience import SEVERITIES
from kubestencil.diff.timeline import KindTimeline, ServedVersion, Timeline
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import Stage, precedence
from kubestencil.schema.knowledge.fields import KnownField
from kubestencil.schema.knowledge.words import (
    facts_in_words,
    rules_in_words,
    stated_in_words,
    type_in_words,
)
from kubestencil.targets.reports.changes import (
    NO_LINKS,
    ChangeFormatter,
    ChangeSection,
    LinkResolver,
)
from kubestencil.targets.reports.wording import (
    kind_period,
    lifecycle_note,
    period,
    release_range,
    stage_note,
)
from kubestencil.text.controls import one_line

#: What a cell shows: the mark of a field or kind in a column, or that it is absent.
CellMark = Literal["new", "changed", "docs", "same", "absent"]

_FIELD_LEGEND: Mapping[CellMark, str] = {
    "new": "added",
    "changed": "changed",
    "docs": "only the description changed",
    "same": "unchanged",
    "absent": "not available",
}
_KIND_LEGEND: Mapping[CellMark, str] = {
    "new": "added",
    "same": "available",
    "absent": "not available",
}


class ColumnHeading(NamedTuple):
    """The heading of a column: an API version and a range of consecutive releases
    (``1.32..1.33``) in which nothing changed.

    ``starts_version`` is whether it is the first column of its version; ``version`` and
    ``stability`` are empty in a timeline.
    """

    version: str
    stability: Stage | Literal[""]
    releases: str
    starts_version: bool

    @property
    def width(self) -> int:
        """The characters that the column needs in a font of fixed width."""
        return max(len(self.releases), len(self.version) if self.starts_version else 0)


class VersionHeading(NamedTuple):
    """The heading above all columns of an API version: its name, its stage,
    and the number of ``columns``. ``note`` says when it was deprecated and removed, and
    what replaces it; empty where there is nothing to say."""

    version: str
    stability: Stage | Literal[""]
    columns: int
    note: str


class MatrixRow(NamedTuple):
    """A row: a field of a type, or a version of a kind.

    ``label`` names it and ``link`` is the URL of a page that documents it, or empty.
    ``detail`` is the type of a field or the stage of a version, ``stability``
    that level, or empty. ``note`` has the stages of a field's feature gate, or when a
    version was deprecated and removed. ``period`` is when it existed (``since 1.29``,
    ``≤ 1.25 to 1.31``), ``cells`` has a mark for each column.
    """

    label: str
    link: str
    detail: str
    note: str
    period: str
    stability: Stage | Literal[""]
    cells: tuple[CellMark, ...]


class Matrix(NamedTuple):
    """Rows through columns, and the changes in each column.

    ``title`` names the type, ``releases`` is the range of all releases.
    ``row_heading`` says what a row is (``Field``, ``Kind``), ``detail_heading`` what
    its detail is. ``versions`` are the headings above ``columns``, empty in a timeline,
    as is ``changes``: of those the changes of the fields in the rows, as ``minor`` those of
    other fields below the type. ``legend`` maps the marks that can occur to their meaning.
    ``facts`` are sentences on what the API server accepts of the one field and fills in.
    """

    title: str
    releases: str
    row_heading: str
    detail_heading: str
    versions: tuple[VersionHeading, ...]
    columns: tuple[ColumnHeading, ...]
    rows: tuple[MatrixRow, ...]
    changes: tuple[ChangeSection, ...]
    legend: Mapping[CellMark, str]
    facts: tuple[str, ...] = ()

    @property
    def label_width(self) -> int:
        """The number of characters of the longest label."""
        return max((len(row.label) for row in self.rows), default=0)


class HistoryVariables(TypedDict):
    """The variables of a report on a history."""

    matrices: Annotated[
        tuple[Matrix, ...],
        "a table for each type of the name in question, or one of all kinds",
    ]
    caveats: Annotated[
        tuple[str, ...],
        "sentences on what is not known of the releases; none where all facts are",
    ]


def history_matrix(history: History) -> Matrix:
    """The fields of a type through releases and API versions."""
    runs = _unchanged_runs(history)
    headings = _column_headings(history, runs)
    name = ".".join(filter(None, (history.kind, history.field_path)))
    return Matrix(
        title=one_line(f"{history.group} {name}"),
        releases=one_line(release_range(history.releases)),
        row_heading="Field",
        detail_heading="Type",
        versions=_version_headings(headings, history),
        columns=headings,
        rows=tuple(_field_row(row, history, runs) for row in history.rows),
        changes=_column_changes(history, runs, headings),
        legend=_FIELD_LEGEND,
        facts=tuple(_facts(history.known)),
    )


def _facts(known: KnownField | None) -> Iterator[str]:
    """The facts of a field in words, but for those that the table and the changes have."""
    if known is not None:
        yield from map(one_line, map(str, facts_in_words(known.schema, known.facts)))
        yield from map(one_line, map(str, stated_in_words(known)))
        yield from map(one_line, map(str, rules_in_words(known)))


def timeline_matrix(timeline: Timeline, links: LinkResolver = NO_LINKS) -> Matrix:
    """All kinds through releases, with a row for each of their versions."""
    return Matrix(
        title="All kinds",
        releases=one_line(release_range(timeline.releases)),
        row_heading="Kind",
        detail_heading="Level",
        versions=(),
        columns=tuple(
            ColumnHeading("", "", one_line(release), False)
            for release in timeline.releases
        ),
        rows=tuple(
            _version_row(kind, version, timeline, links)
            for kind in timeline.kinds
            for version in reversed(kind.versions)
        ),
        changes=(),
        legend=_KIND_LEGEND,
    )


def _version_row(
    kind: KindTimeline,
    version: ServedVersion,
    timeline: Timeline,
    links: LinkResolver,
) -> MatrixRow:
    """A version of a kind through releases."""
    gvk = GroupVersionKind(kind.group, version.version, kind.kind)
    return MatrixRow(
        label=one_line(f"{gvk.api_version}/{kind.kind}"),
        link=links.kind_link(gvk, version.releases[-1]),
        detail=version.stability,
        note=one_line(lifecycle_note(gvk, timeline.releases[-1])),
        period=one_line(kind_period(gvk, version.releases, timeline.releases)),
        stability=version.stability,
        cells=_availability(version, timeline.releases),
    )


# The indexes of consecutive columns.
_ColumnRun = list[int]


def _unchanged_runs(history: History) -> list[_ColumnRun]:
    """The columns, those together that have one version and no change between them.

    Those of the version that Kubernetes prefers come first (v2, v1, v2beta1), and of a
    version those of the oldest release.
    """
    changed = {event.column for event in history.events}
    runs: list[_ColumnRun] = []
    for index, column in enumerate(history.columns):
        previous = history.columns[index - 1][1:] if index else None
        if previous == column[1:] and index not in changed:
            runs[-1].append(index)
        else:
            runs.append([index])
    return sorted(
        runs, key=lambda run: precedence(history.columns[run[0]].version), reverse=True
    )


def _column_headings(
    history: History, runs: Sequence[_ColumnRun]
) -> tuple[ColumnHeading, ...]:
    headings: list[ColumnHeading] = []
    previous_version = None
    for run in runs:
        column = history.columns[run[0]]
        releases = [history.columns[index].release for index in run]
        headings.append(
            ColumnHeading(
                version=one_line(column.version or "none"),
                stability=column.stability,
                releases=one_line(release_range(releases)),
                starts_version=column.version != previous_version,
            )
        )
        previous_version = column.version
    return tuple(headings)


def _column_changes(
    history: History, runs: Sequence[_ColumnRun], headings: Sequence[ColumnHeading]
) -> tuple[ChangeSection, ...]:
    """The changes in the first column of each run: the others have none."""
    formatter = ChangeFormatter()
    one_field = (history.field_path or "").split(".")
    shown = {None, *(row.field for row in history.rows)}
    shown |= set(accumulate(one_field, "{}.{}".format))
    by_column: dict[int, list[Event]] = {}
    for event in history.events:
        by_column.setdefault(event.column, []).append(event)
    sections: list[ChangeSection] = []
    for heading, run in zip(headings, runs, strict=True):
        events = by_column.get(run[0], [])
        events.sort(key=lambda event: SEVERITIES.index(event.severity))
        if events:
            title = f"{heading.version} {heading.releases}"
            changes, minor = (
                tuple(
                    formatter.event(event)
                    for event in events
                    if (event.field in shown) is is_shown
                )
                for is_shown in (True, False)
            )
            sections.append(ChangeSection(title, changes=changes, minor=minor))
    return tuple(sections)


def _version_headings(
    headings: Sequence[ColumnHeading], history: History
) -> tuple[VersionHeading, ...]:
    group = "" if history.group == "core" else history.group
    notes: dict[str, str] = {}
    for version in {column.version for column in history.columns}:
        if history.field_path is None:
            kind = GroupVersionKind(group, version, history.kind)
            note = lifecycle_note(kind, history.releases[-1])
            notes[one_line(version)] = one_line(note)
    return tuple(
        VersionHeading(version, stability, len(list(columns)), notes.get(version, ""))
        for (version, stability), columns in groupby(
            headings, lambda heading: (heading.version, heading.stability)
        )
    )


def _field_row(row: Row, history: History, runs: Sequence[_ColumnRun]) -> MatrixRow:
    return MatrixRow(
        label=one_line(row.field),
        link="",
        detail=one_line(_field_type(row)),
        note=one_line(stage_note(row, history)),
        period=one_line(_field_period(row, history)),
        stability="",
        cells=tuple(
            "absent" if cell is None else cell.mark or "same"
            for cell in (row.cells[run[0]] for run in runs)
        ),
    )


def _field_type(row: Row) -> str:
    """The types that the field had, in their order, and whether it is required."""
    types = dict.fromkeys(type_in_words(cell.schema) for cell in row.cells if cell)
    last_cell = row.cells[row.last]
    words = " → ".join(types)
    return f"{words}, required" if last_cell and last_cell.required else words


def _field_period(row: Row, history: History) -> str:
    """From the first release to the last one that has the field in any version."""
    having = {
        column.release
        for column, cell in zip(history.columns, row.cells, strict=True)
        if cell is not None
    }
    releases = [release for release in history.releases if release in having]
    return period(releases[0], releases[-1], history.releases)


def _availability(
    version: ServedVersion, releases: Sequence[str]
) -> tuple[CellMark, ...]:
    """A mark for each release; in the first release nothing is new."""
    marks: list[CellMark] = []
    for release in releases:
        if release not in version.releases:
            marks.append("absent")
        elif marks and marks[-1] == "absent":
            marks.append("new")
        else:
            marks.append("same")
    return tuple(marks)
