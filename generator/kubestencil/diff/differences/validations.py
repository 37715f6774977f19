"""Compares CEL rules (``x-kubernetes-validations``) one by one.

A rule has no name. Two rules are the same if their expressions are; of the others,
those with the same message are one rule whose expression changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from kubestencil.diff.differences.names import ChangeName
from kubestencil.schema.types import CelRule


class RuleChange(NamedTuple):
    """A rule that was added, removed or changed; ``before`` and ``after`` are the rule,
    None where it is absent."""

    change: ChangeName
    before: CelRule | None
    after: CelRule | None


def rule_changes(
    before: Sequence[CelRule], after: Sequence[CelRule]
) -> Iterator[RuleChange]:
    """The rules that differ, those of ``before`` first; rules may change places."""
    old, new = list(before), list(after)
    for key in (_text, _expression, _message):
        for old_rule, new_rule in _take_pairs(old, new, key):
            if key is not _text:
                is_same = old_rule.is_same(new_rule)
                name: ChangeName = (
                    "validation-message-changed" if is_same else "validation-changed"
                )
                yield RuleChange(name, old_rule, new_rule)
    for rule in old:
        yield RuleChange("validation-removed", rule, None)
    for rule in new:
        yield RuleChange("validation-added", None, rule)


def _take_pairs(
    old: list[CelRule],
    new: list[CelRule],
    key: Callable[[CelRule], str | None],
) -> Iterator[tuple[CelRule, CelRule]]:
    """Remove the rules of both lists that have the same key, and return them in pairs,
    in their order; rules whose key is None stay."""
    by_key: dict[str, list[CelRule]] = {}
    for rule in new:
        rule_key = key(rule)
        if rule_key is not None:
            by_key.setdefault(rule_key, []).append(rule)
    pairs: list[tuple[CelRule, CelRule]] = []
    for rule in old:
        candidates = by_key.get(key(rule) or "", ())
        if candidates:
            pairs.append((rule, candidates.pop(0)))
    taken = [{id(rule) for rule in side} for side in zip(*pairs, strict=True)]
    for rules, identities in zip((old, new), taken, strict=False):
        rules[:] = [rule for rule in rules if id(rule) not in identities]
    yield from pairs


def _text(rule: CelRule) -> str:
    return json.dumps(rule.raw, sort_keys=True)


def _expression(rule: CelRule) -> str | None:
    return rule.expression or None


def _message(rule: CelRule) -> str | None:
    return rule.message or rule.message_expression or None
