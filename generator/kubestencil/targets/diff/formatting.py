"""Comparisons and histories as their reports show them.

A view decides everything that a template would have to compute: what a change is
called, which words are marked, what belongs together. ``escape`` makes text fit for
the place where it is shown; it is given every text that comes from a document.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kubestencil.diff.comparison import Change, Comparison, Graduation
from kubestencil.diff.data import kind_name
from kubestencil.diff.history import Event, History, Row, Timeline
from kubestencil.diff.rules import SEVERITIES, Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import LEVELS, level
from kubestencil.schema.types import Raw
from kubestencil.targets.diff.words import Piece, pieces, shortened

Escape = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Pages:
    """Finds the pages that say more of what a report names.

    ``of_field`` gives the address of a definition's field, or of the definition where
    the field is empty, in the first of some releases that has it; ``of_kind`` that of
    a kind in a release that has it. An address is empty where there is no page.
    """

    of_field: Callable[[str, str, Sequence[str]], str]
    of_kind: Callable[[GroupVersionKind, str], str]


def _nowhere(*_: object) -> str:
    return ""


#: No pages: a report by itself.
NOWHERE = Pages(_nowhere, _nowhere)

_TEXTS = ("description", "title")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_SENTENCE = re.compile(r"(?<=[a-z0-9)`\"'][.!?])\s")
_MAX_VALUE = 400
_BRIEF = 60


@dataclass(frozen=True, slots=True)
class Shown:
    """One change. ``anchor`` is its address in the page; it stays the same as long
    as the change does. ``note`` is what the document says of something new or gone,
    ``page`` the address of a page about the field.
    """

    anchor: str
    severity: str
    stability: str
    label: str
    field: str
    pieces: tuple[Piece, ...]
    note: str
    page: str
    rule: Rule

    @property
    def is_brief(self) -> bool:
        """Whether the pieces fit beside the label."""
        return sum(len(piece.text) for piece in self.pieces) <= _BRIEF


@dataclass(frozen=True, slots=True)
class Part:
    """The changes of one definition, with the kinds that lead to it; ``page`` is the
    address of a page about it."""

    anchor: str
    name: str
    full_name: str
    page: str
    kinds: tuple[str, ...]
    kind_numbers: str
    reach: str
    changes: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """The definitions that belong to one kind, or to none in particular."""

    anchor: str
    title: str
    counts: tuple[tuple[str, int], ...]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """Kinds that went from one version to another, and what differs between."""

    title: str
    kinds: str
    left: bool
    counts: tuple[tuple[str, int], ...]
    parts: tuple[Part, ...]


def report(
    found: Comparison, escape: Escape, pages: Pages = NOWHERE
) -> Mapping[str, Any]:
    """What the templates of a comparison are given."""
    kinds = sorted({kind for change in found.changes for kind in change.kinds})
    used = {change.rule.name: change.rule for change in found.changes}
    for each in found.graduations:
        used.update({change.rule.name: change.rule for change in each.changes})
    numbers = {kind: number for number, kind in enumerate(kinds)}
    shower = _Shower(escape, numbers, pages, (found.after, found.before))
    return {
        "before": escape(found.before),
        "after": escape(found.after),
        "total": len(found.changes),
        "summary": tuple(found.summary.items()),
        "levels": LEVELS,
        "versions": tuple(
            (sign, escape(each), level(each.rpartition("/")[2]))
            for sign, versions in (
                ("removed", found.versions_removed),
                ("added", found.versions_added),
            )
            for each in versions
        ),
        "moves": tuple(shower.move(each) for each in found.graduations),
        "sections": shower.sections(found.changes),
        "kinds": tuple(escape(kind_name(kind)) for kind in kinds),
        "rules": sorted(
            used.values(), key=lambda rule: (SEVERITIES.index(rule.severity), rule.name)
        ),
    }


def shown(change: Change, escape: Escape = str) -> Shown:
    """One change in words, as the reports have it."""
    return _Shower(escape, {}).change(change, change.definition)


class _Shower:
    """Puts changes into words; hands out each anchor once."""

    def __init__(
        self,
        escape: Escape,
        numbers: Mapping[GroupVersionKind, int],
        pages: Pages = NOWHERE,
        releases: Sequence[str] = (),
    ) -> None:
        self.escape = escape
        self.numbers = numbers
        self.pages = pages
        self.releases = releases
        self.taken: dict[str, int] = {}

    def move(self, found: Graduation) -> Move:
        group = found.group or "core"
        return Move(
            self.escape(f"{group}: {found.before} → {found.after}"),
            self.escape(", ".join(found.kinds)),
            found.left,
            _counts(found.changes),
            self.parts(found.changes, f"{group}-{found.before}-{found.after}:"),
        )

    def sections(self, changes: Iterable[Change]) -> tuple[Section, ...]:
        by_home: dict[tuple[bool, str, str], list[Change]] = {}
        for change in changes:
            by_home.setdefault(_home(change), []).append(change)
        return tuple(
            Section(
                self.anchor(title),
                self.escape(title),
                _counts(members),
                self.parts(members, ""),
            )
            for (_, _, title), members in sorted(by_home.items())
        )

    def parts(self, changes: Iterable[Change], prefix: str) -> tuple[Part, ...]:
        return tuple(
            self.part(name, tuple(members), prefix)
            for name, members in groupby(changes, lambda each: each.definition)
        )

    def part(self, name: str, changes: Sequence[Change], prefix: str) -> Part:
        kinds = changes[0].kinds
        ordered = sorted(changes, key=lambda each: SEVERITIES.index(each.severity))
        return Part(
            self.anchor(f"{prefix}{name}"),
            self.escape(name.rpartition(".")[2]),
            self.escape(name),
            self.pages.of_field(name, "", self.releases),
            tuple(self.escape(kind_name(kind)) for kind in kinds),
            " ".join(str(self.numbers[kind]) for kind in kinds if kind in self.numbers),
            f"in {len(kinds)} kinds" if len(kinds) > 1 else "",
            tuple(self.change(each, f"{prefix}{name}") for each in ordered),
        )

    def change(self, found: Change, definition: str) -> Shown:
        whole = found.keyword is None
        field = found.field or ""
        return Shown(
            self.anchor(f"{definition}:{field}:{found.change}"),
            found.severity,
            found.stability,
            _label(found.change),
            self.escape(field),
            self.pieces(found),
            self.escape(_note(found.after or found.before or {}) if whole else ""),
            (
                self.pages.of_field(found.definition, field, self.releases)
                if field
                else ""
            ),
            found.rule,
        )

    def pieces(self, found: Change | Event) -> tuple[Piece, ...]:
        return tuple(
            Piece(piece.role, self.escape(piece.text)) for piece in _pieces(found)
        )

    def anchor(self, name: str) -> str:
        """An address made of letters, digits, dots, dashes and underscores."""
        safe = ":".join(_UNSAFE.sub(_hex, part) for part in name.split(":"))
        count = self.taken[safe] = self.taken.get(safe, 0) + 1
        return safe if count == 1 else f"{safe}:{count}"


# --- a type, or all kinds, through the releases


@dataclass(frozen=True, slots=True)
class Head:
    """A column of a matrix: the releases of a version that are the same."""

    version: str
    stability: str
    releases: str
    opens: bool

    @property
    def width(self) -> int:
        """The characters that the column needs where each has the same width."""
        return max(len(self.releases), len(self.version) if self.opens else 0)


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a matrix. ``cells`` are marks: ``new``, ``changed``, ``docs``,
    ``same`` where there is nothing to say, and ``none`` where the row is absent;
    ``page`` is the address of a page about it."""

    label: str
    page: str
    about: str
    span: str
    stability: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """What changed in one column."""

    title: str
    changes: tuple[Shown, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows through columns, and what happened in each column."""

    title: str
    about: str
    heads: tuple[Head, ...]
    bands: tuple[tuple[str, str, int], ...]
    lines: tuple[Line, ...]
    stories: tuple[Story, ...]

    @property
    def label_width(self) -> int:
        """The characters of the longest label."""
        return max((len(line.label) for line in self.lines), default=0)

    @property
    def about_width(self) -> int:
        """The characters of the longest of what stands beside a label."""
        return max((len(line.about) for line in self.lines), default=0)


def history(found: History, escape: Escape) -> Matrix:
    """The matrix of one type: its fields, through releases and versions."""
    runs = _runs(found)
    shower = _Shower(escape, {})
    heads = tuple(
        Head(
            escape(found.columns[run[0]].version or "none"),
            found.columns[run[0]].stability,
            escape(_span([found.columns[number].release for number in run])),
            place == 0
            or found.columns[runs[place - 1][0]].version
            != found.columns[run[0]].version,
        )
        for place, run in enumerate(runs)
    )
    return Matrix(
        escape(f"{found.group} {found.kind}"),
        escape(_span(found.releases)),
        heads,
        _bands(heads),
        tuple(
            Line(
                escape(row.field),
                "",
                escape(_row_type(row)),
                escape(_row_span(row, found)),
                "",
                tuple(_mark(row, run[0]) for run in runs),
            )
            for row in found.rows
        ),
        tuple(
            Story(
                f"{heads[number].version} {heads[number].releases}",
                tuple(_event(event, shower) for event in events),
            )
            for number, run in enumerate(runs)
            if (events := [each for each in found.events if each.column == run[0]])
        ),
    )


def timeline(found: Timeline, escape: Escape, pages: Pages = NOWHERE) -> Matrix:
    """The matrix of all kinds: a row for each of their versions."""
    heads = tuple(Head("", "", escape(release), False) for release in found.releases)
    return Matrix(
        "Kinds and versions",
        escape(_span(found.releases)),
        heads,
        (),
        tuple(
            Line(
                escape(f"{line.group}/{span.version}/{line.kind}".lstrip("/")),
                pages.of_kind(
                    GroupVersionKind(line.group, span.version, line.kind),
                    span.releases[-1],
                ),
                span.stability,
                escape(_span(span.releases)),
                span.stability,
                tuple(
                    (
                        "none"
                        if release not in span.releases
                        else (
                            "new"
                            if number
                            and found.releases[number - 1] not in span.releases
                            else "same"
                        )
                    )
                    for number, release in enumerate(found.releases)
                ),
            )
            for line in found.lines
            for span in line.spans
        ),
        (),
    )


def _runs(found: History) -> list[list[int]]:
    """Neighbouring columns of one version in which nothing changed."""
    changed = {event.column for event in found.events}
    runs: list[list[int]] = []
    for number, column in enumerate(found.columns):
        joins = (
            runs
            and number not in changed
            and found.columns[number - 1].version == column.version
            and found.columns[number - 1].definition == column.definition
        )
        if joins:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _bands(heads: Sequence[Head]) -> tuple[tuple[str, str, int], ...]:
    """Each version with its level and the number of columns that it has."""
    return tuple(
        (version, stability, len(list(run)))
        for (version, stability), run in groupby(
            heads, lambda head: (head.version, head.stability)
        )
    )


def _event(event: Event, shower: _Shower) -> Shown:
    return Shown(
        "",
        event.severity,
        event.stability,
        _label(event.change),
        shower.escape(event.field or ""),
        shower.pieces(event),
        "",
        "",
        event.rule,
    )


def _mark(row: Row, column: int) -> str:
    cell = row.cells[column]
    return "none" if cell is None else cell.mark or "same"


def _row_type(row: Row) -> str:
    """What the field is, and was where that is something else."""
    seen = dict.fromkeys(spelled(cell.schema) for cell in row.cells if cell is not None)
    cell = row.cells[row.last]
    return " → ".join(seen) + (", required" if cell and cell.required else "")


def _row_span(row: Row, found: History) -> str:
    first, last = found.columns[row.first], found.columns[row.last]
    ends = [f"{each.release} {each.version}".strip() for each in (first, last)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def _span(releases: Sequence[str]) -> str:
    first, last = releases[0], releases[-1]
    return first if first == last else f"{first}..{last}"


# --- changes in words


def spelled(schema: Raw) -> str:
    """A type in a few words: ``list of Container``, ``string (date-time)``."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition(".")[2].rpartition("/")[2]
    if isinstance(schema.get("items"), dict):
        return f"list of {spelled(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map of {spelled(schema['additionalProperties'])}"
    kind, form = schema.get("type", "any value"), schema.get("format")
    return f"{kind} ({form})" if form else str(kind)


def _pieces(found: Change | Event) -> Iterator[Piece] | tuple[Piece, ...]:
    keyword = next(iter(found.before or found.after or {}), "")
    if found.change.partition("-")[0] in ("kind", "definition"):
        return _replaced(_field_names(found.before), _field_names(found.after))
    if found.change in ("field-added", "field-removed"):
        return _replaced(
            *(
                None if each is None else spelled(each)
                for each in (found.before, found.after)
            )
        )
    if keyword in ("required", "properties"):
        return ()
    old, new = (
        None if each is None else each[keyword] for each in (found.before, found.after)
    )
    if keyword in _TEXTS and isinstance(old, str) and isinstance(new, str):
        return shortened(pieces(old, new))
    was, now = (
        None if each is None else _value(keyword, value)
        for each, value in ((found.before, old), (found.after, new))
    )
    if was == now:
        was, now = _json(old), _json(new)
    return _replaced(was, now)


def _field_names(schema: Raw | None) -> str | None:
    """What a type has that came or went, beside what every kind has."""
    names = (schema or {}).get("properties", {}).keys() - {"apiVersion", "kind"}
    return ", ".join(sorted(names)) or None


def _replaced(before: str | None, after: str | None) -> Iterator[Piece]:
    if before is not None:
        yield Piece("del", before)
    if before is not None and after is not None:
        yield Piece("same", " → ")
    if after is not None:
        yield Piece("ins", after)


def _value(keyword: str, value: Any) -> str:
    if keyword == "$ref":
        return spelled({"$ref": value})
    if keyword in ("items", "additionalProperties") and isinstance(value, dict):
        return spelled(value)
    if keyword == "x-kubernetes-group-version-kind":
        return _cut(
            ", ".join(
                "/".join(
                    filter(
                        None, (each.get("group"), each.get("version"), each.get("kind"))
                    )
                )
                for each in value
            )
        )
    if isinstance(value, str):
        return _cut(value) or '""'
    if (
        isinstance(value, list)
        and value
        and all(isinstance(each, str) for each in value)
    ):
        return _cut(", ".join(value))
    return _json(value)


def _json(value: Any) -> str:
    return _cut(json.dumps(value, sort_keys=True, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


def _label(change: str) -> str:
    if change in ("field-required", "field-optional"):
        return f"now {change.rpartition('-')[2]}"
    return change.replace("-", " ")


def _note(schema: Raw) -> str:
    """The first sentence of a description."""
    text = str(schema.get("description", "")).strip()
    return _cut(_SENTENCE.split(text, maxsplit=1)[0])


def _home(change: Change) -> tuple[bool, str, str]:
    """What a change is listed under: its kind, by group, or the package it is in,
    after all kinds."""
    if change.home is not None:
        return False, change.home.group, kind_name(change.home)
    package = change.definition.rpartition(".")[0]
    return True, package, f"Shared: {'/'.join(package.split('.')[-2:])}"


def _counts(changes: Iterable[Change]) -> tuple[tuple[str, int], ...]:
    counts = dict.fromkeys(SEVERITIES, 0)
    for change in changes:
        counts[change.severity] += 1
    return tuple((severity, count) for severity, count in counts.items() if count)


def _hex(match: re.Match[str]) -> str:
    return f"_{ord(match[0]):x}_"
