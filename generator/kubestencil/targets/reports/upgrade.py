"""What to know before an upgrade: the changes that need a decision, as short lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.labels import kind_name, removal
from kubestencil.diff.rules.audience import SEVERITIES
from kubestencil.diff.rules.table import UPGRADE_TITLES, UpgradeTopic
from kubestencil.schema.kinds import precedence, version_stage
from kubestencil.schema.knowledge.configurations import is_configuration_kind
from kubestencil.schema.knowledge.kinds import unreadable_kinds
from kubestencil.targets.reports.changes import (
    ChangeFormatter,
    Item,
    ItemList,
    ItemName,
    audience_pairs,
    uses_in_words,
    version_order,
)
from kubestencil.targets.reports.wording import (
    change_label,
    change_segments,
    stage_in_words,
)
from kubestencil.text.controls import one_line

_ADDITIONS: frozenset[ChangeName] = frozenset({"kind-added", "field-added"})
_REMOVALS: frozenset[ChangeName] = frozenset({"kind-removed", "field-removed"})


#: The anchors of changes, by their paths and rules.
Anchors = Mapping[tuple[str, str], str]


# Their names are enough: somebody has to have enabled or set them.
_BRIEF = ("gate-removed", "removed-optional", "not-enabled")


def upgrade_lists(
    comparison: Comparison,
    formatter: ChangeFormatter,
    anchors: Anchors,
    components: Mapping[str, Sequence[Item]],
) -> tuple[ItemList, ...]:
    """The lists that are not empty, what stops somebody first: ``components`` are the gates
    and flags by topic. What feature gates promote is listed with them."""
    gates = {gate.gate for gate in comparison.gates}
    changes_by_topic: dict[UpgradeTopic, list[Change]] = {}
    for change in (*comparison.changes, *comparison.notices):
        topic = change.topic
        if topic is not None and not _is_at_gate(change, gates):
            changes_by_topic.setdefault(topic, []).append(change)
    items = {name: tuple(components.get(name, ())) for name in UPGRADE_TITLES}
    for name, changes in changes_by_topic.items():
        items[name] = tuple(_items(changes, formatter, anchors))
    items["soon"] = tuple(_going_soon(comparison, formatter))
    return tuple(
        ItemList(
            name, title, items[name], name in _BRIEF and not _are_used(items[name])
        )
        for name, title in UPGRADE_TITLES.items()
        if items[name]
    )


def _are_used(items: Iterable[Item]) -> bool:
    """Whether manifests were read, so that each item says where it is used."""
    return any(item.uses for item in items)


def _going_soon(comparison: Comparison, formatter: ChangeFormatter) -> Iterator[Item]:
    for kind, deprecated, removed, replacement, uses in comparison.going_soon:
        texts = (
            f"deprecated in {deprecated}",
            removal(removed),
            f"use {kind_name(replacement)}" if replacement else "",
        )
        stage = version_stage(kind.version)
        yield Item(
            paths=(ItemName(one_line(kind.kind)),),
            about=one_line(kind.api_version),
            level=stage,
            text="; ".join(filter(None, texts)),
            severity="warning",
            stability=stage,
            kind_indexes=formatter.indexes([kind]),
            uses=uses_in_words([uses]),
            removed_in=removed,
            replacement=kind_name(replacement) if replacement else "",
        )


def added_list(comparison: Comparison, formatter: ChangeFormatter) -> ItemList | None:
    """The kinds and fields that were added and are at least beta, but for those that are
    listed as promoted; None without any."""
    added = [
        change
        for change in comparison.changes
        if change.change in _ADDITIONS
        and not (change.is_alpha or change.rule.is_minor)
        and change.topic != "promoted"
        and (change.field is not None or change.is_of_kind)
    ]
    if not added:
        return None
    return ItemList(
        "added", UPGRADE_TITLES["added"], tuple(_items(added, formatter, {}))
    )


def _is_at_gate(change: Change, gates: Collection[str]) -> bool:
    """Whether a field is at another stage because one of ``gates`` is."""
    stages = change.stage or ()
    return (
        change.rule.topic == "promoted"
        and change.field is not None
        and any(stage is not None and stage.gate in gates for stage in stages)
    )


class _Entry(NamedTuple):
    """What happened at one path of a group: see the attributes of ``Item``."""

    group: str
    path: str
    text: str
    releases: str


def _items(
    changes: Iterable[Change], formatter: ChangeFormatter, anchors: Anchors
) -> Iterator[Item]:
    """The changes, those together that are the same in several API versions, or the
    promotion of one feature or kind."""
    by_entry: dict[_Entry, list[Change]] = {}
    for change in changes:
        group = change.owner.group if change.owner else ""
        releases = formatter.releases_of([change])
        text = "; ".join(filter(None, (_event(change, releases), _advice(change))))
        entry = _Entry(group, change.users_path, text, releases)
        by_entry.setdefault(entry, []).append(change)
    # Kinds come before fields.
    ordered = sorted(
        by_entry, key=lambda entry: (by_entry[entry][0].field is not None, entry)
    )
    features: dict[object, list[_Entry]] = {}
    for entry in ordered:
        features.setdefault(_feature(entry, by_entry[entry][0]), []).append(entry)
    for entries in features.values():
        of_entries = {entry: by_entry[entry] for entry in entries}
        yield _item(of_entries, formatter, anchors)


def _feature(entry: _Entry, change: Change) -> object:
    """What is promoted with an entry: what one gate guards, or the versions of a kind.
    The entry itself for one that is no promotion."""
    stage = change.stage and change.stage.after
    if change.rule.topic != "promoted" or stage is None:
        return entry
    if stage.gate is not None:
        return stage
    return entry._replace(text="", releases="") if change.field is None else entry


def _item(
    changes_by_entry: Mapping[_Entry, Sequence[Change]],
    formatter: ChangeFormatter,
    anchors: Anchors,
) -> Item:
    changes = [change for same in changes_by_entry.values() for change in same]
    rules = {entry.path: same[0].rule for entry, same in changes_by_entry.items()}
    # Of several versions of a kind the most stable one; a field has the defaults of its
    # gate, which a kind may lack.
    *_, text, releases = max(
        (max(map(version_order, same))[0], len(entry.text), entry.text, entry.releases)
        for entry, same in changes_by_entry.items()
    )
    api_versions = _api_versions(changes)
    severest = min(changes, key=lambda change: SEVERITIES.index(change.severity))
    return Item(
        paths=tuple(
            ItemName(one_line(path), anchors.get((one_line(path), rule.name), ""))
            for path, rule in rules.items()
        ),
        about=one_line(", ".join(api_versions)),
        level=version_stage(api_versions[0].rpartition("/")[2] if api_versions else ""),
        text=one_line(text),
        releases=(
            "" if text.endswith((f" in {releases}", f"since {releases}")) else releases
        ),
        severity=severest.severity,
        stability=severest.stability,
        audience_pairs=audience_pairs(severest.audience),
        kind_indexes=formatter.kind_indexes(changes),
        uses=uses_in_words(change.uses for change in changes),
        caution=_STORED if any(map(_is_unreadable, changes)) else "",
        removed_in=severest.removed_in or "",
        replacement=(severest.replacement or "" if severest.field is None else ""),
    )


def _api_versions(changes: Iterable[Change]) -> list[str]:
    """The API versions of changes, without repeating a group: ``apps/v1, v1beta1``."""
    versions: dict[str, set[str]] = {}
    for change in changes:
        if change.owner is not None:
            versions.setdefault(change.owner.group, set()).add(change.owner.version)
    names: list[str] = []
    for group, names_in_group in versions.items():
        first, *others = sorted(names_in_group, key=precedence, reverse=True)
        names += [f"{group}/{first}".lstrip("/"), *others]
    return names


def _event(change: Change, happened: str) -> str:
    """What happened to a kind or field; ``happened`` are the releases in which it did,
    empty where only one is in question."""
    if change.rule.topic == "promoted":
        return stage_in_words(change.stage) or change_label(change)
    if change.change in _ADDITIONS:
        words = "".join(segment.text for segment in change_segments(change))
        return words if change.field else "served"
    if change.change in _REMOVALS:
        if change.field is not None:
            return "removed"
        is_file = is_configuration_kind(change.owner)
        return "no longer read" if is_file else "no longer served"
    if change.rule.deprecates:
        # A description does not say since when. The comparison of many releases only
        # has the last one, but it is known in which of them it changed.
        is_dated = change.field is None or not happened
        release = change.deprecated_in if is_dated else happened
        return f"since {release}" if release else ""
    if change.rule.topic == "limits" and change.detail:
        return change.detail.rstrip(".")
    words = "".join(segment.text for segment in change_segments(change))
    is_short = 0 < len(words) < 80 and change.keyword != "description"
    return f"{change_label(change)}: {words}" if is_short else change_label(change)


def _advice(change: Change) -> str:
    """The planned removal, and what to use instead."""
    parts: list[str] = []
    is_removed = change.change in _REMOVALS
    is_promotion = change.rule.topic == "promoted" or change.change in _ADDITIONS
    if change.removed_in and not is_removed and not is_promotion:
        parts.append(removal(change.removed_in))
    if change.replacement and not is_promotion:
        parts.append(f"use {change.replacement}")
    elif change.change == "kind-removed" and change.removed_in:
        parts.append("no replacement")
    if _is_unreadable(change):
        parts.append(_STORED)
    return "; ".join(parts)


_STORED = "delete or migrate stored objects first"


def _is_unreadable(change: Change) -> bool:
    """Whether the newer server cannot read what is stored as a kind."""
    return change.change == "kind-removed" and change.owner in unreadable_kinds()


def headline(comparison: Comparison, lists: Sequence[ItemList]) -> str:
    """The first sentence of a report: what to know first, then the numbers of changes;
    ``no changes`` where there are none.

    Zero breaking changes are not mentioned where a kind or an API version went away,
    even an alpha one.
    """
    events = Counter(gate.event for gate in comparison.gates)
    flags = Counter(flag.event for flag in comparison.flags)
    sizes = {item.topic: len(item.items) for item in lists}
    removed_kinds = {
        (change.owner and change.owner.group, change.definition.rpartition(".")[2])
        for change in comparison.changes
        if change.topic in ("removed", "removed-optional") and change.field is None
    }
    parts = [
        _counted(len(comparison.api_versions_removed), "API version{} removed"),
        _counted(len(removed_kinds), "kind{} removed in a version"),
        _counted(sizes.get("deprecated", 0), "deprecated"),
        _counted(sizes.get("soon", 0), "removed soon"),
        _counted(events["on"], "feature gate{} on by default"),
        _counted(events["off"], "off"),
        _counted(events["removed"], "gate{} removed"),
        _counted(events["locked"], "locked"),
        _counted(flags["removed"], "flag{} removed"),
        _counted(sizes.get("promoted", 0), "promoted"),
        _counted(sizes.get("limits", 0), "new default{0} or limit{0}"),
        _counted(sizes.get("required", 0), "newly required field{}"),
    ]
    went_away = bool(removed_kinds or comparison.api_versions_removed)
    if not (
        went_away
        or comparison.api_versions_added
        or comparison.gates
        or any(comparison.summary.values())
    ):
        return "no changes"
    counts = [
        f"{count} {severity}"
        for severity, count in comparison.summary.items()
        if count or (severity == "breaking" and not went_away)
    ]
    return "; ".join(filter(None, (", ".join(filter(None, parts)), ", ".join(counts))))


def _counted(count: int, words: str) -> str:
    """A number with what it counts, of which "{}" is the end of a plural; empty for
    none."""
    return f"{count} {words.format('' if count == 1 else 's')}" if count else ""
