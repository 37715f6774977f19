"""The rules of a check: their severities, and why they are rules (``rules.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from kubestencil.errors import require_known
from kubestencil.events import EventSeverity, severity_of

#: How bad a finding is, worst first: refused by a server or a strict client; accepted,
#: but not what it seems to be; worth a look.
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
#: What a rule can have as its severity: one that is off finds nothing, unless a
#: configuration gives it another.
Level = Literal[Severity, "off"]
LEVELS: tuple[Level, ...] = get_args(Level)

#: What a finding means for an upgrade: it is a problem only after it, before and after
#: it, or only before it. It is ``unknown`` whether it is new where the older release lacks
#: the kind, cannot decode the object, or was judged in another way. What is ``not-found``
#: after the upgrade is not known to be fixed: the API server may refuse the object.
Change = Literal["new", "both", "fixed", "unknown", "not-found"]
#: The changes of what only the release has that an upgrade starts from.
GONE: frozenset[Change | None] = frozenset(("fixed", "not-found"))

#: The names of the rules in rules.toml, which people write into comments and
#: configurations.
RuleId = Literal[
    "syntax",
    "duplicate-key",
    "removed-kind",
    "future-kind",
    "unknown-kind",
    "missing-kind",
    "no-object",
    "unknown-field",
    "wrong-type",
    "invalid-quantity",
    "invalid-base64",
    "invalid-time",
    "out-of-range",
    "invalid-enum",
    "invalid-name",
    "mismatched-selector",
    "invalid-value",
    "missing-field",
    "duplicate-item",
    "forbidden-field",
    "immutable-field",
    "pod-security",
    "denied-by-policy",
    "server-warning",
    "not-served-by-default",
    "deprecated-kind",
    "deprecated-field",
    "gated-field",
    "gate-on",
    "no-effect",
    "removed-resource",
    "stored-version",
    "dropped-field",
    "depends-on-cluster",
    "newer-version",
    "changed-meaning",
    "patch-directive",
    "unused-ignore",
]


class CheckRule(NamedTuple):
    """A rule. ``reason`` says what happens to an object that breaks it.

    ``is_for_patches`` is whether a patch can break it, which is a part of an object.
    ``suggests_field`` is whether a hint names the field that may be meant.
    """

    id: RuleId
    severity: Level
    reason: str
    is_for_patches: bool = True
    suggests_field: bool = False


_FILE = Path(__file__).with_name("rules.toml")
_OF_EVENTS: Mapping[EventSeverity, Severity] = {
    "breaking": "error",
    "warning": "warning",
    "safe": "note",
    "docs": "note",
}


def _read_rules() -> Iterator[CheckRule]:
    for name, keys in tomllib.loads(_FILE.read_text("utf-8"))["rules"].items():
        where = f"{_FILE}: rules.{name}"
        require_known("rule", name, get_args(RuleId), where)
        if "event" in keys:
            keys["severity"] = _OF_EVENTS[severity_of(keys.pop("event"), where)]
        require_known("severity", keys["severity"], LEVELS, where)
        yield CheckRule(name, **keys)


#: All rules by name, in the order in which reports and the documentation list them.
RULES: Mapping[RuleId, CheckRule] = {rule.id: rule for rule in _read_rules()}


def at_least(severity: Severity) -> tuple[Severity, ...]:
    """The severities that are as bad as ``severity`` or worse."""
    return SEVERITIES[: SEVERITIES.index(severity) + 1]
