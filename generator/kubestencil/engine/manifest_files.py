"""Reads ``target.toml`` files, with what they inherit from the target they extend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.errors import TargetError, nearest

MANIFEST = "target.toml"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")

_TOML_TYPES: Mapping[type | tuple[type, ...], str] = {
    bool: "boolean",
    str: "string",
    int: "number",
    list: "list",
    dict: "table",
    (str, list): "string or list",
}
_TARGET_KEYS: Mapping[str, type] = {
    "about": str,
    "extends": str,
    "inherit": list,
    "view": str,
    "scope": str,
    "min_releases": int,
    "newest_only": bool,
    "size": dict,
    "depends_on": list,
    "path_options": list,
    "data_options": list,
    "files": list,
    "options": dict,
    "spelling": dict,
    "types": dict,
    "quirks": dict,
    "fixups": dict,
}
# A format is a name, or a command.
_FORMAT = (str, list)
_FILE_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "each": str,
    "path": str,
    "template": str,
    "copy": str,
    "format": _FORMAT,
    "report": str,
    "suffixes": list,
    "drop": bool,
}
# What ``inherit`` can name, with the keys that are of no use without it.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "files": ("files", "size"),
    "options": ("options", "path_options", "data_options"),
    "types": ("types",),
    "spelling": ("spelling",),
    "quirks": ("quirks",),
    "fixups": ("fixups",),
}
# The tables whose entries are inherited one by one, those of them whose entries can be
# dropped, and the lists whose items are.
_TABLES = ("options", "spelling", "types", "quirks", "fixups")
_DROPPABLE = ("options", "quirks", "fixups")
_DROP = {"drop": True}
_LISTS = ("depends_on", "path_options", "data_options")


class Table:
    """A TOML table whose keys and their types are checked when it is opened.

    ``prefix`` is what its keys begin with in an error: ``files.``.
    """

    def __init__(
        self,
        raw: Mapping[str, Any],
        path: Path,
        types: Mapping[str, type] | Mapping[str, type | tuple[type, ...]],
        prefix: str = "",
    ) -> None:
        self.raw = raw
        self.path = path
        self.prefix = prefix
        for key, value in raw.items():
            if key not in types:
                raise self.error(f"unknown key {key!r}", key, nearest(key, types))
            if not isinstance(value, types[key]):
                is_single_table = types[key] is list and isinstance(value, dict)
                raise self.error(
                    f"must be a {_TOML_TYPES[types[key]]}",
                    key,
                    f"write [[{key}]] for [{key}]" if is_single_table else "",
                )

    def error(self, what: str, key: str, hint: str = "") -> TargetError:
        """A TargetError that points at a key of the table."""
        return TargetError(what, where=f"{self.path}: {self.prefix}{key}", hint=hint)

    def require(self, key: str) -> Any:
        if key not in self.raw:
            raise self.error("is missing", key)
        return self.raw[key]

    def get(self, key: str, default: Any) -> Any:
        return self.raw.get(key, default)

    def choice(self, key: str, choices: Sequence[Any]) -> Any:
        """One of ``choices``, or None where the key is absent or empty."""
        value = self.raw.get(key, "")
        if value and value not in choices:
            raise self.error(f"unknown value {value!r}", key, nearest(value, choices))
        return value or None


class TargetManifest(NamedTuple):
    """A target's manifest, with what it inherits, and the folders of its templates.

    ``rules`` are the ``[[files]]`` tables.
    """

    table: Table
    rules: tuple[Table, ...]
    folders: tuple[Path, ...]


# What a manifest that extends no other inherits.
_NOTHING = TargetManifest(Table({}, Path(), {}), (), ())


class _Layer(NamedTuple):
    """A target as the folders of targets from ``start`` on have it."""

    name: str
    start: int


def target_names(roots: Iterable[Path]) -> list[str]:
    """The names of all targets in ``roots``, sorted."""
    paths = (path for root in roots for path in root.glob(f"*/{MANIFEST}"))
    return sorted({path.parent.name for path in paths if _NAME.match(path.parent.name)})


def read_manifest(name: str, roots: Sequence[Path]) -> TargetManifest | None:
    """The manifest of the target ``name``: that of the first of the folders ``roots``
    which has one; None where there is none.

    Raises TargetError with the file and the key that is wrong.
    """
    return _read(_Layer(name, 0), roots, ())


def _read(
    layer: _Layer, roots: Sequence[Path], extended_by: tuple[_Layer, ...]
) -> TargetManifest | None:
    """The manifest of a target; ``extended_by`` are those that lead to it."""
    folders = [root / layer.name for root in roots[layer.start :]]
    own = next((folder for folder in folders if (folder / MANIFEST).is_file()), None)
    if own is None:
        return None
    manifest = _parse(own / MANIFEST)
    base = _NOTHING
    if extended := manifest.table.get("extends", ""):
        start = 0
        if extended == layer.name:
            # What this folder shadows, which has the folders after it.
            folders = folders[: folders.index(own) + 1]
            start = layer.start + len(folders)
        chain = (*extended_by, layer)
        base = _extended(_Layer(extended, start), roots, chain, manifest.table)
        base = _inherited(base, manifest.table)
    return TargetManifest(
        _merged_tables(base.table, manifest.table),
        _merged_rules(base.rules, manifest.rules),
        (*filter(Path.is_dir, folders), *base.folders),
    )


def _parse(path: Path) -> TargetManifest:
    """A manifest without what it inherits."""
    try:
        raw = _values(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TargetError(f"is not TOML: {error}", where=str(path)) from error
    table = Table(raw, path, _TARGET_KEYS)
    rules = table.get("files", [])
    if not all(isinstance(rule, dict) for rule in rules):
        raise table.error("must be tables: [[files]]", "files")
    return TargetManifest(
        table, tuple(Table(rule, path, _FILE_KEYS, "files.") for rule in rules), ()
    )


@lru_cache(maxsize=64)
def _values(text: str) -> Mapping[str, Any]:
    """What a manifest has; a project reads that of a target once for each of its tables."""
    return tomllib.loads(text)


def _extended(
    layer: _Layer,
    roots: Sequence[Path],
    extended_by: tuple[_Layer, ...],
    table: Table,
) -> TargetManifest:
    """The manifest that another one extends. Raises TargetError where there is none,
    and where it extends that other one."""
    if layer in extended_by:
        names = [*(other.name for other in extended_by), layer.name]
        raise table.error(f"is a cycle: {' extends '.join(names)}", "extends")
    manifest = _read(layer, roots, extended_by)
    if manifest is not None:
        return manifest
    if layer.start:
        raise table.error(f"no other folder has a target {layer.name!r}", "extends")
    raise table.error(
        f"unknown target {layer.name!r}",
        "extends",
        nearest(layer.name, target_names(roots)),
    )


def _inherited(base: TargetManifest, own: Table) -> TargetManifest:
    """The manifest that another one extends, without the parts that ``inherit`` of the
    other one does not name, if it is there: the view and templates remain."""
    parts = own.get("inherit", [*_PARTS])
    for part in parts:
        if part not in _PARTS:
            hint = nearest(str(part), _PARTS)
            raise own.error(f"unknown value {part!r}", "inherit", hint)
    left_out = {
        key for part, keys in _PARTS.items() if part not in parts for key in keys
    }
    raw = {key: value for key, value in base.table.raw.items() if key not in left_out}
    rules = base.rules if "files" in parts else ()
    return TargetManifest(
        Table(raw, base.table.path, _TARGET_KEYS), rules, base.folders
    )


def _merged_tables(base: Table, own: Table) -> Table:
    """The keys of a manifest and those that it inherits."""
    merged = {**base.raw, **own.raw}
    for key in _LISTS:
        merged[key] = list(dict.fromkeys([*base.get(key, []), *own.get(key, [])]))
    for key in _TABLES:
        merged[key] = {**base.get(key, {}), **own.get(key, {})}
    for key in _DROPPABLE:
        inherited = base.get(key, {})
        dropped = [name for name, body in own.get(key, {}).items() if body == _DROP]
        for name in dropped:
            if name not in inherited:
                hint = nearest(name, inherited)
                raise own.error("is not inherited", f"{key}.{name}", hint)
            del merged[key][name]
            if key == "options":
                for names in (merged["path_options"], merged["data_options"]):
                    names[:] = [option for option in names if option != name]
    return Table(merged, own.path, _TARGET_KEYS)


def _merged_rules(base: Sequence[Table], own: Sequence[Table]) -> tuple[Table, ...]:
    """The inherited rules, each replaced or dropped where a rule of the manifest has
    the same ``each`` and ``path``, or ``report`` where it has no path; then the other
    rules of the manifest."""
    inherited = {_key(rule): rule for rule in base}
    added = []
    for rule in own:
        key = _key(rule)
        if rule.get("drop", False):
            if key not in inherited:
                hint = nearest(key[1], [path for _, path in inherited])
                raise rule.error(f"{key[1]!r} is not inherited", "path", hint)
            del inherited[key]
        elif key in inherited:
            inherited[key] = rule
        else:
            added.append(rule)
    return (*inherited.values(), *added)


def _key(rule: Table) -> tuple[str, str]:
    return rule.require("each"), rule.get("path", "") or rule.get("report", "")
