"""Reads the rules that judge changes from ``rules.toml``.

``kubestencil.diff.rules.classify`` applies them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from kubestencil.diff.differences.names import ChangeName, Presence
from kubestencil.diff.rules import (
    conditions,
    details,
    lifecycle_conditions,
)
from kubestencil.diff.rules.audience import Audience, Severity, audience
from kubestencil.diff.rules.rule_context import Condition

#: The lists of what to know before an upgrade, in their order. ``removed-optional`` was
#: not served by default; ``soon`` was deprecated before, and will be removed. What was
#: ``added`` needs no decision.
UpgradeTopic = Literal[
    "removed",
    "removed-optional",
    "deprecated",
    "soon",
    "promoted",
    "limits",
    "required",
    "migrated",
    "other",
    "added",
]

#: What the site shows beside a field that changed.
Badge = Literal["label", "stages"]


class Policy(NamedTuple):
    """A part of Kubernetes' published policies: its ``name`` and its ``url``."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Judges the differences that it matches.

    These are the differences whose ``change`` is one of ``changes`` and for which
    ``condition`` holds. ``audience`` is what the change means for each
    audience. ``reason`` says what the change does to users of the API, in one sentence,
    and ``detail`` what is known of one change; ``policy`` is the policy that the rule
    follows. ``deprecation`` finds when what changed was deprecated, and what replaces
    it.

    ``label`` is what reports call the change of a keyword, empty where the keyword says
    it. ``topic`` is the list of what to know before an upgrade that has the changes; None
    for that of other breaking changes, and for none if they do not break anything.
    ``is_minor`` is whether users of the API need not know them. ``badge`` is what the
    site shows beside the field, None where that depends on the keyword. ``deprecates``
    is whether what changed is deprecated from now on.
    """

    name: str
    audience: Audience
    changes: frozenset[ChangeName]
    reason: str
    policy: Policy
    condition: Condition
    detail: details.Detail
    deprecation: details.Finder
    label: str = ""
    topic: UpgradeTopic | None = None
    badge: Badge | None = None
    is_minor: bool = False
    deprecates: bool = False

    @property
    def severity(self) -> Severity:
        """The most severe of those for the audiences."""
        return self.audience.severity


_CONDITIONS = {**vars(conditions), **vars(lifecycle_conditions)}


_TABLES = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))

#: The headings of the lists of what to know before an upgrade, in their order.
UPGRADE_TITLES: Mapping[UpgradeTopic, str] = _TABLES["topics"]


def _read_rules() -> Iterator[Rule]:
    for name, keys in _TABLES["rules"].items():
        severities = keys.pop("severities", None) or [keys.pop("severity")] * 3
        yield Rule(
            name=name,
            audience=audience(*severities, **keys.pop("meanings", {})),
            changes=frozenset(_expanded(keys.pop("changes", ()))),
            policy=Policy(**_TABLES["policies"][keys.pop("policy", "compatibility")]),
            condition=_condition(keys),
            detail=getattr(details, keys.pop("detail", "nothing")),
            deprecation=getattr(details, keys.pop("deprecation", "unknown")),
            **keys,
        )


def _condition(keys: dict[str, Any]) -> Condition:
    if "after" in keys:
        return partial(conditions.becomes, value=keys.pop("after"))
    condition: Condition = _CONDITIONS[keys.pop("condition", "always")]
    return condition


def _expanded(changes: list[Any]) -> Iterator[ChangeName]:
    """The names of changes; ``type-*`` are all of a keyword."""
    for change in changes:
        for presence in get_args(Presence) if change.endswith("*") else [""]:
            yield change.replace("*", presence)


#: Every rule by its name, in their order, ``ALPHA`` and ``UNKNOWN`` included.
RULES_BY_NAME: Mapping[str, Rule] = {rule.name: rule for rule in _read_rules()}

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = RULES_BY_NAME["alpha"]

#: Applies where no other rule matches.
UNKNOWN = RULES_BY_NAME["unknown"]

#: The rules that judge changes, in their order.
RULES = tuple(rule for rule in RULES_BY_NAME.values() if rule.changes)
