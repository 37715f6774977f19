"""One type through all releases and API versions; and all kinds over the releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kubestencil.diff.align import kind_hint, rewrite_refs
from kubestencil.diff.compare import differences
from kubestencil.diff.rules import Context, Rule, classify
from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.kinds import group_names, level, non_list_kinds, precedence
from kubestencil.schema.types import Raw


@dataclass(frozen=True, slots=True)
class Column:
    """A type as one release has it in one API version."""

    release: str
    version: str
    definition: str

    @property
    def stability(self) -> str:
        """The level of the version."""
        return level(self.version)


@dataclass(frozen=True, slots=True)
class Cell:
    """A field in one column.

    ``mark`` says what it is beside the column that this one is compared with:
    ``new``, ``changed``, ``docs`` (only its description differs) or empty; the
    first column has no marks.
    """

    schema: Raw
    required: bool
    mark: str


@dataclass(frozen=True, slots=True)
class Row:
    """A field through all columns: None where it is not there."""

    field: str
    cells: tuple[Cell | None, ...]

    @property
    def first(self) -> int:
        """The index of the first column that has the field."""
        return next(n for n, cell in enumerate(self.cells) if cell is not None)

    @property
    def last(self) -> int:
        """The index of the last column that has it."""
        return max(n for n, cell in enumerate(self.cells) if cell is not None)


@dataclass(frozen=True, slots=True)
class Event:
    """What a column differs in from the one it is compared with.

    ``field`` is None for a change of the type itself.
    """

    column: int
    change: str
    stability: str
    rule: Rule
    field: str | None
    before: Raw | None
    after: Raw | None

    @property
    def severity(self) -> str:
        """How grave the change is, as ``rule`` says."""
        return self.rule.severity


@dataclass(frozen=True, slots=True)
class History:
    """A type of one group: the older versions first, in each the older releases.

    A column is compared with the release before it; the first of a version with
    the version before, as it was then. References between types of the same version
    count as the same.
    """

    kind: str
    group: str
    releases: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """When an API version of a kind was served: in these releases."""

    version: str
    releases: tuple[str, ...]

    @property
    def stability(self) -> str:
        """The level of the version."""
        return level(self.version)


@dataclass(frozen=True, slots=True)
class Line:
    """A kind, and when each of its versions was served."""

    group: str
    kind: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """Every kind over the releases, by group and name."""

    releases: tuple[str, ...]
    lines: tuple[Line, ...]


def history(releases: Sequence[Release], name: str) -> tuple[History, ...]:
    """What became of a type, for each group that has one of the name.

    ``name`` is a kind or type (``ResourceClaimStatus``), with its group
    (``resource.k8s.io/ResourceClaim``) where one is meant. ``releases`` come in
    the order of time. Raises UsageError where there never was such a type.
    """
    group, _, kind = name.rpartition("/")
    groups: dict[str, list[tuple[Column, Release]]] = {}
    known: set[str] = set()
    for release in releases:
        names = group_names(release)
        for definition in release.definitions.values():
            known.add(definition.kind)
            own = names.get(definition.name.rpartition(".")[0], definition.group)
            if definition.kind == kind and (not group or group == own):
                column = Column(release.name, definition.version, definition.name)
                groups.setdefault(own, []).append((column, release))
    if not groups:
        raise UsageError(
            f"there never was a type {name!r}", hint=kind_hint(kind, known)
        )
    return tuple(
        _history(kind, own, [release.name for release in releases], found)
        for own, found in sorted(groups.items())
    )


def only_field(found: Sequence[History], name: str) -> tuple[History, ...]:
    """The histories of one field, of the types that ever had it.

    Raises UsageError where none had.
    """
    known = dict.fromkeys(row.field for each in found for row in each.rows)
    if name not in known:
        raise UsageError(
            f"{found[0].kind} never had a field {name!r}", hint=nearest(name, known)
        )
    return tuple(
        replace(
            each,
            rows=tuple(row for row in each.rows if row.field == name),
            events=tuple(event for event in each.events if event.field == name),
        )
        for each in found
        if any(row.field == name for row in each.rows)
    )


def timeline(releases: Sequence[Release]) -> Timeline:
    """When each kind was served, in which versions."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for release in releases:
        for kind in non_list_kinds(release):
            versions = found.setdefault((kind.group, kind.kind), {})
            versions.setdefault(kind.version, []).append(release.name)
    return Timeline(
        tuple(release.name for release in releases),
        tuple(
            Line(
                group,
                kind,
                tuple(
                    Span(version, tuple(dict.fromkeys(versions[version])))
                    for version in sorted(versions, key=precedence)
                ),
            )
            for (group, kind), versions in sorted(found.items())
        ),
    )


def _history(
    kind: str,
    group: str,
    releases: Sequence[str],
    found: Sequence[tuple[Column, Release]],
) -> History:
    order = {name: number for number, name in enumerate(releases)}
    found = sorted(
        found,
        key=lambda each: (
            precedence(each[0].version),
            order[each[0].release],
            each[0].definition,
        ),
    )
    columns = tuple(column for column, _ in found)
    schemas = [_schema(column, release) for column, release in found]
    events = tuple(
        event
        for number in range(1, len(columns))
        for event in _events(number, _base(number, columns, order), schemas, columns)
    )
    return History(
        kind,
        group,
        tuple(releases),
        columns,
        tuple(_rows(schemas, events)),
        events,
    )


def _schema(column: Column, release: Release) -> Raw:
    """The type's schema, with references to types of its own version by their last
    part, so that they are the same in another version."""
    package = column.definition.rpartition(".")[0]
    references = {
        f"#/definitions/{name}": name.rpartition(".")[2]
        for name in release.definitions
        if name.rpartition(".")[0] == package
    }
    told: Raw = rewrite_refs(
        release.definitions[column.definition].schema.raw, references
    )
    return told


def _base(number: int, columns: Sequence[Column], order: Mapping[str, int]) -> int:
    """The column that a column is compared with.

    It is the release before, in the same version; for the first release of a
    version the version before, as it was in that release, or last had been.
    """
    column, former = columns[number], columns[number - 1]
    if former.version == column.version:
        return number - 1
    earlier = [
        index
        for index, each in enumerate(columns)
        if each.version == former.version
        and order[each.release] <= order[column.release]
    ]
    return max(earlier, default=number - 1)


def _events(
    number: int, base: int, schemas: Sequence[Raw], columns: Sequence[Column]
) -> Iterator[Event]:
    name, version = columns[number].definition, columns[base].version
    before, after = schemas[base], schemas[number]
    context = Context({name: before}, {name: after})
    for each in differences({name: before}, {name: after}):
        # Which kinds a type is served as says its version, which every column has.
        if each.keyword != "x-kubernetes-group-version-kind":
            verdict = classify(each, context, version)
            yield Event(
                number,
                each.change,
                verdict.stability,
                verdict.rule,
                each.field,
                each.before,
                each.after,
            )


def _rows(schemas: Sequence[Raw], events: Sequence[Event]) -> Iterator[Row]:
    """The fields, in the order in which they first appear."""
    marks: dict[tuple[int, str], str] = {}
    for event in events:
        if event.field is not None:
            place = (event.column, event.field.partition(".")[0])
            marks[place] = _graver(marks.get(place, ""), event)
    fields = dict.fromkeys(
        name for schema in schemas for name in schema.get("properties", {})
    )
    for name in fields:
        yield Row(
            name,
            tuple(
                (
                    Cell(
                        schema["properties"][name],
                        name in schema.get("required", ()),
                        marks.get((number, name), ""),
                    )
                    if name in schema.get("properties", {})
                    else None
                )
                for number, schema in enumerate(schemas)
            ),
        )


def _graver(mark: str, event: Event) -> str:
    if event.change == "field-added" or mark == "new":
        return "new"
    return "docs" if event.severity == "docs" and mark != "changed" else "changed"
