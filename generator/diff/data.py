"""The diff as data: what ``kubestencil diff -f json`` prints, for programs."""

from __future__ import annotations

import json
from typing import Any

from generator.diff.classify import rules
from generator.diff.comparison import Change, Comparison
from generator.model import GroupVersionKind


def comparison(found: Comparison) -> dict[str, Any]:
    """A comparison as a JSON object.

    ``at`` is the JSON pointer from the definition to the schema that differs. Each
    rule that decided a severity is spelled out once, in ``rules``.
    """
    used = {change.rule.name for change in found.changes} | {
        change.rule.name for each in found.graduations for change in each.changes
    }
    return {
        "from": found.before,
        "to": found.after,
        "changes": [change(each) for each in found.changes],
        "summary": dict(found.summary),
        "versions": {
            "added": list(found.versions_added),
            "removed": list(found.versions_removed),
        },
        "graduations": [
            {
                "group": each.group,
                "from": each.before,
                "to": each.after,
                "left": each.left,
                "kinds": list(each.kinds),
                "changes": [change(inner) for inner in each.changes],
            }
            for each in found.graduations
        ],
        "rules": {
            name: {
                "severity": rule.severity,
                "reason": rule.reason,
                "policy": rule.policy.name,
                "url": rule.policy.url,
            }
            for name, rule in rules().items()
            if name in used
        },
    }


def change(found: Change) -> dict[str, Any]:
    """One change as a JSON object."""
    return {
        "change": found.change,
        "severity": found.severity,
        "stability": found.stability,
        "rule": found.rule.name,
        "definition": found.definition,
        "field": found.field,
        "keyword": found.keyword,
        "at": pointer(found.at),
        "before": found.before,
        "after": found.after,
        "kinds": [kind_name(kind) for kind in found.kinds],
    }


def pointer(at: tuple[str, ...]) -> str:
    """Steps as a JSON pointer (RFC 6901)."""
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in at)


def kind_name(kind: GroupVersionKind) -> str:
    """How reports name a kind: ``v1/Pod``, ``apps/v1/Deployment``."""
    return f"{kind.api_version}/{kind.kind}"


def dumps(value: Any) -> str:
    """JSON for people and programs: indented, in the order given, ASCII only where
    a terminal could be misled."""
    return json.dumps(value, indent=1, ensure_ascii=True) + "\n"
