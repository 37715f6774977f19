"""The diff as data: what ``kubestencil diff -f json`` prints, for programs."""

from __future__ import annotations

import json
from typing import Any

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.history import History, Timeline
from kubestencil.diff.rules import rules
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.pointer import json_pointer


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
        "at": json_pointer(found.at),
        "before": found.before,
        "after": found.after,
        "kinds": [kind_name(kind) for kind in found.kinds],
    }


def history(found: History) -> dict[str, Any]:
    """The history of a type as a JSON object.

    ``first`` and ``last`` of a field are indexes of ``columns``, as are the
    ``column`` of an event, and the places in ``cells``.
    """
    return {
        "kind": found.kind,
        "group": found.group,
        "releases": list(found.releases),
        "columns": [
            {
                "release": each.release,
                "version": each.version,
                "stability": each.stability,
                "definition": each.definition,
            }
            for each in found.columns
        ],
        "fields": [
            {
                "field": row.field,
                "first": row.first,
                "last": row.last,
                "cells": [
                    cell
                    and {
                        "mark": cell.mark,
                        "required": cell.required,
                        "schema": cell.schema,
                    }
                    for cell in row.cells
                ],
            }
            for row in found.rows
        ],
        "events": [
            {
                "column": each.column,
                "change": each.change,
                "severity": each.severity,
                "stability": each.stability,
                "field": each.field,
                "before": each.before,
                "after": each.after,
            }
            for each in found.events
        ],
    }


def timeline(found: Timeline) -> dict[str, Any]:
    """When each kind was served, as a JSON object."""
    return {
        "releases": list(found.releases),
        "kinds": [
            {
                "group": line.group,
                "kind": line.kind,
                "versions": [
                    {
                        "version": span.version,
                        "stability": span.stability,
                        "first": span.releases[0],
                        "last": span.releases[-1],
                        "releases": list(span.releases),
                    }
                    for span in line.spans
                ],
            }
            for line in found.lines
        ],
    }


def kind_name(kind: GroupVersionKind) -> str:
    """How reports name a kind: ``v1/Pod``, ``apps/v1/Deployment``."""
    return f"{kind.api_version}/{kind.kind}"


def dumps(value: Any) -> str:
    """JSON for people and programs: indented, in the order given, in ASCII."""
    return json.dumps(value, indent=1) + "\n"
