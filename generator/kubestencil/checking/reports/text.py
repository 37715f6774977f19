"""Reports as text for terminals: findings by file, each with its line, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby

from kubestencil.checking.files.find import STDIN
from kubestencil.checking.findings import Finding, Report
from kubestencil.checking.rules import SEVERITIES, Change, Severity
from kubestencil.source.decoding import decode_characters
from kubestencil.source.yaml import split_lines
from kubestencil.text.controls import one_line
from kubestencil.text.terminal import Role, colored

_ROLES: Mapping[Severity, Role] = {
    "error": "breaking",
    "warning": "warning",
    "note": "docs",
}
_CHANGES: Mapping[Change | None, str] = {
    None: "",
    "new": " [new in {after}]",
    "both": "",
    "fixed": " [fixed in {after}]",
}
_MAX_WIDTH = 160

#: Reads a file by its name in findings.
Reader = Callable[[str], bytes]


def report_text(report: Report, *, coloured: bool, read: Reader) -> str:
    """A report as text. ``read`` gives the bytes of a file, to show its lines."""
    return "".join(_lines(report, coloured, read))


def _lines(report: Report, coloured: bool, read: Reader) -> Iterator[str]:
    for file, findings in groupby(report.findings, key=lambda finding: finding.file):
        lines = _lines_of(file, read)
        name = one_line(file)
        yield f"{colored(name, 'strong') if coloured else name}\n"
        for finding in findings:
            yield from _finding(finding, report, lines, coloured)
        yield "\n"
    yield from _summary(report)


def _finding(
    finding: Finding, report: Report, lines: list[str], coloured: bool
) -> Iterator[str]:
    severity: str = finding.severity
    if coloured:
        severity = colored(severity, _ROLES[finding.severity])
    change = _CHANGES[finding.change].format(after=report.after)
    subject = finding.subject
    name = " ".join(filter(None, (subject.kind, subject.name)))
    yield (
        f"  {finding.line}:{finding.column}: {severity}: {one_line(finding.message)}"
        f" ({finding.rule_id}){change}\n"
    )
    if 0 < finding.line <= len(lines):
        yield from _excerpt(lines[finding.line - 1], finding.column)
    if name:
        yield f"    in {one_line(name)}\n"
    if subject.source:
        yield f"    from {one_line(subject.source)}\n"
    if finding.hint:
        yield f"    hint: {one_line(finding.hint)}\n"


def _excerpt(line: str, column: int) -> Iterator[str]:
    start = max(0, column - _MAX_WIDTH // 2) if len(line) > _MAX_WIDTH else 0
    text = one_line(line[start : start + _MAX_WIDTH].replace("\t", " "))
    yield f"    | {text.rstrip()}\n"
    yield f"    | {' ' * (column - 1 - start)}^\n"


def _lines_of(file: str, read: Reader) -> list[str]:
    if file == STDIN:
        return []
    try:
        return split_lines(decode_characters(read(file)))
    except (OSError, UnicodeDecodeError):
        return []


def _summary(report: Report) -> Iterator[str]:
    counts = ", ".join(
        f"{count} {severity}{'' if count == 1 else 's'}"
        for severity in SEVERITIES
        if (count := report.count(severity))
    )
    fixed = sum(finding.change == "fixed" for finding in report.findings)
    releases = (
        f"{report.after}, coming from {report.before}"
        if report.before
        else report.after
    )
    yield f"{counts or 'No findings'} in {releases}"
    yield f"; {fixed} fixed by the upgrade\n" if fixed else "\n"
    yield (
        f"Checked {report.checked:,} of {report.objects:,} objects "
        f"in {report.files:,} file{'' if report.files == 1 else 's'}\n"
    )
    for reason, entries in groupby(report.skipped.items(), key=lambda item: item[0][0]):
        count = sum(number for _, number in entries)
        yield f"Not checked: {count:,} ({reason})\n"
    for by, count in report.ignored.items():
        yield f"Ignored: {count:,} (by {by})\n"
