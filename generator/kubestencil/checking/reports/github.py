"""Reports as annotations of GitHub Actions, which are shown beside the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kubestencil.checking.findings import Finding, Report
from kubestencil.checking.rules import Severity
from kubestencil.text.github import workflow_command

_COMMANDS: Mapping[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "note": "notice",
}


def report_github(report: Report) -> str:
    """A report as workflow commands, one on each line.

    Findings that an upgrade fixes are left out; what was not checked is a notice.
    """
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    for finding in report.findings:
        if finding.change != "fixed":
            yield _annotation(finding)
    for text in report.skipped_lines():
        yield workflow_command("notice", text, {"title": "kubestencil check"})


def _annotation(finding: Finding) -> str:
    subject = finding.subject
    name = " ".join(filter(None, (subject.kind, subject.name)))
    message = f"{name}: {finding.message}" if name else finding.message
    if finding.hint:
        message += f"\nhint: {finding.hint}"
    properties = {
        "file": finding.file,
        "line": str(finding.line),
        "col": str(finding.column),
        "title": f"kubestencil {finding.rule_id}",
    }
    return workflow_command(_COMMANDS[finding.severity], message, properties)
