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
    from kubestencil.diff import Comparison
    from kubestencil.schema import Release
    from kubestencil.source import Source


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
    format_name: str | None,
    file: Path | None,
    kind: str | None,
    group: str | None,
    severities: tuple[str, ...],
    no_docs: bool,
    fail_on: str | None,
    quiet: bool,
) -> None:
    """Show what changed between two releases or documents.

    FROM and TO are each a release (1.35) or a document (a file, an https address, or -
    for standard input). To compare two API versions, add one to each: 1.35/apps/v1,
    1.35/v1, cluster.json#apps/v1.
    """
    from kubestencil.diff import SEVERITIES
    from kubestencil.diff.lookup import check_group, check_kind
    from kubestencil.schema.load import load_release
    from kubestencil.source import releases
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
    if (
        releases.release_order(old.name) > releases.release_order(new.name)
        and not quiet
    ):
        console.status(
            f"{old.name} is newer than {new.name}: additions are shown as removals"
        )
    if kind is not None:
        check_kind(kind, (old, new))
    if group is not None:
        check_group(group, (old, new))
    comparison = _compare(old, old_version, new, new_version).filter(
        kind=kind,
        group=group,
        severities=[
            severity
            for severity in SEVERITIES
            if severity in (severities or SEVERITIES)
            and not (no_docs and severity == "docs")
        ],
    )
    report = comparison_report(
        comparison,
        output_format(format_name, file),
        Layout(template_folders(templates)),
        colour=console.is_coloured(file),
    )
    console.write_result(report, file)
    if fail_on and any(
        comparison.summary[severity]
        for severity in SEVERITIES
        if SEVERITIES.index(severity) <= SEVERITIES.index(fail_on)
    ):
        context.exit(1)


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
    from kubestencil.source import available, locate, remote

    release, _, api_version = argument.partition("/")
    name = release.removeprefix("v")
    if name in available(specs):
        return locate(name, specs), api_version
    document, _, api_version = argument.partition("#")
    is_document = document == "-" or "://" in document or Path(document).exists()
    if not is_document:
        raise UsageError(
            f"{argument!r} is neither a release nor a document",
            hint=nearest(name, available(specs)),
        )
    return remote.read(document, "stdin" if document == "-" else None), api_version
