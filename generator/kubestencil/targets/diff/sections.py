"""The changes of a comparison by group and kind, as template variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kubestencil.diff.comparison import Change, Graduation
from kubestencil.diff.rules.audience import SEVERITIES
from kubestencil.schema.kinds import precedence
from kubestencil.targets.diff.changes import (
    ChangeFormatter,
    FormattedChange,
    SeverityCount,
    is_alpha,
    is_minor,
    severity_counts,
)
from kubestencil.text.controls import one_line

_SHARED = "Shared by several kinds"


class KindSection(NamedTuple):
    """The changes of one kind, or of one type that several kinds share.

    ``title`` is its name, ``versions`` are the API versions with changes, the preferred
    one first. ``counts`` has the number of changes of each severity that occurs.
    ``changes`` are those that users have to know, most severe first, ``minor`` the
    others: wording, and what was true before. ``anchor`` is the fragment of the
    section's URL.
    """

    anchor: str
    title: str
    versions: str
    counts: tuple[SeverityCount, ...]
    changes: tuple[FormattedChange, ...]
    minor: tuple[FormattedChange, ...]


class GroupSection(NamedTuple):
    """The changed kinds of one API group, most severe changes first; ``title`` names the
    group."""

    anchor: str
    title: str
    counts: tuple[SeverityCount, ...]
    kinds: tuple[KindSection, ...]


class GraduationSection(NamedTuple):
    """Kinds that are served in a newer version, and the differences between the two.

    ``title`` has the group and the versions, ``kinds`` names the kinds,
    ``both_served`` is whether the older version is still served as well. ``counts`` and
    ``changes`` are empty where the schemas are equal.
    """

    title: str
    kinds: str
    both_served: bool
    counts: tuple[SeverityCount, ...]
    changes: tuple[FormattedChange, ...]


def group_sections(
    changes: Iterable[Change], formatter: ChangeFormatter, prefix: str
) -> tuple[GroupSection, ...]:
    """Changes by group and kind, the most severe ones first; those of shared types
    last. ``prefix`` begins the anchors of sections."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        groups.setdefault(_group(change), []).append(change)
    ordered = sorted(groups.items(), key=lambda item: _group_order(*item))
    return tuple(
        GroupSection(
            formatter.anchor(f"{prefix}{group}"),
            one_line(group),
            severity_counts(group_changes),
            _kind_sections(group, group_changes, formatter, prefix),
        )
        for group, group_changes in ordered
    )


def graduation_section(
    graduation: Graduation, formatter: ChangeFormatter
) -> GraduationSection:
    """A graduation with the differences between the two versions."""
    group = graduation.group or "core"
    versions = graduation.before, graduation.after
    return GraduationSection(
        one_line(f"{group}: {' → '.join(versions)}"),
        one_line(", ".join(graduation.kinds)),
        not graduation.before_removed,
        severity_counts(graduation.changes),
        formatter.merged(graduation.changes, f"{'-'.join((group, *versions))}:"),
    )


def split_alpha(changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """The changes of what is at least beta, and those of what is alpha."""
    stable: list[Change] = []
    alpha: list[Change] = []
    for change in changes:
        (alpha if is_alpha(change) else stable).append(change)
    return stable, alpha


def _kind_sections(
    group: str,
    changes: Iterable[Change],
    formatter: ChangeFormatter,
    prefix: str,
) -> tuple[KindSection, ...]:
    kinds: dict[str, list[Change]] = {}
    for change in changes:
        kinds.setdefault(_kind(change), []).append(change)
    ordered = sorted(kinds.items(), key=lambda item: (_severity(item[1]), item[0]))
    return tuple(
        KindSection(
            formatter.anchor(f"{prefix}{group}:{kind}"),
            one_line(kind),
            one_line(", ".join(_versions(kind_changes))),
            severity_counts(kind_changes),
            formatter.merged(change for change in kind_changes if not is_minor(change)),
            formatter.merged(change for change in kind_changes if is_minor(change)),
        )
        for kind, kind_changes in ordered
    )


def _group(change: Change) -> str:
    return _SHARED if change.owner is None else change.owner.group or "core"


def _kind(change: Change) -> str:
    if change.owner is None:
        return change.definition.rpartition(".")[2]
    return change.owner.kind


def _group_order(group: str, changes: Sequence[Change]) -> tuple[bool, int, str]:
    return group == _SHARED, _severity(changes), "" if group == "core" else group


def _severity(changes: Iterable[Change]) -> int:
    """The most severe severity of changes as a number, 0 for the most severe one; what
    users need not know counts as the least severe."""
    return min(
        len(SEVERITIES) if is_minor(change) else SEVERITIES.index(change.severity)
        for change in changes
    )


def _versions(changes: Iterable[Change]) -> list[str]:
    versions = {change.owner.version for change in changes if change.owner is not None}
    return sorted(versions, key=precedence, reverse=True)
