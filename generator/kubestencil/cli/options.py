"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kubestencil.cli import console
from kubestencil.errors import UsageError
from kubestencil.shards import Shard, read_shard
from kubestencil.source import available

if TYPE_CHECKING:
    from kubestencil.checking.clusters.cluster import ClusterReader
    from kubestencil.engine import Target

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def _completing(names: Callable[[click.Context], Iterable[str]]) -> Complete:
    """Shell completion of names, in any case."""

    def complete(
        context: click.Context, _: click.Parameter, incomplete: str
    ) -> list[str]:
        begin = incomplete.lower()
        return [name for name in names(context) if name.lower().startswith(begin)]

    return complete


def _targets(context: click.Context) -> Mapping[str, Target]:
    from kubestencil.engine import load_targets

    return load_targets(context.params.get("templates"))


def _kinds(_: click.Context) -> Iterable[str]:
    from kubestencil.schema.knowledge.kinds import kind_names

    return kind_names()


def _settings(context: click.Context) -> Iterator[str]:
    for target in _targets(context).values():
        yield from (f"{target.name}.{name}=" for name in target.options)


#: Shell completion of releases, targets, kinds, and options of targets.
complete_release = _completing(lambda _: available(None))
complete_target = _completing(_targets)
complete_kind = _completing(_kinds)
complete_setting = _completing(_settings)


def text(names: str, metavar: str, about: str, **more: Any) -> Decorator:
    """An option whose value is a text. ``names`` are as ``click.option`` takes them, with
    blanks between; ``more`` are other arguments of it."""
    return click.option(*names.split(), metavar=metavar, help=about, **more)


def texts(names: str, metavar: str, about: str, **more: Any) -> Decorator:
    """The same of one that may be repeated."""
    about = f"{about}; may be repeated."
    return text(names, metavar, about, multiple=True, **more)


def flag(names: str, about: str, **more: Any) -> Decorator:
    """An option without a value."""
    return click.option(*names.split(), is_flag=True, help=about, **more)


class _LocalPath(click.Path):
    """A path, which an address is not."""

    def __init__(self, what: str, **more: Any) -> None:
        super().__init__(path_type=Path, **more)
        self._what = what

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        if "://" in str(value):
            self.fail(f"{value} is an address; name a {self._what}", param, ctx)
        return super().convert(value, param, ctx)


def file_path(names: str, metavar: str, about: str, **more: Any) -> Decorator:
    """An option that is the path of a file."""
    type_ = _LocalPath("file", dir_okay=False)
    return text(names, metavar, about, type=type_, **more)


def folder_path(names: str, about: str, **more: Any) -> Decorator:
    """An option that is the path of a folder."""
    return text(names, "DIR", about, type=_LocalPath("folder"), **more)


def several(*options: Decorator) -> Decorator:
    """Options that belong together."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


specs_option = folder_path(
    "--spec-dir specs",
    "Folder with specs named RELEASE.json, searched before ./specs and the embedded "
    "ones.",
    envvar="KUBESTENCIL_SPECS",
    show_envvar=True,
)
crds_option = texts(
    "--crds", "FILE|DIR|URL", "CustomResourceDefinitions of custom resources"
)
unserved_option = flag(
    "--unserved",
    "Include the versions of CustomResourceDefinitions that are not served.",
)
#: Where documents are, and CustomResourceDefinitions that are added to them.
document_options = several(
    specs_option,
    texts(
        "--crds",
        "FILE|DIR|URL|-",
        "CustomResourceDefinitions to add to each release, or alone without one",
    ),
    unserved_option,
)
#: What is used of a document.
limit_options = several(
    texts(
        "--group groups",
        "GROUP",
        "Only the kinds of an API group, such as apps or core, and what they refer to",
    ),
    texts(
        "--kind kinds",
        "KIND",
        "Only a kind, such as Pod, or another type, and what it refers to",
        shell_complete=complete_kind,
    ),
)
# Other options have the names of what is in it as values.
templates_option = folder_path(
    "--templates",
    "Folder with your own targets, and with files that replace those of built-in targets.",
    is_eager=True,
)
releases_argument: Decorator = click.argument(
    "releases",
    nargs=-1,
    metavar="[RELEASE|RANGE]...",
    shell_complete=complete_release,
)
out_option = folder_path(
    "-o --output out",
    "Output folder.",
    default=Path("generated"),
    show_default=True,
)
prune_option = flag(
    "--prune",
    "Remove the files of earlier runs that had more releases, kinds or options.",
)
set_option = texts(
    "--set settings",
    "TARGET.OPTION=VALUE",
    "Set an option of a target",
    shell_complete=complete_setting,
)
jobs_option = text(
    "-j --jobs",
    "N",
    "Number of parallel processes; large specs get fewer.",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="number of processors",
)
fail_on_option: Decorator = click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note", "new"]),
    default="error",
    show_default=True,
    help="Exit 1 if there is a finding of this severity or a more severe one; new: an "
    "error that the upgrade of --from brings.",
)
show_skipped_option = flag(
    "--show-skipped", "List what was not checked, with file and line."
)
fail_on_skipped_option = flag(
    "--fail-on-skipped", "Exit 1 if anything was not checked."
)
# Its suffix may imply the format.
file_option = file_path(
    "-o --output file",
    "FILE",
    "Write to FILE instead of standard output.",
    is_eager=True,
)


def _read_shard(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> Shard | None:
    return None if value is None else read_shard(value)


def shard_option(about: str) -> Decorator:
    """The option ``--shard``, whose value is a ``Shard``."""
    return text("--shard", "I/N", about, callback=_read_shard)


def _be_verbose(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[console.VERBOSE] = value


verbose_option = flag(
    "-v --verbose",
    "Show which specs are read: name, source and sha256.",
    expose_value=False,
    callback=_be_verbose,
)
#: ``--quiet`` and ``--verbose``; the second has no parameter.
quiet_option = several(
    flag("-q --quiet", "Suppress output except errors."), verbose_option
)


def cluster_options(purpose: str) -> Decorator:
    """The option ``--cluster``, which serves a purpose, and those that need it."""
    with_cluster = "With --cluster:"
    return several(
        flag(
            "--cluster",
            f"{purpose} what is in a cluster, too, which your kubectl reads; nothing is "
            "written.",
        ),
        text(
            "--context kube_context",
            "NAME",
            f"{with_cluster} the context of kubectl; by default the current one.",
        ),
        texts(
            "--namespace namespaces",
            "NAME",
            f"{with_cluster} only what is in a namespace",
        ),
        texts(
            "--resource resources",
            "NAME",
            f"{with_cluster} only a resource, such as deployments.apps",
        ),
    )


def cluster_reader(
    cluster: bool,
    kube_context: str | None,
    namespaces: tuple[str, ...],
    resources: tuple[str, ...],
) -> ClusterReader | None:
    """What reads the cluster; None without --cluster, where UsageError is raised for
    options of it."""
    if cluster:
        from kubestencil.checking.clusters.cluster import ClusterReader
        from kubestencil.checking.clusters.kubectl import Kubectl

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
