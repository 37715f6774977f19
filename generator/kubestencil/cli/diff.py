"""kubestencil diff: compare two releases, documents or API versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.documents import ComparedDocument, DocumentOptions, find_compared
from kubestencil.cli.options import (
    complete_release,
    crds_option,
    file_option,
    format_option,
    output_format,
    quiet_option,
    specs_option,
    templates_option,
    unserved_option,
)
from kubestencil.errors import UsageError

if TYPE_CHECKING:
    from kubestencil.diff import Comparison, Severity
    from kubestencil.schema import Release
    from kubestencil.targets.diff.rendering import Format


@click.command()
@click.argument("before", metavar="FROM", shell_complete=complete_release)
@click.argument("after", metavar="TO", shell_complete=complete_release)
@specs_option
@crds_option
@unserved_option
@templates_option
@format_option
@file_option
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Only changes of a kind or other type, such as Pod; may be repeated.",
)
@click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="GROUP",
    help="Only changes of an API group, such as apps or core; may be repeated.",
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
    crds: tuple[str, ...],
    unserved: bool,
    templates: Path | None,
    format_name: Format | None,
    file: Path | None,
    kinds: tuple[str, ...],
    groups: tuple[str, ...],
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
    from kubestencil.schema.lookup import check_kinds
    from kubestencil.targets.diff.rendering import Layout, template_folders
    from kubestencil.targets.diff.report import comparison_report

    documents = find_compared((before, after), DocumentOptions(specs, crds, unserved))
    if bool(documents[0].api_version) is not bool(documents[1].api_version):
        raise UsageError(
            "one side is a whole release and the other an API version",
            where=f"diff {before} {after}",
            hint="name an API version on both sides: 1.29/v1 1.35/v1",
        )
    console.announce_sources((document.source for document in documents), quiet)
    old, new = _load(documents)
    console.show_notes((*old.notes, *new.notes), quiet)
    if not quiet:
        _note_reversed_order(old.name, new.name)
    check_kinds(kinds, groups, (old, new))
    comparison = _compare(
        (old, documents[0].api_version), (new, documents[1].api_version)
    ).filter(kind=kinds, group=groups, severities=_selected(severities, no_docs))
    report = comparison_report(
        comparison,
        output_format(format_name, file),
        Layout(template_folders(templates)),
        colour=console.is_coloured(file),
    )
    console.write_result(report, file)
    if fail_on and _has_severity(comparison, fail_on):
        context.exit(1)


def _load(documents: Sequence[ComparedDocument]) -> list[Release]:
    """The releases in documents, each parsed once; those that the user did not name
    are called as they call themselves."""
    from kubestencil.diff.labels import document_label
    from kubestencil.schema.load import load_release

    releases: dict[str, Release] = {}
    for document in documents:
        source = document.source
        if source.origin not in releases:
            release = load_release(source)
            if document.is_unnamed:
                release = replace(release, name=document_label(release))
            releases[source.origin] = release
    return [releases[document.source.origin] for document in documents]


def _note_reversed_order(before: str, after: str) -> None:
    from kubestencil.source.releases import is_minor_version, release_order

    if not (is_minor_version(before) and is_minor_version(after)):
        return
    if release_order(before) > release_order(after):
        console.status(
            f"{before} is newer than {after}: additions are shown as removals"
        )


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


def _compare(before: tuple[Release, str], after: tuple[Release, str]) -> Comparison:
    """Compare two API versions, or whole releases where these are empty."""
    from kubestencil.diff import compare, compare_versions

    if before[1]:
        return compare_versions(*before, *after)
    return compare(before[0], after[0])
