"""Comparisons as template variables: what a report lists, in which order and words.

Every text from a document goes through ``escape``, which makes it literal text in the
format of the report.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypedDict

from kubestencil.diff.audience import SEVERITIES, SEVERITY_MEANINGS, Severity
from kubestencil.diff.comparison import Change, Comparison, Graduation
from kubestencil.diff.history import Event
from kubestencil.diff.labels import kind_name
from kubestencil.diff.rules import Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import LEVELS, Level, level
from kubestencil.targets.diff.links import NO_LINKS, LinkResolver
from kubestencil.targets.diff.word_diff import Segment
from kubestencil.targets.diff.wording import (
    change_label,
    change_segments,
    first_sentence,
)

#: Makes any text literal text in a format.
Escape = Callable[[str], str]

_UNSAFE_IN_ANCHOR = re.compile(r"[^A-Za-z0-9._-]")
_MAX_BRIEF = 60  # characters


@dataclass(frozen=True, slots=True)
class SeverityCount:
    """How many changes (``count``) have a ``severity``."""

    severity: Severity
    count: int


@dataclass(frozen=True, slots=True)
class FormattedChange:
    """One change in words.

    ``label`` says what changed (``field added``), ``field`` is the field's JSON name,
    empty for the definition itself, and ``segments`` are what was replaced by what.
    ``note`` is the first sentence of the description of what was added or removed.
    ``anchor`` is the fragment of the change's URL, stable as long as the change exists;
    ``link`` is the URL of a page that documents the field, or empty. ``severity``,
    ``stability`` and ``rule`` are those of ``kubestencil.diff.Change``.
    """

    anchor: str
    severity: Severity
    stability: Level
    label: str
    field: str
    segments: tuple[Segment, ...]
    note: str
    link: str
    rule: Rule

    @property
    def is_brief(self) -> bool:
        """Whether the segments fit on the line of the label."""
        return sum(len(segment.text) for segment in self.segments) <= _MAX_BRIEF


@dataclass(frozen=True, slots=True)
class DefinitionChanges:
    """The changes of one definition, most severe first.

    ``name`` is the last part of its ``full_name``. ``kinds`` are the kinds that it is
    part of, ``kind_indexes`` their indexes in the report's ``kinds``, with spaces
    between, and ``kind_count`` says how many they are (``used in 3 kinds``), empty for
    one. ``anchor`` and ``link`` are as those of a change.
    """

    anchor: str
    name: str
    full_name: str
    link: str
    kinds: tuple[str, ...]
    kind_indexes: str
    kind_count: str
    changes: tuple[FormattedChange, ...]


@dataclass(frozen=True, slots=True)
class ReportSection:
    """The changed definitions of one kind, or the shared ones of one package.

    ``title`` names the kind or package, ``counts`` has the number of changes of each
    severity that occurs, ``anchor`` is the fragment of the section's URL.
    """

    anchor: str
    title: str
    counts: tuple[SeverityCount, ...]
    definitions: tuple[DefinitionChanges, ...]


@dataclass(frozen=True, slots=True)
class GraduationSection:
    """Kinds that are served in a newer version, and the differences between the two.

    ``title`` has the group and the versions, ``kinds`` names the kinds,
    ``both_served`` is whether the older version is still served as well. ``counts`` and
    ``definitions`` are empty where the schemas are equal.
    """

    title: str
    kinds: str
    both_served: bool
    counts: tuple[SeverityCount, ...]
    definitions: tuple[DefinitionChanges, ...]


@dataclass(frozen=True, slots=True)
class ApiVersionChange:
    """An API version (``apps/v1``), its stability level, and whether it was added or
    removed."""

    change: Literal["added", "removed"]
    api_version: str
    stability: Level


class ComparisonVariables(TypedDict):
    """The variables of the templates ``report.*.j2``.

    ``before`` and ``after`` name what was compared, ``total`` is the number of changes,
    ``summary`` the number for each severity. ``sections`` are the changes,
    ``graduations`` those between versions of a kind, ``api_versions`` the versions that
    were added or removed. ``levels`` are all stability levels, ``kinds`` all kinds that
    have changes, ``severity_meanings`` says what each severity means, and ``rules`` are
    all rules that were applied, most severe first.
    """

    before: str
    after: str
    total: int
    summary: tuple[SeverityCount, ...]
    levels: tuple[Level, ...]
    api_versions: tuple[ApiVersionChange, ...]
    graduations: tuple[GraduationSection, ...]
    sections: tuple[ReportSection, ...]
    kinds: tuple[str, ...]
    severity_meanings: Mapping[Severity, str]
    rules: tuple[Rule, ...]


def comparison_variables(
    comparison: Comparison, escape: Escape, links: LinkResolver = NO_LINKS
) -> ComparisonVariables:
    """The template variables of a comparison."""
    kinds = sorted({kind for change in comparison.changes for kind in change.kinds})
    formatter = ChangeFormatter(
        escape, kinds, links, (comparison.after, comparison.before)
    )
    return {
        "before": escape(comparison.before),
        "after": escape(comparison.after),
        "total": len(comparison.changes),
        "summary": summary_counts(comparison),
        "levels": LEVELS,
        "api_versions": (
            *_api_versions("removed", comparison.api_versions_removed, escape),
            *_api_versions("added", comparison.api_versions_added, escape),
        ),
        "graduations": tuple(
            formatter.graduation(graduation) for graduation in comparison.graduations
        ),
        "sections": formatter.sections(comparison.changes),
        "kinds": tuple(escape(kind_name(kind)) for kind in kinds),
        "severity_meanings": SEVERITY_MEANINGS,
        "rules": _applied_rules(comparison),
    }


def summary_counts(comparison: Comparison) -> tuple[SeverityCount, ...]:
    """The number of changes of every severity, most severe first."""
    return tuple(
        SeverityCount(severity, count) for severity, count in comparison.summary.items()
    )


def format_change(change: Change, escape: Escape = str) -> FormattedChange:
    """One change in words, as the reports have it."""
    return ChangeFormatter(escape).change(change, change.definition)


class ChangeFormatter:
    """Puts the changes of one report into words and gives each a unique anchor.

    ``kinds`` are the kinds that the report can be filtered by. ``links`` are looked up
    in ``releases``, in their order.
    """

    def __init__(
        self,
        escape: Escape,
        kinds: Sequence[GroupVersionKind] = (),
        links: LinkResolver = NO_LINKS,
        releases: Sequence[str] = (),
    ) -> None:
        self._escape = escape
        self._kind_indexes = {kind: index for index, kind in enumerate(kinds)}
        self._links = links
        self._releases = releases
        self._anchor_counts: dict[str, int] = {}

    def graduation(self, graduation: Graduation) -> GraduationSection:
        """A graduation with the differences between the two versions."""
        group = graduation.group or "core"
        versions = graduation.before, graduation.after
        return GraduationSection(
            self._escape(f"{group}: {' → '.join(versions)}"),
            self._escape(", ".join(graduation.kinds)),
            not graduation.before_removed,
            _counts(graduation.changes),
            self._definitions(graduation.changes, f"{'-'.join((group, *versions))}:"),
        )

    def sections(self, changes: Iterable[Change]) -> tuple[ReportSection, ...]:
        """The changes by kind; those of shared definitions by package, last."""
        changes_by_section: dict[_SectionKey, list[Change]] = {}
        for change in changes:
            changes_by_section.setdefault(_section_key(change), []).append(change)
        return tuple(
            ReportSection(
                self._anchor(title),
                self._escape(title),
                _counts(section_changes),
                self._definitions(section_changes, ""),
            )
            for (_, _, title), section_changes in sorted(changes_by_section.items())
        )

    def change(self, change: Change, anchor_prefix: str) -> FormattedChange:
        """A change; ``anchor_prefix`` tells its definition from others in anchors."""
        is_whole_schema = change.keyword is None
        schema = change.after or change.before or {}
        field = change.field or ""
        return FormattedChange(
            self._anchor(f"{anchor_prefix}:{field}:{change.change}"),
            change.severity,
            change.stability,
            change_label(change),
            self._escape(field),
            self._segments(change),
            self._escape(first_sentence(schema) if is_whole_schema else ""),
            self._field_link(change.definition, field) if field else "",
            change.rule,
        )

    def event(self, event: Event) -> FormattedChange:
        """A change in a history, which has no anchor, note or link."""
        return FormattedChange(
            "",
            event.severity,
            event.stability,
            change_label(event),
            self._escape(event.field or ""),
            self._segments(event),
            "",
            "",
            event.rule,
        )

    def _definitions(
        self, changes: Iterable[Change], anchor_prefix: str
    ) -> tuple[DefinitionChanges, ...]:
        return tuple(
            self._definition(name, tuple(definition_changes), f"{anchor_prefix}{name}")
            for name, definition_changes in groupby(
                changes, lambda change: change.definition
            )
        )

    def _definition(
        self, name: str, changes: Sequence[Change], anchor: str
    ) -> DefinitionChanges:
        kinds = changes[0].kinds
        indexes = (self._kind_indexes.get(kind) for kind in kinds)
        ordered = sorted(changes, key=lambda change: SEVERITIES.index(change.severity))
        return DefinitionChanges(
            self._anchor(anchor),
            self._escape(name.rpartition(".")[2]),
            self._escape(name),
            self._field_link(name, ""),
            tuple(self._escape(kind_name(kind)) for kind in kinds),
            " ".join(str(index) for index in indexes if index is not None),
            f"used in {len(kinds)} kinds" if len(kinds) > 1 else "",
            tuple(self.change(change, anchor) for change in ordered),
        )

    def _segments(self, change: Change | Event) -> tuple[Segment, ...]:
        return tuple(
            Segment(segment.role, _with_outer_spaces(segment.text, self._escape))
            for segment in change_segments(change)
        )

    def _field_link(self, definition: str, field: str) -> str:
        return self._links.field_link(definition, field, self._releases)

    def _anchor(self, name: str) -> str:
        """A unique anchor of letters, digits, dots, dashes, underscores and colons."""
        safe = ":".join(
            _UNSAFE_IN_ANCHOR.sub(_hex_escape, part) for part in name.split(":")
        )
        count = self._anchor_counts[safe] = self._anchor_counts.get(safe, 0) + 1
        return safe if count == 1 else f"{safe}:{count}"


# Sections are sorted by this: whether it has shared definitions, its group, its title.
_SectionKey = tuple[bool, str, str]


def _section_key(change: Change) -> _SectionKey:
    """The kind that a change is listed under; the package, for shared definitions."""
    if change.owner is not None:
        return False, change.owner.group, kind_name(change.owner)
    package = change.definition.rpartition(".")[0]
    return True, package, f"Shared: {'/'.join(package.split('.')[-2:])}"


def _counts(changes: Iterable[Change]) -> tuple[SeverityCount, ...]:
    """The number of changes of each severity that occurs, most severe first."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for change in changes:
        counts[change.severity] += 1
    return tuple(
        SeverityCount(severity, count) for severity, count in counts.items() if count
    )


def _api_versions(
    change: Literal["added", "removed"], api_versions: Iterable[str], escape: Escape
) -> tuple[ApiVersionChange, ...]:
    return tuple(
        ApiVersionChange(change, escape(name), level(name.rpartition("/")[2]))
        for name in api_versions
    )


def _applied_rules(comparison: Comparison) -> tuple[Rule, ...]:
    changes = [
        *comparison.changes,
        *(
            change
            for graduation in comparison.graduations
            for change in graduation.changes
        ),
    ]
    rules = {change.rule.name: change.rule for change in changes}
    return tuple(
        sorted(
            rules.values(),
            key=lambda rule: (SEVERITIES.index(rule.severity), rule.name),
        )
    )


def _with_outer_spaces(text: str, escape: Escape) -> str:
    """``text`` escaped, with a space at each end where it has one: it separates the
    words of two segments, and some formats strip it."""
    escaped = escape(text)
    before = " " if text[:1].isspace() and not escaped[:1].isspace() else ""
    after = " " if text[-1:].isspace() and not escaped[-1:].isspace() else ""
    return f"{before}{escaped}{after}"


def _hex_escape(match: re.Match[str]) -> str:
    return f"_{ord(match[0]):x}_"
