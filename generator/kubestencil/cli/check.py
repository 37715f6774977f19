"""kubestencil check: what breaks in manifests when Kubernetes is upgraded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    complete_release,
    file_option,
    quiet_option,
    specs_option,
    unserved_option,
)
from kubestencil.errors import UsageError

if TYPE_CHECKING:
    from kubestencil.checking import Report, Severity
    from kubestencil.source import Source
    from kubestencil.source.find import DocumentOptions
    from kubestencil.targets.check.rendering import TemplateFormat


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
    type=click.Choice(["text", "json", "sarif", "junit", "github", "markdown", "html"]),
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
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="TOML file with entries [[ignore]]: findings to leave out.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Earlier report in JSON, whose findings are left out.",
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
    config: Path | None,
    baseline: Path | None,
    quiet: bool,
) -> None:
    """Show what is wrong with manifests in a release.

    With --from, findings say what an upgrade from that release breaks and fixes.

    PATH is a file, a folder or - for standard input. Exits with 1 if there are
    findings of the severity of --fail-on, and with 2 if nothing could be checked.
    """
    from kubestencil.checking.run import check as check_paths
    from kubestencil.schema.lazy import load_lazily
    from kubestencil.source.find import DocumentOptions

    format_name = format_name or _format_of(file)
    options = DocumentOptions(specs, crds, unserved)
    sources = _sources(after, before, spec, options)
    console.announce_sources(sources, quiet)
    if before and after and _is_older(after, before):
        console.warn(
            f"--from {before} is newer than --to {after}: findings are about a downgrade"
        )
    *earlier, latest = [load_lazily(source) for source in sources]
    console.show_notes(latest.notes, quiet)
    report = _without_suppressed(check_paths(paths, latest, *earlier), config, baseline)
    console.write_result(_rendered(report, format_name, fail_on, file), file)
    if not report.checked and not report.findings:
        raise UsageError(
            "nothing was checked",
            where=", ".join(dict.fromkeys(paths)),
            hint=(
                "the report says what was left out, and why"
                if report.skipped
                else "there is no object in it"
            ),
        )
    if _has_severity(report, fail_on):
        context.exit(1)


def _is_older(release: str, other: str) -> bool:
    """Whether a release is older than another; not of names that are no versions."""
    from kubestencil.source.releases import minor_version_in, release_order

    minor, other_minor = minor_version_in(release), minor_version_in(other)
    return bool(
        minor and other_minor and release_order(minor) < release_order(other_minor)
    )


def _sources(
    after: str | None,
    before: str | None,
    spec: str | None,
    options: DocumentOptions,
) -> list[Source]:
    """The sources of the releases, the one to check against last."""
    from kubestencil.source import locate, releases
    from kubestencil.source.inputs import read_location

    if after is None and spec is None:
        raise UsageError("missing", where="--to", hint="name a release: --to 1.35")
    names = [name.removeprefix("v") for name in (before, after) if name is not None]
    if spec is None:
        sources = [locate(name, options.specs) for name in names]
    else:
        label = releases.release_name(after) if after else None
        older = names[: len(names) - bool(after)]
        sources = [locate(name, options.specs) for name in older]
        sources.append(read_location(spec, label, unserved=options.unserved))
    return options.complete(sources)


def _without_suppressed(
    report: Report, config: Path | None, baseline: Path | None
) -> Report:
    """The report without the findings that a configuration or a baseline names."""
    from kubestencil.checking import suppressions

    if config is not None:
        report = suppressions.apply_config(
            report, suppressions.load_config(config), config
        )
    if baseline is not None:
        report = suppressions.apply_baseline(
            report, suppressions.load_baseline(baseline)
        )
    return report


def _format_of(file: Path | None) -> str:
    """The format that the suffix of a file implies; raises UsageError where it implies
    none."""
    by_suffix = {
        "": "text",
        ".txt": "text",
        ".log": "text",
        ".json": "json",
        ".sarif": "sarif",
        ".xml": "junit",
        ".md": "markdown",
        ".html": "html",
    }
    suffix = file.suffix if file else ""
    if suffix not in by_suffix:
        raise UsageError(
            f"no format has the suffix {suffix}",
            where=f"--output {file}",
            hint="name the format: --format json",
        )
    return by_suffix[suffix]


def _rendered(
    report: Report, format_name: str, fail_on: Severity, file: Path | None
) -> str:
    if format_name == "json":
        from kubestencil.checking.reports.serialize import report_json

        return _json(report_json(report))
    if format_name == "sarif":
        from kubestencil.checking.reports.sarif import report_sarif

        return _json(report_sarif(report))
    if format_name == "junit":
        from kubestencil.checking.reports.junit import report_junit

        return report_junit(report, fail_on)
    if format_name == "github":
        from kubestencil.checking.reports.github import report_github

        return report_github(report)
    if format_name in ("markdown", "html"):
        from kubestencil.targets.check.rendering import render_report

        return render_report(report, cast("TemplateFormat", format_name))
    from kubestencil.checking.reports.text import report_text

    return report_text(
        report,
        coloured=console.is_coloured(file),
        read=lambda name: Path(name).read_bytes(),
    )


def _json(value: object) -> str:
    import json

    from kubestencil.text.controls import escape_json

    return escape_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def _has_severity(report: Report, least: Severity) -> bool:
    from kubestencil.checking.rules import at_least

    return any(report.count(severity) for severity in at_least(least))
