"""kubestencil render: generate files."""

from __future__ import annotations

from pathlib import Path

import click

from kubestencil import build
from kubestencil.build import Summary, TreeResult
from kubestencil.build.record import record_path
from kubestencil.cli import console
from kubestencil.cli.documents import find_sources
from kubestencil.cli.options import (
    complete_target,
    crds_option,
    groups_option,
    jobs_option,
    kinds_option,
    out_option,
    parse_settings,
    quiet_option,
    releases_argument,
    set_option,
    specs_option,
    templates_option,
    unserved_option,
)
from kubestencil.engine import choose_targets, load_targets
from kubestencil.source.find import DocumentOptions


@click.command()
@releases_argument
@click.option(
    "-t",
    "--target",
    "names",
    multiple=True,
    metavar="TARGET",
    shell_complete=complete_target,
    help="Target to generate; may be repeated.  [default: all targets]",
)
@out_option
@specs_option
@click.option(
    "--spec",
    metavar="FILE|URL|-",
    help="Read this OpenAPI document; RELEASE is then the name to generate it under.",
)
@crds_option
@unserved_option
@groups_option
@kinds_option
@templates_option
@set_option
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; exit 1 if generated files are out of date.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Replace files that kubestencil did not write, or that were edited since.",
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
    crds: tuple[str, ...],
    unserved: bool,
    groups: tuple[str, ...],
    kinds: tuple[str, ...],
    templates: Path | None,
    settings: tuple[str, ...],
    check: bool,
    overwrite: bool,
    jobs: int,
    quiet: bool,
) -> None:
    """Generate files from the OpenAPI documents of releases.

    RELEASE is one release, such as 1.35, and RANGE several, such as 1.29..1.35.
    Without either, all supported releases are generated, which "kubestencil
    releases" marks with "*".
    """
    all_targets = load_targets(templates, names)
    options = DocumentOptions(specs, crds, unserved, groups, kinds)
    sources = find_sources(releases, spec, options, all_targets)
    targets = choose_targets(all_targets, names, parse_settings(settings), len(sources))
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
    """Show the result of a run: notes and warnings, files that are out of date, and
    one line per target."""
    console.show_notes(summary.notes, quiet)
    for release, keyword in summary.unknown_keywords:
        console.warn(
            f"{release}: unknown schema keyword {keyword.keyword!r} "
            f"({keyword.count} times, first at {keyword.where})"
        )
    for tree in summary.trees:
        if tree.damage:
            console.warn(
                f"{record_path(out, tree.tree)} {tree.damage}; it is made anew"
            )
        for path in tree.kept:
            console.warn(
                f"{out / tree.tree / path} is no longer generated; it was edited, so "
                "it is kept"
            )
        _show_drift(out, tree)
    if quiet:
        return
    for target in dict.fromkeys(tree.target for tree in summary.trees):
        trees = [tree for tree in summary.trees if tree.target == target]
        click.echo(f"{target}: {_totals(trees)}")


def _totals(trees: list[TreeResult]) -> str:
    files = sum(tree.files for tree in trees)
    size = sum(tree.size for tree in trees)
    written = sum(tree.written for tree in trees)
    removed = sum(tree.removed for tree in trees)
    seconds = sum(tree.seconds for tree in trees)
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
