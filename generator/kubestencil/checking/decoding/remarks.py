"""Findings that depend on a field, not on its value: gated, deprecated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kubestencil.checking.rules import RuleId
from kubestencil.schema.knowledge.fields import KnownField


class Remark(NamedTuple):
    """Findings that depend on a field, not on its value."""

    rule: RuleId
    message: str
    hint: str


def remarks_on(fields: Iterable[KnownField]) -> Mapping[str, tuple[Remark, ...]]:
    """The remarks on the fields of a definition, by field."""
    by_name = {known.name: known for known in fields}
    remarks = {
        name: tuple(_on_field(known, by_name)) for name, known in by_name.items()
    }
    return {name: on_field for name, on_field in remarks.items() if on_field}


def _on_field(known: KnownField, siblings: Iterable[str]) -> Iterator[Remark]:
    name, gate = known.name, known.gate
    if gate is not None and not gate.enabled and not gate.is_deprecated:
        message = (
            f"{name} needs the feature gate {gate.gate}, which is off by default in "
            f"{known.release} ({gate.level})"
        )
        yield Remark("gated-field", message, f"enable {gate.gate}, or remove it")
    if sentence := known.loss_of_effect:
        message = f"{name} has no effect: {_without_label(sentence)}"
        yield Remark("no-effect", message, "remove it")
    elif sentence := known.deprecation:
        message = f"{name} is deprecated: {_without_label(sentence)}"
        instead = known.replacement(siblings)
        hint = f"use {instead}" if instead else ""
        yield Remark("deprecated-field", message, hint)
    elif row := known.warned:
        since = f" since {row.since}" if row.since else ""
        hint = f"use {row.instead}" if row.instead else ""
        yield Remark("deprecated-field", f"{name} is deprecated{since}", hint)


def _without_label(sentence: str) -> str:
    return sentence.removeprefix("Deprecated: ")
