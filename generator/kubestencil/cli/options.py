"""Options that several commands have, and the values that they stand for."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubestencil.errors import UsageError

# Whatever only one command needs is imported by that command, so that --help and
# --version answer before Jinja2 would be loaded.
if TYPE_CHECKING:
    from kubestencil.engine import Target
    from kubestencil.source import Source

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def complete_release(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """The releases that a shell offers."""
    from kubestencil.source import available

    del context, parameter
    return [name for name in available(None) if name.startswith(incomplete)]


def complete_target(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """The targets that a shell offers."""
    from kubestencil.engine import load_targets

    del parameter
    targets = load_targets(context.params.get("templates"))
    return [name for name in targets if name.startswith(incomplete)]


specs_option: Decorator = click.option(
    "--specs",
    type=click.Path(path_type=Path),
    envvar="KUBESTENCIL_SPECS",
    metavar="DIR",
    help="A folder with documents named RELEASE.json. Without it: ./specs, then the "
    "embedded specs.",
)
templates_option: Decorator = click.option(
    "--templates",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A folder of your own targets, and of templates that shadow built-in ones.",
)
releases_argument: Decorator = click.argument(
    "releases",
    nargs=-1,
    metavar="[RELEASE|RANGE]...",
    shell_complete=complete_release,
)
out_option: Decorator = click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    default=Path("generated"),
    show_default=True,
    metavar="DIR",
    help="The folder to write to.",
)
set_option: Decorator = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="TARGET.OPTION=VALUE",
    help="Set an option of a target; may be repeated.",
)
jobs_option: Decorator = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="The number of processes.  [default: one per processor]",
)
quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="Suppress output except errors."
)
format_option: Decorator = click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "html", "json"]),
    help="The output format; by default the one that the suffix of FILE implies, "
    "else text.",
)
file_option: Decorator = click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)


def output_format(form: str | None, file: Path | None) -> str:
    """The format that was asked for, or that the file's suffix implies."""
    by_suffix = {".md": "markdown", ".html": "html", ".json": "json"}
    return form or by_suffix.get(file.suffix if file else "", "text")


def parse_settings(settings: tuple[str, ...]) -> Mapping[str, str]:
    """The values of ``--set`` by "TARGET.OPTION".

    Raises UsageError for a setting without a value.
    """
    options: dict[str, str] = {}
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(
                "must be TARGET.OPTION=VALUE",
                where=f"--set {setting}",
                hint="kubestencil targets lists the targets and their options",
            )
        options[path] = value
    return options


def find_sources(
    names: tuple[str, ...],
    specs: Path | None,
    spec: str | None,
    targets: Mapping[str, Target],
) -> list[Source]:
    """The documents to print.

    Raises UsageError for a release that no source has, and for one whose output
    folder would be that of a target of scope ``releases``.
    """
    from kubestencil.engine import check_release_names

    sources = _sources(names, specs, spec)
    check_release_names((source.release for source in sources), targets)
    return sources


def _sources(
    names: tuple[str, ...], specs: Path | None, spec: str | None
) -> list[Source]:
    from kubestencil.source import available, locate, releases, remote

    if spec is not None:
        if len(names) > 1:
            raise UsageError("--spec reads one document and takes one release name")
        return [remote.read(spec, releases.label(names[0]) if names else None)]
    wanted = names or tuple(releases.listed())
    return [locate(name, specs) for name in releases.expand(wanted, available(specs))]
