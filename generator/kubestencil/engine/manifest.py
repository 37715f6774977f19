"""Targets: what their manifests say, checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from kubestencil.data_files import data_file
from kubestencil.engine.manifest_files import (
    MANIFEST,
    Table,
    read_manifest,
    target_names,
)
from kubestencil.errors import KubestencilError, TargetError, UsageError, nearest

#: The entry point group in which packages register packages whose folders are targets
#: (docs/target-reference.md).
ENTRY_POINTS = "kubestencil.targets"

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")

#: A code formatter that can be applied to what a user's own template generates.
Formatter = Literal["black"]
#: A program and its arguments: it formats its standard input.
Command = tuple[str, ...]
#: What a target is rendered for: each release, all releases of a run, or manifests that
#: are checked, which only a command does.
Scope = Literal["release", "releases", "manifests"]

OptionValue = str | bool | int | float
#: A table of ``quirks`` or ``fixups``: its ``reason``, and what the view reads of it.
ReasonTable = Mapping[str, Any]


class FileRule(NamedTuple):
    """One ``[[files]]`` table: a set of files that a target generates, or a format of a
    report that a command prints.

    ``each`` says what the view provides a file for; ``path`` is a pattern such as
    ``docs/{name}.md``, relative to the folder of the target or of one of its parts,
    empty for what only a command prints. ``report`` is the value of ``--format`` that
    prints it, or empty, and ``suffixes`` are those of files that imply this format.
    ``template`` is the template's file, ``copy`` that of a file that is copied as it
    is; both are empty where the view provides the bytes. ``format`` is a formatter for
    what a user's own template generates, or a command that formats all that the
    rule generates, or None.
    """

    each: str
    path: str
    template: str
    copy: str
    format: Formatter | Command | None
    report: str
    suffixes: tuple[str, ...]


class Size(NamedTuple):
    """About how much a target generates for a release of Kubernetes, as last measured:
    0 where nobody did."""

    files: int = 0
    kilobytes: int = 0


_SIZE_KEYS: Mapping[str, type] = {"files": int, "kilobytes": int}


@dataclass(frozen=True, slots=True)
class Target:
    """A target: its ``target.toml`` and the folders of its templates.

    ``extends`` names the target that its manifest inherits from, empty for none.
    ``view`` names the code that makes the template variables
    (``kubestencil.engine.view``). ``folders`` are the template folders: the user's
    before the built-in one, then those of the target that it extends. ``roots`` are
    the folders that contain all targets.
    ``options`` can be set by the user; ``path_options`` names those that are paths
    of files or folders whose content affects the output, and ``data_options`` those of
    these that are no code, so that a project file may name them. ``spelling`` and ``types``
    are read by the view. ``quirks`` lists the accidents of a published format that
    the target reproduces, ``fixups`` the corrections of the document that it
    applies; each has a ``reason``. ``min_releases`` is the least number of releases
    that a target of scope ``releases`` needs. With ``newest_only``, a run that names no
    targets generates it for its newest release. ``size`` says how much is generated for
    a release. ``depends_on`` names the targets whose
    templates or names it uses, and ``dependency_options`` has what the user set for
    those. ``changed_options`` are the options that have a user's value.
    """

    name: str
    about: str
    extends: str
    view: str
    folders: tuple[Path, ...]
    roots: tuple[Path, ...]
    files: tuple[FileRule, ...]
    options: Mapping[str, OptionValue]
    spelling: Mapping[str, Any]
    types: Mapping[str, str]
    quirks: Mapping[str, ReasonTable]
    fixups: Mapping[str, ReasonTable]
    path_options: tuple[str, ...]
    data_options: tuple[str, ...]
    scope: Scope
    min_releases: int
    newest_only: bool
    size: Size
    depends_on: tuple[str, ...]
    dependency_options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    changed_options: frozenset[str] = frozenset()

    @property
    def manifest(self) -> Path:
        """The path of the target's ``target.toml``."""
        return find_file(self.folders, MANIFEST)

    def dependency(self, name: str) -> Target | None:
        """A target that this one depends on, with its options; None where there is
        no target of that name.

        Raises TargetError where the manifest does not declare the dependency, since
        changes to that target would then go unnoticed.
        """
        if name not in self.depends_on:
            raise self.error(f"does not name {name!r}", "depends_on")
        target = read_target(name, self.roots)
        return target and target.with_options(self.dependency_options.get(name, {}))

    def with_options(self, changes: Mapping[str, str]) -> Target:
        """The same target with some options set, each converted to its type.

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
        changed_options = self.changed_options | changes.keys()
        return replace(self, options=options, changed_options=changed_options)

    def error(self, what: str, key: str, hint: str = "") -> TargetError:
        """A TargetError that points at a key of this target's manifest."""
        return TargetError(what, where=f"{self.manifest}: {key}", hint=hint)

    def option_error(self, what: str, option: str, hint: str = "") -> KubestencilError:
        """An error that points at the value of an option: a UsageError where the user
        set it, a TargetError where the manifest did."""
        if option not in self.changed_options:
            return self.error(what, f"options.{option}", hint)
        value = self.options[option]
        return UsageError(what, where=f"--set {self.name}.{option}={value}", hint=hint)


class _TargetsInFolders(Mapping[str, Target]):
    """The targets in folders by name; a manifest is read when it is asked for."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._read: dict[str, Target | None] = dict.fromkeys(target_names(roots))

    def __getitem__(self, name: str) -> Target:
        target = self._read[name] or read_target(name, self._roots)
        if target is None:
            raise KeyError(name)
        self._read[name] = target
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


def load_targets(
    user_templates: Path | None, names: Iterable[str] = ()
) -> Mapping[str, Target]:
    """All targets by name: those in ``user_templates``, the built-in ones, and those of
    packages.

    A user's folder with the name of another target shadows it, file by file. Where
    ``names`` are all that is needed, and built in, no packages are looked for, which
    takes longer than reading the manifests. Raises TargetError for a mistake in a
    manifest of a user or a package; reading another raises it.
    """
    roots = [data_file("templates")]
    if user_templates or not names or {*names} - {*target_names(roots)}:
        roots += _package_folders()
    if user_templates is not None:
        if not user_templates.is_dir():
            raise UsageError("is not a folder", where=f"--templates {user_templates}")
        if (user_templates / MANIFEST).is_file():
            raise UsageError(
                "is the folder of one target, not a folder of targets",
                where=f"--templates {user_templates}",
                hint=f"name the folder around it: {user_templates.absolute().parent}",
            )
        roots.insert(0, user_templates)
    targets: Mapping[str, Target] = _TargetsInFolders(roots)
    if len(roots) > 1:
        # Whoever made the others wants to know of mistakes in them.
        targets = dict(targets)
    if user_templates is not None:
        _check_used(user_templates, targets)
    return targets


def _check_used(user_templates: Path, targets: Mapping[str, Target]) -> None:
    """Raise TargetError for a folder of the user's that is no target, and for a template
    in the folder of a target that replaces none and that no rule or template names."""
    paths = sorted(user_templates.rglob("*.j2"))
    texts = [path.read_text("utf-8", "replace") for path in paths]
    for path in paths:
        folder, _, name = path.relative_to(user_templates).as_posix().partition("/")
        if not name or folder[0] in "._":
            continue
        if folder not in targets:
            raise TargetError(
                "is the folder of no target: it has no target.toml, and its name does "
                "not begin with _, as those of shared folders do",
                where=str(user_templates / folder),
                hint=nearest(folder, targets),
            )
        target = targets[folder]
        others = [other for other in target.folders if not path.is_relative_to(other)]
        declared = [
            file for rule in target.files for file in (rule.template, rule.copy)
        ]
        is_used = name in declared or any((other / name).is_file() for other in others)
        if others and not is_used and not any(path.name in text for text in texts):
            replaceable = [
                file.relative_to(other).as_posix()
                for other in others
                for file in other.rglob("*.j2")
            ]
            raise TargetError(
                "replaces no template, and nothing uses it",
                where=str(path),
                hint=nearest(name, replaceable),
            )


def _package_folders() -> list[Path]:
    """The folders of targets that installed packages bring.

    Raises TargetError where an entry point does not name a package.
    """
    from importlib.metadata import entry_points

    folders = []
    for point in sorted(entry_points(group=ENTRY_POINTS)):
        try:
            spec = find_spec(point.value)
        except (ImportError, ValueError):
            spec = None
        if spec is None or not spec.submodule_search_locations:
            raise TargetError(
                f"{point.value} is not a package",
                where=f"{ENTRY_POINTS}: {point.name}",
                hint="repair or remove the package that registers it",
            )
        folders.append(Path(spec.submodule_search_locations[0]))
    return folders


def read_target(name: str, roots: Sequence[Path]) -> Target | None:
    """The target ``name`` in the folders ``roots``; None where none has its manifest.

    Raises TargetError with the file and the key that is wrong.
    """
    manifest = read_manifest(name, roots)
    if manifest is None:
        return None
    table = manifest.table
    target = Target(
        name=name,
        about=table.require("about"),
        extends=table.get("extends", ""),
        view=table.require("view"),
        folders=manifest.folders,
        roots=tuple(roots),
        files=tuple(map(_file_rule, manifest.rules)),
        options=table.get("options", {}),
        spelling=table.get("spelling", {}),
        types=table.get("types", {}),
        quirks=table.get("quirks", {}),
        fixups=table.get("fixups", {}),
        path_options=tuple(table.get("path_options", [])),
        data_options=tuple(table.get("data_options", [])),
        scope=table.choice("scope", get_args(Scope)) or "release",
        min_releases=table.get("min_releases", 1),
        newest_only=table.get("newest_only", False),
        size=Size(**Table(table.get("size", {}), table.path, _SIZE_KEYS, "size.").raw),
        depends_on=tuple(table.get("depends_on", [])),
    )
    table.require("files")
    _check_reasons(target)
    _check_options(target)
    _check_paths(target)
    return target


def find_file(folders: Sequence[Path], name: str) -> Path:
    """The file ``name`` in the first folder that has it."""
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    return folders[-1] / name


def _check_reasons(target: Target) -> None:
    for key, tables in (("quirks", target.quirks), ("fixups", target.fixups)):
        for name, body in tables.items():
            if not isinstance(body, dict) or not body.get("reason"):
                raise target.error("needs a reason", f"{key}.{name}")


def _check_options(target: Target) -> None:
    for option, value in target.options.items():
        if not isinstance(value, OptionValue):
            raise target.error(
                "must be a string, number or boolean", f"options.{option}"
            )
    for key, names, known in (
        ("path_options", target.path_options, (*target.options,)),
        ("data_options", target.data_options, target.path_options),
    ):
        for name in names:
            if name not in known:
                what = "option" if key == "path_options" else "option with a path"
                message = f"{name!r} is not an {what}"
                raise target.error(message, key, nearest(str(name), known))


def _check_paths(target: Target) -> None:
    """Refuse rules for nothing, braces that are no placeholder, and rules that always
    have the same path.

    Rules that generate several files are compared when they are rendered.
    """
    for rule in target.files:
        is_rendered = target.scope != "manifests"
        if not (rule.report or (rule.path and is_rendered)):
            key = "path" if is_rendered else "report"
            raise target.error("is missing", f"files.{key}")
        if set("{}") & set(_PLACEHOLDER.sub("", rule.path)):
            raise target.error(f"{rule.path!r} has an unmatched brace", "files.path")
    rules = Counter(
        (rule.each, rule.path)
        for rule in target.files
        if rule.path and not _PLACEHOLDER.search(rule.path)
    )
    for (_, path), count in rules.items():
        if count > 1:
            raise target.error(f"{count} rules have the path {path!r}", "files.path")


def _file_rule(table: Table) -> FileRule:
    for key in ("template", "format"):
        if table.get(key, "") and table.get("copy", ""):
            raise table.error(
                f"{table.raw['copy']!r} is copied as it is, without a {key}",
                key,
                f"leave out copy or {key}",
            )
    return FileRule(
        each=table.require("each"),
        path=table.get("path", ""),
        template=table.get("template", ""),
        copy=table.get("copy", ""),
        format=_format(table),
        report=table.get("report", ""),
        suffixes=tuple(map(str, table.get("suffixes", []))),
    )


def _format(table: Table) -> Formatter | Command | None:
    value = table.get("format", "")
    if isinstance(value, str):
        formatter: Formatter | None = table.choice("format", get_args(Formatter))
        return formatter
    if not value or not all(isinstance(part, str) and part for part in value):
        raise table.error('must be a command, such as ["gofmt", "-s"]', "format")
    return tuple(value)


def _converted(default: OptionValue, text: str, name: str) -> OptionValue:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise UsageError("must be true or false", where=f"--set {name}")
        return text.lower() == "true"
    try:
        return type(default)(text)
    except ValueError as error:
        raise UsageError("must be a number", where=f"--set {name}") from error
