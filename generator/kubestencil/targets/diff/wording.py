"""Puts changes into words: labels, types, values, and the words that differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from kubestencil.diff.comparison import Change
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.releases.stages import (
    DEFAULT_NAMES,
    StageChange,
)
from kubestencil.schema import GroupVersionKind, Schema
from kubestencil.schema.keywords import KINDS_KEYWORD, VALIDATIONS
from kubestencil.schema.kinds import stated_kinds
from kubestencil.schema.types import schema_of
from kubestencil.targets.diff.word_diff import (
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
    if change is None or _is_always_ga(change):
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


def _is_always_ga(change: StageChange) -> bool:
    return all(stage is None or stage.level == "ga" for stage in change)


def type_in_words(schema: Schema) -> str:
    """The type of a schema in the notation of Go, which ``kubectl explain`` has, too:
    ``[]Container``, ``map[string]Quantity``, ``string (date-time)``."""
    if schema.ref is not None:
        return schema.ref.rpartition(".")[2]
    if schema.items is not None:
        return f"[]{type_in_words(schema.items)}"
    if schema.values is not None:
        return f"map[string]{type_in_words(schema.values)}"
    name = schema.type or "any value"
    return f"{name} ({schema.format})" if schema.format else name


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
    value, inner = schema.value_of(keyword), schema.items or schema.values
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
