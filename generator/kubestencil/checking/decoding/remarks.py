"""Findings that depend on a field, not on its value: gated, deprecated.

Feature gates are facts of ``specs/``; everything else is in the descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from kubestencil.checking.rules import RuleId
from kubestencil.schema.facts.feature_gates import gate_of
from kubestencil.schema.types import Definition, Field
from kubestencil.source.releases import minor_version_in

_NO_EFFECT = re.compile(
    r"no longer (?:functional|honou?red|has an?y? ?effect|supported|in use|used)\b|"
    r"has no effect any ?more\b",
    re.IGNORECASE,
)
# "Deprecated: use x", "DEPRECATED.", "deprecated: this field …", "… is deprecated.".
_DEPRECATED = re.compile(
    r"\A[Dd]eprecated(?:[:.,]|\s(?:use|this|in|since|as)\b)|\bDeprecated:|"
    r"\bDEPRECATED\b|\A\(Deprecated\)|"
    r"\b[Tt]his field is deprecated\b|\A\w+ is deprecated\b|\bis a deprecated alias\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MAX_QUOTED = 160


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
    if sentence := _sentence(_NO_EFFECT, description):
        return Remark("no-effect", f"{name} has no effect: {sentence}", "remove it")
    if sentence := _sentence(_DEPRECATED, description):
        return Remark("deprecated-field", f"{name} is deprecated: {sentence}", "")
    return None


def _sentence(pattern: re.Pattern[str], text: str) -> str:
    """The beginning of the sentence that a pattern is in; empty without any."""
    match = pattern.search(text)
    if match is None:
        return ""
    ends = [end for end in _SENTENCE_END.finditer(text) if end.start() <= match.start()]
    rest = text[ends[-1].end() if ends else 0 :]
    sentence = _SENTENCE_END.split(rest, maxsplit=1)[0].strip()
    is_long = len(sentence) > _MAX_QUOTED
    return f"{sentence[:_MAX_QUOTED].rstrip()}…" if is_long else sentence
