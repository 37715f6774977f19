"""Comparisons and histories as JSON: what ``kubestencil diff -f json`` prints.

The keys are a published format, and differ from the names of attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.history import Cell, History
from kubestencil.diff.labels import DocumentInfo, kind_name
from kubestencil.diff.releases.stages import StageChange
from kubestencil.diff.rules.table import RULES_BY_NAME
from kubestencil.diff.timeline import Timeline
from kubestencil.schema.pointer import json_pointer
from kubestencil.version import __version__

#: The version of the format of a comparison.
SCHEMA_VERSION = 1


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison as a JSON object, as ``docs/diff-report.schema.json`` describes it.

    ``rules`` has each rule that judged a change, once, by its name.
    """
    rules = comparison.rules
    return {
        "schema": SCHEMA_VERSION,
        "tool": {"name": "kubestencil", "version": __version__},
        "from": comparison.before,
        "to": comparison.after,
        "documents": [_document_json(document) for document in comparison.documents],
        "changes": [change_json(change) for change in comparison.changes],
        "notices": [change_json(change) for change in comparison.notices],
        "summary": dict(comparison.summary),
        "versions": {
            "added": list(comparison.api_versions_added),
            "removed": list(comparison.api_versions_removed),
        },
        "graduations": [
            {
                "group": graduation.group,
                "from": graduation.before,
                "to": graduation.after,
                "left": graduation.before_removed,
                "kinds": list(graduation.kinds),
                "changes": [change_json(change) for change in graduation.changes],
            }
            for graduation in comparison.graduations
        ],
        "rules": {
            name: {
                "severity": rule.severity,
                "reason": rule.reason,
                "policy": rule.policy.name,
                "url": rule.policy.url,
            }
            for name, rule in RULES_BY_NAME.items()
            if name in rules
        },
    }


def change_json(change: Change) -> dict[str, Any]:
    """A change as a JSON object; ``at`` is the JSON pointer from the definition to the
    schema that differs."""
    return {
        "change": change.change,
        "severity": change.severity,
        "stability": change.stability,
        "rule": change.rule.name,
        "reason": change.reason,
        "audience": {
            name: impact._asdict() for name, impact in change.audience._asdict().items()
        },
        "stage": change.stage and _stages_json(change.stage),
        "deprecated_in": change.deprecated_in,
        "removed_in": change.removed_in,
        "replacement": change.replacement,
        "definition": change.definition,
        "field": change.field,
        "path": change.users_path,
        "keyword": change.keyword,
        "at": json_pointer(change.schema_path),
        "before": change.before,
        "after": change.after,
        "kinds": [kind_name(kind) for kind in change.kinds],
    }


def _document_json(document: DocumentInfo) -> dict[str, Any]:
    """What identifies a document; of a file only the name, since reports are shared."""
    source = document.source
    if "://" not in source and "/" in source:
        source = source.rpartition("/")[2]
    return {**document._asdict(), "source": source}


def _stages_json(stages: StageChange) -> dict[str, Any]:
    return {
        side: stage and _attributes(stage, "level", "gate", "enabled")
        for side, stage in stages._asdict().items()
    }


def history_json(history: History) -> dict[str, Any]:
    """The history of a type as a JSON object.

    ``first`` and ``last`` of a field and the ``column`` of an event are indexes of
    ``columns``; ``cells`` has one element for each column.
    """
    return {
        "kind": history.kind,
        "group": history.group,
        "field_path": history.field_path,
        "releases": list(history.releases),
        "columns": [
            _attributes(column, "release", "version", "stability", "definition")
            for column in history.columns
        ],
        "fields": [
            {
                **_attributes(row, "field", "first", "last"),
                "cells": [cell and _cell_json(cell) for cell in row.cells],
            }
            for row in history.rows
        ],
        "events": [
            _attributes(
                event,
                *("column", "change", "severity", "stability"),
                *("field", "before", "after"),
            )
            for event in history.events
        ],
    }


def _attributes(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _cell_json(cell: Cell) -> dict[str, Any]:
    gate = cell.gate
    return {
        "mark": cell.mark,
        "required": cell.required,
        "gate": gate
        and {
            "gate": gate.gate,
            "stage": gate.level,
            "enabled": gate.enabled,
            "locked": gate.locked,
        },
        "schema": cell.schema.raw,
    }


def timeline_json(timeline: Timeline) -> dict[str, Any]:
    """Which releases serve each kind, as a JSON object."""
    return {
        "releases": list(timeline.releases),
        "kinds": [
            {
                "group": kind.group,
                "kind": kind.kind,
                "versions": [
                    {
                        "version": version.version,
                        "stability": version.stability,
                        "first": version.releases[0],
                        "last": version.releases[-1],
                        "releases": list(version.releases),
                    }
                    for version in kind.versions
                ],
            }
            for kind in timeline.kinds
        ],
    }


def json_text(value: Any) -> str:
    """The text of a JSON value: keys in their order, ASCII only.

    The elements of the outer two levels have a line each, such as every change. Python
    indents text only with an encoder that is ten times as slow.
    """
    return "".join(_lines(value, 0)) + "\n"


_EXPANDED_LEVELS = 2


def _lines(value: Any, level: int) -> Iterator[str]:
    if level == _EXPANDED_LEVELS or not value or not isinstance(value, dict | list):
        yield json.dumps(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    indent = " " * (level + 1)
    separator = f"{opening}\n{indent}"
    for element in value:
        yield separator
        if isinstance(value, dict):
            yield f"{json.dumps(element)}: "
            yield from _lines(value[element], level + 1)
        else:
            yield from _lines(element, level + 1)
        separator = f",\n{indent}"
    yield f"\n{' ' * level}{closing}"
