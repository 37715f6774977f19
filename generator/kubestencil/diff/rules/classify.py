"""Judges a difference: the rule that it falls under, and what is known besides."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.releases.stages import StageChange, least_stable
from kubestencil.diff.rules.audience import Audience, at_most_warning
from kubestencil.diff.rules.details import Deprecation, of_kind
from kubestencil.diff.rules.rule_context import RuleContext
from kubestencil.diff.rules.table import ALPHA, RULES, UNKNOWN, Rule
from kubestencil.schema.kinds import Stage, version_stage


class Classification(NamedTuple):
    """A difference and what it means; the attributes are those of ``Change``.

    ``rule`` is the first rule that matches. ``stability`` is the stage concerned: that of
    the API version, or a lower one of the field or of what it is in. ``releases`` are those
    of Kubernetes on both sides, None where one is something else.
    """

    difference: Difference
    rule: Rule
    audience: Audience
    stability: Stage
    stage: StageChange | None
    deprecation: Deprecation
    releases: tuple[str, str] | None = None


def classify(
    difference: Difference, context: RuleContext, version: str
) -> Classification:
    """Judge a difference in a definition of the API version ``version`` (``v1``)."""
    stage = context.stage_change(difference)
    context = context._replace(stage=stage)
    candidates = _candidates(difference.change)
    matches = (rule for rule in candidates if rule.condition(difference, context))
    stability = _stability(difference, context, version, stage)
    match = next(matches, UNKNOWN)
    rule, audience = at_stability(match, stability)
    known = of_kind(difference, context)
    if known is None:
        # Where the value of an alpha field is now matters as much.
        known = match.deprecation(difference, context)
    if rule.deprecates and difference.field is not None:
        # The stage of what is going away is no promotion.
        stage = None
    return Classification(
        difference, rule, audience, stability, stage, known, context.releases
    )


def at_stability(rule: Rule, stability: Stage) -> tuple[Rule, Audience]:
    """The rule that applies to what is ``stability``, and what it means."""
    if rule.severity == "breaking" and stability == "alpha":
        return ALPHA, at_most_warning(rule.audience)
    return rule, rule.audience


@cache
def _candidates(change: ChangeName) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if change in rule.changes)


def _stability(
    difference: Difference,
    context: RuleContext,
    version: str,
    stage: StageChange | None,
) -> Stage:
    """The stage that a field or kind had; its new one where it was added."""
    stages = [version_stage(version)]
    if stage is not None and difference.field is not None:
        former = stage.before or stage.after
        if former is not None:
            stages.append(former.stage)
    for names, facts in zip(context.names, context.facts, strict=True):
        name = names.get(difference.definition)
        if name is not None:
            stages.append(facts.stages.definition_stage(name))
            break
    return least_stable(*stages)
