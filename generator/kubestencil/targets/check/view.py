"""The view of the reports that ``kubestencil check`` prints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Annotated, Any, Literal, NamedTuple, TypedDict, get_type_hints

from kubestencil.checking import SEVERITIES, Finding, Report, Severity
from kubestencil.checking.findings import FailOn, Skip, is_no_file
from kubestencil.checking.rules import Change
from kubestencil.checking.sarif import report_sarif
from kubestencil.engine.view import Contexts, Each, FileContext
from kubestencil.source.decoding import decode_characters
from kubestencil.source.yaml import split_lines
from kubestencil.targets.check.fleet import FleetVariables
from kubestencil.text.controls import escape_json, one_line
from kubestencil.text.terminal import PAINT_MEANING, Paint, plain

_MAX_WIDTH = 160

#: Reads a file by its name in findings.
Reader = Callable[[str], bytes]


@dataclass(frozen=True, slots=True)
class FindingCount:
    """How many findings of a severity are left after the upgrade."""

    severity: Severity
    count: int


class Excerpt(NamedTuple):
    """The line that a finding is about, a long one shortened, and how many characters
    of it are before the finding."""

    text: str
    indent: int


class FindingRow(NamedTuple):
    """A finding.

    ``line`` and ``column`` count from 1, in characters. ``kind`` and ``name`` are those
    of the object, ``subject`` is both, ``path`` leads to the field, ``source`` is what
    the object was generated from, or who wrote it; each is empty where it is unknown.
    ``message`` says what is wrong, ``hint`` what to do, or is empty. ``change`` says what
    the finding means for the upgrade, empty without one; one that ``is_gone`` is in the
    older release only. ``is_failure`` is whether the command fails because of it.
    ``origin`` is the file to look at, with ``line_of_origin``: the template, where Helm
    made the object for standard input.
    """

    rule: str
    severity: Severity
    line: int
    column: int
    kind: str
    name: str
    subject: str
    source: str
    path: str
    message: str
    hint: str
    change: Change | Literal[""]
    is_gone: bool
    is_failure: bool
    origin: str
    line_of_origin: int


@dataclass(frozen=True)
class FileSection:
    """The findings in one file, and how many of them are failures."""

    file: str
    findings: tuple[FindingRow, ...]
    failures: int
    _read: Callable[[], bytes]

    def excerpt(self, finding: FindingRow) -> Excerpt | None:
        """The line of a finding; None where the file cannot be read again."""
        if not 0 < finding.line <= len(self._lines):
            return None
        line = self._lines[finding.line - 1]
        is_long = len(line) > _MAX_WIDTH
        start = max(0, finding.column - _MAX_WIDTH // 2) if is_long else 0
        text = one_line(line[start : start + _MAX_WIDTH].replace("\t", " "))
        return Excerpt(text.rstrip(), finding.column - 1 - start)

    @cached_property
    def _lines(self) -> list[str]:
        if is_no_file(self.file):
            return []
        try:
            return split_lines(decode_characters(self._read()))
        except (OSError, UnicodeDecodeError):
            return []


class CheckVariables(TypedDict):
    """The variables of a report on a check."""

    title: Annotated[str, "the title of the report"]
    paint: Annotated[Paint, PAINT_MEANING]
    after: Annotated[str, "the release that manifests were checked against"]
    before: Annotated[str, "the release that the upgrade starts from, or empty"]
    counts: Annotated[
        tuple[FindingCount, ...],
        "the number of findings of every severity that are left after the upgrade",
    ]
    fixed: Annotated[int, "the number of findings that the upgrade fixes"]
    not_found: Annotated[
        int,
        "the number of findings that are not there any more, and not known to be fixed",
    ]
    files: Annotated[tuple[FileSection, ...], "all findings, by file"]
    checked: Annotated[int, "how many objects were compared with a schema"]
    objects: Annotated[int, "how many objects there are"]
    file_count: Annotated[int, "how many files there are"]
    updated: Annotated[
        int | None,
        "how many objects were compared with what they were before, None without that",
    ]
    caveats: Annotated[
        tuple[str, ...],
        "sentences on what is not known of the releases; none where all facts are",
    ]
    validators: Annotated[
        tuple[str, ...], "whether the API server's own code decided, in a line or two"
    ]
    skipped: Annotated[
        tuple[str, ...], "what was not checked or was ignored, and why, in a line each"
    ]
    skipped_reasons: Annotated[
        tuple[str, ...], "the same with one line for each reason"
    ]
    shard: Annotated[
        str, "the report of a shard as JSON, of which merge makes one; empty for others"
    ]
    not_checked: Annotated[
        tuple[str, ...], "the same with its file and line, if the command shows it"
    ]


#: The values that ``each`` can have in a manifest. All rules are formats of
#: ``kubestencil check``.
EACH: Mapping[str, Each] = {
    "check": Each(
        "the result of a check", {}, get_type_hints(CheckVariables, include_extras=True)
    ),
    "check-json": Each("the same as JSON, without a template"),
    "check-sarif": Each("the same as SARIF 2.1.0, without a template"),
    "fleet": Each(
        "the results of checks of many repositories or clusters, a format of kubestencil "
        "merge",
        {},
        get_type_hints(FleetVariables, include_extras=True),
    ),
}


def check_contexts(
    report: Report,
    fail_on: FailOn,
    read: Reader,
    paint: Paint = plain,
    not_checked: Sequence[Skip] = (),
) -> Contexts:
    """The context of the report on a check.

    ``fail_on`` says which findings are failures, ``not_checked`` what reports for people
    list of what was not checked. ``read`` gives the bytes of a file, to show its lines.
    """
    variables = partial(_variables, report, fail_on, read, paint, not_checked)
    title = f"Check against {one_line(report.after)}"
    return Contexts(
        files={
            "check": lambda: [FileContext(title, {}, variables(title))],
            "check-json": lambda: [FileContext(title, {}, {}, _json(report.to_dict()))],
            "check-sarif": lambda: [
                FileContext(title, {}, {}, _json(report_sarif(report)))
            ],
        }
    )


def _variables(
    report: Report,
    fail_on: FailOn,
    read: Reader,
    paint: Paint,
    not_checked: Sequence[Skip],
    title: str,
) -> Mapping[str, Any]:
    variables: CheckVariables = {
        "title": title,
        "paint": paint,
        "after": one_line(report.after),
        "before": one_line(report.before or ""),
        "counts": tuple(
            FindingCount(severity, report.count(severity)) for severity in SEVERITIES
        ),
        "fixed": sum(finding.change == "fixed" for finding in report.findings),
        "not_found": sum(finding.change == "not-found" for finding in report.findings),
        "files": tuple(_sections(report, fail_on, read)),
        "checked": report.checked,
        "objects": report.objects,
        "file_count": report.files,
        "updated": report.updated,
        "caveats": report.coverage.sentences,
        "validators": tuple(map(one_line, report.validator_lines())),
        "skipped": tuple(map(one_line, report.skipped_lines())),
        "skipped_reasons": tuple(map(one_line, report.skipped_reasons())),
        "shard": json.dumps(report.to_dict()) if report.part else "",
        "not_checked": tuple(map(_skip_line, not_checked)),
    }
    return variables


def _sections(report: Report, fail_on: FailOn, read: Reader) -> Iterator[FileSection]:
    releases = report.after.split(", ")
    for file, findings in groupby(report.findings, key=lambda finding: finding.file):
        rows = tuple(_row(finding, fail_on, releases) for finding in findings)
        failures = sum(row.is_failure for row in rows)
        yield FileSection(one_line(file), rows, failures, partial(read, file))


def _skip_line(skip: Skip) -> str:
    where = f"{skip.file}:{skip.line}" if skip.line else skip.file
    return one_line(f"{where}: {', '.join(filter(None, (skip.reason, skip.detail)))}")


def _row(finding: Finding, fail_on: FailOn, releases: Sequence[str]) -> FindingRow:
    subject = finding.subject
    is_in_all = finding.is_gone or {*releases} <= {*finding.releases}
    where = "" if is_in_all else f" [{', '.join(finding.releases)}]"
    return FindingRow(
        rule=finding.rule_id,
        severity=finding.severity,
        line=finding.line,
        column=finding.column,
        kind=one_line(subject.kind),
        name=one_line(subject.name),
        subject=one_line(" ".join(filter(None, (subject.kind, subject.name)))),
        source=one_line(", ".join(filter(None, (subject.source, subject.manager)))),
        path=one_line(finding.field_path),
        message=one_line(f"{finding.message}{where}"),
        hint=one_line(finding.hint),
        change=finding.change or "",
        is_gone=finding.is_gone,
        is_failure=finding.is_failure(fail_on),
        origin=one_line(finding.origin),
        line_of_origin=finding.line_of_origin,
    )


def _json(value: object) -> bytes:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return f"{escape_json(text)}\n".encode()
