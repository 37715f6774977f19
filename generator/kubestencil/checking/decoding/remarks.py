"""Findings that depend on a field, not on its value: gated, deprecated, changed.

Feature gates are facts of ``specs/``; everything else is in the descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
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
# The words of sentences that say what a value must be, or does. What holds for absent
# values (defaults, required) is of no interest, since the field is there.
_NORMATIVE = re.compile(
    r"\b(?:must|ignored|immutable|no longer|cannot|may not|deprecated|"
    r"only (?:allowed|valid|used|supported)|rejected)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_MAX_QUOTED = 160
# The share of words that a sentence has in common with one that means the same.
_SAME_WORDS = 0.6


class Remark(NamedTuple):
    """Findings that depend on a field, not on its value."""

    rule: RuleId
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Remarks:
    """The remarks on the fields of a release.

    ``release`` is its name. ``earlier`` are the definitions of the release that an
    upgrade starts from, empty where there is none.
    """

    release: str
    earlier: Mapping[str, Definition]

    def on(self, definition: Definition) -> Mapping[str, tuple[Remark, ...]]:
        """The remarks on the fields of a definition, by field."""
        remarks = {
            field.name: tuple(self._on_field(definition, field))
            for field in definition.fields
        }
        return {name: on_field for name, on_field in remarks.items() if on_field}

    def _on_field(self, definition: Definition, field: Field) -> list[Remark]:
        description = field.schema.description
        remarks = [self._gate(definition, field), _stage(field.name, description)]
        if remarks[1] is None:
            remarks.append(self._changed_meaning(definition, field.name, description))
        return [remark for remark in remarks if remark is not None]

    def _gate(self, definition: Definition, field: Field) -> Remark | None:
        minor = minor_version_in(self.release)
        gate = gate_of(definition.name, field.name, minor) if minor else None
        if gate is None or gate.enabled or gate.is_deprecated:
            return None
        message = (
            f"{field.name} needs the feature gate {gate.gate}, which is off by default"
            f" in {self.release} ({gate.level})"
        )
        return Remark("gated-field", message, f"enable {gate.gate}, or remove it")

    def _changed_meaning(
        self, definition: Definition, name: str, description: str
    ) -> Remark | None:
        former = self.earlier.get(definition.name)
        if former is None or former is definition:
            return None
        for field in former.fields:
            if field.name == name and field.schema.description != description:
                sentence = _new_rule(field.schema.description, description)
                if sentence:
                    message = f"the description of {name} now says: {sentence}"
                    return Remark("changed-meaning", message, "")
        return None


def _stage(name: str, description: str) -> Remark | None:
    """The remark on a field that is deprecated, or has no effect any more."""
    match = _NO_EFFECT.search(description)
    if match is not None:
        sentence = _sentence_at(description, match.start())
        return Remark("no-effect", f"{name} has no effect: {sentence}", "remove it")
    match = _DEPRECATED.search(description)
    if match is not None:
        sentence = _sentence_at(description, match.start())
        return Remark("deprecated-field", f"{name} is deprecated: {sentence}", "")
    return None


def _new_rule(before: str, after: str) -> str:
    """The first sentence that is new in a description and states a rule."""
    former = {_plain(sentence) for sentence in _SENTENCE_END.split(before)}
    for sentence in _SENTENCE_END.split(after):
        plain = _plain(sentence)
        if _NORMATIVE.search(sentence) and not any(
            plain == other or _is_reworded(plain, other) for other in former
        ):
            return _quoted(sentence)
    return ""


def _is_reworded(sentence: str, other: str) -> bool:
    """Whether two sentences have most of their words in common."""
    words, others = set(sentence.split()), set(other.split())
    return len(words & others) >= _SAME_WORDS * max(len(words), len(others))


def _plain(sentence: str) -> str:
    """A sentence without what does not change its meaning."""
    return re.sub(r"\W+", " ", sentence).strip().lower()


def _sentence_at(text: str, index: int) -> str:
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end.start() > index:
            return _quoted(text[start : end.start()])
        start = end.end()
    return _quoted(text[start:])


def _quoted(sentence: str) -> str:
    sentence = sentence.strip()
    if len(sentence) <= _MAX_QUOTED:
        return sentence
    return f"{sentence[:_MAX_QUOTED].rstrip()}…"
