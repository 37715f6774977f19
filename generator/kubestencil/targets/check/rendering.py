"""Renders the templates of the reports that ``kubestencil check`` writes for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from kubestencil.checking import SEVERITIES, Finding, Report, Severity
from kubestencil.data_files import data_file
from kubestencil.engine.templates import Templates
from kubestencil.text import markdown
from kubestencil.text.controls import one_line
from kubestencil.version import __version__

#: The formats that have templates.
TemplateFormat = Literal["markdown", "html"]

_TEMPLATES = {"markdown": "report.md.j2", "html": "report.html.j2"}


class FindingRow(NamedTuple):
    """A finding as a template shows it.

    All texts are escaped for the format, or are by the template. ``position`` is
    ``line:column``; ``subject`` is the kind and name of the object, empty where it
    could not be read. ``change`` says what the finding means for the upgrade, empty
    without one.
    """

    severity: Severity
    rule: str
    position: str
    subject: str
    source: str
    path: str
    message: str
    hint: str
    change: str


class FileSection(NamedTuple):
    """The findings in one file."""

    file: str
    findings: Sequence[FindingRow]


@dataclass(frozen=True, slots=True)
class SeverityCount:
    """How many findings of a severity are left after the upgrade."""

    severity: Severity
    count: int


def render_report(report: Report, format_name: TemplateFormat) -> str:
    """A report as Markdown, or as an HTML page that needs no other file."""
    escape = _markdown if format_name == "markdown" else one_line
    folder = data_file("templates") / "_check"
    templates = Templates((folder,), {"version": __version__}, str(folder))
    title = f"Check against {report.after}"
    return templates.render(
        _TEMPLATES[format_name],
        title,
        {
            "title": title,
            "after": report.after,
            "before": report.before,
            "counts": [
                SeverityCount(severity, report.count(severity))
                for severity in SEVERITIES
            ],
            "files": [
                FileSection(
                    escape(file), [_row(item, report, escape) for item in items]
                )
                for file, items in groupby(
                    report.findings, key=lambda finding: finding.file
                )
            ],
            "checked": report.checked,
            "objects": report.objects,
            "file_count": report.files,
            "skipped": [escape(text) for text in report.skipped_lines()],
        },
    )


def _markdown(text: str) -> str:
    return markdown.literal(one_line(text))


def _row(finding: Finding, report: Report, escape: Callable[[str], str]) -> FindingRow:
    subject = finding.subject
    changes = {
        "new": f"new in {report.after}",
        "both": "in both releases",
        "fixed": f"fixed in {report.after}",
        None: "",
    }
    return FindingRow(
        severity=finding.severity,
        rule=finding.rule_id,
        position=f"{finding.line}:{finding.column}",
        subject=escape(" ".join(filter(None, (subject.kind, subject.name)))),
        source=escape(subject.source),
        path=escape(finding.field_path),
        message=escape(finding.message),
        hint=escape(finding.hint),
        change=escape(changes[finding.change]),
    )
