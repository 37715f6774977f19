"""kubestencil serve: preview the docs site."""

from __future__ import annotations

import contextlib
import gc
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kubestencil import build, server
from kubestencil.cli import console
from kubestencil.cli.options import (
    document_options,
    flag,
    jobs_option,
    limit_options,
    out_option,
    prune_option,
    releases_argument,
    set_option,
    templates_option,
    text,
    verbose_option,
)
from kubestencil.cli.render import locked_tables, render
from kubestencil.cli.rendering.run import RenderOptions, prepare
from kubestencil.cli.rendering.summary import report_summary
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.project import read_lock

if TYPE_CHECKING:
    from kubestencil.engine import Target

#: The target that is served.
_SITE = "site"


@click.command()
@releases_argument
@trust_option
@out_option
@prune_option
@document_options
@limit_options
@templates_option
@set_option
@jobs_option
@text(
    "--port",
    "PORT",
    "Port to listen on; 0 takes a free one.",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
)
@verbose_option
@flag("--open open_browser", "Open the site in a browser.")
@click.pass_context
def serve(
    context: click.Context, /, port: int, open_browser: bool, **values: Any
) -> None:
    """Serve the docs site on this machine, and rebuild it on changes.

    The site is generated first, and again whenever a template, a file that one of its
    options names, or a CustomResourceDefinition changes. Without RELEASE and --output, it
    is the site of kubestencil.toml, if that has one. RELEASE and RANGE are as for
    render. Ctrl-C stops the server.
    """
    options, layout = _project_site(context) or (
        RenderOptions(**{**render.make_context("render", []).params, **values}),
        "",
    )
    options = options._replace(names=(_SITE,))
    sources, [target] = prepare(options)
    console.announce_sources(sources, quiet=False)
    build_site = partial(_build_site, options, layout)
    folder = options.out / (layout.replace("{target}", _SITE) or _SITE)

    def on_listening(url: str) -> None:
        click.echo(f"serving {folder} at {url} (press Ctrl-C to stop)")
        if open_browser:
            webbrowser.open(url)

    # Unlike a build, a server runs long enough to need garbage collection.
    gc.enable()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(
            folder,
            port,
            server.WatchedPaths(_watched_paths(target, options), folder),
            build=build_site,
            rebuild=partial(server.run_in_subprocess, partial(_rebuild, build_site)),
            on_listening=on_listening,
        )


def _project_site(context: click.Context) -> tuple[RenderOptions, str] | None:
    """How the project of the current folder generates its site, and the folder of that;
    None where it has none, or the command line names releases or a folder.

    The current folder is that of the project from here on.
    """
    named = map(context.get_parameter_source, ("releases", "out"))
    if ParameterSource.COMMANDLINE in named:
        return None
    project = read_project_of(context)
    tables = (
        [table for table in project.generate if _SITE in table.get("names", ())]
        if project
        else []
    )
    if project is None or not tables:
        return None
    of_site = project._replace(generate=tuple(tables[:1]))
    [table] = locked_tables(context, of_site, read_lock(project.folder))
    return table.options._replace(out=Path()), table.options.out.as_posix()


def _build_site(options: RenderOptions, layout: str) -> None:
    """Generate the site of the current files and templates, and show a summary."""
    clear_run_caches()
    sources, targets = prepare(options)
    covered = (
        []
        if layout
        else build.find_covered(sources, targets, options.out, options.documents)
    )
    with console.ProgressBar("reading", quiet=False) as bar:
        summary = build.render(
            [build.BuildRequest(sources, targets, covered)],
            options.out,
            jobs=options.jobs,
            prune=options.prune,
            layout=layout,
            progress=bar.jobs,
        )
    report_summary(summary, options.out, quiet=False)


def _rebuild(build_site: Callable[[], None]) -> None:
    """Rebuild the site. An error is shown, and leaves the site as it was."""

    def run() -> int:
        build_site()
        return 0

    with click.Context(serve) as context:
        context.color = console.colour()
        console.exit_code(run)


def _watched_paths(target: Target, options: RenderOptions) -> tuple[Path, ...]:
    """The template folders, the files and folders that options of the target name, and
    those of CustomResourceDefinitions."""
    user_folders = () if options.templates is None else (options.templates,)
    values = (str(target.options[name]) for name in target.path_options)
    # An option may be empty, or name something built in instead of a path.
    paths = (
        Path(value)
        for value in (*values, *options.crds)
        if value and Path(value).exists()
    )
    return tuple(dict.fromkeys((*user_folders, *target.roots, *paths)))
