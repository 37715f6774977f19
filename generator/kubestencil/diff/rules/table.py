"""Reads the rules that judge changes from ``rules.toml``.

``kubestencil.diff.rules.classify`` applies them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import partial
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, get_args

from kubestencil.diff.differences.names import CHANGE_NAMES, ChangeName, Presence
from kubestencil.diff.rules import (
    conditions,
    details,
    lifecycle_conditions,
)
from kubestencil.diff.rules.audience import (
    AUDIENCE_NAMES,
    SEVERITIES,
    Audience,
    Severity,
    audience,
)
from kubestencil.diff.rules.rule_context import Condition
from kubestencil.errors import UsageError, require_known
from kubestencil.events import severity_of

#: The lists of what to know before an upgrade. ``removed-optional`` was
#: not served by default, ``not-enabled`` is not in either release; ``soon`` was deprecated before, and will be removed;
#: ``required-unknown`` may have been required before. What was ``added`` needs no decision.
UpgradeTopic = Literal[
    "flags-removed",
    "gate-removed",
    "gate-off",
    "gate-effective",
    "flags-deprecated",
    "removed",
    "removed-optional",
    "not-enabled",
    "deprecated",
    "soon",
    "promoted",
    "limits",
    "required",
    "required-unknown",
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


_FILE = Path(__file__).with_name("rules.toml")
_TABLES = tomllib.loads(_FILE.read_text("utf-8"))

#: The headings of the lists of what to know before an upgrade, in their order.
UPGRADE_TITLES: Mapping[UpgradeTopic, str] = _TABLES["topics"]


def _functions(*modules: ModuleType) -> Mapping[str, Any]:
    return {
        name: function
        for module in modules
        for name, function in vars(module).items()
        if isfunction(function)
        and function.__module__ == module.__name__
        and not name.startswith("_")
    }


# What the names in rules.toml can be, by key.
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    "severity": {name: name for name in SEVERITIES},
    "change": {name: name for name in CHANGE_NAMES},
    "condition": _functions(conditions, lifecycle_conditions),
    "policy": {name: Policy(**keys) for name, keys in _TABLES["policies"].items()},
    "detail": _functions(details),
    "deprecation": _functions(details),
    "topic": {name: name for name in get_args(UpgradeTopic)},
    "badge": {name: name for name in get_args(Badge)},
    "audience": {name: name for name in AUDIENCE_NAMES},
}


# The keys of a rule in rules.toml.
_KEYS = {
    "event",
    *AUDIENCE_NAMES[1:],
    "severity",
    "severities",
    "meanings",
    "after",
}.union(item.name for item in fields(Rule) if item.name not in ("name", "audience"))


def read_rule(name: str, row: Mapping[str, Any]) -> Rule:
    """The rule of a row of the table. Raises UsageError for a key or a name that is not
    known, with the file, the rule, and what may be meant; and where it has no reason.
    """

    def known(what: str, word: str) -> Any:
        require_known(what, word, _KNOWN[what], where)
        return _KNOWN[what][word]

    where = f"{_FILE}: rules.{name}"
    for key in row:
        require_known("key", key, _KEYS, where)
    if "reason" not in row:
        raise UsageError("the rule has no reason", where=where)
    keys = dict(row)
    if "event" in keys:
        severity = severity_of(keys.pop("event"), where)
        severities = [severity]
        severities += [keys.pop(other, severity) for other in AUDIENCE_NAMES[1:]]
    else:
        severities = keys.pop("severities", None) or [keys.pop("severity", None)] * 3
    meanings = keys.pop("meanings", {})
    condition = known("condition", keys.pop("condition", "always"))
    if "after" in keys:
        condition = partial(conditions.becomes, value=keys.pop("after"))
    return Rule(
        name=name,
        audience=audience(
            *(known("severity", severity) for severity in severities),
            **{known("audience", name): text for name, text in meanings.items()},
        ),
        changes=frozenset(
            known("change", change) for change in _expanded(keys.pop("changes", ()))
        ),
        policy=known("policy", keys.pop("policy", "compatibility")),
        condition=condition,
        detail=known("detail", keys.pop("detail", "nothing")),
        deprecation=known("deprecation", keys.pop("deprecation", "unknown")),
        topic=known("topic", keys.pop("topic")) if "topic" in keys else None,
        badge=known("badge", keys.pop("badge")) if "badge" in keys else None,
        **keys,
    )


def _expanded(changes: list[str]) -> Iterator[str]:
    """The names of changes; ``type-*`` are all of a keyword."""
    for change in changes:
        for presence in get_args(Presence) if change.endswith("*") else [""]:
            yield change.replace("*", presence)


#: Every rule by its name, in their order, ``ALPHA`` and ``UNKNOWN`` included.
RULES_BY_NAME: Mapping[str, Rule] = {
    name: read_rule(name, row) for name, row in _TABLES["rules"].items()
}

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = RULES_BY_NAME["alpha"]

#: Applies where no other rule matches.
UNKNOWN = RULES_BY_NAME["unknown"]

#: The rules that judge changes, in their order.
RULES = tuple(rule for rule in RULES_BY_NAME.values() if rule.changes)
