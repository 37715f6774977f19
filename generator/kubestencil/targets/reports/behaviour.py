"""What feature gates and flags change in the behaviour of components, as short lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import Comparison
from kubestencil.diff.component_changes import ComponentChange, GateChange
from kubestencil.diff.releases.stages import DEFAULT_NAMES
from kubestencil.schema.knowledge.components import Flag, Metric
from kubestencil.schema.knowledge.gates import GateStage
from kubestencil.source.releases import minor_version_in, release_order
from kubestencil.targets.reports.changes import (
    ChangeFormatter,
    Item,
    ItemList,
    ItemName,
    uses_in_words,
)
from kubestencil.text.controls import one_line

# The headings of the lists that are none of what to know before an upgrade.
_TITLES = {
    "gate-on": "On by default now, in components",
    "gate-new": "New gates, on by default: what they guard is new, or can be turned off now",
    "gate-switch": "New gates, on by default, to turn off something old or a fix",
    "gate-locked": "Locked: the default cannot be changed any more",
    "gate-stage": "Other stages, with the same default",
    "gate-added": "New gates, off by default",
    "flags-default-changed": "Flags with another default",
    "flags-changed": "Flags that are no longer deprecated, or got a field",
    "flags-added": "New flags",
    "metrics": "Metrics",
    "metrics-added": "New alpha metrics",
}
_BRIEF = ("gate-added", "flags-added", "metrics-added")
_MAX_PATHS = 4
_NOTES = "https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-"


class ReleaseNotes(NamedTuple):
    """The notes of a ``release``, which say what is in no data: at ``url``."""

    release: str
    url: str


def component_items(
    comparison: Comparison, formatter: ChangeFormatter
) -> Mapping[str, Sequence[Item]]:
    """The gates, flags and metrics that differ, by the topic of their list."""
    items: dict[str, list[Item]] = {}
    is_dated = len(_releases(comparison)) > 1
    paths = _paths_by_gate((*comparison.changes, *comparison.notices))
    for gate in comparison.gates:
        item = _item(gate, _text(gate, is_dated), paths.get(gate.gate, ()), formatter)
        items.setdefault(_topic(gate, item), []).append(item)
    for event, flag in _flag_items(comparison.flags):
        items.setdefault(f"flags-{event}", []).append(flag)
    ordered = sorted(comparison.metrics, key=lambda metric: metric.severity == "safe")
    for metric in ordered:
        items.setdefault(_metric_topic(metric), []).append(_metric_item(metric))
    return items


def _topic(gate: GateChange, item: Item) -> str:
    if gate.event != "on":
        return f"gate-{gate.event}"
    if item.guards:
        return "gate-effective"
    if gate.before is not None:
        return "gate-on"
    stage = gate.steps[0].stage
    is_switch = stage is not None and (stage.is_deprecated or stage.stage == "stable")
    return "gate-switch" if is_switch else "gate-new"


def behaviour_lists(items: Mapping[str, Sequence[Item]]) -> tuple[ItemList, ...]:
    """The lists that are not empty of what components do differently."""
    return tuple(
        ItemList(topic, title, tuple(items[topic]), topic in _BRIEF)
        for topic, title in _TITLES.items()
        if items.get(topic)
    )


def _flag_items(changes: Iterable[ComponentChange[Flag]]) -> Iterator[tuple[str, Item]]:
    """The flags with what happened to them, each with the components that have it; those
    of the kubelet, which runs on all nodes, come first."""

    def key(change: ComponentChange[Flag]) -> tuple[str, str, str]:
        return change.name, _flag_text(change), change.event

    groups = [list(same) for _, same in groupby(sorted(changes, key=key), key)]
    for same in sorted(groups, key=_is_of_other_components):
        components = ", ".join(change.component for change in same)
        name, text, event = key(same[0])
        yield event, Item((ItemName(f"--{name}"),), components, text, same[0].severity)


def _is_of_other_components(changes: Iterable[ComponentChange[Flag]]) -> bool:
    return all(change.component != "kubelet" for change in changes)


def _flag_text(change: ComponentChange[Flag]) -> str:
    """What happened to a flag, and the field that says the same:
    ``deprecated → removed; field KubeletConfiguration.maxPods``."""
    was_deprecated = change.before is not None and change.before.deprecated
    words = [f"{'deprecated → ' if was_deprecated else ''}{change.event}"]
    if change.event == "changed" and change.after is not None:
        # What is left is a field, which is named below.
        is_restored = was_deprecated and not change.after.deprecated
        words = ["no longer deprecated"] if is_restored else []
    if change.defaults:
        defaults = f"default {' → '.join(change.defaults)}"
        words = [*words, defaults] if change.event == "deprecated" else [defaults]
    if change.field:
        words.append(f"field {change.field}")
    return "; ".join(words)


def _metric_topic(change: ComponentChange[Metric]) -> str:
    is_new = change.before is None
    is_alpha = change.after is not None and change.after.stability == "alpha"
    return "metrics-added" if is_new and is_alpha else "metrics"


def _metric_item(change: ComponentChange[Metric]) -> Item:
    former, later = (
        None if side is None else f"{side.stability} {side.type}"
        for side in (change.before, change.after)
    )
    words = {
        "removed": f"{former} → removed",
        "added": f"new: {later}",
        "deprecated": f"{later}, deprecated",
        "changed": f"{former} → {later}",
    }
    return Item((ItemName(change.name),), "", words[change.event], change.severity)


def release_notes(comparison: Comparison) -> tuple[ReleaseNotes, ...]:
    """The notes of the releases in which gates changed, oldest first."""
    return tuple(
        ReleaseNotes(release, f"{_NOTES}{minor_version_in(release)}.md")
        for release in sorted(_releases(comparison), key=release_order)
    )


def _releases(comparison: Comparison) -> set[str]:
    return {step.release for gate in comparison.gates for step in gate.steps}


def _paths_by_gate(changes: Sequence[Change]) -> Mapping[str, Sequence[str]]:
    """The paths of fields whose stages changed, by their gates: a description names
    some that no table does."""
    paths: dict[str, list[str]] = {}
    for change in changes:
        for stage in () if change.rule.is_minor else change.stage or ():
            if stage is not None and stage.gate is not None:
                paths.setdefault(stage.gate, []).append(change.users_path)
    return paths


def _item(
    change: GateChange, text: str, paths: Sequence[str], formatter: ChangeFormatter
) -> Item:
    guarded = (guard.path for guard in change.guards)
    paths = list(map(one_line, dict.fromkeys((*guarded, *paths))))
    stage = change.after or change.before
    return Item(
        (ItemName(change.gate),),
        ", ".join(change.components),
        text,
        change.severity,
        "stable" if stage is None else stage.stage,
        guards=tuple(paths[:_MAX_PATHS]),
        more=f"and {len(paths) - _MAX_PATHS} more" if len(paths) > _MAX_PATHS else "",
        kind_indexes=formatter.indexes(change.kinds),
        uses=uses_in_words([change.uses]),
    )


def _text(change: GateChange, is_dated: bool) -> str:
    """The stages of a gate: ``alpha (off) → beta (on) in 1.33 → removed in 1.35``."""
    words = [] if change.before is None else [_stage(change.before)]
    for step in change.steps:
        stage = "removed" if step.stage is None else _stage(step.stage)
        words.append(f"{stage} in {step.release}" if is_dated else stage)
    return " → ".join(words if change.before else ["new", *words])


def _stage(stage: GateStage) -> str:
    locked = ", locked" if stage.locked else ""
    return f"{stage.level_name} ({DEFAULT_NAMES[stage.enabled]}{locked})"
