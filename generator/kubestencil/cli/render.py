"""kubestencil render: generate files."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
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
    prune_option,
    quiet_option,
    releases_argument,
    set_option,
    shard_option,
    templates_option,
    text,
)
from kubestencil.cli.rendering.run import (
    Prepared,
    RenderOptions,
    announce_size,
    check_settings,
    generate,
    is_missing,
    prepare,
    show_page,
)
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine import Target
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.project import (
    FILE,
    GENERATE,
    LOCK,
    Lock,
    Project,
    read_lock,
    write_lock,
)
from kubestencil.project.changelog import output_changes
from kubestencil.source import Source
from kubestencil.source.pinned import PinnedDocument

# What is generated where nothing is named: targets, and the releases of them, of which
# none are all that are supported. The reports are one job that takes longest.
_OVERVIEW: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("diff",), ()),
    (("site",), ("latest-2..",)),
    (("markdown", "python", "jsonnet"), ("latest",)),
)
# Reference cycles of a run are collected only where a project has many tables, of which
# each leaves some behind: at so many objects.
_MANY_OBJECTS = 50_000
# Entries of the changelog of kubestencil that are shown.
_MAX_CHANGES = 10
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
        "Many machines": "shard finish",
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
    "Read this OpenAPI spec; RELEASE is then the name to generate it under.",
)
@limit_options
@templates_option
@set_option
@flag("--check", "Write nothing; exit 1 if generated files are out of date.")
@flag(
    "--overwrite",
    "Replace files that kubestencil did not write, or that were edited since.",
)
@prune_option
@flag("--locked", "Fail where kubestencil.lock has other specs, or another version.")
@flag(
    "--keep-going",
    "Leave out the CustomResourceDefinitions that are refused, list them, and exit 1.",
)
@shard_option(
    "Generate one of N shards, such as 3/16, of the folders that are made of one release."
)
@flag("--finish", "Generate the other folders, after all shards.")
@jobs_option
@quiet_option
@trust_option
@click.pass_context
def render(context: click.Context, /, **values: Any) -> None:
    """Generate files from the OpenAPI specs of releases.

    RELEASE is one release, such as 1.35, and RANGE several, such as 1.29..1.35. With
    --target alone, these are all supported releases; with RELEASE alone, all targets of
    the newest one, and models, pages, reports and the site of the others.

    Without any of them, kubestencil.toml of this folder, or of one above it, says what is
    generated. Without that file, it is an overview: Markdown, Python and Jsonnet of the
    newest release, the reports of all, and the docs site of the newest three.
    """
    clear_run_caches()
    options = RenderOptions(**values)
    if options.everything and options.names:
        raise UsageError(
            "cannot be combined",
            where="--all and --target",
            hint="--target alone generates targets of all supported releases",
        )
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
        is_failed = _generate_and_open(options, [prepare(options)])
    if is_failed:
        context.exit(1)


def _generate_overview(options: RenderOptions) -> bool:
    """Generate or check what people look at first; whether files are out of date."""
    prepared = [
        prepare(options._replace(names=names, releases=releases))
        for names, releases in _OVERVIEW
    ]
    is_failed = _generate_and_open(options, prepared)
    if not (options.quiet or options.check):
        click.echo(_ALL)
    return is_failed


def _generate_and_open(options: RenderOptions, prepared: Sequence[Prepared]) -> bool:
    """Generate or check targets of documents; whether that failed."""
    check_settings(options, [target for _, targets in prepared for target in targets])
    announce_size(options, prepared)
    if is_missing(options, options.out):
        return True
    result = generate(options, prepared, layout="")
    show_page(options, result.page)
    return result.is_failed


class PreparedTable(NamedTuple):
    """A table of a project file, with the documents and targets that it names, and the
    lock of these."""

    options: RenderOptions
    sources: list[Source]
    targets: list[Target]
    lock: Lock


def render_project(
    context: click.Context, project: Project, options: RenderOptions
) -> bool:
    """Generate or check what a project file says, one table after the other, so that the
    documents of one are in memory; whether files are out of date.

    Raises KubestencilError where the lock is stale.
    """
    old = read_lock(project.folder)
    if options.locked and joined_lock(locked_tables(context, project, old)) != old:
        raise KubestencilError(
            (
                "is not there"
                if old is None
                else "is stale: kubestencil.toml, specs or kubestencil have changed"
            ),
            where=LOCK,
            hint="run kubestencil update",
        )
    if options.settings:
        tables = locked_tables(context, project, old)
        check_settings(
            options, [target for table in tables for target in table.targets]
        )
    lock, is_drifted = Lock(), False
    targets: dict[str, Target] = {}
    for table in locked_tables(context, project, old):
        lock = lock.joined(table.lock)
        targets |= {target.name: target for target in table.targets}
        is_drifted |= generate_table(table, options)
        del table
        if gc.get_count()[0] > _MANY_OBJECTS:
            gc.collect()
    if old is not None and not options.quiet:
        _show_output_changes(old.version, lock.version, targets.values())
    if not options.check and lock != old:
        write_lock(Path(), lock)
    return is_drifted


def _show_output_changes(before: str, after: str, targets: Iterable[Target]) -> None:
    """Say what a newer version of kubestencil generates in another way, if anything."""
    changes = list(output_changes(before, after, list(targets)))
    for change in changes[:_MAX_CHANGES]:
        click.echo(f"changed by kubestencil {after}: {change}")
    if len(changes) > _MAX_CHANGES:
        click.echo(f"and {len(changes) - _MAX_CHANGES} more changes: see its changelog")


def generate_table(table: PreparedTable, run: RenderOptions) -> bool:
    """Generate or check a table as the options of a run say; whether files are out of
    date."""
    layout = table.options.out.as_posix()
    if is_missing(run, Path(layout.partition("{")[0] or ".")):
        return True
    result = generate(
        table.options._replace(
            out=Path(),
            check=run.check,
            overwrite=run.overwrite,
            prune=run.prune,
            jobs=run.jobs,
            quiet=run.quiet,
        ),
        [(table.sources, table.targets)],
        layout=layout,
    )
    show_page(run, result.page)
    return result.is_failed


def joined_lock(tables: Iterable[PreparedTable]) -> Lock:
    """The lock of what tables are generated from."""
    return reduce(Lock.joined, (table.lock for table in tables), Lock())


def locked_tables(
    context: click.Context, project: Project, locked: Lock | None
) -> Iterator[PreparedTable]:
    """The tables of a project, prepared one by one, with the releases of the lock; raises
    SourceError for a document that is not the locked one."""
    for table in prepare_project(context, project, locked):
        if locked is not None:
            table.lock.check_documents(locked)
        yield table


def prepare_project(
    context: click.Context,
    project: Project,
    locked: Lock | None,
    pinned: Mapping[str, PinnedDocument] = {},
    is_updated: Callable[[RenderOptions], bool] = lambda _: False,
) -> Iterator[PreparedTable]:
    """The tables of a project, prepared one by one.

    The releases of tables that are not updated are those of the lock. ``pinned`` are
    documents for the others. The current folder is that of the project from here on, so
    that paths in what is generated are the same on all machines.
    """
    os.chdir(project.folder)
    given = {
        name: value
        for name, value in context.params.items()
        if name in RenderOptions._fields
        and context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    for number, values in enumerate(project.generate, 1):
        defaults = render.make_context("render", [], default_map=dict(values)).params
        options = RenderOptions(
            **{**defaults, "releases": values.get("releases", ()), **given}
        )
        requested = options.releases
        updated = is_updated(options)
        options = options._replace(pinned=pinned)
        if locked is not None and not updated:
            options = options._replace(pinned=locked.pinned())
            if options.is_of_releases:
                key = json.dumps(list(requested))
                options = options._replace(releases=locked.releases.get(key, requested))
        try:
            sources, targets = prepare(options)
            if "settings" not in given:
                check_settings(options, targets)
        except UsageError as error:
            where = error.where or f"{FILE}: {GENERATE} {number}"
            raise UsageError(error.what, where=where, hint=error.hint) from None
        _check_layout(options, sources, targets)
        lock = Lock.of(sources, options.pinned)
        if options.is_of_releases:
            lock = lock.with_releases(requested, sources)
        yield PreparedTable(options, sources, targets, lock)


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
                hint=f"output = {json.dumps(f'{output}/{placeholder}')}",
            )
    if "{release}" in output and any(target.scope == "releases" for target in targets):
        raise UsageError(
            "{release} has no meaning for a target of several releases",
            where=f"output = {json.dumps(output)}",
        )
