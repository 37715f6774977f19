"""Comparisons and timelines as JSON: what ``kubestencil diff -f json`` prints.

The keys are a published format, and differ from the names of attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.diff.comparison import (
    Change,
    Comparison,
    releases_of_changes,
    uses_json,
)
from kubestencil.diff.gate_changes import GateChange
from kubestencil.diff.labels import DocumentInfo, kind_name
from kubestencil.diff.rules.table import RULES_BY_NAME
from kubestencil.diff.timeline import Timeline
from kubestencil.schema.facts.feature_gates import Metric
from kubestencil.version import __version__

#: The version of the format of a comparison.
SCHEMA_VERSION = 1


ReleasesOfChanges = Mapping[tuple[str, ...], Sequence[str]]


def comparison_json(
    comparison: Comparison, steps: Sequence[Comparison] = ()
) -> dict[str, Any]:
    """A comparison as a JSON object, as ``docs/diff-report.schema.json`` describes it.

    ``rules`` has each rule that judged a change, once, by its name. ``steps`` are the
    comparisons of the releases in between, each with the next: changes have the
    releases in which they happened.
    """
    rules = comparison.rules
    releases = releases_of_changes(steps)
    document = {
        "schema": SCHEMA_VERSION,
        "tool": {"name": "kubestencil", "version": __version__},
        "from": comparison.before,
        "to": comparison.after,
        "documents": [_document_json(document) for document in comparison.documents],
        "changes": [_change_json(change, releases) for change in comparison.changes],
        "notices": [_change_json(change, releases) for change in comparison.notices],
        "summary": dict(comparison.summary),
        "versions": {
            "added": list(comparison.api_versions_added),
            "removed": list(comparison.api_versions_removed),
        },
        "graduations": [
            {
                "id": graduation.id,
                "group": graduation.group,
                "from": graduation.before,
                "to": graduation.after,
                "left": graduation.before_removed,
                "kinds": list(graduation.kinds),
                "changes": [change.to_dict() for change in graduation.changes],
            }
            for graduation in comparison.graduations
        ],
        "gates": [_gate_json(gate) for gate in comparison.gates],
        "metrics": [
            {
                **_attributes(metric, "id", "name", "event", "severity"),
                "before": metric.before and _metric_json(metric.before),
                "after": metric.after and _metric_json(metric.after),
            }
            for metric in comparison.metrics
        ],
        "flags": [
            {
                "id": flag.id,
                "component": flag.component,
                "flag": flag.name,
                **_attributes(flag, "event", "severity"),
            }
            for flag in comparison.flags
        ],
        "going_soon": [
            {
                "id": item.id,
                "kind": kind_name(item.kind),
                **_attributes(item, "deprecated", "removed"),
                "replacement": item.replacement and kind_name(item.replacement),
                **uses_json(item.uses),
            }
            for item in comparison.going_soon
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
    if steps:
        document["steps"] = [comparison_json(step) for step in steps]
    return document


def _change_json(change: Change, releases: ReleasesOfChanges) -> dict[str, Any]:
    known = releases.get(change.key)
    return {**change.to_dict(), **({"releases": list(known)} if known else {})}


def _document_json(document: DocumentInfo) -> dict[str, Any]:
    """What identifies a document; of a file only the name, since reports are shared."""
    source = document.source
    if "://" not in source and "/" in source:
        source = source.rpartition("/")[2]
    return {**document._asdict(), "source": source}


def _attributes(value: object, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _gate_json(change: GateChange) -> dict[str, Any]:
    return {
        **_attributes(change, "id", "gate", "event", "severity"),
        "before": change.before and change.before.to_dict(),
        "after": change.after and change.after.to_dict(),
        "steps": [
            {
                "release": step.release,
                "stage": step.stage and step.stage.to_dict(),
            }
            for step in change.steps
        ],
        "components": list(change.components),
        "guards": list(dict.fromkeys(guard.path for guard in change.guards)),
        **uses_json(change.uses),
    }


def _metric_json(metric: Metric) -> dict[str, Any]:
    return _attributes(metric, "type", "stability", "deprecated")


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
