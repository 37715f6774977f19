"""kubestencil render: generate files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from kubestencil.cli.help import DocumentedCommand
from kubestencil.cli.options import (
    complete_target,
    document_options,
    flag,
    jobs_option,
    limit_options,
    out_option,
    quiet_option,
    releases_argument,
    set_option,
    templates_option,
    text,
)
from kubestencil.cli.rendering.run import (
    RenderOptions,
    announce_size,
    generate,
    is_missing,
    prepare,
    show_page,
)
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine import Target
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.project import FILE, LOCK, Lock, Project, read_lock, write_lock
from kubestencil.source import Source
from kubestencil.source.pinned import PinnedDocument

# What is generated where nothing is named: targets, and the releases of them, of which
# none are all that are supported.
_OVERVIEW: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("markdown", "python", "jsonnet"), ("latest",)),
    (("diff",), ()),
    (("site",), ("latest-2..",)),
)
_ALL = "all targets of all supported releases: kubestencil render --all"


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


def _generate_overview(options: RenderOptions) -> bool:
    """Generate or check what people look at first; whether files are out of date."""
    runs = [
        options._replace(names=names, releases=releases)
        for names, releases in _OVERVIEW
    ]
    prepared = [(run, *prepare(run)) for run in runs]
    announce_size(options, [run[1:] for run in prepared])
    if is_missing(options, options.out):
        return True
    results = [generate(*run, layout="") for run in prepared]
    show_page(options, results[-1].page)
    if not options.quiet:
        click.echo(_ALL)
    return any(result.is_failed for result in results)


def _generate_and_open(
    options: RenderOptions, sources: list[Source], targets: list[Target]
) -> bool:
    """Generate or check ``targets`` of ``sources``; whether that failed."""
    announce_size(options, [(sources, targets)])
    if is_missing(options, options.out):
        return True
    result = generate(options, sources, targets, layout="")
    show_page(options, result.page)
    return result.is_failed


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
        if is_missing(run, Path(layout.partition("{")[0] or ".")):
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
        show_page(run, result.page)
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
