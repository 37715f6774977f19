"""kubestencil init and update: begin a project, and bring it to the newest documents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import click

from kubestencil.checking import Report
from kubestencil.cli import console
from kubestencil.cli.check import check
from kubestencil.cli.check.job import CheckOptions, report_on
from kubestencil.cli.documents import find_sources
from kubestencil.cli.options import (
    complete_target,
    file_path,
    flag,
    jobs_option,
    quiet_option,
    text,
)
from kubestencil.cli.render import (
    PreparedTable,
    generate_table,
    joined_lock,
    locked_tables,
    prepare_project,
    render,
)
from kubestencil.cli.rendering.run import RenderOptions
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine import find_target, load_targets
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.errors import KubestencilError, UsageError, nearest
from kubestencil.output_paths import real_path
from kubestencil.project import (
    FILE,
    Lock,
    Project,
    look_up,
    read_lock,
    write_locations,
    write_lock,
)
from kubestencil.project.newest import INDEX
from kubestencil.project.summary import Update, summary
from kubestencil.source.find import DocumentOptions
from kubestencil.source.releases import release_order

_TEMPLATE = """\
# What kubestencil generates here: "kubestencil render" writes it, "kubestencil render
# --check" fails where it is out of date, "kubestencil update" brings newer releases.
# A setting is an option of "kubestencil render" of that name.

[[generate]]
target = ["{target}"]
# Also ranges: ["1.33..1.35"], ["latest-2.."].
releases = ["{release}"]
# The folder of the files, with {{release}} where there are several.
output = "{output}"
# kind = ["Deployment", "Pod"]
# crds = ["crds/"]

# Defaults of "kubestencil check".
# [check]
# to = "{release}"
"""


@click.command()
@text(
    "-t --target",
    "TARGET",
    "Target to generate.",
    default="python",
    show_default=True,
    shell_complete=complete_target,
)
@text(
    "--release",
    "RELEASE",
    "Release to generate it for.",
    default="latest",
    show_default=True,
)
def init(target: str, release: str) -> None:
    """Write a kubestencil.toml to begin with.

    A file that is there is never replaced.
    """
    targets = load_targets(None)
    find_target(target, targets)
    find_sources((release,), None, DocumentOptions(), targets)
    content = _TEMPLATE.format(
        target=target, release=release, output=f"generated/{target}"
    )
    if Path(FILE).exists() or Path(FILE).is_symlink():
        raise UsageError("exists already", where=FILE, hint="edit it")
    console.write_result(content, Path(FILE))
    click.echo(f"wrote {FILE}; now run kubestencil render")


@click.command()
@click.argument(
    "names", nargs=-1, metavar="[TARGET]...", shell_complete=complete_target
)
@flag("--dry-run", "Write nothing; print what changes.")
@flag("--offline", "Ask no server; use the specs that are here.")
@text(
    "--index",
    "URL",
    "Where the newest release is looked up: a text with its version, or a table of "
    "releases as in specs/releases.toml.",
    default=INDEX,
    show_default=True,
)
@file_path(
    "--summary file",
    "FILE",
    "Write what changed as Markdown, such as the text of a pull request.",
)
@jobs_option
@quiet_option
@trust_option
@click.pass_context
def update(
    context: click.Context,
    names: tuple[str, ...],
    dry_run: bool,
    offline: bool,
    index: str,
    file: Path | None,
    jobs: int,
    quiet: bool,
) -> None:
    """Generate a project from the newest specs.

    Releases and ranges of kubestencil.toml are looked up again, among the specs that
    are here and those of newer releases of Kubernetes. Addresses of
    CustomResourceDefinitions with a version in them get the newest version, in the file,
    too. With TARGET, only the tables that generate it are updated. The lock and all files
    are made anew, and what changed is printed as Markdown.
    """
    clear_run_caches()
    project = read_project_of(context)
    if project is None or not project.generate:
        raise UsageError(
            f"there is no {FILE} with [[generate]] here or above",
            hint="kubestencil init writes one",
        )
    if file is not None:
        # Before anything is written.
        console.require_folder_of(file)
        real_path(file)
        file = file.absolute()
    os.chdir(project.folder)
    generated = {name for table in project.generate for name in table.get("names", ())}
    for name in names:
        if name not in generated:
            raise UsageError(
                f"no table of {FILE} generates {name!r}", hint=nearest(name, generated)
            )

    def is_updated(options: RenderOptions) -> bool:
        return not names or not set(names).isdisjoint(options.names)

    old = read_lock(project.folder)
    rendering = render.make_context("render", [])
    before, notes = _tables_before(rendering, project, old)
    lookup = look_up(project, old or Lock(), names, None if offline else index)
    prepared = prepare_project(
        rendering, lookup.project, old, lookup.pinned, is_updated
    )
    tables = list(prepared)
    lock = joined_lock(tables)
    if not dry_run:
        defaults = RenderOptions(**rendering.params)
        run = defaults._replace(prune=True, jobs=jobs, quiet=True)
        for table in tables:
            generate_table(table, run)
        write_locations(Path(), lookup.locations)
        if lock != old:
            write_lock(Path(), lock)
    updates = [
        Update(
            table_before.sources if table_before else (), table.sources, table.targets
        )
        for table_before, table in zip_longest(before, tables)
        if table is not None
    ]
    report = _report(context, lookup.project, updates)
    changes = summary(
        old or Lock(),
        lock,
        lookup.locations,
        [*lookup.notes, *notes],
        updates,
        report,
    )
    if file is not None:
        console.write_result(changes, file)
    if not quiet:
        console.write_result(changes, None)


def _tables_before(
    rendering: click.Context, project: Project, old: Lock | None
) -> tuple[list[PreparedTable], list[str]]:
    """The tables as the lock has them, and why they are not compared, if so.

    A table whose releases were edited since is compared with the newest release of the
    lock.
    """
    if old is None or not any(old.releases.values()):
        return [], []
    newest = max(
        (names[-1] for names in old.releases.values() if names), key=release_order
    )
    edited = {
        json.dumps(list(values.get("releases", ()))): (newest,)
        for values in project.generate
    }
    locked = old._replace(releases={**edited, **old.releases})
    try:
        return list(locked_tables(rendering, project, locked)), []
    except KubestencilError as error:
        return [], [f"not compared with what was generated before: {error}"]


def _report(
    parent: click.Context, project: Project, updates: Iterable[Update]
) -> Report | None:
    """What is wrong with the project's own manifests in the newest of what is new."""
    context = check.make_context(str(check.name), [], parent=parent)
    context.params.pop("templates")
    # Those of the file, or newer ones.
    crds = project.commands.get(str(check.name), {}).get("crds", ())
    options = CheckOptions(**{**context.params, "crds": crds})
    pairs = [pair for update in updates for pair in update.pairs()]
    if not options.paths or not pairs:
        return None
    pair = max(pairs, key=lambda pair: release_order(pair[1].release))
    sources = [replace(source, selection=None) for source in pair]
    if options.crds:
        documents = DocumentOptions(crds=options.crds, unserved=options.unserved)
        sources = documents.complete(replace(source, crds=None) for source in sources)
    return report_on(options, *sources)
