"""Compares CEL rules (``x-kubernetes-validations``) one by one.

A rule has no name. Two rules are the same if their expressions are; of the others,
those with the same message are one rule whose expression changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kubestencil.diff.differences.names import ChangeName
from kubestencil.schema.types import JsonObject

#: The keyword of a schema that has the rules.
VALIDATIONS = "x-kubernetes-validations"

# What says how a violation is reported, and not which values are valid.
_REPORT_KEYS = frozenset({"message", "messageExpression", "fieldPath", "reason"})


class RuleChange(NamedTuple):
    """A rule that was added, removed or changed; ``before`` and ``after`` are the rule,
    None where it is absent."""

    change: ChangeName
    before: JsonObject | None
    after: JsonObject | None


def rule_changes(
    before: Sequence[JsonObject], after: Sequence[JsonObject]
) -> Iterator[RuleChange]:
    """The rules that differ, those of ``before`` first; rules may change places."""
    old, new = list(before), list(after)
    for key in (_text, _expression, _message):
        for old_rule, new_rule in _take_pairs(old, new, key):
            if key is not _text:
                yield RuleChange(_change_name(old_rule, new_rule), old_rule, new_rule)
    for rule in old:
        yield RuleChange("validation-removed", rule, None)
    for rule in new:
        yield RuleChange("validation-added", None, rule)


def _take_pairs(
    old: list[JsonObject],
    new: list[JsonObject],
    key: Callable[[JsonObject], str | None],
) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Remove the rules of both lists that have the same key, and return them in pairs,
    in their order; rules whose key is None stay."""
    by_key: dict[str, list[JsonObject]] = {}
    for rule in new:
        rule_key = key(rule)
        if rule_key is not None:
            by_key.setdefault(rule_key, []).append(rule)
    pairs: list[tuple[JsonObject, JsonObject]] = []
    for rule in old:
        candidates = by_key.get(key(rule) or "", ())
        if candidates:
            pairs.append((rule, candidates.pop(0)))
    taken = [{id(rule) for rule in side} for side in zip(*pairs, strict=True)]
    for rules, identities in zip((old, new), taken, strict=False):
        rules[:] = [rule for rule in rules if id(rule) not in identities]
    yield from pairs


def _text(rule: JsonObject) -> str:
    return json.dumps(rule, sort_keys=True)


def _expression(rule: JsonObject) -> str | None:
    return _first_text(rule, "rule")


def _message(rule: JsonObject) -> str | None:
    return _first_text(rule, "message", "messageExpression")


def _change_name(before: JsonObject, after: JsonObject) -> ChangeName:
    """How a rule changed: which values are valid, or only what is reported."""
    old, new = (
        {key: value for key, value in rule.items() if key not in _REPORT_KEYS}
        for rule in (before, after)
    )
    is_same = _text(old) == _text(new)
    return "validation-message-changed" if is_same else "validation-changed"


def _first_text(rule: JsonObject, *keys: str) -> str | None:
    texts = (rule[key] for key in keys if isinstance(rule.get(key), str))
    return next(filter(None, texts), None)
