"""Findings that depend on a field, not on its value: gated, deprecated.

Feature gates are facts of ``specs/``; everything else is in the descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.checking.rules import RuleId
from kubestencil.schema.facts.descriptions import deprecation, loss_of_effect
from kubestencil.schema.facts.feature_gates import gate_of
from kubestencil.schema.types import Definition, Field
from kubestencil.source.releases import minor_version_in


class Remark(NamedTuple):
    """Findings that depend on a field, not on its value."""

    rule: RuleId
    message: str
    hint: str


def remarks_on(
    definition: Definition, release: str
) -> Mapping[str, tuple[Remark, ...]]:
    """The remarks on the fields of a definition of a release, by field."""
    remarks = {
        field.name: tuple(_on_field(definition, field, release))
        for field in definition.fields
    }
    return {name: on_field for name, on_field in remarks.items() if on_field}


def _on_field(definition: Definition, field: Field, release: str) -> Iterator[Remark]:
    name, minor = field.name, minor_version_in(release)
    gate = gate_of(definition.name, name, minor) if minor else None
    if gate is not None and not gate.enabled and not gate.is_deprecated:
        message = (
            f"{name} needs the feature gate {gate.gate}, which is off by default in "
            f"{release} ({gate.level})"
        )
        yield Remark("gated-field", message, f"enable {gate.gate}, or remove it")
    stage = _stage(name, field.schema.description)
    if stage is not None:
        yield stage


def _stage(name: str, description: str) -> Remark | None:
    """The remark on a field that is deprecated, or has no effect any more."""
    if sentence := loss_of_effect(description):
        return Remark("no-effect", f"{name} has no effect: {sentence}", "remove it")
    if sentence := deprecation(description):
        return Remark("deprecated-field", f"{name} is deprecated: {sentence}", "")
    return None
