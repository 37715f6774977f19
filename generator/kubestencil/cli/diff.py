"""kubestencil diff: compare two releases, documents or API versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    complete_release,
    file_option,
    format_option,
    output_format,
    quiet_option,
    specs_option,
    templates_option,
)
from kubestencil.errors import UsageError, nearest

if TYPE_CHECKING:
    from kubestencil.diff import Comparison, Severity
    from kubestencil.schema import Release
    from kubestencil.source import Source
    from kubestencil.targets.diff.rendering import Format


@click.command()
@click.argument("before", metavar="FROM", shell_complete=complete_release)
@click.argument("after", metavar="TO", shell_complete=complete_release)
@specs_option
@templates_option
@format_option
@file_option
@click.option(
    "--kind", metavar="KIND", help="Only changes of a kind or other type, such as Pod."
)
@click.option(
    "--group",
    metavar="GROUP",
    help="Only changes of an API group, such as apps or core.",
)
@click.option(
    "--severity",
    "severities",
    multiple=True,
    type=click.Choice(["breaking", "warning", "safe", "docs"]),
    help="Only changes of this severity; may be repeated.",
)
@click.option("--no-docs", is_flag=True, help="Hide description-only changes.")
@click.option(
    "--fail-on",
    type=click.Choice(["breaking", "warning"]),
    help="Exit 1 if there is a change of this severity or a more severe one.",
)
@quiet_option
@click.pass_context
def diff(
    context: click.Context,
    before: str,
    after: str,
    specs: Path | None,
    templates: Path | None,
    format_name: Format | None,
    file: Path | None,
    kind: str | None,
    group: str | None,
    severities: tuple[Severity, ...],
    no_docs: bool,
    fail_on: Severity | None,
    quiet: bool,
) -> None:
    """Show what changed between two releases or documents.

    FROM and TO are each a release (1.35) or a document (a file, an https address, or -
    for standard input). To compare two API versions, add one to each: 1.35/apps/v1,
    1.35/v1, cluster.json#apps/v1.
    """
    from kubestencil.schema.load import load_release
    from kubestencil.targets.diff.rendering import Layout, template_folders
    from kubestencil.targets.diff.report import comparison_report

    (old_source, old_version), (new_source, new_version) = (
        _side(argument, specs) for argument in (before, after)
    )
    if bool(old_version) is not bool(new_version):
        raise UsageError(
            "one side is a whole release and the other an API version",
            where=f"diff {before} {after}",
            hint="name an API version on both sides: 1.29/v1 1.35/v1",
        )
    console.announce_sources([old_source, new_source], quiet)
    old, new = load_release(old_source), load_release(new_source)
    if not quiet:
        _note_reversed_order(old.name, new.name)
    _check_filters(kind, group, (old, new))
    comparison = _compare(old, old_version, new, new_version).filter(
        kind=kind, group=group, severities=_selected(severities, no_docs)
    )
    report = comparison_report(
        comparison,
        output_format(format_name, file),
        Layout(template_folders(templates)),
        colour=console.is_coloured(file),
    )
    console.write_result(report, file)
    if fail_on and _has_severity(comparison, fail_on):
        context.exit(1)


def _note_reversed_order(before: str, after: str) -> None:
    from kubestencil.source.releases import release_order

    if release_order(before) > release_order(after):
        console.status(
            f"{before} is newer than {after}: additions are shown as removals"
        )


def _check_filters(
    kind: str | None, group: str | None, releases: tuple[Release, Release]
) -> None:
    """Raise UsageError for a kind or group that neither release has."""
    from kubestencil.diff.lookup import check_group, check_kind

    if kind is not None:
        check_kind(kind, releases)
    if group is not None:
        check_group(group, releases)


def _selected(severities: tuple[Severity, ...], no_docs: bool) -> list[Severity]:
    """The severities to show: those that are named, or else all."""
    from kubestencil.diff import SEVERITIES

    return [
        severity
        for severity in severities or SEVERITIES
        if not (no_docs and severity == "docs")
    ]


def _has_severity(comparison: Comparison, least: Severity) -> bool:
    """Whether there is a change of the severity ``least`` or a more severe one."""
    from kubestencil.diff import SEVERITIES

    severe = SEVERITIES[: SEVERITIES.index(least) + 1]
    return any(comparison.summary[severity] for severity in severe)


def _compare(
    old: Release, old_version: str, new: Release, new_version: str
) -> Comparison:
    """Compare two API versions, or whole releases where these are empty."""
    from kubestencil.diff import compare, compare_versions

    if old_version:
        return compare_versions(old, old_version, new, new_version)
    return compare(old, new)


def _side(argument: str, specs: Path | None) -> tuple[Source, str]:
    """One side of a comparison: its document, and the API version in it or ""."""
    from kubestencil.source import available, locate
    from kubestencil.source.inputs import read_location

    release, _, api_version = argument.partition("/")
    name = release.removeprefix("v")
    if name in available(specs):
        return locate(name, specs), api_version
    document, _, api_version = argument.partition("#")
    is_document = document == "-" or "://" in document or Path(document).exists()
    if not is_document:
        raise UsageError(
            f"{argument!r} is neither a release nor an existing file",
            hint=nearest(name, available(specs)),
        )
    return read_location(document, "stdin" if document == "-" else None), api_version
