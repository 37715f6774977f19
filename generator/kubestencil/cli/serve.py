"""kubestencil serve: preview the docs site."""

from __future__ import annotations

import contextlib
import gc
import webbrowser
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kubestencil import build, server
from kubestencil.cli import console
from kubestencil.cli.documents import find_sources
from kubestencil.cli.options import (
    flag,
    jobs_option,
    out_option,
    parse_settings,
    releases_argument,
    set_option,
    specs_option,
    templates_option,
    text,
    verbose_option,
)
from kubestencil.cli.render import report_summary
from kubestencil.engine import choose_targets, load_targets
from kubestencil.source.find import DocumentOptions
from kubestencil.source.releases import release_order

if TYPE_CHECKING:
    from kubestencil.engine import Target
    from kubestencil.source import Source

#: The target that is served, and its folder in the output folder.
_SITE = "site"


@click.command()
@releases_argument
@out_option
@specs_option
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
def serve(
    releases: tuple[str, ...],
    out: Path,
    specs: Path | None,
    templates: Path | None,
    settings: tuple[str, ...],
    jobs: int,
    port: int,
    open_browser: bool,
) -> None:
    """Serve the docs site on this machine, and rebuild it on changes.

    The site is generated first, and again whenever a template, or a file that one of
    its options names, changes. RELEASE and RANGE are as for render. Ctrl-C stops the
    server.
    """
    available = load_targets(templates)
    sources = find_sources(releases, None, DocumentOptions(specs), available)
    options = parse_settings(settings)
    [target] = choose_targets(available, [_SITE], options, len(sources))
    sources += build.find_covered(sources, [target], out, DocumentOptions(specs))
    sources.sort(key=lambda source: release_order(source.release))
    console.announce_sources(sources, quiet=False)
    build_site = partial(_build_site, sources, out, templates, options, jobs)

    def on_listening(url: str) -> None:
        click.echo(f"serving {out / _SITE} at {url} (press Ctrl-C to stop)")
        if open_browser:
            webbrowser.open(url)

    # Unlike a build, a server runs long enough to need garbage collection.
    gc.enable()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(
            out / _SITE,
            port,
            server.WatchedPaths(_watched_paths(target, templates), out),
            build=build_site,
            rebuild=partial(server.run_in_subprocess, partial(_rebuild, build_site)),
            on_listening=on_listening,
        )


def _build_site(
    sources: list[Source],
    out: Path,
    templates: Path | None,
    options: Mapping[str, str],
    jobs: int,
) -> None:
    """Generate the site with the current templates, and show a summary."""
    targets = choose_targets(load_targets(templates), [_SITE], options, len(sources))
    with console.ProgressBar("reading", quiet=False) as bar:
        summary = build.render(
            sources, targets, out, jobs=jobs, overwrite=False, progress=bar.jobs
        )
    report_summary(summary, out, quiet=False)


def _rebuild(build_site: Callable[[], None]) -> None:
    """Rebuild the site. An error is shown, and leaves the site as it was."""

    def run() -> int:
        build_site()
        return 0

    with click.Context(serve) as context:
        context.color = console.colour()
        console.exit_code(run)


def _watched_paths(target: Target, templates: Path | None) -> tuple[Path, ...]:
    """The template folders, and the files and folders that options name."""
    user_folders = () if templates is None else (templates,)
    values = (str(target.options[name]) for name in target.path_options)
    # An option may be empty, or name something built in instead of a path.
    paths = (Path(value) for value in values if value and Path(value).exists())
    return tuple(dict.fromkeys((*user_folders, *target.roots, *paths)))
