"""What the reports of a command mean for its exit code."""

from __future__ import annotations

from collections.abc import Iterable

from kubestencil.checking.findings import FailOn, Report
from kubestencil.errors import UsageError


def require_checked(report: Report, inputs: Iterable[str]) -> None:
    """Raise UsageError where nothing of the inputs was checked."""
    if report.checked or report.findings:
        return
    raise UsageError(
        "nothing was checked",
        where=", ".join(dict.fromkeys(inputs)),
        hint=(
            "the report says what was left out, and why"
            if report.skipped
            else "there is no object in it"
        ),
    )


def exit_code(reports: Iterable[Report], fail_on: FailOn, fail_on_skipped: bool) -> int:
    """1 where a report has a failure, or anything that was not checked and must be."""
    return int(
        any(
            any(finding.is_failure(fail_on) for finding in report.findings)
            or bool(fail_on_skipped and report.skips)
            for report in reports
        )
    )
