"""Reports as JSON: what ``kubestencil check -f json`` prints.

The keys are a published format, and differ from the names of attributes.
"""

from __future__ import annotations

from typing import Any

from kubestencil.checking.findings import Report
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
        "notChecked": [
            {"file": file, "line": line, "reason": reason, "detail": detail}
            for file, line, reason, detail, _ in report.skips
        ],
        "ignored": dict(report.ignored),
        "findings": [finding.to_dict() for finding in report.findings],
        "rules": {
            name: {"severity": rule.severity, "reason": rule.reason}
            for name, rule in RULES.items()
            if name in broken
        },
    }
