"""kubestencil render: generate files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil.cli import console
from kubestencil.cli.options import (
    complete_target,
    find_sources,
    jobs_option,
    out_option,
    parse_settings,
    quiet_option,
    releases_argument,
    set_option,
    specs_option,
    templates_option,
)

if TYPE_CHECKING:
    from kubestencil.build import Summary, TreeResult


@click.command()
@releases_argument
@click.option(
    "-t",
    "--target",
    "names",
    multiple=True,
    metavar="TARGET",
    shell_complete=complete_target,
    help="A target to generate; may be repeated. All targets without it.",
)
@out_option
@specs_option
@click.option(
    "--spec",
    metavar="FILE|URL|-",
    help="Read this document and generate it as the release RELEASE.",
)
@templates_option
@set_option
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 if files are out of date."
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace files that kubestencil did not write, or that were changed since.",
)
@jobs_option
@quiet_option
@click.pass_context
def render(
    context: click.Context,
    releases: tuple[str, ...],
    names: tuple[str, ...],
    out: Path,
    specs: Path | None,
    spec: str | None,
    templates: Path | None,
    settings: tuple[str, ...],
    check: bool,
    overwrite: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Generate files for targets of releases.

    RELEASE is one release (1.35), RANGE several (1.29..1.35). Without either, all
    supported releases are generated; without -t, for all targets.
    """
    from kubestencil import build
    from kubestencil.engine import choose_targets, load_targets

    known = load_targets(templates)
    sources = find_sources(releases, specs, spec, known)
    targets = choose_targets(known, names, parse_settings(settings), len(sources))
    console.announce_sources(sources, quiet)
    with console.ProgressBar("reading", quiet) as bar:
        if check:
            summary = build.check(sources, targets, out, jobs=jobs, progress=bar.jobs)
        else:
            summary = build.render(
                sources,
                targets,
                out,
                jobs=jobs,
                overwrite=overwrite,
                progress=bar.jobs,
            )
    report_summary(summary, out, quiet)
    if any(tree.drift for tree in summary.trees):
        context.exit(1)


def report_summary(summary: Summary, out: Path, quiet: bool) -> None:
    """Show what a run did: warnings, files that are out of date, a line per target."""
    for release, keyword in summary.unknown_keywords:
        console.warn(
            f"{release}: unknown schema keyword {keyword.keyword!r} "
            f"({keyword.count} times, first at {keyword.pointer})"
        )
    for tree in summary.trees:
        for path in tree.kept:
            console.warn(
                f"{out / tree.tree / path} is no longer generated, but was changed by "
                "hand: kept"
            )
        _show_drift(out, tree)
    if quiet:
        return
    for target in dict.fromkeys(tree.target for tree in summary.trees):
        trees = [tree for tree in summary.trees if tree.target == target]
        click.echo(f"{target}: {_totals(trees)}")


def _totals(trees: list[TreeResult]) -> str:
    files, size = sum(t.files for t in trees), sum(t.size for t in trees)
    written, removed = sum(t.written for t in trees), sum(t.removed for t in trees)
    seconds = sum(t.seconds for t in trees)
    if any(tree.drift for tree in trees):
        outcome = "out of date"
    else:
        outcome = f"{written} written" if written else "unchanged"
        outcome += f", {removed} removed" if removed else ""
    return f"{files} files, {size / 1e6:.1f} MB, {outcome}, {seconds:.2f} s"


def _show_drift(out: Path, tree: TreeResult) -> None:
    if tree.drift is None:
        return
    for problem, paths in (
        ("out of date", tree.drift.changed),
        ("missing", tree.drift.missing),
        ("left over", tree.drift.left_over),
    ):
        for path in paths:
            click.echo(f"{problem}: {out / tree.tree / path}")
