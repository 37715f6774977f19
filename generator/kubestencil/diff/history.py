"""The history of one type through all releases and API versions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.compare import type_changes
from kubestencil.diff.documents import comparable
from kubestencil.diff.labels import coverage_of
from kubestencil.diff.nesting import TypeTree, local_name, type_tree
from kubestencil.diff.other_names import flags_called, gates_called, kinds_called
from kubestencil.diff.releases.facts import ReleaseFacts
from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.kinds import Stage, precedence, version_stage
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Aspect, Coverage
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.knowledge.gates import GateStage
from kubestencil.schema.knowledge.places import at_place, known_place
from kubestencil.schema.knowledge.warnings import Warned
from kubestencil.schema.lookup import TypeMatch, definitions_of, find_types
from kubestencil.schema.types import GroupVersionKind, Schema

#: How a field differs from the column that its column is compared with: ``new``,
#: ``changed``, ``docs`` (only its description changed), or empty (unchanged).
Mark = Literal["new", "changed", "docs", ""]


class Column(NamedTuple):
    """A type as it is in one ``release`` and one API ``version`` (``v1beta1``);
    ``definition`` is its full name there."""

    release: str
    version: str
    definition: str

    @property
    def stability(self) -> Stage:
        """The stage of the version."""
        return version_stage(self.version)


class Cell(NamedTuple):
    """A field in one column: its ``schema``, whether an object needs it (``required``), to
    the API server where that is known, and how it differs from the column that this one
    is compared with. ``gate`` is the feature gate that guards it in the release, None where
    there is none or the release has no facts about gates; ``warned`` is what the API server
    says whenever somebody sets it."""

    schema: Schema
    required: bool
    mark: Mark
    gate: GateStage | None = None
    warned: Warned | None = None

    def to_dict(self) -> dict[str, Any]:
        """The cell as a JSON object. ``deprecated`` is the release from which on the API
        server calls the field so: empty for one before all that are known, null where it
        does not."""
        gate = self.gate
        return {
            "mark": self.mark,
            "required": self.required,
            "gate": gate and {"gate": gate.gate, **gate.to_dict()},
            "deprecated": self.warned and self.warned.since,
            "schema": self.schema.raw,
        }


class Row(NamedTuple):
    """A field through all columns: its path, JSON names with dots between them, and a
    cell for each column, None where the type does not have the field."""

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


@dataclass(frozen=True, slots=True, repr=False)
class Event(Change):
    """A difference between a column and the one that it is compared with.

    ``column`` is the index of the column; ``field`` is the path from the type, None for
    a change of the type itself. ``kinds`` and ``owner`` are not set.
    """

    column: int = 0

    __hash__ = Change.__hash__


@dataclass(frozen=True, slots=True)
class History:
    """The history of the type ``kind`` of one ``group`` through ``releases``.

    ``columns`` are ordered by version as these followed each other (v1, v2beta1, v2),
    and those of a version by release, oldest first. A column is compared with the
    previous release of the same version; the first column of a version is compared with
    the previous version in the same release, or in the last one that had it.

    ``field_path`` is the field that the history is limited to, None for the whole type.
    ``rows`` are the fields of the type, or the one field, and the fields below that
    were added, removed or changed in a way that users notice, in the order in which
    they first appear; ``events`` are the differences of all columns, each once, at the
    shortest path to the type that differs. References between types of the same version
    are considered equal across versions. ``coverage`` is how far the facts go that the
    history needs. ``known`` is what is known of the one field in the newest release that
    has it, None for a whole type.
    """

    kind: str
    group: str
    releases: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    events: tuple[Event, ...]
    field_path: str | None = None
    coverage: Coverage = NO_COVERAGE
    known: KnownField | None = None

    def __repr__(self) -> str:
        path = ".".join(filter(None, (self.kind, self.field_path)))
        releases = f"{self.releases[0]} → {self.releases[-1]}"
        return f"<History {self.group} {path}, {releases}: {len(self.events)} events>"

    def to_dict(self) -> dict[str, Any]:
        """The history as a JSON object, as ``kubestencil history -f json`` has it.

        ``first`` and ``last`` of a field and the ``column`` of an event are indexes of
        ``columns``; ``cells`` has one element for each column.
        """
        return {
            "kind": self.kind,
            "group": self.group,
            "field_path": self.field_path,
            "releases": list(self.releases),
            "coverage": self.coverage.to_dict(),
            "columns": [
                {
                    "release": column.release,
                    "version": column.version,
                    "stability": column.stability,
                    "definition": column.definition,
                }
                for column in self.columns
            ],
            "fields": [
                {
                    "field": row.field,
                    "first": row.first,
                    "last": row.last,
                    "cells": [cell and cell.to_dict() for cell in row.cells],
                }
                for row in self.rows
            ],
            "events": [
                {
                    "column": event.column,
                    "change": event.change,
                    "severity": event.severity,
                    "stability": event.stability,
                    "field": event.field,
                    "replacement": event.replacement,
                    "before": event.before,
                    "after": event.after,
                }
                for event in self.events
            ],
        }


# The facts that a history needs.
_ASPECTS: frozenset[Aspect] = frozenset(
    ["gates", "limits", "defaults", "values", "required", "lifecycle", "rules"]
)


def history(
    releases: Sequence[Release], name: str, field: str | None = None
) -> tuple[History, ...]:
    """The histories of the types called ``name``, kinds first, one for each group.

    ``name`` is a kind or another type, or a resource as kubectl names it, and ``field``
    the path of a field below it; ``kubestencil.schema.lookup`` has all forms; kinds of
    configuration files are found, too. ``releases`` come oldest first. Raises UsageError
    where no release has a type of that name, or none of them such a field.
    """
    releases = comparable(releases)
    try:
        matches = find_types(releases, name, field)
    except UsageError as error:
        meant = error.hint if error.hint.startswith("did") else ""
        hint = (
            kinds_called(name)
            or _types_with_field(name, releases)
            or flags_called(name, releases[-1].name)
            or "\n  ".join(filter(None, (meant, gates_called(name))))
            or error.hint
        )
        raise UsageError(error.what, where=error.where, hint=hint) from error
    all_columns = [_columns_of(match, releases) for match in matches]
    facts = {release.name: ReleaseFacts.of(release) for release in releases}
    histories = tuple(
        found
        for match, columns in zip(matches, all_columns, strict=True)
        if (found := _history(match, columns, releases, facts)) is not None
    )
    if not histories:
        match, paths = matches[0], _all_paths(all_columns)
        ends = _that_end(str(match.field_path), paths)
        if len(ends) == 1:
            of_kind = "/".join(filter(None, (match.version, match.kind)))
            return history(releases, of_kind, ends[0])
        raise UsageError(
            f"{match.kind} has no field called {match.field_path!r} in any release",
            hint=(
                f"did you mean {' or '.join(ends)}?"
                if 0 < len(ends) <= _MAX_HINTS
                else nearest(str(match.field_path), paths)
            ),
        )
    return histories


_MAX_HINTS = 5
_ColumnRelease = tuple[Column, Release]


def _columns_of(match: TypeMatch, releases: Sequence[Release]) -> list[_ColumnRelease]:
    """The columns of a type in the order of ``History``."""
    columns = [
        (Column(release.name, definition.version, definition.name), release)
        for release in releases
        for definition in definitions_of(match, release)
    ]
    order = {release.name: index for index, release in enumerate(releases)}
    return sorted(
        columns,
        key=lambda pair: (
            _evolution(pair[0].version),
            order[pair[0].release],
            pair[0].definition,
        ),
    )


def _evolution(version: str) -> tuple[int, int, int, str]:
    """A key that sorts API versions as they followed each other: v1beta1, v1, v2beta1,
    v2."""
    stability, major, minor, name = precedence(version)
    return major, stability, minor, name


def _types_with_field(name: str, releases: Iterable[Release]) -> str:
    """A hint with the types that have a field of this name, or of the first one of a
    path; empty where none has it."""
    first, dot, rest = name.partition(".")
    paths = {
        f"{definition.kind}.{field.name}{dot}{rest}"
        for release in releases
        for definition in release.definitions.values()
        for field in definition.schema.fields
        if field.name.lower() == first.lower()
    }
    if not paths:
        return ""
    shown = " or ".join(sorted(paths)[:_MAX_HINTS])
    more = len(paths) - _MAX_HINTS
    return f"did you mean {shown}{f' or {more} more' if more > 0 else ''}?"


def _all_paths(columns_of_types: Iterable[Sequence[_ColumnRelease]]) -> list[str]:
    """The paths of all fields below types in their last columns."""
    trees = (
        type_tree(release.definitions[column.definition], release, None, {})
        for columns in columns_of_types
        for column, release in columns[-1:]
    )
    return list(dict.fromkeys(path for tree in trees for path in tree.fields))


def _that_end(path: str, paths: Iterable[str]) -> list[str]:
    """The paths that end with another one, regardless of its case."""
    return [name for name in paths if name.lower().endswith(f".{path}".lower())]


def _history(
    match: TypeMatch,
    columns_with_releases: Sequence[_ColumnRelease],
    releases: Sequence[Release],
    facts: Mapping[str, ReleaseFacts],
) -> History | None:
    """The history of a type, None where it has no field of the path; ``facts`` are those
    of all releases."""
    columns = tuple(column for column, _ in columns_with_releases)
    trees: list[TypeTree] = []
    former_paths: dict[str, str] = {}
    for column, release in columns_with_releases:
        outer = release.definitions[column.definition]
        tree = type_tree(outer, release, match.field_path, former_paths)
        trees.append(tree)
        former_paths |= tree.paths
    if not any(tree.fields for tree in trees):
        return None
    order = {release.name: index for index, release in enumerate(releases)}
    bases = [_compared_with(index, columns, order) for index in range(len(columns))]
    sides = [(facts[column.release], column.definition) for column in columns]
    events = tuple(
        event
        for index, base in enumerate(bases)
        if index
        for event in _events(
            type_changes(sides[base], sides[index]), index, trees[base], trees[index]
        )
    )
    return History(
        match.kind,
        match.group,
        tuple(release.name for release in releases),
        columns,
        tuple(_rows(trees, bases, events, columns, match)),
        events,
        match.field_path,
        coverage_of(releases, _ASPECTS),
        _known_field(match, columns_with_releases, order),
    )


def _known_field(
    match: TypeMatch, columns: Iterable[_ColumnRelease], order: Mapping[str, int]
) -> KnownField | None:
    """What is known of the field that a history is limited to, in the newest release and
    the preferred version that have it."""

    def preference(pair: _ColumnRelease) -> tuple[int, tuple[int, int, int, str]]:
        return order[pair[0].release], precedence(pair[0].version)

    if match.field_path is None:
        return None
    path = match.field_path.split(".")
    fields = (
        known_place(
            release,
            column.definition,
            GroupVersionKind(match.group, column.version, match.kind),
            path,
        )
        for column, release in sorted(columns, key=preference, reverse=True)
    )
    return next(filter(None, fields), None)


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
    changes: Iterable[Change], column: int, old: TypeTree, new: TypeTree
) -> Iterator[Event]:
    """The changes that are below the type, or are of the one field; of the fields that
    lead to that only whether they are there. They come in the order of the types."""
    named = [(local_name(change.definition, new.package), change) for change in changes]
    order = {name: index for index, name in enumerate({**new.paths, **old.paths})}
    for name, change in sorted(named, key=lambda pair: order.get(pair[0], -1)):
        path = new.path(name, change.field)
        if path is None:
            path = old.path(name, change.field)
        # The description of a type below is that of its field, in other words.
        if path is None or (path and change.field is None):
            continue
        is_above = new.is_above(path) or old.is_above(path)
        if is_above and change.change not in ("field-added", "field-removed"):
            continue
        values = {item.name: getattr(change, item.name) for item in fields(change)}
        yield Event(**{**values, "field": path or None, "column": column})


def _rows(
    trees: Sequence[TypeTree],
    bases: Sequence[int],
    events: Sequence[Event],
    columns: Sequence[Column],
    match: TypeMatch,
) -> Iterator[Row]:
    """The fields, in the order in which they first appear; ``bases`` are the indexes of
    the columns that each column is compared with."""
    group = "" if match.group == "core" else match.group
    kinds = [GroupVersionKind(group, one.version, match.kind) for one in columns]
    marks: dict[tuple[int, str], Mark] = {}
    for event in events:
        if event.field is not None:
            key = event.column, event.field
            marks[key] = _combined(marks.get(key, ""), event)
    shown = {event.field for event in events if _is_significant(event)}
    shown |= {path for tree in trees for path in tree.own_fields}
    for path in dict.fromkeys(path for tree in trees for path in tree.fields):
        if path not in shown:
            continue
        cells: list[Cell | None] = []
        for index, tree in enumerate(trees):
            field = tree.fields.get(path)
            # A field of an object that was added has no event of its own.
            is_new = index > 0 and path not in trees[bases[index]].fields
            mark = "new" if is_new else marks.get((index, path), "")
            if field is None:
                cells.append(None)
                continue
            known = known_field(columns[index].release, field.definition, field.field)
            known = at_place(known, kinds[index], path.split("."))
            facts = known.schema, known.required, mark, known.gate, known.warned
            cells.append(Cell(*facts))
        yield Row(path, tuple(cells))


def _is_significant(event: Event) -> bool:
    """Whether a history shows a field below the type because of an event: what is only
    spelled out or worded differently is left to the list of events."""
    is_field = event.change in ("field-added", "field-removed")
    return is_field or event.severity in ("breaking", "warning")


def _combined(mark: Mark, event: Event) -> Mark:
    """The mark of a field with another event: the more significant one."""
    if event.change == "field-added" or mark == "new":
        return "new"
    is_wording = event.severity == "docs" or event.change == "description-changed"
    return "docs" if is_wording and mark != "changed" else "changed"
