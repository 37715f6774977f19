"""The history of one type through all releases and API versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kubestencil.diff.audience import Severity
from kubestencil.diff.classify import classify
from kubestencil.diff.conditions import ComparedDefinitions
from kubestencil.diff.differences import differences
from kubestencil.diff.nesting import NestedType, nested_type
from kubestencil.diff.rules import Rule
from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.kinds import Level, group_names, level, precedence
from kubestencil.schema.lookup import similar_kind
from kubestencil.schema.types import JsonObject

#: How a field differs from the column that its column is compared with: ``new``,
#: ``changed``, ``docs`` (only its description changed), or empty (unchanged).
Mark = Literal["new", "changed", "docs", ""]


@dataclass(frozen=True, slots=True)
class Column:
    """A type as it is in one ``release`` and one API ``version`` (``v1beta1``);
    ``definition`` is its full name there."""

    release: str
    version: str
    definition: str

    @property
    def stability(self) -> Level:
        """The stability level of the version."""
        return level(self.version)


@dataclass(frozen=True, slots=True)
class Cell:
    """A field in one column: its ``schema``, whether it is ``required``, and how it
    differs from the column that this one is compared with."""

    schema: JsonObject
    required: bool
    mark: Mark


@dataclass(frozen=True, slots=True)
class Row:
    """A field through all columns: its JSON name, with dots between those of nested
    objects, and a cell for each column, None where the type does not have the field."""

    field: str
    cells: tuple[Cell | None, ...]

    @property
    def first(self) -> int:
        """The index of the first column that has the field."""
        return next(index for index, cell in enumerate(self.cells) if cell is not None)

    @property
    def last(self) -> int:
        """The index of the last column that has the field."""
        return max(index for index, cell in enumerate(self.cells) if cell is not None)


@dataclass(frozen=True, slots=True)
class Event:
    """A difference between a column and the one that it is compared with.

    ``column`` is the index of the column; ``field`` is None for a change of the type
    itself. The other attributes are those of ``Change``.
    """

    column: int
    change: str
    stability: Level
    rule: Rule
    field: str | None
    schema_path: tuple[str, ...]
    before: JsonObject | None
    after: JsonObject | None

    @property
    def severity(self) -> Severity:
        """The severity that ``rule`` assigns."""
        return self.rule.severity


@dataclass(frozen=True, slots=True)
class History:
    """The history of the type ``kind`` of one ``group`` through ``releases``.

    ``columns`` are ordered by version, and those of a version by release, oldest first.
    A column is compared with the previous release of the same version; the first column
    of a version is compared with the previous version in the same release, or in the
    last one that had it. ``rows`` are the fields in the order in which they first
    appear, ``events`` the differences of all columns. References between types of the
    same version are considered equal across versions.
    """

    kind: str
    group: str
    releases: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    events: tuple[Event, ...]


def history(releases: Sequence[Release], name: str) -> tuple[History, ...]:
    """The histories of the types called ``name``, one for each group that has one.

    ``name`` is a kind or another type (``ResourceClaimStatus``), with its group
    (``resource.k8s.io/ResourceClaim``) where only that one is meant. ``releases`` come
    oldest first. Raises UsageError where no release has a type of that name.
    """
    group, _, kind = name.rpartition("/")
    columns: dict[str, list[tuple[Column, Release]]] = {}
    kinds: set[str] = set()
    for release in releases:
        groups = group_names(release)
        for definition in release.definitions.values():
            kinds.add(definition.kind)
            package = definition.name.rpartition(".")[0]
            type_group = groups.get(package, definition.group)
            if definition.kind == kind and group in ("", type_group):
                column = Column(release.name, definition.version, definition.name)
                columns.setdefault(type_group, []).append((column, release))
    if not columns:
        raise UsageError(f"no type called {name!r}", hint=similar_kind(kind, kinds))
    order = [release.name for release in releases]
    return tuple(
        _history(kind, type_group, order, group_columns)
        for type_group, group_columns in sorted(columns.items())
    )


def only_field(histories: Sequence[History], name: str) -> tuple[History, ...]:
    """The histories of one field and of those inside of it, of the types that ever
    had it.

    Raises UsageError where none had it.
    """
    fields = dict.fromkeys(row.field for history in histories for row in history.rows)
    if name not in fields:
        raise UsageError(
            f"{histories[0].kind} has no field called {name!r} in any release",
            hint=nearest(name, fields),
        )

    def is_included(field: str) -> bool:
        return field == name or field.startswith(f"{name}.")

    return tuple(
        replace(
            history,
            rows=tuple(row for row in history.rows if is_included(row.field)),
            events=tuple(
                event for event in history.events if is_included(event.field or "")
            ),
        )
        for history in histories
        if any(row.field == name for row in history.rows)
    )


def _history(
    kind: str,
    group: str,
    releases: Sequence[str],
    columns_with_releases: Sequence[tuple[Column, Release]],
) -> History:
    order = {name: index for index, name in enumerate(releases)}
    ordered = sorted(
        columns_with_releases,
        key=lambda pair: (
            precedence(pair[0].version),
            order[pair[0].release],
            pair[0].definition,
        ),
    )
    columns = tuple(column for column, _ in ordered)
    types = [
        nested_type(release.definitions[column.definition], release)
        for column, release in ordered
    ]
    bases = [
        0,
        *(_compared_with(index, columns, order) for index in range(1, len(columns))),
    ]
    events = tuple(
        event
        for index in range(1, len(columns))
        for event in _events(index, bases[index], types, columns)
    )
    rows = tuple(_rows(types, bases, events))
    return History(kind, group, tuple(releases), columns, rows, events)


def _compared_with(
    index: int, columns: Sequence[Column], order: Mapping[str, int]
) -> int:
    """The index of the column that a column is compared with: see ``History``."""
    column, previous = columns[index], columns[index - 1]
    if previous.version == column.version:
        return index - 1
    earlier = [
        other_index
        for other_index, other in enumerate(columns)
        if other.version == previous.version
        and order[other.release] <= order[column.release]
    ]
    return max(earlier, default=index - 1)


def _events(
    index: int, base: int, types: Sequence[NestedType], columns: Sequence[Column]
) -> Iterator[Event]:
    """The differences between the columns ``base`` and ``index``."""
    name, version = columns[index].definition, columns[base].version
    before, after = {name: types[base].schema}, {name: types[index].schema}
    definitions = ComparedDefinitions(before, after)
    for difference in differences(before, after):
        # The kinds of a type follow from its version, which the column shows.
        if difference.keyword != KINDS_KEYWORD:
            classification = classify(difference, definitions, version)
            yield Event(
                index,
                difference.change,
                classification.stability,
                classification.rule,
                difference.field,
                difference.schema_path,
                difference.before,
                difference.after,
            )


def _rows(
    types: Sequence[NestedType], bases: Sequence[int], events: Sequence[Event]
) -> Iterator[Row]:
    """The fields, in the order in which they first appear; ``bases`` are the indexes of
    the columns that each column is compared with."""
    marks: dict[tuple[int, str], Mark] = {}
    for event in events:
        if event.field is not None:
            key = event.column, event.field
            marks[key] = _combined(marks.get(key, ""), event)
    for name in dict.fromkeys(name for nested in types for name in nested.fields):
        cells: list[Cell | None] = []
        for index, nested in enumerate(types):
            field = nested.fields.get(name)
            # A field of an object that was added has no event of its own.
            is_new = index > 0 and name not in types[bases[index]].fields
            mark = "new" if is_new else marks.get((index, name), "")
            cells.append(field and Cell(field.schema, field.required, mark))
        yield Row(name, tuple(cells))


def _combined(mark: Mark, event: Event) -> Mark:
    """The mark of a field with another event: the more significant one."""
    if event.change == "field-added" or mark == "new":
        return "new"
    return "docs" if event.severity == "docs" and mark != "changed" else "changed"
