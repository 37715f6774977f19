"""What to know before an upgrade: the changes that need a decision, as short lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from kubestencil.diff.audience import SEVERITIES
from kubestencil.diff.comparison import Change, Comparison
from kubestencil.schema.kinds import Level, level, precedence
from kubestencil.targets.diff.changes import (
    Escape,
    ReleasesOfChanges,
    change_key,
    is_alpha,
)
from kubestencil.targets.diff.wording import (
    change_label,
    change_segments,
    reason_detail,
    stage_in_words,
)

#: The topics of lists, in their order. What was ``added`` needs no decision.
UpgradeTopic = Literal[
    "removed", "deprecated", "promoted", "limits", "required", "other", "added"
]

UPGRADE_TOPICS: tuple[UpgradeTopic, ...] = get_args(UpgradeTopic)

_TITLES: Mapping[UpgradeTopic, str] = {
    "removed": "Removed",
    "deprecated": "Deprecated",
    "promoted": "Promotions and defaults of feature gates",
    "limits": "New defaults and limits",
    "required": "Newly required",
    "other": "Other breaking changes",
    "added": "Added",
}
_DEPRECATED_RULES = ("deprecated", "no-longer-functional", "version-deprecated")
_STAGE_RULES = ("stage-changed", "stage-lowered")
_LIMIT_RULES = ("limit-changed", "stated-default-changed", "default-changed")
_REMOVALS = ("kind-removed", "field-removed", "served-changed", "subresource-removed")


class UpgradeItem(NamedTuple):
    """What happened to a kind or field.

    ``path`` is where users write it, ``api_versions`` are the API versions concerned
    (``apps/v1``), the preferred one first, ``stability`` is the level of the first.
    ``text`` says what happened and what to do, ``anchor`` is that of the change in the
    report, ``releases`` are those in which it happened, where more than one was
    compared.
    """

    path: str
    api_versions: str
    stability: Level
    text: str
    anchor: str
    releases: str


class UpgradeList(NamedTuple):
    """The items of one topic; ``title`` is its heading."""

    topic: UpgradeTopic
    title: str
    items: tuple[UpgradeItem, ...]


def upgrade_lists(
    comparison: Comparison,
    escape: Escape,
    anchor_of: Callable[[Change], str],
    releases: ReleasesOfChanges,
) -> tuple[UpgradeList, ...]:
    """The lists that are not empty; ``anchor_of`` gives the anchor of a change."""
    changes_by_topic: dict[UpgradeTopic, list[Change]] = {}
    for change in (*comparison.changes, *comparison.notices):
        change_topic = topic(change)
        if change_topic is not None:
            changes_by_topic.setdefault(change_topic, []).append(change)
    return tuple(
        UpgradeList(
            name,
            _TITLES[name],
            tuple(_items(changes_by_topic[name], escape, anchor_of, releases)),
        )
        for name in UPGRADE_TOPICS
        if name in changes_by_topic
    )


def added_list(comparison: Comparison, escape: Escape) -> UpgradeList | None:
    """The kinds and fields that were added and are at least beta; None without any."""
    added = [
        change
        for change in comparison.changes
        if change.change in ("kind-added", "field-added")
        and not is_alpha(change)
        and (change.field is not None or _is_kind(change))
    ]
    if not added:
        return None
    items = _items(added, escape, lambda _: "", {})
    return UpgradeList("added", _TITLES["added"], tuple(items))


def topic(change: Change) -> UpgradeTopic | None:
    """The list that a change belongs to; None for one that needs no decision.

    Alpha fields and versions may change at any time. Of them only kinds that are no
    longer served are listed.
    """
    rule = change.rule.name
    if change.change == "kind-removed":
        return "removed" if _is_kind(change) else None
    if is_alpha(change):
        return None
    if rule in _STAGE_RULES:
        return "promoted"
    if rule in _DEPRECATED_RULES:
        return "deprecated"
    if rule in _LIMIT_RULES:
        return "limits"
    if change.change == "field-required" and change.severity in ("breaking", "warning"):
        return "required" if change.audience.apply.severity != "safe" else None
    if change.severity != "breaking":
        return None
    return "removed" if change.change in _REMOVALS else "other"


def _items(
    changes: Iterable[Change],
    escape: Escape,
    anchor_of: Callable[[Change], str],
    releases: ReleasesOfChanges,
) -> Iterator[UpgradeItem]:
    """The changes, those that are the same in several API versions together."""
    merged: dict[_ItemKey, list[Change]] = {}
    for change in changes:
        group = change.owner.group if change.owner else ""
        happened = ", ".join(dict.fromkeys(releases.get(change_key(change), ())))
        key = _ItemKey(group, change.users_path, _text(change, happened), happened)
        merged.setdefault(key, []).append(change)
    for (_, path, text, happened), same in sorted(merged.items(), key=_order):
        api_versions = _api_versions(same)
        yield UpgradeItem(
            escape(path),
            escape(", ".join(api_versions)),
            level(api_versions[0].rpartition("/")[2]) if api_versions else "stable",
            escape(text),
            anchor_of(same[0]),
            "" if text.endswith(f" in {happened}") else happened,
        )


class _ItemKey(NamedTuple):
    """What the changes of an item have in common."""

    group: str
    path: str
    text: str
    releases: str


def _order(item: tuple[_ItemKey, list[Change]]) -> tuple[bool, _ItemKey]:
    """Kinds before fields, then by group and path."""
    key, changes = item
    return changes[0].field is not None, key


def _api_versions(changes: Iterable[Change]) -> list[str]:
    """The API versions of changes, without repeating the group: ``apps/v1, v1beta1``."""
    owners = {change.owner for change in changes if change.owner is not None}
    ordered = sorted(owners, key=lambda owner: precedence(owner.version), reverse=True)
    return [
        owner.api_version if index == 0 else owner.version
        for index, owner in enumerate(ordered)
    ]


def _text(change: Change, happened: str) -> str:
    """What happened to a kind or field, and what to do; ``happened`` are the releases
    in which it did, empty where only one is in question."""
    return "; ".join(filter(None, (_event(change, happened), _advice(change))))


def _event(change: Change, happened: str) -> str:
    rule = change.rule.name
    if rule in _STAGE_RULES:
        return stage_in_words(change.stage) or change_label(change)
    if change.change in ("kind-added", "field-added"):
        words = "".join(segment.text for segment in change_segments(change))
        return words if change.field else "served"
    if change.change in ("kind-removed", "field-removed"):
        return "no longer served" if change.field is None else "removed"
    if rule in _DEPRECATED_RULES and rule != "no-longer-functional":
        # A description does not say since when. The comparison of many releases only
        # has the last one, but it is known in which of them it changed.
        is_dated = change.field is None or not happened
        release = change.deprecated_in if is_dated else happened
        return f"deprecated in {release}" if release else "deprecated"
    detail = reason_detail(change)
    if rule in _LIMIT_RULES and detail:
        return detail.rstrip(".")
    words = "".join(segment.text for segment in change_segments(change))
    is_short = 0 < len(words) < 80 and change.keyword != "description"
    return f"{change_label(change)}: {words}" if is_short else change_label(change)


def _advice(change: Change) -> str:
    """The planned removal, and what to use instead."""
    parts: list[str] = []
    is_removed = change.change in ("kind-removed", "field-removed")
    is_promotion = change.rule.name in (*_STAGE_RULES, "added")
    if change.removed_in and not is_removed and not is_promotion:
        parts.append(f"removal in {change.removed_in}")
    if change.replacement and not is_promotion:
        parts.append(f"use {change.replacement}")
    elif change.change == "kind-removed" and change.removed_in:
        parts.append("no replacement")
    return "; ".join(parts)


def headline(comparison: Comparison, lists: Sequence[UpgradeList]) -> str:
    """The first sentence of a report: what to know first, then the numbers of changes.

    Zero breaking changes are not mentioned where a kind or an API version went away,
    even an alpha one.
    """
    sizes = {item.topic: len(item.items) for item in lists}
    removed_kinds = {
        (change.owner and change.owner.group, change.definition.rpartition(".")[2])
        for change in comparison.changes
        if change.change == "kind-removed" and _is_kind(change)
    }
    parts = [
        _counted(len(comparison.api_versions_removed), "API version", "removed"),
        _counted(len(removed_kinds), "kind", "no longer served in a version"),
        _counted(sizes.get("deprecated", 0), "", "deprecated"),
        _counted(sizes.get("promoted", 0), "", "promoted or with another default"),
        _counted(sizes.get("limits", 0), "new default or limit", ""),
        _counted(sizes.get("required", 0), "newly required field", ""),
    ]
    summary = dict.fromkeys(SEVERITIES, 0)
    for change in (*comparison.changes, *comparison.notices):
        summary[change.severity] += 1
    went_away = bool(removed_kinds or comparison.api_versions_removed)
    counts = [
        f"{count} {severity}"
        for severity, count in summary.items()
        if count or (severity == "breaking" and not went_away)
    ]
    return "; ".join(filter(None, (", ".join(filter(None, parts)), ", ".join(counts))))


def _is_kind(change: Change) -> bool:
    """Whether a change is that of a kind itself, not of its list or of a part."""
    owner = change.owner
    return owner is None or change.definition.rpartition(".")[2] == owner.kind


def _counted(count: int, noun: str, verb: str) -> str:
    if not count:
        return ""
    plural = noun.replace("default or limit", "defaults or limits") if noun else ""
    if noun and count != 1 and plural == noun:
        plural = f"{noun}s"
    return " ".join(filter(None, (str(count), noun if count == 1 else plural, verb)))
