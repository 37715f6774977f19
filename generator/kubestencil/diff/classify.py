"""Classifies a difference: the rule that it falls under and the stability concerned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import cast

from kubestencil.diff.audience import Audience, Impact, Severity
from kubestencil.diff.conditions import ComparedDefinitions
from kubestencil.diff.differences import Difference
from kubestencil.diff.rules import ALPHA, RULES, UNKNOWN, Rule
from kubestencil.schema.kinds import LEVELS, Level, level

# How the descriptions of fields state their level: "This is an alpha field and
# requires …", "This field is beta-level in 1.30". Upstream:
# https://github.com/kubernetes/community/blob/main/contributors/devel/sig-architecture/api_changes.md#adding-unstable-features-to-stable-versions
_FIELD_LEVEL = re.compile(
    r"\bThis (?:(?:field|feature) )?is (?:an? )?(?:optional, )?(alpha|beta)\b"
)


@dataclass(frozen=True, slots=True)
class Classification:
    """What a difference means.

    ``stability`` is the stability level concerned: that of the API version, or a lower
    one that the description gives the field. ``rule`` is the first rule that matches.
    """

    stability: Level
    rule: Rule

    @property
    def severity(self) -> Severity:
        """The severity that the rule assigns."""
        return self.rule.severity

    @property
    def audience(self) -> Audience:
        """What it means for each audience."""
        impact = Impact(self.rule.severity, self.rule.reason)
        return Audience(impact, impact, impact)


def classify(
    difference: Difference, definitions: ComparedDefinitions, version: str
) -> Classification:
    """Classify a difference in a definition of the API version ``version`` (``v1``)."""
    stability = min(
        level(version), _field_level(_field_description(difference)), key=LEVELS.index
    )
    rule = next(
        (
            rule
            for rule in _candidates(difference.change)
            if rule.matches(difference, definitions)
        ),
        UNKNOWN,
    )
    if rule.severity == "breaking" and stability == "alpha":
        rule = ALPHA
    return Classification(stability, rule)


@cache
def _candidates(change: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if change in rule.changes)


@cache
def _field_level(description: str) -> Level:
    match = _FIELD_LEVEL.search(description)
    return cast(Level, match[1]) if match else "stable"


def _field_description(difference: Difference) -> str:
    """The field's former description, or its new one where the field was added."""
    if difference.field is None:
        return ""
    if difference.keyword == "required":
        # The schemas are those of the object; the field is one of its properties.
        name = difference.field.rpartition(".")[2]
        schemas = [
            schema.get("properties", {}).get(name) for schema in difference.schemas
        ]
    else:
        schemas = list(difference.schemas)
    descriptions = [schema.get("description", "") for schema in schemas if schema]
    return str(next(filter(None, descriptions), ""))
