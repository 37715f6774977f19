"""Finds and reads kubestencil.toml.

A project file can come from a stranger, as part of a repository. Unless it is trusted, it
names no code (templates, and files of options that are code), and nothing outside of its
folder.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil import regular_file
from kubestencil.engine import Target
from kubestencil.errors import UsageError, nearest
from kubestencil.file_names import portable
from kubestencil.output_paths import PROJECT_FILE, hidden_parts, is_path
from kubestencil.source.helm import OCI
from kubestencil.source.locate import FETCHED

FILE = PROJECT_FILE
#: The table of what ``render`` generates; there may be several.
GENERATE = "generate"
#: Of a project file.
MAX_BYTES = 1 << 20
# Settings of folders in which links are followed.
_FOLLOWED = ("crds", "spec", "spec-dir", "specs", "set")
_TRUST = "pass --trust"
_TYPES: Mapping[type, str] = {
    bool: "true or false",
    int: "a number",
    str: "a string",
    list: "a list of strings",
}


class Setting(NamedTuple):
    """A key of a table: an option of a command.

    ``parameter`` is the name of its value in the code, ``about`` what it does, for
    people. ``is_code`` is whether its value can run code.
    """

    name: str
    parameter: str
    type: type
    about: str
    is_code: bool = False


#: The settings of each table by name.
Settings = Mapping[str, Mapping[str, Setting]]


class Project(NamedTuple):
    """A project: the folder of its file, and the values of its tables by parameter."""

    folder: Path
    generate: tuple[Mapping[str, Any], ...]
    commands: Mapping[str, Mapping[str, Any]]


def find_project(folder: Path) -> Path | None:
    """The project file in ``folder``, or in the nearest folder above it that has one."""
    paths = (parent / FILE for parent in (folder, *folder.parents))
    return next((path for path in paths if path.is_file()), None)


def read_project(
    path: Path, settings: Settings, targets: Mapping[str, Target], *, trusted: bool
) -> Project:
    """Read a project file.

    Raises UsageError with the file and the key for what is no setting or of another
    type, and for what only a trusted file may have.
    """
    document = _read_document(path)
    generate: list[Mapping[str, Any]] = []
    commands: dict[str, Mapping[str, Any]] = {}
    for name, value in document.items():
        where = _check_table(path, name, settings)
        if name == GENERATE:
            tables = value if isinstance(value, list) else [None]
            for number, table in enumerate(tables, 1):
                generate.append(_read_table(table, f"{where} {number}", settings[name]))
        else:
            commands[name] = _read_table(value, where, settings[name])
    if not trusted:
        for name, value in document.items():
            for table in value if isinstance(value, list) else [value]:
                _refuse_code(path, name, table, settings[name], targets)
    elif (path.parent / FETCHED).is_dir():
        # To trust a project is to name the folder of documents that it has.
        generate = [{"specs": str(FETCHED), **table} for table in generate]
    project = Project(path.parent, tuple(generate), commands)
    _check_outputs(path, project.generate, trusted=trusted)
    return project


def read_settings(
    path: Path,
    name: str,
    settings: Mapping[str, Setting],
    tables: Collection[str],
    *,
    trusted: bool,
) -> Mapping[str, Any]:
    """The values of one table of a project file, such as that of ``check``. Of the other
    ``tables`` that it can have, nothing is looked at. Raises as ``read_project``."""
    document = _read_document(path)
    for other in document:
        _check_table(path, other, tables)
    table = document.get(name, {})
    values = _read_table(table, f"{path}: {name}", settings)
    if not trusted:
        _refuse_code(path, name, table, settings, {})
    return values


def _read_document(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(regular_file.read(path, MAX_BYTES).decode())
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"cannot be read: {reason}", where=str(path)) from error


def _check_table(path: Path, name: str, tables: Collection[str]) -> str:
    """Where a table is. Raises UsageError for one that is none of a project file."""
    where = f"{path}: {name}"
    if name not in tables:
        raise UsageError("unknown table", where=where, hint=nearest(name, tables))
    return where


def _read_table(
    table: Any, where: str, settings: Mapping[str, Setting]
) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise UsageError("must be a table", where=where, hint=f"write [[{GENERATE}]]")
    values = {}
    for name, value in table.items():
        setting = settings.get(name)
        if setting is None:
            current = [key for key, known in settings.items() if key == known.name]
            raise UsageError(
                "unknown setting", where=f"{where}.{name}", hint=nearest(name, current)
            )
        is_typed = type(value) is setting.type
        if not is_typed or any(not isinstance(text, str) for text in _items(value)):
            is_text = setting.type is list and isinstance(value, str)
            raise UsageError(
                f"must be {_TYPES[setting.type]}",
                where=f"{where}.{name}",
                hint=f"write [{value!r}]" if is_text else "",
            )
        values[setting.parameter] = tuple(value) if setting.type is list else value
    return values


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _refuse_code(
    path: Path,
    name: str,
    table: Mapping[str, Any],
    settings: Mapping[str, Setting],
    targets: Mapping[str, Target],
) -> None:
    """Raise UsageError for what only a trusted file may name in a table."""
    for key, value in table.items():
        where = f"{path}: {name}.{key}"
        texts = [str(text) for text in _items(value) or [value]]
        is_code = settings[key].is_code
        if key == "set":
            options = [option for text in texts if (option := _path(text, targets))]
            texts = [file for file, _ in options]
            is_code = not all(is_data for _, is_data in options)
        if is_code:
            raise UsageError(
                "can run code", where=where, hint=f"read the file, then {_TRUST}"
            )
        if key in _FOLLOWED:
            texts += [link for text in texts for link in _links(path.parent, text)]
        if any(_leads_out(path.parent, text) for text in texts):
            raise UsageError(
                "leads out of the folder of the project",
                where=where,
                hint=f"name something inside it, or {_TRUST}",
            )


def _path(setting: str, targets: Mapping[str, Target]) -> tuple[str, bool] | None:
    """The path that ``TARGET.OPTION=VALUE`` names, and whether what is there is data; None
    where the option is no path."""
    option, _, value = setting.partition("=")
    name, _, option = option.partition(".")
    target = targets.get(name)
    if target is None or option not in target.path_options:
        return None
    return value, option in target.data_options


def _leads_out(folder: Path, text: str) -> bool:
    """Whether a text is a path out of a folder, also through links, or that of a pipe, or
    an address that is not public. ``NAME=PATH`` has a path, too."""
    for location in (text, text.partition("=")[2]):
        if "://" in location:
            if not location.startswith(("https://", OCI)):
                return True
            continue
        path = folder / location
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            mode = stat.S_IFREG
        except (OSError, ValueError):
            # NUL, a name that is too long, and links that lead to each other.
            return True
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            return True
        # Unlike resolve, realpath is the same in all versions of Python.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
            return True
    return False


def _links(folder: Path, text: str) -> Iterator[str]:
    """The links in a folder that a text names."""
    for location in (text, text.partition("=")[2]):
        for parent, folders, files in os.walk(folder / location if location else ""):
            paths = map(Path(parent).joinpath, folders + files)
            yield from (str(path) for path in paths if path.is_symlink())


def _check_outputs(
    path: Path, generate: tuple[Mapping[str, Any], ...], *, trusted: bool
) -> None:
    """Raise UsageError for an output that cannot be a folder of the project, or is that of
    another table, or inside of it; and for one that tools obey, if not ``trusted``."""
    outputs: list[str] = []
    for number, values in enumerate(generate, 1):
        where = f"{path}: {GENERATE} {number}.output"
        output = str(values.get("out", ""))
        plain = output.replace("{release}", "release").replace("{target}", "target")
        if not is_path(plain) or any(
            name != portable(name) for name in plain.split("/")
        ):
            raise UsageError(
                "must be a folder inside the project, such as src/acme/k8s",
                where=where,
            )
        if hidden_parts(plain) and not trusted:
            raise UsageError(
                f"is hidden: tools may run what is in {hidden_parts(plain)[0]}",
                where=where,
                hint=f"name another folder, or {_TRUST}",
            )
        for other in outputs:
            if f"{plain}/".startswith(f"{other}/") or f"{other}/".startswith(
                f"{plain}/"
            ):
                raise UsageError(f"is inside of another output: {other}", where=where)
        outputs.append(plain)
