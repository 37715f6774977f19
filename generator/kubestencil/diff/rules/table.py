"""All rules that judge changes, in their order.

Each rule has its reason and the part of Kubernetes' policies that it follows. Their
conditions are in ``kubestencil.diff.rules.conditions``; ``kubestencil.diff.rules.classify`` applies
them.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubestencil.diff.rules import policies
from kubestencil.diff.rules.audience import everyone
from kubestencil.diff.rules.lifecycle_rules import LIFECYCLE_RULES
from kubestencil.diff.rules.resource_rules import RESOURCE_RULES
from kubestencil.diff.rules.rule import Rule
from kubestencil.diff.rules.schema_rules import SCHEMA_RULES

__all__ = ["ALPHA", "RULES", "UNKNOWN", "Rule", "rules_by_name"]

#: The rules; the first one that matches a difference decides.
RULES: tuple[Rule, ...] = (*LIFECYCLE_RULES, *SCHEMA_RULES, *RESOURCE_RULES)

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = Rule(
    "alpha",
    everyone("warning"),
    frozenset(),
    "Alpha versions and alpha fields may change or be removed in any release without "
    "notice.",
    policies.STABILITY_LEVELS,
)

#: Applies where no other rule matches.
UNKNOWN = Rule(
    "unknown",
    everyone("warning"),
    frozenset(),
    "kubestencil does not support this keyword.",
    policies.COMPATIBILITY,
)


def rules_by_name() -> Mapping[str, Rule]:
    """Every rule, ``ALPHA`` and ``UNKNOWN`` included."""
    return {rule.name: rule for rule in (*RULES, ALPHA, UNKNOWN)}
