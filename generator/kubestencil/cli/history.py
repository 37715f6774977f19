"""kubestencil history: how a type evolved through releases and API versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    file_option,
    format_option,
    output_format,
    quiet_option,
    specs_option,
    templates_option,
)

if TYPE_CHECKING:
    from kubestencil.targets.diff.rendering import Format


@click.command()
@click.argument("kind", required=False)
@click.argument("field", required=False)
@click.option(
    "--releases",
    "requested_releases",
    multiple=True,
    metavar="RELEASE|RANGE",
    help="Releases to include, such as 1.29..1.35; may be repeated.  [default: all "
    "available]",
)
@specs_option
@templates_option
@format_option
@file_option
@quiet_option
def history(
    kind: str | None,
    field: str | None,
    requested_releases: tuple[str, ...],
    specs: Path | None,
    templates: Path | None,
    format_name: Format | None,
    file: Path | None,
    quiet: bool,
) -> None:
    """Show how a type evolved through releases and API versions.

    KIND is a kind or another type (ResourceClaimStatus), with its group where several
    groups have it (events.k8s.io/Event). FIELD limits the result to one of its fields.
    Without KIND, the result is a table of which release served which kind.
    """
    from kubestencil import diff
    from kubestencil.schema.load import load_release
    from kubestencil.source import available, locate
    from kubestencil.source.releases import expand_ranges
    from kubestencil.targets.diff.rendering import Layout, template_folders
    from kubestencil.targets.diff.report import history_report, timeline_report

    names = (
        expand_ranges(requested_releases, available(specs))
        if requested_releases
        else available(specs)
    )
    sources = [locate(name, specs) for name in names]
    console.announce_sources(sources, quiet)
    releases = [load_release(source) for source in sources]
    report_format = output_format(format_name, file)
    colour = console.is_coloured(file)
    layout = Layout(template_folders(templates))
    if kind is None:
        timeline = diff.timeline(releases)
        report = timeline_report(timeline, report_format, layout, colour=colour)
    else:
        histories = diff.history(releases, kind)
        if field is not None:
            histories = diff.only_field(histories, field)
        report = history_report(histories, report_format, layout, colour=colour)
    console.write_result(report, file)
