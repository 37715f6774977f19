"""Single changes as template variables: their paths, words, anchors and links.

Every text from a document is made one line without control characters. What else a
format must not have, its templates escape.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

from kubestencil.diff.change import Change, count_severities
from kubestencil.diff.history import Event
from kubestencil.diff.labels import Place, kind_name
from kubestencil.diff.rules.audience import (
    AUDIENCE_NAMES,
    SEVERITIES,
    Audience,
    Severity,
)
from kubestencil.diff.rules.table import Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import Stage, precedence
from kubestencil.schema.types import schema_of
from kubestencil.targets.reports.word_diff import Segment
from kubestencil.targets.reports.wording import (
    change_label,
    change_segments,
    first_sentence,
    stage_in_words,
)
from kubestencil.text.controls import one_line


class LinkResolver(NamedTuple):
    """Finds the pages that document what a report names.

    ``field_link`` takes a definition's full name, the JSON name of a field, or an
    empty string for the definition itself, and the names of releases; it returns the
    URL of the page in the first of these releases that has the field.
    ``kind_link`` takes a kind and the name of a release that serves it. Both return an
    empty string where there is no page.
    """

    field_link: Callable[[str, str, Sequence[str]], str]
    kind_link: Callable[[GroupVersionKind, str], str]


def _no_link(*_: object) -> str:
    return ""


#: Resolves nothing: for reports that stand alone.
NO_LINKS = LinkResolver(_no_link, _no_link)


#: The releases in which changes happened, by their keys.
ReleasesOfChanges = Mapping[tuple[str, ...], Sequence[str]]

_UNSAFE_IN_ANCHOR = re.compile(r"[^A-Za-z0-9._:-]")
_MAX_BRIEF = 60  # characters
_MAX_PLACES = 3


@dataclass(frozen=True, slots=True)
class SeverityCount:
    """How many changes (``count``) have a ``severity``."""

    severity: Severity
    count: int


class FormattedChange(NamedTuple):
    """One change in words, or the same change of several API versions of a kind.

    ``path`` is where users write it (``Node.status.declaredFeatures``), ``definition``
    the type that has the field (``NodeStatus``), ``full_name`` its name in the document
    and ``field`` the JSON name in it, empty for the definition itself. ``versions`` are
    the API versions that have the change (``v1, v1beta1``), the preferred one first.

    ``label`` says what changed (``field added``), ``segments`` are what was replaced by
    what, and ``stages`` the stages before and after (``alpha (off) → beta (on)``).
    ``note`` is the first sentence of the description of what was added or removed,
    ``reason`` what the change means, ``detail`` the part of it that this change does
    not share with others (``Limits stated now: 64.``). ``releases`` are those in which
    it happened, where more than one was compared.

    ``anchor`` is the fragment of the change's URL, stable as long as the change exists,
    ``other_anchors`` are those of the other versions; ``link`` and ``type_link`` are
    the URLs of pages that document the field and the type, or empty. ``kinds`` are the
    kinds that the definition is part of, ``kind_indexes`` their indexes in the report's
    ``kinds``, with spaces between, and ``kind_count`` says how many they are (``used in
    3 kinds``), empty for one. ``audience_pairs`` has the severity for each audience
    (``apply:safe compile:warning …``), ``differing_audiences`` for people where not all
    are the same (``apply: safe, compile: warning``). ``uses`` says where manifests use it
    (``a.yaml:3, b.yaml:7 and 2 more``), empty where none were read. The other attributes
    are those of ``kubestencil.diff.Change``.
    """

    severity: Severity
    stability: Stage
    label: str
    field: str
    segments: tuple[Segment, ...]
    rule: Rule
    anchor: str = ""
    note: str = ""
    link: str = ""
    type_link: str = ""
    path: str = ""
    definition: str = ""
    full_name: str = ""
    versions: str = ""
    stages: str = ""
    reason: str = ""
    detail: str = ""
    releases: str = ""
    other_anchors: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    kind_indexes: str = ""
    kind_count: str = ""
    audience_pairs: str = ""
    differing_audiences: str = ""
    uses: str = ""

    @property
    def is_brief(self) -> bool:
        """Whether the segments fit on the line of the label."""
        return sum(len(segment.text) for segment in self.segments) <= _MAX_BRIEF


class ItemName(NamedTuple):
    """Where users write a kind or field (``path``), or the name of a gate, flag or metric,
    and the ``anchor`` of its change in the report, empty where that lists no such
    change."""

    path: str
    anchor: str = ""


class Item(NamedTuple):
    """What happened to a kind or field, to all that a feature gate guards, or to a gate,
    flag or metric, whose name is in ``paths``.

    ``about`` are the API versions concerned (``apps/v1, v1beta1``), the preferred one of
    each group first, or the components that have it; ``level`` is the stage of the first
    version. ``text`` says what happened and what to do, ``releases`` are those in which
    it happened, where more than one was compared. ``guards`` is what a gate guards, where
    users write it, ``more`` the number of further ones in words.

    ``severity``, ``stability`` and ``audience_pairs`` are those of the most severe
    change, ``kind_indexes`` are the kinds and ``uses`` the places of all; see
    ``FormattedChange``. ``caution`` is what cannot be put off, ``removed_in`` the release
    that is to remove a kind, ``replacement`` what to use instead of it: ``text`` says so,
    too.
    """

    paths: tuple[ItemName, ...]
    about: str
    text: str
    severity: Severity
    stability: Stage = "stable"
    level: Stage = "stable"
    releases: str = ""
    audience_pairs: str = ""
    kind_indexes: str = ""
    uses: str = ""
    guards: tuple[str, ...] = ()
    more: str = ""
    caution: str = ""
    removed_in: str = ""
    replacement: str = ""

    @property
    def guards_in_words(self) -> str:
        """What a gate guards, where users write it; empty for none."""
        return ", ".join(filter(None, (*self.guards, self.more)))


class ItemList(NamedTuple):
    """A list at the head of a report: its topic, heading and items; with ``is_brief`` their
    names are enough."""

    topic: str
    title: str
    items: tuple[Item, ...]
    is_brief: bool = False

    @property
    def is_of_components(self) -> bool:
        """Whether its names are those of gates, flags or metrics, which tables have, so
        that no format has to escape them."""
        return self.topic.partition("-")[0] in ("gate", "flags", "metrics")


class ChangeSection(NamedTuple):
    """The changes of an API group with ``kinds``, of a kind, or of a type that several
    kinds share; of kinds that are served in a newer version; of a column of a history.

    ``about`` are the API versions with changes, the preferred one first, or the kinds that
    are served in a newer version; ``both_served`` is whether they are in the older one,
    too. ``counts`` has the number of changes of each severity that occurs. ``changes``
    are those that users have to know, most severe first, ``minor`` the others: wording,
    and what was true before. ``anchor`` is the fragment of the section's URL.
    """

    title: str
    anchor: str = ""
    about: str = ""
    counts: tuple[SeverityCount, ...] = ()
    changes: tuple[FormattedChange, ...] = ()
    minor: tuple[FormattedChange, ...] = ()
    kinds: tuple[ChangeSection, ...] = ()
    both_served: bool = False

    @property
    def is_severe(self) -> bool:
        """Whether a change of these is breaking or a warning."""
        return any(item.severity in ("breaking", "warning") for item in self.counts)


def format_change(change: Change) -> FormattedChange:
    """One change in words, as the reports have it."""
    return ChangeFormatter().change(change)


def severity_counts(changes: Iterable[Change]) -> tuple[SeverityCount, ...]:
    """The number of changes of each severity that occurs, most severe first."""
    counts = count_severities(change.severity for change in changes).items()
    return tuple(SeverityCount(severity, count) for severity, count in counts if count)


# The label and the segments of a change: see the attributes of ``FormattedChange``.
_Words = tuple[str, tuple[Segment, ...]]


def _words(change: Change) -> _Words:
    return change_label(change), change_segments(change)


class ChangeFormatter:
    """Puts the changes of one report into words and gives each a unique anchor.

    ``kinds`` are the kinds that the report can be filtered by. ``links`` are looked up
    in ``releases``, in their order. ``releases_of_changes`` says when they happened.
    """

    def __init__(
        self,
        kinds: Sequence[GroupVersionKind] = (),
        links: LinkResolver = NO_LINKS,
        releases: Sequence[str] = (),
        releases_of_changes: ReleasesOfChanges | None = None,
    ) -> None:
        self._kind_indexes = {kind: str(index) for index, kind in enumerate(kinds)}
        self._links = links
        self._releases = releases
        self._releases_of_changes = releases_of_changes or {}
        self._anchor_counts: dict[str, int] = {}
        self._formatted_kinds: dict[
            tuple[GroupVersionKind, ...], tuple[tuple[str, ...], str, str]
        ] = {}

    def merged(
        self, changes: Iterable[Change], anchor_prefix: str = ""
    ) -> tuple[FormattedChange, ...]:
        """The changes of one kind, most severe first, those that are the same in
        several of its versions together."""
        groups: dict[tuple[int, str, str, str, _Words], list[Change]] = {}
        for change in changes:
            severity, rule = SEVERITIES.index(change.severity), change.rule.name
            words = _words(change)
            key = severity, change.users_path, change.change, rule, words
            groups.setdefault(key, []).append(change)
        return tuple(
            self._formatted(groups[key], key[-1], anchor_prefix)
            for key in sorted(groups, key=lambda key: key[:2])
        )

    def change(self, change: Change) -> FormattedChange:
        """One change by itself."""
        return self._formatted([change], _words(change), "")

    def _formatted(
        self, changes: Sequence[Change], words: _Words, anchor_prefix: str
    ) -> FormattedChange:
        """A change that is the same in each of ``changes``, which have one path;
        ``anchor_prefix`` tells them from others of their names in anchors."""
        ordered = sorted(changes, key=version_order, reverse=True)
        change = ordered[0]
        anchor, *other_anchors = (
            self.anchor(
                f"{anchor_prefix}{same.definition}:{same.field or ''}:{same.change}"
            )
            for same in ordered
        )
        versions = dict.fromkeys(change.version for change in ordered if change.version)
        all_kinds = change.kinds
        if len(ordered) > 1:
            all_kinds = tuple(sorted({kind for same in ordered for kind in same.kinds}))
        kinds, kind_indexes, kind_count = self._kinds(all_kinds)
        note = ""
        if change.keyword is None:
            note = first_sentence(schema_of(change.after or change.before or {}))
        link = partial(self._links.field_link, change.definition)
        return self._with_words(change, words)._replace(
            anchor=anchor,
            other_anchors=tuple(other_anchors),
            note=one_line(note),
            link=link(change.field or "", self._releases),
            type_link=link("", self._releases),
            path=one_line(change.users_path),
            definition=one_line(change.definition.rpartition(".")[2]),
            full_name=one_line(change.definition),
            versions=one_line(", ".join(versions)),
            stages=stage_in_words(change.stage),
            reason=one_line(change.reason),
            detail=one_line(change.detail),
            releases=self.releases_of(ordered),
            kinds=kinds,
            kind_indexes=kind_indexes,
            kind_count=kind_count,
            audience_pairs=audience_pairs(change.audience),
            differing_audiences=_differing_audiences(change.audience),
            uses=uses_in_words(same.uses for same in ordered),
        )

    def event(self, event: Event) -> FormattedChange:
        """A change in a history, which has no anchor, note or link."""
        formatted = self._with_words(event, _words(event))
        return formatted._replace(detail=one_line(event.detail))

    def anchor(self, name: str) -> str:
        """A unique anchor of letters, digits, dots, dashes, underscores and colons."""
        safe = _UNSAFE_IN_ANCHOR.sub(lambda match: f"_{ord(match[0]):x}_", name)
        count = self._anchor_counts[safe] = self._anchor_counts.get(safe, 0) + 1
        return safe if count == 1 else f"{safe}:{count}"

    def _with_words(self, change: Change, words: _Words) -> FormattedChange:
        label, segments = words
        return FormattedChange(
            severity=change.severity,
            stability=change.stability,
            label=label,
            field=one_line(change.field or ""),
            segments=tuple(Segment(role, one_line(text)) for role, text in segments),
            rule=change.rule,
        )

    def kind_indexes(self, changes: Iterable[Change]) -> str:
        """The indexes of the kinds of changes; see ``FormattedChange``."""
        return self.indexes({kind for change in changes for kind in change.kinds})

    def indexes(self, kinds: Collection[GroupVersionKind]) -> str:
        """The indexes of kinds in the report's ``kinds``, with spaces between."""
        return self._kinds(tuple(sorted(kinds)))[1]

    def _kinds(
        self, kinds: tuple[GroupVersionKind, ...]
    ) -> tuple[tuple[str, ...], str, str]:
        """The names, indexes and number of the kinds of a change; shared types have the
        same hundred in each change."""
        if kinds not in self._formatted_kinds:
            names = tuple(one_line(kind_name(kind)) for kind in kinds)
            indexes = filter(None, map(self._kind_indexes.get, kinds))
            # A kind of several versions counts once.
            count = len({(kind.group, kind.kind) for kind in kinds})
            words = f"used in {count} kinds" if count > 1 else ""
            self._formatted_kinds[kinds] = names, " ".join(indexes), words
        return self._formatted_kinds[kinds]

    def releases_of(self, changes: Iterable[Change]) -> str:
        """The releases in which changes happened, in their order; empty where only two
        neighbours were compared."""
        releases = dict.fromkeys(
            release
            for change in changes
            for release in self._releases_of_changes.get(change.key, ())
        )
        return ", ".join(releases)


def uses_in_words(uses: Iterable[Iterable[Place]]) -> str:
    """The first places of all, and the number of the others; empty for none."""
    places = sorted({place for places in uses for place in places})
    words = ", ".join(map(str, places[:_MAX_PLACES]))
    more = len(places) - _MAX_PLACES
    return one_line(f"{words} and {more} more" if more > 0 else words)


@cache
def audience_pairs(audience: Audience) -> str:
    """The severity for each audience, for filters: ``apply:safe compile:warning …``."""
    pairs = zip(AUDIENCE_NAMES, audience, strict=True)
    return " ".join(f"{name}:{impact.severity}" for name, impact in pairs)


@cache
def _differing_audiences(audience: Audience) -> str:
    is_same = len({impact.severity for impact in audience}) == 1
    pairs = audience_pairs(audience)
    return "" if is_same else pairs.replace(" ", ", ").replace(":", ": ")


def version_order(change: Change) -> tuple[tuple[int, int, int, str], str]:
    """A key that sorts changes by their API versions, the preferred one last."""
    return precedence(change.version), change.definition
