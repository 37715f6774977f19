"""The settings of kubestencil.toml: the options of commands, by the same names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import click

from kubestencil.engine import load_targets
from kubestencil.project import Project, Setting, Settings, find_project, read_project

#: The key in the context of all commands for whether --trust was given.
TRUST = "kubestencil.trust"
#: The commands whose options are settings, by the name of their table.
TABLES = {"generate": "render", "check": "check", "diff": "diff"}
# Options of one run, which no file decides.
_OF_A_RUN = frozenset(
    [
        "all",
        "check",
        "cluster",
        "context",
        "dry-run",
        "fix",
        "helm",
        "help",
        "jobs",
        "kustomize",
        "locked",
        "namespace",
        "overwrite",
        "prune",
        "quiet",
        "resource",
        "verbose",
    ]
)
# Templates come with filters, which are Python.
_CODE = frozenset(["templates"])


def read_project_of(context: click.Context) -> Project | None:
    """The project of the current folder, None without a file; raises as
    ``read_project``."""
    path = find_project(Path.cwd())
    if path is None:
        return None
    root = context.find_root()
    return read_project(
        path,
        settings(cast("click.Group", root.command)),
        load_targets(context.params.get("templates")),
        trusted=bool(root.meta.get(TRUST)),
    )


def settings(commands: click.Group) -> Settings:
    """The settings of each table, from the options of its command."""
    return {table: _settings(commands, name) for table, name in TABLES.items()}


def _settings(commands: click.Group, name: str) -> dict[str, Setting]:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    # Only the folders of what is generated belong to kubestencil.
    hidden = _OF_A_RUN if name == TABLES["generate"] else {*_OF_A_RUN, "output"}
    table = {}
    for parameter in command.params:
        option = max(parameter.opts, key=len).lstrip("-")
        if isinstance(parameter, click.Argument) and parameter.name == "releases":
            about = "Releases and ranges, such as 1.35, latest and 1.33..; all without."
        elif isinstance(parameter, click.Argument) and parameter.name == "paths":
            about = (
                "Files and folders with manifests, where the command line names none."
            )
        elif isinstance(parameter, click.Option) and option not in hidden:
            about = parameter.help or ""
        else:
            continue
        table[option] = Setting(
            option, str(parameter.name), _type(parameter), about, option in _CODE
        )
    return table


def _type(parameter: click.Parameter) -> type:
    if getattr(parameter, "is_flag", False):
        return bool
    if parameter.multiple or parameter.nargs != 1:
        return list
    return int if isinstance(parameter.type, click.types.IntParamType) else str


def defaults(context: click.Context, command: str) -> dict[str, Any]:
    """What the project file says of a command's options. Paths are relative to the
    folder of the file."""
    project = read_project_of(context)
    if project is None:
        return {}
    group = cast("click.Group", context.command)
    known = group.get_command(context, command)
    assert known is not None
    values = dict(project.commands.get(command, {}))
    for parameter in known.params:
        if parameter.name in values and _is_path(parameter):
            values[parameter.name] = _from_here(project.folder, values[parameter.name])
    return values


def _is_path(parameter: click.Parameter) -> bool:
    metavar = parameter.metavar or ""
    return (
        isinstance(parameter.type, click.Path)
        or "FILE" in metavar
        or "DIR" in metavar
        or parameter.name == "paths"
    )


def _from_here(folder: Path, value: Any) -> Any:
    """The paths of a project in ``folder``, as the current folder sees them."""
    if isinstance(value, tuple):
        return tuple(_from_here(folder, text) for text in value)
    is_elsewhere = "://" in value or value == "-" or Path(value).is_absolute()
    return value if is_elsewhere else os.path.relpath(folder / value)
