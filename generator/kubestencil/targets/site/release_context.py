"""What the pages of one release show about the other releases.

It is computed once from all releases, and passed to the process that generates a release
as plain values. Changes of descriptions only are left to the reports, so that a
release is generated again only where a difference to another release shows on its pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Literal, NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.rules.audience import Severity
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.schema.knowledge.words import value_in_words
from kubestencil.schema.well_known import META_V1
from kubestencil.source.releases import newest_of
from kubestencil.targets.reports.changes import FormattedChange, format_change
from kubestencil.targets.reports.report_variables import upgrade_steps_of
from kubestencil.targets.reports.view import compare_for_run
from kubestencil.targets.reports.word_diff import Segment
from kubestencil.targets.site.addresses import (
    PageAddress,
    anchor,
    page_address,
    page_addresses,
)

#: The releases that have each type, oldest first, by the path of the type's page.
ReleasesByType = Mapping[str, tuple[str, ...]]


_PATH = attrgetter("path")
_EVENTS: Mapping[ChangeName, Literal["added", "removed"]] = {
    "field-added": "added",
    "field-removed": "removed",
}


class TypeChange(NamedTuple):
    """A change of a type in ``release``.

    ``field`` is the type's field that changed or contains the change, empty for a
    change of the type itself. ``path`` is the path of what changed, starting at the
    type: ``spec.replicas`` where ``spec`` is an inline object. ``change`` names the
    change as in a JSON report, ``severity`` is its severity, ``label`` and ``segments``
    describe it for people. ``badge`` is what the field shows; it is empty where how
    lists are merged, and the like, is in the history of the type only. ``is_promotion`` is
    whether it is at a more stable stage. ``former`` are the values that were allowed
    before, where these changed.
    """

    release: str
    field: str
    path: str
    change: ChangeName
    severity: Severity
    label: str
    segments: tuple[Segment, ...]
    badge: str
    is_promotion: bool = False
    former: tuple[str, ...] = ()

    @property
    def event(self) -> Literal["added", "removed", ""]:
        """What happened to the field as a whole; empty for another change."""
        return _EVENTS.get(self.change, "")


_BADGE_KEYWORDS = frozenset(
    ["required", "type", "format", "$ref", "items", "additionalProperties", "enum"]
)
_KIND_CHANGES: frozenset[ChangeName] = frozenset(
    ["kind-deprecated", "stage-changed", "stage-lowered"]
)


class Availability:
    """In which releases types, groups and versions are available."""

    def __init__(self, releases_by_type: ReleasesByType) -> None:
        self._releases_by_type = releases_by_type
        self._by_kind: dict[str, list[PageAddress]] = {}
        self._by_path: dict[str, set[str]] = {}
        for path, releases in releases_by_type.items():
            address = page_address(path)
            self._by_kind.setdefault(address.kind, []).append(address)
            for page in (path, address.group, address.group_version):
                self._by_path.setdefault(page, set()).update(releases)
        for addresses in self._by_kind.values():
            if len(addresses) > 1:
                addresses.sort(key=lambda address: precedence(address.version))

    def releases(self, path: str) -> Collection[str]:
        """The releases that have a type, a group (``apps``) or a group and version
        (``apps/v1``)."""
        return self._by_path[path]

    def versions(self, address: PageAddress) -> Sequence[PageAddress]:
        """The types of the same kind and group in any release, the most stable
        version last."""
        types = self._by_kind[address.kind]
        return [other for other in types if other.group == address.group]

    def preferred_version(
        self, address: PageAddress, release: str
    ) -> PageAddress | None:
        """The most stable of these types that ``release`` has, if any."""
        return next(
            (
                version
                for version in reversed(self.versions(address))
                if release in self._releases_by_type[version.path]
            ),
            None,
        )

    def replacements(self, path: str, release: str) -> tuple[str, ...]:
        """The paths of the types with the same name that ``release`` has, best first:
        other versions of the group, or without any, types of other groups."""
        address = page_address(path)
        candidates = [
            candidate
            for candidate in self._by_kind[address.kind]
            if release in self._releases_by_type[candidate.path]
        ]
        same_group = [
            candidate for candidate in candidates if candidate.group == address.group
        ]
        return tuple(candidate.path for candidate in reversed(same_group or candidates))


class AddedField(NamedTuple):
    """A field that a release added: its type's page, its name, its anchor there."""

    address: PageAddress
    name: str
    anchor: str


class StepCount(NamedTuple):
    """To how many things an upgrade does something: 16 stop, which ``is_severe``."""

    number: int
    noun: str
    is_severe: bool


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """What a release added and removed, compared with the ``previous`` one.

    ``counts`` are those of the report about the upgrade.
    """

    previous: str
    added_kinds: tuple[PageAddress, ...]
    removed_kinds: tuple[PageAddress, ...]
    added_fields: tuple[AddedField, ...]
    counts: tuple[StepCount, ...]

    @property
    def has_names(self) -> bool:
        """Whether there are kinds or fields to name."""
        return bool(self.added_kinds or self.removed_kinds or self.added_fields)


@dataclass(frozen=True, slots=True)
class ReleaseContext:
    """What the pages of one release need to know about all releases.

    ``releases`` are the names of all, oldest first. ``changes`` has the changes in all
    releases of the types that this release has, by the path of their pages.
    ``summary`` is None for the oldest release.
    """

    releases: tuple[str, ...]
    releases_by_type: ReleasesByType
    changes: Mapping[str, tuple[TypeChange, ...]]
    summary: ReleaseSummary | None

    def is_added_later(self, path: str, release: str) -> bool:
        """Whether only releases after ``release`` have a type, so that it has no page."""
        order = self.releases.index
        return order(self.releases_by_type[path][0]) > order(release)


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What the files outside of the folders of releases show: the context of the
    newest release, and the changes of all types by the path of their pages."""

    newest: ReleaseContext
    changes: Mapping[str, tuple[TypeChange, ...]]


class ReleaseContexts:
    """The contexts of all releases of a site, which are given oldest first."""

    def __init__(self, releases: Sequence[Release]) -> None:
        self._names = tuple(release.name for release in releases)
        self._addresses = [page_addresses(release) for release in releases]
        self._releases_by_type = _releases_by_type(self._names, self._addresses)
        self._changes: dict[str, list[TypeChange]] = {}
        self._summaries: dict[str, ReleaseSummary] = {}
        # Not those that servers answer: v1 Status had two kinds until 1.30.
        kinds = [
            {
                addresses[name]
                for name in kind_definitions(release)
                if not name.startswith(f"{META_V1}.")
            }
            for release, addresses in zip(releases, self._addresses, strict=True)
        ]
        for new, (before, after) in enumerate(pairwise(releases), 1):
            old = new - 1
            comparison = compare_for_run(before, after)
            addresses = {**self._addresses[old], **self._addresses[new]}
            for path, change in _type_changes(comparison, addresses):
                self._changes.setdefault(path, []).append(change)
            self._summaries[after.name] = _summary(
                comparison, kinds[old], kinds[new], self._addresses[new]
            )

    def of(self, name: str) -> ReleaseContext:
        """The context of the release ``name``."""
        addresses = self._addresses[self._names.index(name)].values()
        paths = sorted(address.path for address in addresses)
        return ReleaseContext(
            self._names,
            self._releases_by_type,
            {
                path: tuple(self._changes[path])
                for path in paths
                if path in self._changes
            },
            self._summaries.get(name),
        )

    @property
    def site(self) -> SiteContext:
        """The context of the files outside of the folders of releases."""
        changes = {path: tuple(self._changes[path]) for path in sorted(self._changes)}
        return SiteContext(self.of(newest_of(self._names)), changes)


def _releases_by_type(
    names: Sequence[str], addresses_by_release: Sequence[Mapping[str, PageAddress]]
) -> ReleasesByType:
    releases: dict[str, list[str]] = {}
    for name, addresses in zip(names, addresses_by_release, strict=True):
        for address in addresses.values():
            releases.setdefault(address.path, []).append(name)
    # Two definitions of a release may have one address; generating them is an error.
    return {path: tuple(dict.fromkeys(releases[path])) for path in sorted(releases)}


def _type_changes(
    comparison: Comparison, addresses: Mapping[str, PageAddress]
) -> Iterator[tuple[str, TypeChange]]:
    for change in (*comparison.changes, *comparison.notices):
        address = addresses.get(change.definition)
        # Reports have configuration files, which a site need not have.
        if address and change.severity != "docs" and _is_inside_of_type(change):
            formatted = format_change(change)
            label = formatted.label
            type_change = TypeChange(
                release=comparison.after,
                field=formatted.field.partition(".")[0],
                path=formatted.field,
                change=change.change,
                severity=formatted.severity,
                label=f"{label} ({formatted.stages})" if formatted.stages else label,
                segments=formatted.segments,
                badge=_badge(change, formatted),
                is_promotion=change.rule.name == "stage-changed",
                former=_former_values(change),
            )
            yield address.path, type_change


def _former_values(change: Change) -> tuple[str, ...]:
    if change.change != "enum-changed" or not change.before:
        return ()
    return tuple(map(value_in_words, change.before.get("enum", ())))


def _is_inside_of_type(change: Change) -> bool:
    """Whether a type changed that both releases have: ``releases_by_type`` has those
    that were added or removed as a whole, and operations are not shown by release."""
    return bool(change.field or change.keyword) or change.change in _KIND_CHANGES


def _badge(change: Change, formatted: FormattedChange) -> str:
    """What a field shows that was added or removed, or has another type, stage or
    need; empty for other changes."""
    if formatted.stages and change.rule.badge == "stages":
        return formatted.stages
    is_shown = (
        change.keyword is None
        or change.keyword in _BADGE_KEYWORDS
        or change.rule.badge is not None
    )
    return formatted.label if is_shown else ""


def _summary(
    comparison: Comparison,
    old_kinds: set[PageAddress],
    new_kinds: set[PageAddress],
    addresses: Mapping[str, PageAddress],
) -> ReleaseSummary:
    added_fields = (
        AddedField(addresses[change.definition], change.field, anchor(change.field))
        for change in comparison.changes
        if change.change == "field-added"
        and change.field
        and change.definition in addresses
    )
    return ReleaseSummary(
        previous=comparison.before,
        added_kinds=tuple(sorted(new_kinds - old_kinds, key=_PATH)),
        removed_kinds=tuple(sorted(old_kinds - new_kinds, key=_PATH)),
        added_fields=tuple(
            sorted(added_fields, key=lambda field: (field.address.path, field.name))
        ),
        counts=tuple(
            StepCount(step.number, step.noun, step.is_severe)
            for step in upgrade_steps_of(comparison)
        ),
    )
