"""Reads overlays: hand-written Jsonnet that is added to a generated library.

An overlay is a folder of ``.libsonnet`` files, each with an object that the library is
extended with (``core+: { v1+: { container+: … } }``), in the order of their paths. The
option ``overlay`` names the folder: ``default`` is the built-in one, an empty text none.
A file ``needs.toml`` may list the types that it extends (``core.v1 = ["pod"]``).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.errors import TargetError
from kubestencil.targets.jsonnet.library import JsonnetOptions, ObjectTree

_DEFAULT = "default"
_REQUIREMENTS = "needs.toml"
# The folder in which the library has the overlay's files.
_LIBRARY_FOLDER = "_custom"
# The folder in the template folders with the files that the Jsonnet targets share.
_SHARED = "_jsonnet"


class OverlayFile(NamedTuple):
    """A file of an overlay.

    ``name`` is its name in the library, ``path`` where it was read from.
    """

    name: str
    path: str
    text: str

    @property
    def import_path(self) -> str:
        """Its path in the library."""
        return f"{_LIBRARY_FOLDER}/{self.name}"


def read_overlay(target: Target, objects: ObjectTree) -> tuple[OverlayFile, ...]:
    """The files of the overlay that the options of ``target`` name; none if the
    library, whose ``objects`` are given, lacks a type that it extends.

    Raises ``option_error`` where the folder does not exist, TargetError for two files with
    one name, a file that is not text, and a ``needs.toml`` that does not list types.
    """
    folder = _overlay_folder(target)
    if folder is None:
        return ()
    if not folder.is_dir():
        raise target.option_error(
            "is not a folder",
            "overlay",
            f"name a folder of .libsonnet files, or {_DEFAULT!r}, or nothing",
        )
    required = _required_types(folder / _REQUIREMENTS) or ()
    if not all(
        name in objects.get(group, {}).get(version, {})
        for group, version, name in required
    ):
        return ()
    files: dict[str, OverlayFile] = {}
    for path in sorted(folder.rglob("*.libsonnet"), key=lambda path: path.parts):
        if path.name in files:
            raise TargetError(
                f"has the same name as {files[path.name].path}",
                where=str(path),
                hint="the library has all files of an overlay in one folder",
            )
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise TargetError("is not UTF-8 text", where=str(path)) from error
        files[path.name] = OverlayFile(path.name, str(path), text)
    return tuple(files.values())


def extended_types(
    target: Target, objects: ObjectTree
) -> frozenset[tuple[str, str, str]] | None:
    """The types (group, version, name) that the overlay of ``target`` extends; None
    where it does not list them.

    Raises what ``read_overlay`` raises.
    """
    folder = _overlay_folder(target)
    if folder is None or not read_overlay(target, objects):
        return frozenset()
    return _required_types(folder / _REQUIREMENTS)


def shared_path(target: Target, name: str) -> Path:
    """A file or folder that the Jsonnet targets share: the user's, if there is one."""
    paths = [root / _SHARED / name for root in target.roots]
    return next((path for path in paths if path.exists()), paths[-1])


def _overlay_folder(target: Target) -> Path | None:
    overlay = read_options(target, JsonnetOptions).overlay
    if overlay == _DEFAULT:
        return shared_path(target, "overlay")
    return Path(overlay) if overlay else None


def _required_types(requirements: Path) -> frozenset[tuple[str, str, str]] | None:
    """The types in a ``needs.toml``: group, version, name; None without the file."""
    if not requirements.is_file():
        return None
    try:
        return frozenset(
            (group, version, name)
            for group, versions in tomllib.loads(
                requirements.read_text("utf-8")
            ).items()
            for version, names in versions.items()
            for name in names
        )
    except (ValueError, AttributeError, TypeError) as error:
        raise TargetError(
            f"does not list types by group and version: {error}",
            where=str(requirements),
        ) from error
