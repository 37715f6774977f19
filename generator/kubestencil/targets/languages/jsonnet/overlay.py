"""Reads overlays: hand-written Jsonnet that is added to a generated library.

An overlay is a folder of ``.libsonnet`` files, each with an object that the library is
extended with (``core+: { v1+: { container+: … } }``), in the order of their paths. The
option ``overlay`` names the folder: ``default`` is the built-in one, an empty text none.
A file ``needs.toml`` may list the types that it extends (``core.v1 = ["pod"]``).

To find mistakes and documentation, an overlay is not evaluated on the generated library,
which takes a second, but on a copy of it that has the names of the objects only, or
their documentation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.engine.options import read_options
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import TargetError
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.evaluate import (
    JsonnetError,
    evaluate,
    run_sandboxed,
)
from kubestencil.targets.languages.jsonnet.library import JsonnetOptions, ObjectTree

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


class Overlay(NamedTuple):
    """An overlay: its ``files``, and the types (group, version, name) that it extends,
    None where it does not list them."""

    files: tuple[OverlayFile, ...]
    extended_types: frozenset[tuple[str, str, str]] | None


_NO_OVERLAY = Overlay((), frozenset())


def read_overlay(target: Target, objects: ObjectTree) -> Overlay:
    """The overlay that the options of ``target`` name; an empty one if the library,
    whose ``objects`` are given, lacks a type that it extends.

    Raises ``option_error`` where the folder does not exist, TargetError for two files with
    one name, a file that is not text, and a ``needs.toml`` that does not list types.
    """
    overlay = read_options(target, JsonnetOptions).overlay
    if not overlay:
        return _NO_OVERLAY
    is_default = overlay == _DEFAULT
    folder = shared_path(target, "overlay") if is_default else Path(overlay)
    if not folder.is_dir():
        raise target.option_error(
            "is not a folder",
            "overlay",
            f"name a folder of .libsonnet files, or {_DEFAULT!r}, or nothing",
        )
    extended = _extended_types(folder / _REQUIREMENTS)
    if not all(
        name in objects.get(group, {}).get(version, {})
        for group, version, name in extended or ()
    ):
        return _NO_OVERLAY
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
    return Overlay(tuple(files.values()), extended) if files else _NO_OVERLAY


def shared_path(target: Target, name: str) -> Path:
    """A file or folder that the Jsonnet targets share: the user's, if there is one."""
    paths = [root / _SHARED / name for root in target.roots]
    return next((path for path in paths if path.exists()), paths[-1])


def _extended_types(requirements: Path) -> frozenset[tuple[str, str, str]] | None:
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


_LIBRARY = "gen.libsonnet"
_DOCUMENTED = "documented.libsonnet"
_GENERATED_FOLDER = "/generated/"
_INSTALL_HINT = "pip install gojsonnet, to see file and line"
# The built-in overlay takes a tenth of a second.
_SECONDS = 20.0
# The paths by which libraries import docsonnet's doc-util; docsonnet has it at both.
_DOC_UTIL_PATHS = (
    "doc-util/main.libsonnet",
    "github.com/jsonnet-libs/docsonnet/doc-util/main.libsonnet",
)
# Groups, versions and types.
_TYPE_LEVEL = 3

_WORD = re.compile(r"\w+")

#: Returns Jsonnet: an object with the generated documentation of the type at a path of
#: three names (group, version, type), or of an object at its top (four names). It must
#: be picklable.
GeneratedSource = Callable[[Sequence[str]], str]

#: The ``#…`` fields of a library, in nested objects with its field names. An object is
#: None where the overlay does not change it.
DocumentationTree = Mapping[str, Any]


def check_overlay(
    target: Target, files: Sequence[OverlayFile], objects: ObjectTree
) -> None:
    """Raise TargetError for a mistake in an overlay: wrong syntax, an import of a file
    that does not exist, a file that is not an object."""
    if files:
        program = _OverlayProgram(target, files, objects)
        _run(files, program.changed_objects)


def read_documentation(
    target: Target,
    files: Sequence[OverlayFile],
    objects: ObjectTree,
    generated: GeneratedSource,
) -> DocumentationTree:
    """What a library with an overlay documents.

    Only the ``#…`` fields of an overlay are read, so its functions are not called.
    ``super`` has the generated ``#…`` fields. Raises TargetError for a mistake in the
    overlay.
    """
    program = _OverlayProgram(target, files, objects, generated)
    tree: DocumentationTree = _run(files, program.documentation)
    return tree


def generated_member(name: str, path: Sequence[str]) -> str:
    """Jsonnet: a member whose value is what ``GeneratedSource`` returns for ``path``."""
    literal = jsonnet.string_literal(f"{_GENERATED_FOLDER}{'/'.join(path)}")
    return f"{jsonnet.field_name(name)}: import {literal}"


class _OverlayProgram:
    """A Jsonnet program that adds an overlay to a library and inspects the result.

    Its files are those of the overlay, doc-util, the inspecting functions and the
    library.
    """

    def __init__(
        self,
        target: Target,
        files: Sequence[OverlayFile],
        objects: ObjectTree,
        generated: GeneratedSource | None = None,
    ) -> None:
        self._objects = objects
        self._generated = generated
        self._texts = {
            **{file.import_path: file.text for file in files},
            **dict.fromkeys(
                _DOC_UTIL_PATHS, _read_text(shared_path(target, _DOC_UTIL_PATHS[0]))
            ),
            _DOCUMENTED: _read_text(shared_path(target, _DOCUMENTED)),
        }
        self._words = frozenset(
            word for file in files for word in _WORD.findall(file.text)
        )
        self._imports = "".join(
            f" + (import {jsonnet.string_literal(file.import_path)})" for file in files
        )

    def changed_objects(self) -> Any:
        """What the overlay adds to the objects of the library, as the function
        ``changed`` in documented.libsonnet returns it."""
        objects = jsonnet.json_literal(self._objects)
        return self._call(f"changed(k, {objects})", objects)

    def documentation(self) -> Any:
        """The ``DocumentationTree`` of the library."""
        try:
            unchanged = _unchanged_objects(
                self.changed_objects(), self._objects, self._words
            )
        except JsonnetError:
            # The overlay reads what is inside of a type, which has to be there then.
            unchanged = {}
        literal = jsonnet.json_literal(unchanged)
        return self._call(f"of(k, {literal})", self._documented_library())

    def _call(self, call: str, library: str) -> Any:
        """The result of a function of documented.libsonnet. ``k`` is the library with
        the overlay, ``library`` the Jsonnet without."""
        texts = {**self._texts, _LIBRARY: library}
        code = f"local k = (import '{_LIBRARY}'){self._imports};"
        return evaluate(
            f"{code} (import '{_DOCUMENTED}').{call}",
            lambda path: self._read_file(path, texts),
        )

    def _documented_library(self) -> str:
        """The library in Jsonnet: each type is imported from ``GeneratedSource``."""
        groups: list[str] = []
        for group, versions in self._objects.items():
            members = [_package_member(group)]
            for version, types in versions.items():
                fields = ", ".join(
                    [
                        _package_member(version),
                        *(
                            generated_member(name, (group, version, name))
                            for name in types
                        ),
                    ]
                )
                members.append(f"{jsonnet.field_name(version)}: {{ {fields} }}")
            groups.append(f"{jsonnet.field_name(group)}:: {{ {', '.join(members)} }}")
        return f"{{ {', '.join(groups)} }}"

    def _read_file(self, path: str, texts: Mapping[str, str]) -> str | None:
        if path.startswith(_GENERATED_FOLDER) and self._generated is not None:
            return self._generated(path.removeprefix(_GENERATED_FOLDER).split("/"))
        return texts.get(path)


def _unchanged_objects(
    changed: Any, objects: ObjectTree, words: frozenset[str], level: int = 0
) -> Any:
    """The objects that an overlay does not change, as a tree with True for an object
    whose documentation can be left out.

    ``changed`` is what documented.libsonnet returned for ``objects``, which are at
    ``level``. Groups and versions are never left out, since they have pages. Nor is a
    type whose name is among the ``words`` of the overlay: it may be changed
    depending on what is in it.
    """
    if not isinstance(changed, dict):
        return changed is False
    unchanged = {
        name: _unchanged_objects(changed[name], inner, words, level + 1)
        for name, inner in objects.items()
        if name in changed
    }
    if level == _TYPE_LEVEL - 1:
        for name in words & unchanged.keys():
            if unchanged[name] is True:
                unchanged[name] = dict.fromkeys(objects[name], True)
    if (
        level >= _TYPE_LEVEL
        and not changed["#"]
        and len(unchanged) == len(objects)
        and all(value is True for value in unchanged.values())
    ):
        return True
    return {name: value for name, value in unchanged.items() if value}


def _package_member(name: str) -> str:
    """Jsonnet: the documentation of a group or version."""
    literal = jsonnet.string_literal(name)
    return f"'#':: {{ name: {literal}, 'import': '', help: '' }}"


def _run(files: Sequence[OverlayFile], evaluate_program: Callable[[], Any]) -> Any:
    try:
        return run_sandboxed(evaluate_program, seconds=_SECONDS)
    except JsonnetError as error:
        raise _target_error(files, error) from error


def _target_error(files: Sequence[OverlayFile], error: JsonnetError) -> TargetError:
    """An error at the innermost location that is in the overlay."""
    by_import_path = {file.import_path: file for file in files}
    for location in error.locations:
        file = by_import_path.get(location.path)
        if file is not None:
            return TargetError(error.message, where=f"{file.path}:{location.line}")
    return TargetError(
        f"{error.message} (in {error.field})" if error.field else error.message,
        where=f"the overlay {Path(files[0].path).parent}",
        hint=_INSTALL_HINT if error.field else "",
    )


@cached_for_run
def _read_text(path: Path) -> str:
    return path.read_text("utf-8")
