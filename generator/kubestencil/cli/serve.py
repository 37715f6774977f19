"""kubestencil serve: preview the docs site."""

from __future__ import annotations

import contextlib
import gc
import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
from kubestencil.cli.rendering.run import RenderOptions, check_settings, prepare
from kubestencil.cli.rendering.summary import report_summary
from kubestencil.cli.settings import read_project_of, trust_option
from kubestencil.engine.run_cache import clear_run_caches
from kubestencil.errors import KubestencilError, UsageError
from kubestencil.project import FILE, read_lock

if TYPE_CHECKING:
    from kubestencil.engine import Target
    from kubestencil.source import Source

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

    The site is generated first, and again whenever kubestencil.toml, a template, a
    CustomResourceDefinition, or a file that an option names changes. Without RELEASE
    and --output, it is the site of kubestencil.toml, if that has one. RELEASE and RANGE
    are as for render. Ctrl-C stops the server.
    """
    site = _project_site(context)
    if site is None:
        defaults = render.make_context("render", []).params
        options = RenderOptions(**{**defaults, **values})._replace(names=(_SITE,))
        sources, [target] = prepare(options)
        site = _Site(options, "", sources, target)
    if context.get_parameter_source("settings") is ParameterSource.COMMANDLINE:
        check_settings(site.options, [site.target])
    console.announce_sources(site.sources, quiet=False)

    def on_listening(url: str) -> None:
        click.echo(f"serving {site.folder} at {url} (press Ctrl-C to stop)")
        if open_browser:
            webbrowser.open(url)

    # Unlike a build, a server runs long enough to need garbage collection.
    gc.enable()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(
            site.folder,
            port,
            site.watched,
            build=partial(_build_site, site.options, site.layout),
            rebuild=partial(_rebuild, context, site),
            on_listening=on_listening,
        )


class _Site(NamedTuple):
    """A site that is served: how it is generated, and from what. ``layout`` is the output
    folder that a project has for it, empty without one."""

    options: RenderOptions
    layout: str
    sources: list[Source]
    target: Target

    @property
    def folder(self) -> Path:
        """The folder of the site."""
        return self.options.out / (self.layout.replace("{target}", _SITE) or _SITE)

    @property
    def watched(self) -> server.WatchedPaths:
        """The project, the template folders, the files and folders that options of the
        target name, and those of CustomResourceDefinitions."""
        templates, target = self.options.templates, self.target
        values = (str(target.options[name]) for name in target.path_options)
        # An option may be empty, or name something built in instead of a path.
        paths = (
            Path(value)
            for value in (*values, *self.options.crds)
            if value and Path(value).exists()
        )
        own = [Path(FILE)] if self.layout else []
        user_folders = [] if templates is None else [templates]
        watched = dict.fromkeys((*own, *user_folders, *target.roots, *paths))
        return server.WatchedPaths(tuple(watched), self.folder)


def _project_site(context: click.Context) -> _Site | None:
    """The site of the project of the current folder; None where it has none, or the
    command line names releases or a folder.

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
    [target] = [target for target in table.targets if target.name == _SITE]
    options = table.options._replace(names=(_SITE,), out=Path())
    return _Site(options, table.options.out.as_posix(), table.sources, target)


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


def _rebuild(context: click.Context, site: _Site) -> None:
    """Rebuild the site, as its project says now. An error is shown, and leaves the site
    as it was."""
    try:
        current = _current_site(context, site)
    except (KubestencilError, click.ClickException) as error:
        console.show_error(str(error))
        return
    build_site = partial(_build_site, current.options, current.layout)
    server.run_in_subprocess(partial(_rebuild_site, build_site))


def _current_site(context: click.Context, site: _Site) -> _Site:
    """The site as its project says now. Raises UsageError where the server would have to
    serve or watch something else."""
    clear_run_caches()
    current = _project_site(context) if site.layout else site
    if current is None or current.watched != site.watched:
        raise UsageError(
            "names other files and folders than before",
            where=FILE,
            hint="start kubestencil serve again",
        )
    return current


def _rebuild_site(build_site: Callable[[], None]) -> None:
    """Rebuild the site in a process of its own, and show an error."""

    def run() -> int:
        build_site()
        return 0

    with click.Context(serve) as context:
        context.color = console.colour()
        console.exit_code(run)
