"""Puts changes into words: labels, types, values, and the words that differ; and the
lifecycles of kinds and the stages of fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, takewhile
from typing import Any

from kubestencil.diff.change import Change
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.history import History, Row
from kubestencil.diff.releases.stages import (
    DEFAULT_NAMES,
    StageChange,
)
from kubestencil.schema import GroupVersionKind, Schema
from kubestencil.schema.keywords import KINDS_KEYWORD, VALIDATIONS
from kubestencil.schema.kinds import stated_kinds
from kubestencil.schema.knowledge.kinds import known_kind, lifecycle
from kubestencil.schema.knowledge.warnings import volume_plugins
from kubestencil.schema.knowledge.words import kind_in_words, type_in_words
from kubestencil.schema.types import schema_of
from kubestencil.source.releases import is_after, is_version
from kubestencil.targets.reports.word_diff import (
    Segment,
    diff_words,
    shorten,
    with_spaces_outside,
)

_PROSE_KEYWORDS = ("description", "title")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)`\"'][.!?])\s")
_INNER = {"items": "items", "additionalProperties": "values"}
# Where the words of a change are not those of its name.
_LABELS: Mapping[ChangeName, str] = {
    "field-deprecated": "deprecated",
    "field-ended": "no longer works",
    "field-mutable": "can be changed",
    "field-migrated": "served by a CSI driver",
    "field-required": "now required",
    "field-optional": "now optional",
    "group-version-kind-added": "served kinds added",
    "group-version-kind-changed": "served kinds changed",
    "group-version-kind-removed": "served kinds removed",
    "validation-added": "CEL rule added",
    "validation-changed": "CEL rule changed",
    "validation-removed": "CEL rule removed",
    "validation-message-changed": "message of a CEL rule changed",
    "validations-order-changed": "order of CEL rules changed",
}
_MAX_VALUE = 400  # characters


def change_label(change: Change) -> str:
    """The name of a change in words: ``field added``, ``now required``, ``deprecated``.
    A change of a list's items or a map's values says so: ``items: pattern added``."""
    if change.keyword is not None and change.rule.label:
        return change.rule.label
    inner = takewhile(_INNER.__contains__, reversed(change.schema_path))
    labels = [_INNER[keyword] for keyword in inner]
    label = _LABELS.get(change.change) or change.change.replace("-", " ")
    return ": ".join((*reversed(labels), label))


def stage_in_words(change: StageChange | None) -> str:
    """The stages before and after, with the default of the feature gate: ``alpha (off)
    → beta (on), gate Name``; empty where no stage is known, and for what was and is
    generally available."""
    if change is None or all(side is None or side.level == "ga" for side in change):
        return ""
    stages = [
        stage.in_words(DEFAULT_NAMES)
        for stage in (change.before, change.after)
        if stage is not None
    ]
    gates = [stage.gate for stage in (change.after, change.before) if stage is not None]
    gate = next(filter(None, gates), None)
    words = " → ".join(dict.fromkeys(stages))
    return f"{words}, gate {gate}" if words and gate else words


def first_sentence(schema: Schema) -> str:
    """The first sentence of a schema's description."""
    description = schema.description.strip()
    return _truncated(_SENTENCE_END.split(description, maxsplit=1)[0])


def change_segments(change: Change) -> tuple[Segment, ...]:
    """What was replaced by what; the differing words of a description."""
    return tuple(_segments(change))


def _segments(change: Change) -> Iterable[Segment]:
    keyword = change.keyword
    sides = [
        None if side is None else schema_of(side)
        for side in (change.before, change.after)
    ]
    if sides == [None, None] or keyword in ("required", "properties"):
        return ()
    if keyword is None:
        in_words = _field_names if change.field is None else type_in_words
        return _replacement(
            *(None if side is None else in_words(side) for side in sides)
        )
    values: list[Any] = [
        None if side is None else side.value_of(keyword) for side in sides
    ]
    if all(values) and keyword == KINDS_KEYWORD:
        segments = tuple(
            _kind_segments(*(stated_kinds(side) for side in sides if side))
        )
        if segments:
            return segments
    texts = values if keyword in _PROSE_KEYWORDS else []
    if all(values) and keyword == VALIDATIONS:
        texts = [_rule_in_words(side) for side in sides if side]
    if texts and all(isinstance(text, str) for text in texts):
        return with_spaces_outside(shorten(diff_words(*texts)))
    old, new = (
        None if side is None else _value_in_words(keyword, side) for side in sides
    )
    return _replacement(*(map(_json, values) if old == new else (old, new)))


def _replacement(before: str | None, after: str | None) -> Iterator[Segment]:
    if before is not None:
        yield Segment("del", before)
    if before is not None and after is not None:
        yield Segment("same", " → ")
    if after is not None:
        yield Segment("ins", after)


def _kind_segments(
    old: Sequence[GroupVersionKind], new: Sequence[GroupVersionKind]
) -> Iterator[Segment]:
    """The removed and the added kinds; the lists have up to a hundred others."""
    removed = [_kind_in_words(kind) for kind in old if kind not in new]
    added = [_kind_in_words(kind) for kind in new if kind not in old]
    if removed:
        yield Segment("del", _truncated(", ".join(removed)))
    if removed and added:
        yield Segment("same", " ")
    if added:
        yield Segment("ins", _truncated(", ".join(added)))


def _field_names(schema: Schema) -> str | None:
    """The fields of a type, without those that every kind has; None for no fields."""
    names = schema.field_names - {"apiVersion", "kind"}
    return ", ".join(sorted(names)) or None


def _value_in_words(keyword: str, schema: Schema) -> str:
    """The value of the only keyword of a schema."""
    value, inner = schema.value_of(keyword), schema.content
    if inner is not None:
        return type_in_words(inner)
    if keyword == "$ref":
        return type_in_words(schema)
    if keyword == KINDS_KEYWORD:
        return _truncated(", ".join(map(_kind_in_words, stated_kinds(schema))))
    if keyword == VALIDATIONS:
        return _truncated(_rule_in_words(schema))
    if keyword == "additionalPrinterColumns":
        return _truncated(", ".join(column["name"] for column in value))
    if isinstance(value, str):
        return _truncated(value) or '""'
    if (
        isinstance(value, list)
        and value
        and all(isinstance(element, str) for element in value)
    ):
        return _truncated(", ".join(value))
    return _json(value)


def _rule_in_words(schema: Schema) -> str:
    """CEL rules: their expressions, and the messages for values that violate them."""
    return "; ".join(
        " — ".join(
            filter(None, (rule.expression, rule.message, rule.message_expression))
        )
        for rule in schema.validations
    )


def _kind_in_words(kind: GroupVersionKind) -> str:
    """A group, version and kind, without the empty group: ``apps/v1/Deployment``."""
    return "/".join(filter(None, kind))


def _json(value: Any) -> str:
    return _truncated(json.dumps(value, sort_keys=True, ensure_ascii=False))


def _truncated(text: str) -> str:
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


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
        or not is_version(served[0])
        or is_after(facts.introduced, served[0])
    ):
        return text
    return text.replace(f"≤ {served[0]}", facts.introduced)


def lifecycle_note(kind: GroupVersionKind, newest: str) -> str:
    """When a kind was deprecated and removed, and what replaces it; empty for one with
    neither. What comes after ``newest``, the last release in question, is a plan."""
    phrases = kind_in_words(known_kind(kind, newest))
    return ", ".join(phrase.short for phrase in phrases if phrase.fact != "added")


def stage_note(row: Row, history: History) -> str:
    """The stages of a field's feature gate: ``alpha 1.32..1.33 (off), beta 1.34..1.37
    (on), gate PodLevelResources``; of a volume what became of its plugin, and of others
    without a gate since when the API server calls them deprecated. A field that its gate no longer guards is generally available,
    and one that is deprecated is not promoted with its gate."""
    cells = zip(history.columns, row.cells, strict=True)
    having = [(column.release, cell.gate) for column, cell in cells if cell is not None]
    gates = {release: gate for release, gate in having if gate is not None}
    with_field = {release for release, _ in having}
    deprecated = [
        history.columns[event.column].release
        for event in history.events
        if event.field == row.field and event.rule.name == "deprecated"
    ]
    end = min(map(history.releases.index, deprecated), default=len(history.releases))
    guarded = [release for release in history.releases[:end] if release in gates]
    if not guarded:
        return _volume_note(row) or _warning_note(row)
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
    after = [release for release in later if release in with_field]
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


def _warning_note(row: Row) -> str:
    """Since when the API server warns of a field in the last release that has it; empty
    where it does not."""
    cell = row.cells[row.last]
    warned = cell.warned if cell else None
    if warned is None:
        return ""
    since = f" since {warned.since}" if warned.since else ""
    instead = f", use {warned.instead}" if warned.instead else ""
    return f"deprecated{since}{instead}"
