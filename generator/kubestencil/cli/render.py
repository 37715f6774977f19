"""kubestencil render: generate files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from kubestencil import build
from kubestencil.build import Summary, TreeResult
from kubestencil.build.record import record_path
from kubestencil.build.refused import Refused, leave_out_refused
from kubestencil.cli import console
from kubestencil.cli.documents import find_sources
from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    complete_target,
    document_options,
    flag,
    jobs_option,
    limit_options,
    out_option,
    parse_settings,
    quiet_option,
    releases_argument,
    set_option,
    templates_option,
    text,
)
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine import (
    Target,
    choose_targets,
    load_targets,
    possible_targets,
)
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.project import FILE, LOCK, Lock, Project, read_lock, write_lock
from kubestencil.source import Source
from kubestencil.source.find import DocumentOptions
from kubestencil.source.pinned import PinnedDocument

# What is generated where nothing is named: targets, and the releases of them, of which
# none are all that are supported.
_OVERVIEW: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("markdown", "python", "jsonnet"), ("latest",)),
    (("diff",), ()),
    (("site",), ("latest-2..",)),
)
_ALL = "all targets of all supported releases: kubestencil render --all"
# In MB: what is said before it is written.
_MUCH = 10
# Where readers begin, the best first.
_PAGES = ("index.html", "README.md")


@click.command(
    cls=DocumentedCommand,
    examples=(
        ("kubestencil render", "A docs site, reports, models and pages to look at"),
        ("kubestencil render 1.35 -t python -o src", "One target of one release"),
        (
            "kubestencil render 1.35 -t typescript --crds crds/",
            "With custom resources",
        ),
        ("kubestencil render --check", "Whether files are up to date, in CI"),
    ),
    groups={
        "What is generated": "target all spec spec-dir crds unserved group kind set "
        "templates",
        "Output folder": "output overwrite prune",
        "Checks": "check locked keep-going",
    },
)
@releases_argument
@text(
    "-t --target names",
    "TARGET",
    "What to generate, such as python; may be repeated. kubestencil targets lists them.",
    multiple=True,
    shell_complete=complete_target,
)
@flag("--all everything", "All targets, of all supported releases or of RELEASE.")
@out_option
@document_options
@text(
    "--spec",
    "FILE|URL|-",
    "Read this OpenAPI document; RELEASE is then the name to generate it under.",
)
@limit_options
@templates_option
@set_option
@flag("--check", "Write nothing; exit 1 if generated files are out of date.")
@flag(
    "--overwrite",
    "Replace files that kubestencil did not write, or that were edited since.",
)
@flag(
    "--prune",
    "Remove the files of earlier runs that had more releases, kinds or options.",
)
@flag(
    "--locked", "Fail where kubestencil.lock has other documents, or another version."
)
@flag(
    "--keep-going",
    "Leave out the CustomResourceDefinitions that are refused, list them, and exit 1.",
)
@jobs_option
@quiet_option
@trust_option
@click.pass_context
def render(context: click.Context, /, **values: Any) -> None:
    """Generate files from the OpenAPI documents of releases.

    RELEASE is one release, such as 1.35, and RANGE several, such as 1.29..1.35. With
    --target alone, these are all supported releases; with RELEASE alone, all targets of
    the newest one, and models, pages, reports and the site of the others.

    Without any of them, kubestencil.toml of this folder, or of one above it, says what is
    generated. Without that file, it is an overview: Markdown, Python and Jsonnet of the
    newest release, the reports of all, and the docs site of the newest three.
    """
    options = RenderOptions(**values)
    named = [
        name
        for name in ("releases", "names", "everything", "spec", "out")
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    project = None if named else read_project_of(context)
    if project is not None and project.generate:
        is_failed = render_project(context, project, options)
    elif options.locked:
        raise UsageError(
            (
                f"compares with {LOCK} what a project generates: there is no {FILE} with "
                "[[generate]] here or above"
                if not named
                else "compares with the lock of a project: name no releases, targets or folder"
            ),
            where="--locked",
            hint="kubestencil init writes one" if not named else "",
        )
    elif {*named} <= {"out"} and not options.crds:
        is_failed = _generate_overview(options)
    else:
        is_failed = _generate_and_open(options, *prepare(options))
    if is_failed:
        context.exit(1)


class RenderOptions(NamedTuple):
    """The values of the command line, or of a table of a project file."""

    releases: tuple[str, ...]
    names: tuple[str, ...]
    everything: bool
    out: Path
    specs: Path | None
    spec: str | None
    crds: tuple[str, ...]
    unserved: bool
    groups: tuple[str, ...]
    kinds: tuple[str, ...]
    templates: Path | None
    settings: tuple[str, ...]
    check: bool
    overwrite: bool
    prune: bool
    locked: bool
    keep_going: bool
    jobs: int
    quiet: bool
    pinned: Mapping[str, PinnedDocument] = {}

    @property
    def documents(self) -> DocumentOptions:
        """How documents are found and read."""
        return DocumentOptions(
            self.specs,
            self.crds,
            self.unserved,
            self.groups,
            self.kinds,
            self.pinned,
        )


def prepare(options: RenderOptions) -> tuple[list[Source], list[Target]]:
    """The documents and the targets of a run."""
    names = options.names
    all_targets = load_targets(options.templates, names)
    sources = find_sources(
        options.releases, options.spec, options.documents, all_targets
    )
    if options.everything:
        names = possible_targets(all_targets, len(sources))
    settings = parse_settings(options.settings)
    return sources, choose_targets(all_targets, names, settings, len(sources))


def _generate_overview(options: RenderOptions) -> bool:
    """Generate or check what people look at first; whether files are out of date."""
    runs = [
        options._replace(names=names, releases=releases)
        for names, releases in _OVERVIEW
    ]
    prepared = [(run, *prepare(run)) for run in runs]
    _announce_size(options, [run[1:] for run in prepared])
    if _is_missing(options, options.out):
        return True
    results = [generate(*run, layout="") for run in prepared]
    _show_page(options, results[-1].page)
    if not options.quiet:
        click.echo(_ALL)
    return any(result.is_failed for result in results)


def _generate_and_open(
    options: RenderOptions, sources: list[Source], targets: list[Target]
) -> bool:
    """Generate or check ``targets`` of ``sources``; whether that failed."""
    _announce_size(options, [(sources, targets)])
    if _is_missing(options, options.out):
        return True
    result = generate(options, sources, targets, layout="")
    _show_page(options, result.page)
    return result.is_failed


def _is_missing(options: RenderOptions, folder: Path) -> bool:
    """Whether there is nothing that could be compared, which is said then."""
    if not options.check or folder.exists():
        return False
    click.echo(f"missing: {folder}/; kubestencil render, without --check, writes it")
    return True


def _show_page(options: RenderOptions, page: Path | None) -> None:
    if page is not None and not options.quiet:
        click.echo(f"open {page}")


class Generated(NamedTuple):
    """What a run came to. ``is_failed`` is whether files are out of date, or something was
    refused; ``page`` is what to open first."""

    is_failed: bool
    page: Path | None


def generate(
    options: RenderOptions, sources: list[Source], targets: list[Target], layout: str
) -> Generated:
    """Generate or check ``targets`` of ``sources``, and show the result. With a
    ``layout``, the releases are those that a project names."""
    out, quiet, prune = options.out, options.quiet, options.prune
    console.announce_sources(sources, quiet)
    refused: dict[str, Refused] = {}
    if options.keep_going:
        sources, refused = leave_out_refused(sources)
    documents = replace(options.documents, refused=frozenset(refused))
    covered = (
        [] if prune or layout else build.find_covered(sources, targets, out, documents)
    )
    run = (
        build.check
        if options.check
        else partial(build.render, overwrite=options.overwrite, prune=prune)
    )
    with console.ProgressBar("reading", quiet) as bar:
        summary = run(
            sources,
            targets,
            out,
            jobs=options.jobs,
            covered=covered,
            layout=layout,
            progress=bar.jobs,
        )
    report_summary(summary, out, quiet)
    if refused:
        # It asks API servers' own code, which other runs do not need.
        from kubestencil.cli.refused import show_refused

        show_refused(refused, sources)
    is_failed = bool(refused) or any(tree.drift for tree in summary.trees)
    return Generated(is_failed, _first_page(summary, out))


class PreparedTable(NamedTuple):
    """A table of a project file, with the documents and targets that it names."""

    options: RenderOptions
    sources: list[Source]
    targets: list[Target]


def render_project(
    context: click.Context, project: Project, options: RenderOptions
) -> bool:
    """Generate or check what a project file says; whether files are out of date.

    Raises KubestencilError where the lock is stale.
    """
    old = read_lock(project.folder)
    tables, lock = prepare_project(context, project, old)
    if options.locked and lock != old:
        raise KubestencilError(
            (
                "is not there"
                if old is None
                else "is stale: kubestencil.toml, documents or kubestencil have changed"
            ),
            where=LOCK,
            hint="run kubestencil update",
        )
    is_drifted = generate_tables(tables, options)
    if not options.check and lock != old:
        write_lock(Path(), lock)
    return is_drifted


def generate_tables(tables: Iterable[PreparedTable], run: RenderOptions) -> bool:
    """Generate or check tables as the options of a run say; whether files are out of
    date."""
    failed = False
    for table in tables:
        layout = table.options.out.as_posix()
        if _is_missing(run, Path(layout.partition("{")[0] or ".")):
            failed = True
            continue
        result = generate(
            table.options._replace(
                out=Path(),
                check=run.check,
                overwrite=run.overwrite,
                prune=run.prune,
                jobs=run.jobs,
                quiet=run.quiet,
            ),
            table.sources,
            table.targets,
            layout=layout,
        )
        _show_page(run, result.page)
        failed |= result.is_failed
    return failed


def prepare_project(
    context: click.Context,
    project: Project,
    locked: Lock | None,
    pinned: Mapping[str, PinnedDocument] = {},
    is_updated: Callable[[RenderOptions], bool] = lambda _: False,
) -> tuple[list[PreparedTable], Lock]:
    """The tables of a project, and the lock of what they are generated from.

    The releases of tables that are not updated are those of the lock. ``pinned`` are
    documents for the others. The current folder is that of the project from here on, so
    that paths in what is generated are the same on all machines. Raises SourceError for a
    document that is not the locked one, unless a table is updated.
    """
    os.chdir(project.folder)
    given = {
        name: value
        for name, value in context.params.items()
        if name in RenderOptions._fields
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    tables = []
    lock = Lock()
    may_differ = False
    for values in project.generate:
        defaults = render.make_context("render", [], default_map=dict(values)).params
        options = RenderOptions(
            **{**defaults, "releases": values.get("releases", ()), **given}
        )
        requested = options.releases
        updated = is_updated(options)
        may_differ |= updated
        options = options._replace(pinned=pinned)
        if locked is not None and not updated:
            options = options._replace(
                releases=locked.releases.get(json.dumps(list(requested)), requested),
                pinned=locked.pinned(),
            )
        sources, targets = prepare(options)
        _check_layout(options, sources, targets)
        lock = lock.with_sources(requested, sources, options.pinned)
        tables.append(PreparedTable(options, sources, targets))
    if locked is not None and not may_differ:
        lock.check_documents(locked)
    return tables, lock


def _check_layout(
    options: RenderOptions, sources: list[Source], targets: list[Target]
) -> None:
    """Raise UsageError where two targets or releases would have the same folder."""
    output = options.out.as_posix()
    for placeholder, names in (
        ("{target}", [target.name for target in targets]),
        (
            "{release}",
            [
                source.release
                for source in sources
                for target in targets
                if target.scope == "release"
            ],
        ),
    ):
        if len(set(names)) > 1 and placeholder not in output:
            raise UsageError(
                f"needs {placeholder}, since it is of {', '.join(sorted(set(names)))}",
                where=f"output = {json.dumps(output)}",
            )
    if "{release}" in output and any(target.scope == "releases" for target in targets):
        raise UsageError(
            "{release} has no meaning for a target of several releases",
            where=f"output = {json.dumps(output)}",
        )


def _announce_size(
    options: RenderOptions, runs: Iterable[tuple[list[Source], list[Target]]]
) -> None:
    """Say about how much will be written, where that is known and much."""
    if options.quiet or options.check or options.groups or options.kinds:
        return
    files = megabytes = 0.0
    for sources, targets in runs:
        # Of a document with CustomResourceDefinitions, as much more as it is larger.
        shares = [source.size / len(source.data) for source in sources]
        for target in targets:
            share = max(shares) if target.newest_only else sum(shares)
            files += target.size.files * share
            megabytes += target.size.kilobytes * share / 1000
    if megabytes >= _MUCH:
        console.status(
            f"generating about {files:,.0f} files, {megabytes:.0f} MB, in {options.out}/"
        )


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
                "have a file or folder with its name in the document"
            )
        _show_drift(out, tree)
    if quiet:
        return
    for target in dict.fromkeys(tree.target for tree in summary.trees):
        trees = [tree for tree in summary.trees if tree.target == target]
        click.echo(f"{target}: {_totals(trees)}")


def _first_page(summary: Summary, out: Path) -> Path | None:
    """What to open first: the site, the reports, or what a tree says of itself."""
    trees = sorted({tree.tree for tree in summary.trees}, reverse=True)
    trees.sort(key=lambda tree: tree.count("/"))
    pages = (out / tree / name for name in _PAGES for tree in trees)
    return next((page for page in pages if page.is_file()), None)


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
    for problem, paths in (
        ("out of date", tree.drift.changed),
        ("missing", tree.drift.missing),
        ("left over", tree.drift.left_over),
    ):
        for path in paths:
            click.echo(f"{problem}: {out / tree.tree / path}")
