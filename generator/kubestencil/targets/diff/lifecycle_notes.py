"""Puts the lifecycles of kinds and the stages of fields into words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kubestencil.diff.history import History, Row
from kubestencil.diff.releases.stages import DEFAULT_NAMES
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.facts.lifecycle import lifecycle
from kubestencil.schema.facts.volume_plugins import volume_plugins
from kubestencil.source.releases import is_minor_version, release_order


def release_range(releases: Sequence[str]) -> str:
    """Consecutive releases: ``1.29..1.31``."""
    first, last = releases[0], releases[-1]
    return first if first == last else f"{first}..{last}"


def period(first: str, last: str, releases: Sequence[str]) -> str:
    """When something that ``releases`` have from ``first`` to ``last`` existed.

    What the first of them has may be older, so that its beginning is ``≤ 1.25``; what
    the last one has is there ``since`` its beginning. Where there is one release, it
    says nothing of either.
    """
    if len(releases) == 1:
        return first
    beginning = f"≤ {first}" if first == releases[0] else first
    return (
        f"since {beginning}"
        if last == releases[-1]
        else (beginning if first == last else f"{beginning} to {last}")
    )


def kind_period(
    kind: GroupVersionKind, served: Sequence[str], all_releases: Sequence[str]
) -> str:
    """When a kind was served, by ``served`` among all releases, or before them by the
    table of lifecycles."""
    facts = lifecycle(kind)
    text = period(served[0], served[-1], all_releases)
    if (
        facts is None
        or served[0] != all_releases[0]
        or not is_minor_version(served[0])
        or release_order(facts.introduced) > release_order(served[0])
    ):
        return text
    return text.replace(f"≤ {served[0]}", facts.introduced)


def lifecycle_note(kind: GroupVersionKind, newest: str) -> str:
    """When a kind was deprecated and removed, and what replaces it; empty for one with
    neither. What comes after ``newest``, the last release in question, is a plan."""
    facts = lifecycle(kind)
    if facts is None:
        return ""
    parts: list[str] = []
    for release, done, planned in (
        (facts.deprecated, "deprecated in", "deprecation planned for"),
        (facts.removed, "removed in", "removal planned for"),
    ):
        if release:
            is_planned = release_order(release) > release_order(newest)
            parts.append(f"{planned if is_planned else done} {release}")
    if facts.replacement:
        successor = facts.replacement
        parts.append(f"replaced by {successor.api_version} {successor.kind}")
    return ", ".join(parts)


def stage_note(row: Row, history: History) -> str:
    """The stages of a field's feature gate: ``alpha 1.32..1.33 (off), beta 1.34..1.37
    (on), gate PodLevelResources``; of a volume what became of its plugin; empty for
    others without a gate. A field that its gate no longer guards is generally available,
    and one that is deprecated is not promoted with its gate."""
    gates = {
        column.release: cell.gate
        for column, cell in zip(history.columns, row.cells, strict=True)
        if cell is not None and cell.gate is not None
    }
    having = {
        column.release
        for column, cell in zip(history.columns, row.cells, strict=True)
        if cell is not None
    }
    deprecated = [
        history.columns[event.column].release
        for event in history.events
        if event.field == row.field and event.rule.name == "deprecated"
    ]
    end = min(map(history.releases.index, deprecated), default=len(history.releases))
    guarded = [release for release in history.releases[:end] if release in gates]
    if not guarded:
        return _volume_note(row)
    stages = []
    runs = groupby(guarded, lambda name: (gates[name].level, gates[name].enabled))
    for (stage, enabled), releases in runs:
        names = list(releases)
        stages.append(
            f"GA since {names[0]}"
            if stage == "ga"
            else f"{stage} {release_range(names)} ({DEFAULT_NAMES[enabled]})"
        )
    later = history.releases[history.releases.index(guarded[-1]) + 1 : end]
    after = [release for release in later if release in having]
    if after and gates[guarded[-1]].level in ("alpha", "beta"):
        stages.append(f"GA since {after[0]}")
    if deprecated:
        stages.append(f"deprecated since {history.releases[end]}")
    gate_names = dict.fromkeys(gates[release].gate for release in guarded)
    return ", ".join((*stages, f"gate {' and '.join(gate_names)}"))


def _volume_note(row: Row) -> str:
    """When the volume plugin of a field was deprecated, handed over and ended; empty for
    any other field."""
    plugin = volume_plugins().get(row.field.rpartition(".")[2])
    cell = row.cells[row.first]
    if plugin is None or cell is None:
        return ""
    if not (cell.schema.ref or "").endswith("VolumeSource"):
        return ""
    facts = (
        ("deprecated since", plugin.deprecated),
        ("served by a CSI driver since", plugin.migrated),
        ("no longer works since", plugin.ended),
    )
    return ", ".join(f"{words} {release}" for words, release in facts if release)
