"""What a release's pages are told of the other releases: who lived when, what changed.

It is worked out once, from all models, and handed to the process that prints a
release as plain values. Changes of words alone are left to the reports: a release
is printed again only where another one tells something new of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from kubestencil.diff.compare import compare
from kubestencil.diff.comparison import Comparison
from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions, precedence
from kubestencil.targets.diff.changes import format_change
from kubestencil.targets.diff.word_diff import Segment
from kubestencil.targets.site.place import Place, place, places

#: The releases that have a type, by its path.
Lives = Mapping[str, tuple[str, ...]]


class Event(NamedTuple):
    """What ``release`` changed in a type.

    ``field`` is the type's field, empty for the type itself, and ``way`` leads from
    the type to what changed (``spec.replicas``, where spec has no type of its own);
    ``label`` and ``pieces`` say it, as the reports do.
    """

    release: str
    field: str
    way: str
    change: str
    severity: str
    label: str
    pieces: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class News:
    """What a release has that the one before had not, and the other way round.

    Kinds and fields are given as paths and names; ``counts`` are of the changes that
    are more than words, by severity.
    """

    before: str
    kinds: tuple[str, ...]
    gone: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What one release's pages are told: of every type when it lived, and of those
    that the release has what happened to them."""

    releases: tuple[str, ...]
    lives: Lives
    events: Mapping[str, tuple[Event, ...]]
    news: News | None


class Lineage:
    """All releases together, in the order of time."""

    def __init__(self, releases: Sequence[Release]) -> None:
        self.names = tuple(release.name for release in releases)
        self.places = [places(release) for release in releases]
        self.lives = _lives(self.names, self.places)
        self.events: dict[str, list[Event]] = {}
        self.news: dict[str, News] = {}
        kinds = [
            _kinds(release, known)
            for release, known in zip(releases, self.places, strict=True)
        ]
        rows = zip(releases, self.places, kinds, strict=True)
        for (before, old, had), (after, new, has) in pairwise(rows):
            found = compare(before, after)
            for path, event in _events(found, {**old, **new}):
                self.events.setdefault(path, []).append(event)
            self.news[after.name] = _news(found, had, has, new)

    def told(self, name: str) -> Told:
        """What the pages of release ``name`` are told."""
        known = self.places[self.names.index(name)].values()
        paths = sorted(each.path for each in known)
        return Told(
            self.names,
            self.lives,
            {path: tuple(self.events[path]) for path in paths if path in self.events},
            self.news.get(name),
        )


class Families:
    """The types that have the same name, and what has a type, in any release."""

    def __init__(self, lives: Lives) -> None:
        self.lives = lives
        self.members: dict[str, list[Place]] = {}
        for path in lives:
            own = place(path)
            self.members.setdefault(own.kind, []).append(own)
        for each in self.members.values():
            each.sort(key=lambda member: precedence(member.version))
        self._releases: dict[str, set[str]] = {}
        for path, releases in lives.items():
            own = place(path)
            for part in ("", own.group, own.api, path):
                self._releases.setdefault(part, set()).update(releases)

    def releases(self, path: str) -> Collection[str]:
        """The releases that have a type, a group (``apps``) or a version (``apps/v1``);
        all, for no path."""
        return self._releases[path]

    def versions(self, own: Place) -> list[Place]:
        """The versions of a type in its group, the most stable last."""
        return [each for each in self.members[own.kind] if each.group == own.group]

    def heirs(self, path: str, release: str) -> tuple[str, ...]:
        """The types that ``release`` has in place of one that it has not: those of the
        same name in other versions of the group, else in other groups. Best first."""
        wanted = place(path)
        others = [
            each
            for each in self.members[wanted.kind]
            if release in self.lives[each.path]
        ]
        same = [each for each in others if each.group == wanted.group]
        return tuple(each.path for each in reversed(same or others))


def _lives(
    names: Sequence[str], found: Sequence[Mapping[str, Place]]
) -> Mapping[str, tuple[str, ...]]:
    lives: dict[str, list[str]] = {}
    for name, known in zip(names, found, strict=True):
        for each in known.values():
            lives.setdefault(each.path, []).append(name)
    return {path: tuple(dict.fromkeys(lives[path])) for path in sorted(lives)}


def _events(
    found: Comparison, known: Mapping[str, Place]
) -> Iterator[tuple[str, Event]]:
    for change in found.changes:
        # A type that came or went says so by its life.
        if change.severity != "docs" and (change.field or change.keyword):
            words = format_change(change)
            event = Event(
                found.after,
                words.field.partition(".")[0],
                words.field,
                change.change,
                words.severity,
                words.label,
                words.segments,
            )
            yield known[change.definition].path, event


def _kinds(release: Release, known: Mapping[str, Place]) -> set[str]:
    return {known[name].path for name in kind_definitions(release)}


def _news(
    found: Comparison, old: set[str], new: set[str], known: Mapping[str, Place]
) -> News:
    fields = (
        (known[change.definition].path, change.field)
        for change in found.changes
        if change.change == "field-added" and change.field
    )
    return News(
        found.before,
        tuple(sorted(new - old)),
        tuple(sorted(old - new)),
        tuple(sorted(fields)),
        tuple(item for item in found.summary.items() if item[0] != "docs"),
    )


def by_field(events: Iterable[Event]) -> Mapping[str, list[Event]]:
    """The events of each field of a type."""
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.field, []).append(event)
    return found
