"""What a target says about itself: ``target.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.errors import TargetError, UsageError, nearest
from generator.resources import resource

_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")

#: What can put the output of a user's template into shape.
FORMATS = ("black",)

#: What a target can be printed over.
OVER = ("release", "releases")

Value = str | bool | int | float
Quirk = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FileRule:
    """One kind of file that a target prints.

    ``each`` is what the view prints a file for; ``path`` a pattern such as ``docs/{name}.md``,
    relative to the target's folder, or to that of a part of it; ``template`` the
    template's file, empty where the view has the bytes; ``format`` one of
    ``FORMATS``, for what a user's own template prints, or empty.
    """

    each: str
    path: str
    template: str
    format: str


@dataclass(frozen=True, slots=True)
class Target:
    """One ``target.toml``.

    ``view`` names what the templates are given (``generator.target.view``),
    ``folders`` where the templates are, the user's before the built-in one,
    and ``roots`` the folders that all targets are in.
    ``spelling`` and ``types`` are read by the view; ``options`` are the user's
    to set; ``quirks`` the accidents of the published format that are kept, each
    with its ``reason``; ``fixups`` the corrections of the document that it needs,
    likewise (``generator.target.fixup``). ``reads`` names the options that are
    files or folders which decide what is printed. ``over`` says whether it is
    printed for each ``release``, or once over all ``releases``, of which it needs
    at ``least`` so many. ``borrows`` names the targets that it has something from,
    and ``lent`` has the options that the user set for those.
    """

    name: str
    about: str
    view: str
    folders: tuple[Path, ...]
    roots: tuple[Path, ...]
    files: tuple[FileRule, ...]
    options: Mapping[str, Value]
    spelling: Mapping[str, Any]
    types: Mapping[str, str]
    quirks: Mapping[str, Quirk]
    fixups: Mapping[str, Quirk]
    reads: tuple[str, ...]
    over: str
    least: int
    borrows: tuple[str, ...]
    lent: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def manifest(self) -> Path:
        """The file that says all this."""
        return find(self.folders, "target.toml")

    def borrowed(self, name: str) -> Target | None:
        """A target that this one has something from, with its options; None where
        there is no such target.

        Raises TargetError where the manifest does not say so: then a change to that
        target would not be seen.
        """
        if name not in self.borrows:
            raise self.error(f"does not name {name!r}", "borrows")
        found = read(name, self.roots)
        return found and found.with_options(self.lent.get(name, {}))

    def with_options(self, changes: Mapping[str, str]) -> Target:
        """The same target with some options set, each to a value of its type.

        Raises UsageError for an option that the target does not have.
        """
        options = dict(self.options)
        for name, text in changes.items():
            if name not in options:
                raise UsageError(
                    f"the target {self.name} has no option {name!r}",
                    where=f"--set {self.name}.{name}",
                    hint=nearest(name, options),
                )
            options[name] = _converted(options[name], text, f"{self.name}.{name}")
        return replace(self, options=options)

    def error(self, what: str, key: str, hint: str = "") -> TargetError:
        """A TargetError at a key of this target's manifest."""
        return TargetError(what, where=f"{self.manifest}: {key}", hint=hint)


def load(user: Path | None) -> dict[str, Target]:
    """Every target, by name: the built-in ones and those in the folder ``user``.

    A folder of the user's with the name of a built-in target shadows it, file
    by file. Raises TargetError for a mistake in a manifest.
    """
    roots = [resource("templates")]
    if user is not None:
        if not user.is_dir():
            raise UsageError("is not a folder", where=f"--templates {user}")
        roots.insert(0, user)
    names = {
        path.name
        for root in roots
        for path in root.iterdir()
        if path.is_dir() and _NAME.match(path.name)
    }
    targets: dict[str, Target] = {}
    for name in sorted(names):
        target = read(name, roots)
        if target is not None:
            targets[name] = target
    return targets


def read(name: str, roots: Sequence[Path]) -> Target | None:
    """The target called ``name`` in the folders ``roots``, the first of which wins;
    None if none has it.

    Raises TargetError with the file and the key that is wrong.
    """
    folders = tuple(root / name for root in roots if (root / name).is_dir())
    path = find(folders, "target.toml") if folders else None
    if path is None or not path.is_file():
        return None
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TargetError(f"is not TOML: {error}", where=str(path)) from error
    table = _Table(raw, str(path))
    target = Target(
        name=name,
        about=table.take("about", str),
        view=table.take("view", str),
        folders=folders,
        roots=tuple(roots),
        files=tuple(_file_rule(each, path) for each in table.take("files", list)),
        options=table.take("options", dict, {}),
        spelling=table.take("spelling", dict, {}),
        types=table.take("types", dict, {}),
        quirks=table.take("quirks", dict, {}),
        fixups=table.take("fixups", dict, {}),
        reads=tuple(table.take("reads", list, [])),
        over=table.take("over", str, OVER[0]),
        least=table.take("least", int, 1),
        borrows=tuple(table.take("borrows", list, [])),
    )
    table.end()
    if target.over not in OVER:
        raise target.error(f"must be one of {OVER}", "over")
    for key, named in (("quirks", target.quirks), ("fixups", target.fixups)):
        for quirk, body in named.items():
            if not isinstance(body, dict) or not body.get("reason"):
                raise target.error("needs a reason", f"{key}.{quirk}")
    for option, value in target.options.items():
        if not isinstance(value, Value):
            raise target.error("must be a string, number or truth", f"options.{option}")
    for name in target.reads:
        if name not in target.options:
            raise target.error(f"{name!r} is not an option", "reads")
    return target


def find(folders: Sequence[Path], name: str) -> Path:
    """The file ``name`` in the first folder that has it."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    return folders[-1] / name


def check_quirks(target: Target, known: Mapping[str, str]) -> None:
    """Raise TargetError for a quirk of the target's that its view does not know."""
    for quirk in target.quirks:
        if quirk not in known:
            raise target.error(
                "is a quirk that the view does not have",
                f"quirks.{quirk}",
                nearest(quirk, known),
            )


class _Table:
    """A TOML table that is read key by key, and complains about the rest."""

    def __init__(self, raw: dict[str, Any], where: str) -> None:
        self.rest = dict(raw)
        self.where = where

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        value = self.rest.pop(key, default)
        if not isinstance(value, kind):
            problem = "is missing" if value is None else f"must be a {kind.__name__}"
            raise TargetError(problem, where=f"{self.where}: {key}")
        return value

    def end(self) -> None:
        for key in self.rest:
            raise TargetError("is not a key of a target", where=f"{self.where}: {key}")


def _file_rule(raw: Any, path: Path) -> FileRule:
    if not isinstance(raw, dict):
        raise TargetError("must be tables: [[files]]", where=f"{path}: files")
    table = _Table(raw, f"{path}: files")
    rule = FileRule(
        each=table.take("each", str),
        path=table.take("path", str),
        template=table.take("template", str, ""),
        format=table.take("format", str, ""),
    )
    table.end()
    if rule.format and rule.format not in FORMATS:
        raise TargetError(
            f"{rule.format!r} is nothing that formats a file",
            where=f"{path}: files.format",
            hint=nearest(rule.format, FORMATS),
        )
    return rule


def _converted(default: Value, text: str, name: str) -> Value:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise UsageError("must be true or false", where=f"--set {name}")
        return text.lower() == "true"
    try:
        return type(default)(text)
    except ValueError as error:
        raise UsageError(
            f"must be a {type(default).__name__}", where=f"--set {name}"
        ) from error
