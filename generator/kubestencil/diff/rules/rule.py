"""What a rule is: the changes that it judges, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass

from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.rules.audience import Audience, Severity
from kubestencil.diff.rules.policies import Policy
from kubestencil.diff.rules.rule_context import ComparedDefinitions, Condition


@dataclass(frozen=True, slots=True)
class Rule:
    """Judges the differences that it matches.

    These are the differences whose ``change`` is one of ``changes`` and for which
    ``condition``, if there is one, holds. ``audience`` is what the change means for each
    audience. ``reason`` says what the change does to users of the API, in one sentence;
    ``policy`` is the policy that the rule follows.
    """

    name: str
    audience: Audience
    changes: frozenset[str]
    reason: str
    policy: Policy
    condition: Condition | None = None

    @property
    def severity(self) -> Severity:
        """The most severe of those for the audiences."""
        return self.audience.severity

    def matches(self, difference: Difference, definitions: ComparedDefinitions) -> bool:
        """Whether the rule applies to a difference."""
        return difference.change in self.changes and (
            self.condition is None or self.condition(difference, definitions)
        )


def changes(names: str) -> frozenset[str]:
    """The changes with these names, which spaces separate."""
    return frozenset(names.split())


def any_change_of(*keywords: str) -> frozenset[str]:
    """The changes of keywords that were added, changed or removed."""
    return frozenset(
        f"{keyword}-{suffix}"
        for keyword in keywords
        for suffix in ("added", "changed", "removed")
    )
