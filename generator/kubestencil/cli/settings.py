"""The settings of kubestencil.toml: the options of commands, by the same names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import click

from kubestencil.cli import console
from kubestencil.cli.help import RENAMED
from kubestencil.cli.options import Decorator, flag
from kubestencil.engine import load_targets
from kubestencil.project import (
    Project,
    Setting,
    Settings,
    find_project,
    read_project,
    read_settings,
)

_TRUSTING = "Let kubestencil.toml name templates, which are code, and files elsewhere."
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
        "finish",
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
        "shard",
        "trust",
        "verbose",
    ]
)
# Templates come with filters, which are Python.
_CODE = frozenset(["templates"])


def _trust(context: click.Context, _: click.Parameter, value: bool) -> None:
    # All contexts of a run have it in common.
    context.meta[console.TRUST] = value or _is_trusted(context)


#: ``--trust`` of a command that reads a project; it has no parameter.
trust_option = flag("--trust", _TRUSTING, expose_value=False, callback=_trust)


def read_project_of(context: click.Context) -> Project | None:
    """The project of the current folder, None without a file; raises as
    ``read_project``."""
    path = find_project(Path.cwd())
    if path is None:
        return None
    return read_project(
        path,
        settings(cast("click.Group", context.find_root().command)),
        load_targets(context.params.get("templates")),
        trusted=_is_trusted(context),
    )


def _is_trusted(context: click.Context) -> bool:
    return bool(context.meta.get(console.TRUST))


def settings(commands: click.Group) -> Settings:
    """The settings of each table, from the options of its command."""
    tables = {}
    for table, name in TABLES.items():
        tables[table] = _settings(_command(commands, name))
    return tables


def _command(commands: click.Group, name: str) -> click.Command:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    return command


def _settings(command: click.Command) -> dict[str, Setting]:
    # Only the folders of what is generated belong to kubestencil.
    is_rendering = command.name == TABLES["generate"]
    hidden = _OF_A_RUN if is_rendering else {*_OF_A_RUN, "output"}
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
    for old, new in RENAMED.items():
        setting = table.get(new.removeprefix("--"))
        if setting is not None:
            about = f"The earlier name of {setting.name}."
            table[old.removeprefix("--")] = setting._replace(about=about)
    return table


def _type(parameter: click.Parameter) -> type:
    if getattr(parameter, "is_flag", False):
        return bool
    if parameter.multiple or parameter.nargs != 1:
        return list
    return int if isinstance(parameter.type, click.types.IntParamType) else str


def settings_option(table: str) -> Decorator:
    """The option ``--trust`` of a command, whose defaults are in a table of the project
    file. Paths there are relative to its folder. It comes before other options, which
    need these defaults."""

    def read(context: click.Context, option: click.Parameter, value: bool) -> None:
        _trust(context, option, value)
        path = find_project(Path.cwd())
        if path is None or context.resilient_parsing:
            return
        # The language server has the table of another command.
        group = cast("click.Group", context.find_root().command)
        command = _command(group, TABLES[table])
        known, trusted = _settings(command), _is_trusted(context)
        values = dict(read_settings(path, table, known, TABLES, trusted=trusted))
        for parameter in command.params:
            if parameter.name in values and _is_path(parameter):
                values[parameter.name] = _from_here(path.parent, values[parameter.name])
        context.default_map = values

    return flag("--trust", _TRUSTING, is_eager=True, expose_value=False, callback=read)


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
