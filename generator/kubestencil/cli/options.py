"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubestencil.cli import console
from kubestencil.errors import UsageError
from kubestencil.source import available

if TYPE_CHECKING:
    from kubestencil.checking.clusters.cluster import ClusterReader

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


def complete_kind(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Shell completion of kinds: those of the table of resources, in any case."""
    from kubestencil.schema.facts.resources import resource_facts

    del context, parameter
    names = sorted({facts.kind.kind for facts in resource_facts()})
    return [name for name in names if name.lower().startswith(incomplete.lower())]


def complete_setting(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Shell completion of ``--set``: the options of targets."""
    from kubestencil.engine import load_targets

    del parameter
    targets = load_targets(context.params.get("templates")).values()
    settings = (
        f"{target.name}.{name}=" for target in targets for name in target.options
    )
    return [setting for setting in settings if setting.startswith(incomplete)]


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
    shell_complete=complete_kind,
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
prune_option: Decorator = click.option(
    "--prune",
    is_flag=True,
    help="Remove the files of earlier runs that had more releases, kinds or options.",
)
set_option: Decorator = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="TARGET.OPTION=VALUE",
    shell_complete=complete_setting,
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
_quiet_option: Decorator = click.option(
    "-q", "--quiet", is_flag=True, help="Suppress output except errors."
)


def _be_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[console.VERBOSE] = value


verbose_option: Decorator = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=_be_verbose,
    help="Show which documents are read: name, source and sha256.",
)


def quiet_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options ``--quiet`` and ``--verbose``; the second has no parameter."""
    return verbose_option(_quiet_option(command))


def cluster_options(purpose: str) -> Decorator:
    """The option ``--cluster``, which serves a purpose, and those that need it."""
    options: Sequence[Decorator] = (
        click.option(
            "--cluster",
            is_flag=True,
            help=f"{purpose} what is in a cluster, too, which your kubectl reads; nothing "
            "is written.",
        ),
        click.option(
            "--context",
            "kube_context",
            metavar="NAME",
            help="With --cluster: the context of kubectl; by default the current one.",
        ),
        click.option(
            "--namespace",
            "namespaces",
            multiple=True,
            metavar="NAME",
            help="With --cluster: only what is in a namespace; may be repeated.",
        ),
        click.option(
            "--resource",
            "resources",
            multiple=True,
            metavar="NAME",
            help="With --cluster: only a resource, such as deployments.apps; may be "
            "repeated.",
        ),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def cluster_reader(
    cluster: bool,
    kube_context: str | None,
    namespaces: tuple[str, ...],
    resources: tuple[str, ...],
) -> ClusterReader | None:
    """What reads the cluster; None without --cluster, where UsageError is raised for
    options of it."""
    from kubestencil.checking.clusters.cluster import ClusterReader
    from kubestencil.checking.clusters.kubectl import Kubectl

    if cluster:
        return ClusterReader(Kubectl(kube_context), namespaces, resources)
    needing = {
        "--context": kube_context,
        "--namespace": namespaces,
        "--resource": resources,
    }
    for name, value in needing.items():
        if value:
            raise UsageError("needs --cluster", where=name)
    return None


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
