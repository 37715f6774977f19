"""Overlays: hand-written Jsonnet that is added on top of a generated library.

An overlay is a folder of ``.libsonnet`` files, each an object that the library is
added to (``core+: { v1+: { container+: … } }``), in the order of their paths. The
option ``overlay`` names it: ``default`` for the one that ships, empty for none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from generator.errors import TargetError, UsageError
from generator.language import jsonnet, jsonnet_engine
from generator.language.jsonnet_engine import JsonnetError
from generator.target.manifest import Target

_DEFAULT = "default"
_SHARED = "_jsonnet"
_FOLDER = "_custom"
# The longest that a sane overlay was seen to take is a fifth of a second.
_SECONDS = 20.0
# How libraries import docsonnet's doc-util: docsonnet answers both.
_DOC_UTIL = (
    "doc-util/main.libsonnet",
    "github.com/jsonnet-libs/docsonnet/doc-util/main.libsonnet",
)

#: Names of types, by group and version.
Names = Mapping[str, Mapping[str, Sequence[str]]]


class OverlayFile(NamedTuple):
    """A file of an overlay: what the library calls it, where it is, its text."""

    name: str
    place: str
    text: str


#: The ``#…`` fields of a library, in their objects; None for each type that the
#: overlay leaves alone.
Tree = Mapping[str, Any]


def read(target: Target) -> tuple[OverlayFile, ...]:
    """The overlay that the options of ``target`` name.

    Raises UsageError where there is no such folder, TargetError for a file that
    is not text, or that has the name of another.
    """
    chosen = str(target.options["overlay"])
    if not chosen:
        return ()
    folder = _shared(target, "overlay") if chosen == _DEFAULT else Path(chosen)
    if not folder.is_dir():
        raise UsageError(
            "is not a folder",
            where=f"--set {target.name}.overlay={chosen}",
            hint=f"name a folder of .libsonnet files, or {_DEFAULT!r}, or nothing",
        )
    files: dict[str, OverlayFile] = {}
    for path in sorted(folder.rglob("*.libsonnet"), key=lambda each: each.parts):
        if path.name in files:
            raise TargetError(
                f"has the same name as {files[path.name].place}",
                where=str(path),
                hint="the library has all files of an overlay in one folder",
            )
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError as error:
            raise TargetError("is not UTF-8 text", where=str(path)) from error
        files[path.name] = OverlayFile(path.name, str(path), text)
    return tuple(files.values())


def check(target: Target, files: Sequence[OverlayFile], names: Names) -> None:
    """Raise TargetError for an overlay that is not one: a mistake in its syntax,
    an import of nothing, an object that is none."""
    if files:
        _guarded(files, _Program(target, files, names, None).changed)


def documentation(
    target: Target,
    files: Sequence[OverlayFile],
    names: Names,
    base: Callable[[str, str, str], str],
) -> Tree:
    """What the library with an overlay documents.

    ``base`` gives the generated documentation of a type (group, version, name)
    as an object in Jsonnet: the overlay's functions are not called for pages,
    only its ``#…`` fields are read, and they find the generated ones in
    ``super``. Raises TargetError for a mistake in the overlay.
    """
    program = _Program(target, files, names, base)
    tree: Tree = _guarded(files, program.documentation)
    return tree


class _Program:
    """The files that an engine sees: the overlay's, doc-util, and a library."""

    def __init__(
        self,
        target: Target,
        files: Sequence[OverlayFile],
        names: Names,
        base: Callable[[str, str, str], str] | None,
    ) -> None:
        self.base = base
        self.names = names
        self.texts = {f"{_FOLDER}/{file.name}": file.text for file in files}
        self.imports = "".join(
            f" + (import {jsonnet.string(path)})" for path in self.texts
        )
        self.texts |= dict.fromkeys(_DOC_UTIL, _text(_shared(target, _DOC_UTIL[0])))
        self.texts["documented.libsonnet"] = _text(
            _shared(target, "documented.libsonnet")
        )

    def changed(self) -> Any:
        """For each type, whether the overlay adds anything to it."""
        return self.run("changed(k)", self.library(lambda *_: "{}"))

    def documentation(self) -> Any:
        """The documentation, with null for what is as it was generated."""
        try:
            changed = self.changed()
        except JsonnetError:
            # An overlay that wants to know what is in a type gets all types.
            changed = None
        unchanged = {
            group: {
                version: {
                    name: True
                    for name in types
                    if _at(changed, group, version, name) is False
                }
                for version, types in versions.items()
            }
            for group, versions in self.names.items()
        }
        library = self.library(
            lambda *place: f"import {jsonnet.string('/'.join(('base', *place)))}"
        )
        return self.run(f"of(k, {jsonnet.value(unchanged)})", library)

    def run(self, call: str, library: str) -> Any:
        code = (
            f"local k = (import 'gen.libsonnet'){self.imports};"
            f"(import 'documented.libsonnet').{call}"
        )
        texts = {**self.texts, "gen.libsonnet": library}
        return jsonnet_engine.evaluate(code, lambda path: self.find(path, texts))

    def library(self, of: Callable[[str, str, str], str]) -> str:
        """An object of groups of versions of types, each as ``of`` has it."""
        groups: list[str] = []
        for group, versions in self.names.items():
            inner: list[str] = [_package(group)]
            for version, types in versions.items():
                each = (
                    f"{jsonnet.key(name)}: {of(group, version, name)}" for name in types
                )
                members = ", ".join((_package(version), *each))
                inner.append(f"{jsonnet.key(version)}: {{ {members} }}")
            groups.append(f"{jsonnet.key(group)}:: {{ {', '.join(inner)} }}")
        return f"{{ {', '.join(groups)} }}"

    def find(self, path: str, texts: Mapping[str, str]) -> str | None:
        if path.startswith("base/") and self.base is not None:
            _, group, version, name = path.split("/")
            return self.base(group, version, name)
        return texts.get(path)


def _package(name: str) -> str:
    """What a library says of a group or a version."""
    return f"'#':: {{ name: {jsonnet.string(name)}, 'import': '', help: '' }}"


def _at(tree: Any, *path: str) -> Any:
    for name in path:
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def _guarded(files: Sequence[OverlayFile], evaluate: Callable[[], Any]) -> Any:
    try:
        return jsonnet_engine.guarded(evaluate, seconds=_SECONDS)
    except JsonnetError as error:
        raise _mistake(files, error) from error


def _mistake(files: Sequence[OverlayFile], error: JsonnetError) -> TargetError:
    """The innermost place in the overlay that led to an error."""
    by_path = {f"{_FOLDER}/{file.name}": file.place for file in files}
    places = (
        f"{by_path[path]}:{line}" for path, line in error.places if path in by_path
    )
    folder = str(Path(files[0].place).parent)
    return TargetError(error.what, where=next(places, f"the overlay {folder}"))


def _shared(target: Target, name: str) -> Path:
    """A file or folder that the Jsonnet targets share, the user's first."""
    places = [root / _SHARED / name for root in target.roots]
    return next((each for each in places if each.exists()), places[-1])


@cache
def _text(path: Path) -> str:
    return path.read_text("utf-8")
