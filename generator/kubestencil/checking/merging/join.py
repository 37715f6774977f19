"""Joins the reports of the shards of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from kubestencil.checking.findings import Finding, PartOfRun, Report
from kubestencil.checking.merging.stored_reports import StoredReport
from kubestencil.errors import UsageError
from kubestencil.shards import Shard
from kubestencil.version import __version__

# In the order of reports; what is not here comes last.
_IGNORED_BY = ("comments", "configuration", "baseline")


def as_part(report: Report, shard: Shard, configuration: str) -> Report:
    """The report of a shard. Whether an entry of the configuration is unused is known of
    all shards only."""
    unused = [finding for finding in report.findings if finding.file == configuration]
    kept = (finding for finding in report.findings if finding.file != configuration)
    part = PartOfRun(shard, report.coverage, tuple(unused))
    return replace(report, findings=tuple(kept), part=part)


def joined(stored: Sequence[StoredReport]) -> Report:
    """The report of a run, from those of all of its shards.

    Raises UsageError where a shard is missing or there twice, and where the reports are of
    different runs, which would have different answers.
    """
    parts = _in_order(stored)
    checked = [item for item in parts if item.report.checked] or parts[:1]
    for item in parts:
        _require_same_run(item, parts[0])
    for item in checked:
        if item.report.validators != checked[0].report.validators:
            raise UsageError(
                f"was judged by other programs than {checked[0].file}",
                where=item.file,
                hint="all shards need the same validators: kubestencil validator",
            )
    reports = [item.report for item in parts]
    first = checked[0].report
    updated = [report.updated for report in reports if report.updated is not None]
    return Report(
        first.before,
        first.after,
        (
            *chain.from_iterable(report.findings for report in reports),
            *_unused(reports),
        ),
        files=sum(report.files for report in reports),
        documents=sum(report.documents for report in reports),
        objects=sum(report.objects for report in reports),
        checked=sum(report.checked for report in reports),
        skips=tuple(chain.from_iterable(report.skips for report in reports)),
        ignored=_ignored(reports),
        updated=sum(updated) if updated else None,
        validators=first.validators,
        coverage=first.coverage,
    ).sorted()


def _in_order(stored: Iterable[StoredReport]) -> list[StoredReport]:
    """The reports by the number of their shard, of which each is there once."""
    by_number: dict[int, StoredReport] = {}
    total = 0
    for item in stored:
        part = item.report.part
        if part is None:
            raise UsageError(
                "is no report of a shard, as others are",
                where=item.file,
                hint="merge the shards of each run first, then the reports of the runs",
            )
        shard = part.shard
        other = by_number.setdefault(shard.number, item)
        if other is not item or total not in (0, shard.total):
            what = f"is shard {shard}, and so is" if other is not item else "is not of"
            raise UsageError(
                f"{what} {other.file if other is not item else f'{total} shards'}",
                where=item.file,
                hint="name the reports of one run",
            )
        total = shard.total
    missing = [number for number in range(1, total + 1) if number not in by_number]
    if missing:
        names = ", ".join(f"{number}/{total}" for number in missing[:20])
        raise UsageError(
            f"{len(missing)} of {total} shards are missing: {names}",
            where="merge",
            hint=f"kubestencil check --shard {missing[0]}/{total} makes that one alone",
        )
    return [by_number[number] for number in sorted(by_number)]


def _require_same_run(item: StoredReport, first: StoredReport) -> None:
    for what, value, other in (
        ("version of kubestencil", item.version, __version__),
        ("release before", item.report.before, first.report.before),
        ("release", item.report.after, first.report.after),
    ):
        if value != other:
            raise UsageError(
                f"has another {what}: {value}, and not {other}",
                where=item.file,
                hint="all shards, and merge, need the same releases and version",
            )


def _unused(reports: Sequence[Report]) -> Iterable[Finding]:
    """The findings about entries of the configuration that are unused in all shards."""
    unused = [report.part.unused for report in reports if report.part]
    return [entry for entry in unused[0] if all(entry in part for part in unused)]


def _ignored(reports: Iterable[Report]) -> Mapping[str, int]:
    counts = Counter[str]()
    for report in reports:
        counts.update(report.ignored)
    order = {by: index for index, by in enumerate(_IGNORED_BY)}
    return dict(sorted(counts.items(), key=lambda item: order.get(item[0], len(order))))
