"""kubestencil check: what breaks in manifests when Kubernetes is upgraded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    CrdOptions,
    complete_release,
    file_option,
    quiet_option,
    specs_option,
    unserved_option,
)
from kubestencil.errors import UsageError

if TYPE_CHECKING:
    from kubestencil.check import Report, Severity
    from kubestencil.source import Source


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--to",
    "after",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release to check against.",
)
@click.option(
    "--from",
    "before",
    metavar="RELEASE",
    shell_complete=complete_release,
    help="Release that the upgrade starts from: findings say whether they are new.",
)
@specs_option
@click.option(
    "--spec",
    metavar="FILE|URL|-",
    help="OpenAPI document to check against, such as a cluster's; --to is its name.",
)
@click.option(
    "--crds",
    multiple=True,
    metavar="FILE|DIR|URL",
    help="CustomResourceDefinitions to check custom resources against; may be "
    "repeated.",
)
@unserved_option
@click.option(
    "-f",
    "--format",
    "format_name",
    type=click.Choice(["text", "json"]),
    show_default="by the suffix of FILE, else text",
    help="Output format.",
)
@file_option
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="Exit 1 if there is a finding of this severity or a more severe one.",
)
@quiet_option
@click.pass_context
def check(
    context: click.Context,
    paths: tuple[str, ...],
    after: str | None,
    before: str | None,
    specs: Path | None,
    spec: str | None,
    crds: tuple[str, ...],
    unserved: bool,
    format_name: str | None,
    file: Path | None,
    fail_on: Severity,
    quiet: bool,
) -> None:
    """Show what is wrong with manifests in a release, or what an upgrade breaks.

    PATH is a file, a folder or - for standard input. Exits with 1 if there are
    findings of the severity of --fail-on, and with 2 if nothing could be checked.
    """
    from kubestencil.check.run import check as check_paths
    from kubestencil.schema.load import load_release

    options = CrdOptions(crds, unserved)
    sources = _sources(after, before, specs, spec, options)
    console.announce_sources(sources, quiet)
    *earlier, latest = [load_release(source) for source in sources]
    report = check_paths(paths, latest, *earlier)
    console.write_result(_rendered(report, format_name, file), file)
    if not report.checked and not report.findings:
        raise UsageError(
            "nothing was checked",
            where=", ".join(paths),
            hint="the report says why each object was left out",
        )
    if _has_severity(report, fail_on):
        context.exit(1)


def _sources(
    after: str | None,
    before: str | None,
    specs: Path | None,
    spec: str | None,
    crds: CrdOptions,
) -> list[Source]:
    """The sources of the releases, the one to check against last."""
    from kubestencil.source import locate, releases
    from kubestencil.source.inputs import add_crds, read_location

    if after is None and spec is None:
        raise UsageError("missing", where="--to", hint="name a release: --to 1.35")
    names = [name.removeprefix("v") for name in (before, after) if name is not None]
    if spec is None:
        sources = [locate(name, specs) for name in names]
    else:
        label = releases.release_name(after) if after else None
        sources = [locate(name, specs) for name in names[: len(names) - bool(after)]]
        sources.append(read_location(spec, label, unserved=crds.unserved))
    files = crds.read_files()
    if not files:
        return sources
    return [add_crds(source, files, unserved=crds.unserved) for source in sources]


def _rendered(report: Report, format_name: str | None, file: Path | None) -> str:
    chosen = format_name or ("json" if file and file.suffix == ".json" else "text")
    if chosen == "json":
        import json

        from kubestencil.check.serialize import report_json

        return json.dumps(report_json(report), indent=2, ensure_ascii=False) + "\n"
    from kubestencil.check.text import report_text

    return report_text(
        report,
        coloured=console.is_coloured(file),
        read=lambda name: Path(name).read_bytes(),
    )


def _has_severity(report: Report, least: Severity) -> bool:
    from kubestencil.check import SEVERITIES

    severe = SEVERITIES[: SEVERITIES.index(least) + 1]
    return any(report.count(severity) for severity in severe)
