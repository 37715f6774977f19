"""Reports as JSON: what ``kubestencil check -f json`` prints.

The keys are a published format, and differ from the names of attributes.
"""

from __future__ import annotations

from typing import Any

from kubestencil.checking.findings import Finding, Report
from kubestencil.checking.rules import RULES, SEVERITIES
from kubestencil.version import __version__

#: The version of the format; a key that is removed or changes its meaning raises it.
SCHEMA = 1


def report_json(report: Report) -> dict[str, Any]:
    """A report as a JSON object. ``rules`` has each rule that was broken, once."""
    broken = {finding.rule_id for finding in report.findings}
    return {
        "schema": SCHEMA,
        "tool": {"name": "kubestencil", "version": __version__},
        "from": report.before,
        "to": report.after,
        "summary": {severity: report.count(severity) for severity in SEVERITIES},
        "checked": {
            "files": report.files,
            "documents": report.documents,
            "objects": report.objects,
            "checked": report.checked,
            "updated": report.updated,
        },
        "validators": dict(report.validators),
        "skipped": [
            {"reason": reason, "detail": detail, "count": count}
            for (reason, detail), count in report.skipped.items()
        ],
        "ignored": dict(report.ignored),
        "findings": [finding_json(finding) for finding in report.findings],
        "rules": {
            name: {"severity": rule.severity, "reason": rule.reason}
            for name, rule in RULES.items()
            if name in broken
        },
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding as a JSON object."""
    subject = finding.subject
    return {
        "rule": finding.rule_id,
        "severity": finding.severity,
        "change": finding.change,
        "releases": list(finding.releases),
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "document": subject.document,
        "item": subject.item,
        "source": subject.source or None,
        "apiVersion": subject.api_version or None,
        "kind": subject.kind or None,
        "namespace": subject.namespace or None,
        "name": subject.name or None,
        "path": finding.field_path,
        "message": finding.message,
        "hint": finding.hint or None,
    }
