"""Overlays: hand-written Jsonnet that is added on top of a generated library.

An overlay is a folder of ``.libsonnet`` files, each an object that the library is
added to (``core+: { v1+: { container+: … } }``), in the order of their paths. The
option ``overlay`` names it: ``default`` for the one that ships, empty for none. A
file ``needs.toml`` may name the types it is for (``core.v1 = ["pod"]``).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.errors import TargetError, UsageError
from kubestencil.targets.jsonnet import spelling as jsonnet

# Engines are loaded where there is an overlay to evaluate.
if TYPE_CHECKING:
    from kubestencil.targets.jsonnet.evaluate import JsonnetError

_DEFAULT = "default"
_SHARED = "_jsonnet"
_FOLDER = "_custom"
_LIBRARY = "gen.libsonnet"
_DOCUMENTED = "documented.libsonnet"
_BASE = "/base/"
_NEEDS = "needs.toml"
# The longest that a sane overlay was seen to take is a fifth of a second.
_SECONDS = 20.0
# How libraries import docsonnet's doc-util: docsonnet answers both.
_DOC_UTIL = (
    "doc-util/main.libsonnet",
    "github.com/jsonnet-libs/docsonnet/doc-util/main.libsonnet",
)

_WORD = re.compile(r"\w+")

#: The objects of a library: groups, versions, types, and the objects of builders at
#: the top of a type. What is in those is not told apart.
Skeleton = Mapping[str, "Skeleton"]

#: The generated documentation of a type or of an object at its top, in Jsonnet.
Base = Callable[[Sequence[str]], str]


class OverlayFile(NamedTuple):
    """A file of an overlay: what the library calls it, where it is, its text."""

    name: str
    place: str
    text: str


#: The ``#…`` fields of a library, in their objects; None for an object of the
#: skeleton that the overlay leaves alone.
Tree = Mapping[str, Any]


def read(target: Target, skeleton: Skeleton) -> tuple[OverlayFile, ...]:
    """The overlay that the options of ``target`` name: nothing, if the library
    lacks a type that it is for.

    Raises UsageError where there is no such folder, TargetError for a file that
    is not text, or that has the name of another.
    """
    chosen = str(target.options["overlay"])
    if not chosen:
        return ()
    folder = _chosen(target)
    if not folder.is_dir():
        raise UsageError(
            "is not a folder",
            where=f"--set {target.name}.overlay={chosen}",
            hint=f"name a folder of .libsonnet files, or {_DEFAULT!r}, or nothing",
        )
    if not _has_all(skeleton, folder / _NEEDS):
        return ()
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


def added_to(
    target: Target, skeleton: Skeleton
) -> frozenset[tuple[str, str, str]] | None:
    """The types (group, version, name) that the overlay of ``target`` is for; None
    where it does not say so.

    Raises what ``read`` raises.
    """
    if not read(target, skeleton):
        return frozenset()
    needs = _chosen(target) / _NEEDS
    if not needs.is_file():
        return None
    return frozenset(_needed(needs))


def check(target: Target, files: Sequence[OverlayFile], skeleton: Skeleton) -> None:
    """Raise TargetError for an overlay that is not one: a mistake in its syntax,
    an import of nothing, an object that is none."""
    if files:
        _guarded(files, _Program(target, files, skeleton, None).changed)


def documentation(
    target: Target, files: Sequence[OverlayFile], skeleton: Skeleton, base: Base
) -> Tree:
    """What the library with an overlay documents.

    The overlay's functions are not called for pages: only its ``#…`` fields are
    read, and they find the generated ones, which ``base`` gives, in ``super``.
    Raises TargetError for a mistake in the overlay.
    """
    tree: Tree = _guarded(files, _Program(target, files, skeleton, base).documentation)
    return tree


class _Program:
    """The files that an engine sees: the overlay's, doc-util, and a library."""

    def __init__(
        self,
        target: Target,
        files: Sequence[OverlayFile],
        skeleton: Skeleton,
        base: Base | None,
    ) -> None:
        self.skeleton = skeleton
        self.base = base
        self.texts = {f"{_FOLDER}/{file.name}": file.text for file in files}
        self.words = frozenset(
            word for text in self.texts.values() for word in _WORD.findall(text)
        )
        self.imports = "".join(
            f" + (import {jsonnet.string(path)})" for path in self.texts
        )
        self.texts |= dict.fromkeys(_DOC_UTIL, _text(_shared(target, _DOC_UTIL[0])))
        self.texts[_DOCUMENTED] = _text(_shared(target, _DOCUMENTED))

    def changed(self) -> Any:
        """What the overlay adds to the objects of the library."""
        skeleton = jsonnet.value(self.skeleton)
        return self.run(f"changed(k, {skeleton})", skeleton)

    def documentation(self) -> Any:
        """The documentation, with null for what is as it was generated."""
        from kubestencil.targets.jsonnet.evaluate import JsonnetError

        try:
            unchanged = _unchanged(self.changed(), self.skeleton, self.words)
        except JsonnetError:
            # An overlay that asks what is in a type gets whole types.
            unchanged = {}
        return self.run(f"of(k, {jsonnet.value(unchanged)})", self.library())

    def run(self, call: str, library: str) -> Any:
        from kubestencil.targets.jsonnet import evaluate as jsonnet_engine

        texts = {**self.texts, _LIBRARY: library}
        code = f"local k = (import '{_LIBRARY}'){self.imports};"
        return jsonnet_engine.evaluate(
            f"{code} (import '{_DOCUMENTED}').{call}",
            lambda path: self.find(path, texts),
        )

    def library(self) -> str:
        """Groups of versions of types, each in a file of its own."""
        groups: list[str] = []
        for group, versions in self.skeleton.items():
            inner = [_package(group)]
            for version, types in versions.items():
                members = [_package(version)]
                members += (imported(name, (group, version, name)) for name in types)
                inner.append(f"{jsonnet.key(version)}: {{ {', '.join(members)} }}")
            groups.append(f"{jsonnet.key(group)}:: {{ {', '.join(inner)} }}")
        return f"{{ {', '.join(groups)} }}"

    def find(self, path: str, texts: Mapping[str, str]) -> str | None:
        if path.startswith(_BASE) and self.base is not None:
            return self.base(path.removeprefix(_BASE).split("/"))
        return texts.get(path)


def imported(name: str, place: Sequence[str]) -> str:
    """A member ``name`` that is what ``Base`` gives for ``place``."""
    path = jsonnet.string(f"{_BASE}{'/'.join(place)}")
    return f"{jsonnet.key(name)}: import {path}"


def _unchanged(
    changed: Any, skeleton: Skeleton, words: frozenset[str], above: int = 3
) -> Any:
    """The part of ``skeleton`` that was not ``changed``: True for a whole object.

    ``above`` is how many levels there are above types: groups are never whole,
    since they have pages of their own. Nor is a type whose name is among the
    ``words`` of the overlay, which may change it if it has this or that in it.
    """
    if not isinstance(changed, dict):
        return changed is False
    inner = {
        name: _unchanged(changed[name], below, words, above - 1)
        for name, below in skeleton.items()
        if name in changed
    }
    if above == 1:
        for name in words & inner.keys():
            if inner[name] is True:
                inner[name] = dict.fromkeys(skeleton[name], True)
    whole = above <= 0 and not changed["#"] and len(inner) == len(skeleton)
    if whole and all(each is True for each in inner.values()):
        return True
    return {name: each for name, each in inner.items() if each}


def _chosen(target: Target) -> Path:
    chosen = str(target.options["overlay"])
    return _shared(target, "overlay") if chosen == _DEFAULT else Path(chosen)


def _has_all(skeleton: Skeleton, needs: Path) -> bool:
    if not needs.is_file():
        return True
    try:
        return all(
            name in skeleton.get(group, {}).get(version, {})
            for group, version, name in _needed(needs)
        )
    except (ValueError, AttributeError, TypeError) as error:
        raise TargetError(
            f"does not list types by group and version: {error}", where=str(needs)
        ) from error


def _needed(needs: Path) -> Iterator[tuple[str, str, str]]:
    """The types that an overlay is for: group, version, name."""
    for group, versions in tomllib.loads(needs.read_text("utf-8")).items():
        for version, names in versions.items():
            for name in names:
                yield group, version, name


def _package(name: str) -> str:
    """What a library says of a group or a version."""
    return f"'#':: {{ name: {jsonnet.string(name)}, 'import': '', help: '' }}"


def _guarded(files: Sequence[OverlayFile], evaluate: Callable[[], Any]) -> Any:
    from kubestencil.targets.jsonnet import evaluate as jsonnet_engine
    from kubestencil.targets.jsonnet.evaluate import JsonnetError

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
