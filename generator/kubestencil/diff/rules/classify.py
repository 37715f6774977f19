"""Judges a difference: the rule that it falls under, and what is known besides."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.labels import kind_name
from kubestencil.diff.releases.descriptions import (
    deprecated_in,
    mentions_deprecation,
    removed_in,
    stated_replacement,
)
from kubestencil.diff.releases.stages import StageChange, least_stable
from kubestencil.diff.rules.audience import Audience, Severity, at_most
from kubestencil.diff.rules.lifecycle_conditions import (
    kind_facts,
    moved_to,
    new_text,
    served_kind,
    successor,
)
from kubestencil.diff.rules.reasons import change_reason
from kubestencil.diff.rules.replacement import NO_OUTLOOK, Outlook
from kubestencil.diff.rules.rule_context import ComparedDefinitions
from kubestencil.diff.rules.table import ALPHA, RULES, UNKNOWN, Rule
from kubestencil.schema.kinds import Level, level
from kubestencil.source.releases import release_order


class Classification(NamedTuple):
    """What a difference means; the attributes are those of ``Change``.

    ``stability`` is the stability level concerned: that of the API version, or a lower
    one of the field or of what it is in. ``rule`` is the first rule that matches.
    """

    stability: Level
    rule: Rule
    reason: str
    audience: Audience
    stage: StageChange | None
    outlook: Outlook

    @property
    def severity(self) -> Severity:
        """The most severe of those for the audiences."""
        return self.audience.severity


def classify(
    difference: Difference, definitions: ComparedDefinitions, version: str
) -> Classification:
    """Judge a difference in a definition of the API version ``version`` (``v1``)."""
    stage = definitions.stage_change(difference)
    definitions = definitions._replace(stage=stage)
    stability = _stability(difference, definitions, version, stage)
    rule = next(
        (
            rule
            for rule in _candidates(difference.change)
            if rule.matches(difference, definitions)
        ),
        UNKNOWN,
    )
    audience = rule.audience
    if audience.severity == "breaking" and stability == "alpha":
        rule, audience = ALPHA, at_most("warning", audience)
    outlook = _outlook(difference, definitions, rule)
    reason = change_reason(rule, difference, stage, outlook)
    return Classification(stability, rule, reason, audience, stage, outlook)


@cache
def _candidates(change: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if change in rule.changes)


def _stability(
    difference: Difference,
    definitions: ComparedDefinitions,
    version: str,
    stage: StageChange | None,
) -> Level:
    """The level that a field or kind had; its new one where it was added."""
    levels = [level(version)]
    if stage is not None and difference.field is not None:
        former = stage.before or stage.after
        if former is not None:
            levels.append(former.stability)
    if definitions.stages is not None:
        for side in (0, 1):
            name = definitions.name(difference, side)
            if name is not None:
                levels.append(definitions.stages[side].stability(name))
                break
    return least_stable(*levels)


def _outlook(
    difference: Difference, definitions: ComparedDefinitions, rule: Rule
) -> Outlook:
    if difference.field is None:
        kind_outlook = _kind_outlook(difference, definitions)
        if kind_outlook is not None:
            return kind_outlook
    if rule.name == "field-moved":
        return Outlook(replacement=moved_to(difference, definitions))
    if difference.change == "field-removed":
        text = str(difference.schemas[0].get("description", ""))
        return Outlook(replacement=_stated(difference, definitions, text))
    text = new_text(difference)
    if rule.name not in ("deprecated", "no-longer-functional"):
        return NO_OUTLOOK
    deprecated = None
    if mentions_deprecation(text):
        deprecated = deprecated_in(text) or _only_release(definitions)
    return Outlook(deprecated, removed_in(text), _stated(difference, definitions, text))


def _only_release(definitions: ComparedDefinitions) -> str | None:
    """The release in which all changes between two neighbours happened; None where
    there are others in between, or these are no releases of Kubernetes."""
    if definitions.stages is None:
        return None
    before, after = (side.kubernetes for side in definitions.stages)
    if before is None or after is None:
        return None
    (old_major, old_minor, _), (major, minor, _) = map(release_order, (before, after))
    return after if (major, minor) == (old_major, old_minor + 1) else None


def _stated(
    difference: Difference, definitions: ComparedDefinitions, text: str
) -> str | None:
    """The field beside the one that differs that its description names instead."""
    name = (difference.field or "").rpartition(".")[2]
    fields = definitions.after.get(difference.definition, {}).get("properties", {})
    return stated_replacement(text, (field for field in fields if field != name))


def _kind_outlook(
    difference: Difference, definitions: ComparedDefinitions
) -> Outlook | None:
    """What the facts say of the kind that a definition is served as."""
    if served_kind(difference) is None:
        return None
    facts = kind_facts(difference) if definitions.is_kubernetes else None
    is_leaving = difference.change == "kind-removed" or (facts and facts.deprecated)
    target = successor(difference, definitions) if is_leaving else None
    if facts is None and target is None:
        return None
    return Outlook(
        None if facts is None else facts.deprecated,
        None if facts is None else facts.removed,
        None if target is None else kind_name(target),
    )
