"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from kubestencil.errors import UsageError
from kubestencil.source import available

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def complete_release(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Shell completion of releases."""
    del context, parameter
    return [name for name in available(None) if name.startswith(incomplete)]


def complete_target(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Shell completion of targets."""
    from kubestencil.engine import load_targets

    del parameter
    targets = load_targets(context.params.get("templates"))
    return [name for name in targets if name.startswith(incomplete)]


specs_option: Decorator = click.option(
    "--specs",
    type=click.Path(path_type=Path),
    envvar="KUBESTENCIL_SPECS",
    show_envvar=True,
    metavar="DIR",
    help="Folder with documents named RELEASE.json, searched before ./specs and the "
    "embedded documents.",
)
crds_option: Decorator = click.option(
    "--crds",
    multiple=True,
    metavar="FILE|DIR|URL|-",
    help="CustomResourceDefinitions to add to each release; alone without one. May be "
    "repeated.",
)
unserved_option: Decorator = click.option(
    "--unserved",
    is_flag=True,
    help="Include the versions of CustomResourceDefinitions that are not served.",
)
groups_option: Decorator = click.option(
    "--group",
    "groups",
    multiple=True,
    metavar="GROUP",
    help="Only the kinds of an API group, such as apps or core, and what they refer to; "
    "may be repeated.",
)
kinds_option: Decorator = click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Only a kind, such as Pod, or another type, and what it refers to; may be "
    "repeated.",
)
templates_option: Decorator = click.option(
    "--templates",
    type=click.Path(path_type=Path),
    is_eager=True,  # Other options have the names of what is in it as values.
    metavar="DIR",
    help="Folder with your own targets, and with files that replace those of built-in "
    "targets.",
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
    help="Output folder.",
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
    show_default="number of processors",
    metavar="N",
    help="Number of parallel processes; large documents get fewer.",
)
quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="Suppress output except errors."
)
file_option: Decorator = click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    is_eager=True,  # Its suffix may imply the format.
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)


def parse_settings(settings: tuple[str, ...]) -> Mapping[str, str]:
    """Read the values of ``--set`` into a mapping by "TARGET.OPTION".

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
