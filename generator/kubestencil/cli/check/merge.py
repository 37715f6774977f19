"""kubestencil merge: one report of many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil import regular_file
from kubestencil.cli import console
from kubestencil.cli.check.outcome import exit_code, require_checked
from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    fail_on_option,
    fail_on_skipped_option,
    file_option,
    flag,
    show_skipped_option,
    templates_option,
)
from kubestencil.cli.reports import FormatType, format_option, paint
from kubestencil.errors import UsageError
from kubestencil.source.limits import max_bytes

if TYPE_CHECKING:
    from kubestencil.checking.findings import FailOn
    from kubestencil.engine.rendering import ReportFormat

_FLEET = ("fleet",)


@click.command(
    cls=DocumentedCommand,
    examples=(
        (
            "kubestencil merge shards/*.json -o check.sarif",
            "The report of a run whose files were checked in shards",
        ),
        (
            "kubestencil merge clusters/*.json -o fleet.html",
            "Which clusters can be upgraded, and who has to change what first",
        ),
    ),
)
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@templates_option
@format_option("check", ("check", "check-json", "check-sarif"))
@file_option
@fail_on_option
@show_skipped_option
@fail_on_skipped_option
@flag("--allow-empty", "Exit 0 if nothing was checked.")
@click.pass_context
def merge(
    context: click.Context,
    /,
    reports: tuple[str, ...],
    templates: Path | None,
    report_format: ReportFormat,
    file: Path | None,
    fail_on: FailOn,
    show_skipped: bool,
    fail_on_skipped: bool,
    allow_empty: bool,
) -> None:
    """Join reports of kubestencil check.

    REPORT is one in JSON. Reports of the shards of a run (check --shard), which can also
    be in SARIF or JUnit, become the report of that run, in any format of check: the same
    as one machine writes.

    Reports of several runs, each named after a repository or a cluster, become one about
    all of them, as text, Markdown, HTML or CSV: which findings in how many, by rule and
    release, who owns what they are about, and who can be upgraded.

    Exits with 1 if there are findings of the severity of --fail-on in any of them.
    """
    from kubestencil.checking.merging.join import joined
    from kubestencil.checking.merging.stored_reports import read_report
    from kubestencil.targets.check.view import check_contexts

    del templates  # Its formats are values of --format.
    stored = [read_report(name) for name in dict.fromkeys(reports)]
    if any(item.report.part for item in stored):
        report = joined(stored)
        skips = report.skips if show_skipped else ()
        contexts = check_contexts(report, fail_on, _read_inside, paint(file), skips)
        of_runs = [report]
    else:
        from kubestencil.targets.check.fleet import fleet_contexts

        contexts = fleet_contexts(stored, fail_on, paint(file))
        report_format = _of_fleet(context, report_format)
        of_runs = [item.report for item in stored]
    console.write_result(report_format.render(contexts), file)
    if not allow_empty:
        for report in of_runs:
            require_checked(report, reports)
    context.exit(exit_code(of_runs, fail_on, fail_on_skipped))


def _read_inside(name: str) -> bytes:
    """The bytes of a file that a report names, to show its lines: reports may come from
    others, so that only files in the current folder are meant. Raises OSError."""
    path = Path(name).resolve()
    if not path.is_relative_to(Path.cwd()):
        raise OSError(0, "is outside of the current folder", name)
    return regular_file.read(path, max_bytes())


def _of_fleet(context: click.Context, chosen: ReportFormat) -> ReportFormat:
    """The format of the same name, of reports of several runs."""
    formats = FormatType("check", _FLEET).formats(context)
    if chosen.rule.report not in formats:
        raise UsageError(
            f"{chosen.rule.report} is a format of one run, and these are reports of several",
            where="--format",
            hint=f"available: {', '.join(formats)}",
        )
    return formats[chosen.rule.report]
