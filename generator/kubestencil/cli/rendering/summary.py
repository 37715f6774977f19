"""What ``render`` and ``serve`` say of a run."""

from __future__ import annotations

from pathlib import Path

import click

from kubestencil.build import Summary, TreeResult
from kubestencil.build.record import record_path
from kubestencil.cli import console

# Where readers begin, the best first.
_PAGES = ("index.html", "README.md")
# Files of a target that are named in warnings.
_MAX_RENAMED = 10


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
            console.warn(f"{record_path(out, tree.tree)} {tree.damage}")
        for path in tree.kept:
            console.warn(
                f"{out / tree.tree / path} is no longer generated; it was edited, so "
                "it is kept"
            )
        for path in tree.renamed[:_MAX_RENAMED]:
            console.warn(
                f"{out / tree.tree / path} is called so, since not every platform can "
                "have a file or folder with its name in the spec"
            )
        _show_drift(out, tree)
    if quiet:
        return
    for target in dict.fromkeys(tree.target for tree in summary.trees):
        trees = [tree for tree in summary.trees if tree.target == target]
        click.echo(f"{target}: {_totals(trees)}")


def first_page(summary: Summary, out: Path) -> Path | None:
    """What to open first: the site, the reports, what a tree says of itself, or else its
    folder."""
    trees = sorted({tree.tree for tree in summary.trees}, reverse=True)
    trees.sort(key=lambda tree: tree.count("/"))
    folders = [out / tree for tree in trees]
    pages = [folder / name for name in _PAGES for folder in folders]
    return next((path for path in (*pages, *folders) if path.exists()), None)


def _totals(trees: list[TreeResult]) -> str:
    files = sum(tree.files for tree in trees)
    size = sum(tree.size for tree in trees)
    written = sum(tree.written for tree in trees)
    removed = sum(tree.removed for tree in trees)
    if any(tree.drift for tree in trees):
        outcome = "out of date"
    else:
        outcome = f"{written} written" if written else "unchanged"
        outcome += f", {removed} removed" if removed else ""
    return f"{files} files, {size / 1e6:.1f} MB, {outcome}"


def _show_drift(out: Path, tree: TreeResult) -> None:
    if tree.drift is None:
        return
    if tree.files > 1 and len(tree.drift.missing) == tree.files:
        click.echo(f"missing: {out / tree.tree}/, {tree.files} files")
        return
    for problem, paths in (
        ("out of date", tree.drift.changed),
        ("missing", tree.drift.missing),
        ("left over", tree.drift.left_over),
    ):
        for path in paths:
            click.echo(f"{problem}: {out / tree.tree / path}")
