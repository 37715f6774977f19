"""kubestencil history: how a type evolved through releases and API versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil import diff
from kubestencil.cli import console
from kubestencil.cli.documents import find_history, is_document
from kubestencil.cli.options import (
    complete_kind,
    document_options,
    file_option,
    quiet_option,
    templates_option,
    text,
)
from kubestencil.cli.reports import format_option, paint
from kubestencil.errors import UsageError
from kubestencil.schema.load import load_release
from kubestencil.source.find import DocumentOptions
from kubestencil.targets.reports.view import history_contexts, timeline_contexts

if TYPE_CHECKING:
    from kubestencil.engine.rendering import ReportFormat


@click.command()
@click.argument(
    "arguments",
    nargs=-1,
    metavar="[KIND [FIELD]] [NAME=PATH|DIR]...",
    shell_complete=complete_kind,
)
@text(
    "--releases requested_releases",
    "RELEASE|RANGE",
    "Releases to include, such as 1.29..1.35; may be repeated.  [default: all available, "
    "none with NAME=PATH, DIR or --crds]",
    multiple=True,
)
@document_options
@templates_option
@format_option("diff", ("history", "history-json"))
@file_option
@quiet_option
def history(
    arguments: tuple[str, ...],
    requested_releases: tuple[str, ...],
    specs: Path | None,
    crds: tuple[str, ...],
    unserved: bool,
    templates: Path | None,
    report_format: ReportFormat,
    file: Path | None,
    quiet: bool,
) -> None:
    """Show how a type evolved through releases and API versions.

    KIND is a kind or another type (ResourceClaimStatus), also with its group or API
    version (apps/v1/Deployment), or a resource as kubectl names it (deploy). FIELD is
    the path of a field below it (spec.replicas); KIND.FIELD works as well. Without
    KIND, the result is a table of which release served which kind.

    NAME=PATH is a spec or CustomResourceDefinitions under a name, oldest first. DIR
    is a folder with a file or folder for each version, such as v1.2.0/ or
    crds-1.10.yaml; write it with a slash: versions/.
    """
    del templates  # Its formats are values of --format.
    kind, field, documents = _divide(arguments)
    options = DocumentOptions(specs, crds, unserved)
    sources = find_history(documents, requested_releases, options)
    console.announce_sources(sources, quiet)
    releases = [load_release(source) for source in sources]
    console.show_notes((note for release in releases for note in release.notes), quiet)
    contexts = (
        timeline_contexts(diff.timeline(releases), paint(file))
        if kind is None
        else history_contexts(diff.history(releases, kind, field), paint(file))
    )
    console.write_result(report_format.render(contexts), file)


def _divide(arguments: tuple[str, ...]) -> tuple[str | None, str | None, list[str]]:
    """The kind, the field, and the documents of the command line."""
    documents = [argument for argument in arguments if is_document(argument)]
    names = [argument for argument in arguments if not is_document(argument)]
    if len(names) > 2:
        raise UsageError(
            f"{names[2]!r} is neither NAME=PATH nor a folder",
            hint="give a kind, a field of it, and specs: Widget spec v1=a.yaml",
        )
    kind, field, *_ = (*names, None, None)
    return kind, field, documents
