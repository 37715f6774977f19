"""Recognizes kustomize's own files, the patches that they list, and what they set."""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from kubestencil import regular_file
from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.paths import Path, all_values, object_at
from kubestencil.errors import SpecError
from kubestencil.schema.knowledge.configurations import configuration_kinds
from kubestencil.source.limits import max_bytes
from kubestencil.source.yaml import documents

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_GROUP = "kustomize.config.k8s.io"
_PATCHES = ("patchesStrategicMerge", "patchesJson6902", "patches")
_RESOURCES = ("resources", "bases", "components")

#: What kustomize sets in the objects that a kustomization includes.
Transformed = Literal["namespace", "name", "labels"]
_TRANSFORMERS: Mapping[Transformed, Sequence[str]] = {
    "namespace": ("namespace",),
    "name": ("namePrefix", "nameSuffix"),
    "labels": ("commonLabels", "labels"),
}
_NAME_OF_PATCH = re.compile(r"(?<![A-Za-z])patch(?:es)?(?![A-Za-z])", re.IGNORECASE)
# Others that begin so have tests and programs about patches.
_FOLDER_OF_PATCHES = re.compile(r"(?:.*[^A-Za-z])?patch(?:es)?", re.IGNORECASE)
_OF_LABELS = frozenset(("labels", "selector", "matchLabels"))
# The directives of strategic merge patches, whole and with the field that they are for.
_DIRECTIVES = ("$patch", "$retainKeys")
_DIRECTIVE_PREFIXES = ("$setElementOrder/", "$deleteFromPrimitiveList/")
# A file that is named may be listed by a kustomization of a folder above.
_MAX_LEVELS = 8


def is_kustomize_kind(group: str) -> bool:
    """Whether objects of a group are kustomize's own configuration."""
    return group == _GROUP or group == "builtin"


def implied_fields(file: str) -> Mapping[str, str]:
    """The fields that kustomize fills into a file of a name (FixKustomization in
    kustomize/api/types/kustomization.go)."""
    return _fields_of_kind() if pathlib.PurePath(file).name in NAMES else {}


@cache
def _fields_of_kind() -> Mapping[str, str]:
    [kind] = (
        kind
        for kind in configuration_kinds()
        if (kind.group, kind.kind) == (_GROUP, "Kustomization")
    )
    return {"apiVersion": kind.api_version, "kind": kind.kind}


class Kustomizations(NamedTuple):
    """What kustomizations say of files, by their absolute paths: those that are
    ``patches``, those that are ``resources``, and what is ``set`` in the objects of others.
    ``folders`` are those with a kustomization."""

    patches: frozenset[str] = frozenset()
    resources: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    set: Mapping[str, frozenset[Transformed]] = MappingProxyType({})

    def is_patch(self, file: ManifestFile) -> bool:
        """Whether a kustomization lists a file as a patch."""
        return os.path.abspath(file.path) in self.patches  # noqa: PTH100

    def leaves_out(self, file: ManifestFile) -> bool:
        """Whether a file is beside a kustomization, and a resource of none."""
        path = os.path.abspath(file.path)  # noqa: PTH100
        is_beside = os.path.dirname(path) in self.folders  # noqa: PTH120
        return is_beside and path not in self.resources

    def sets(self, file: ManifestFile, kind: str, path: Path) -> bool:
        """Whether kustomize sets what is at a path of an object in a file."""
        if not self.set:
            return False
        parts = self.set.get(os.path.abspath(file.path), frozenset())  # noqa: PTH100
        is_name = path == ("metadata", "name")
        return (
            ("namespace" in parts and path[-1:] == ("namespace",))
            or ("namespace" in parts and kind == "Namespace" and is_name)
            or ("name" in parts and is_name)
            or ("labels" in parts and not _OF_LABELS.isdisjoint(path))
        )


def is_named_patch(file: ManifestFile) -> bool:
    """Whether a file, or one of the two folders that it is in, is called a patch: another
    program than kustomize may use it as one."""
    *folders, name = pathlib.PurePath(file.path).parts[-3:]
    is_in_folder = any(map(_FOLDER_OF_PATCHES.fullmatch, folders))
    return is_in_folder or _NAME_OF_PATCH.search(name) is not None


def read_kustomizations(files: Iterable[ManifestFile]) -> Kustomizations:
    """What the kustomizations say that are among the files, and in the folders of the
    files and above.

    One that cannot be read says nothing; it is reported where it is checked.
    """
    folders: set[pathlib.Path] = set()
    for file in files:
        if file.path == "-" or file.content is not None:
            continue
        parents = pathlib.Path(os.path.abspath(file.path)).parents  # noqa: PTH100
        for folder in parents[:_MAX_LEVELS]:
            if folder in folders:
                break
            folders.add(folder)
            if (folder / ".git").exists():
                break
    read = _Reader()
    pairs = [
        (folder, value) for folder in folders for value in read.objects_in(str(folder))
    ]
    found: dict[str, frozenset[Transformed]] = {}
    for folder, value in pairs:
        resources = set(read.resources_of(str(folder), value))
        parts = read.transformed(str(folder), value)
        for path in resources if parts else ():
            found[path] = found.get(path, frozenset()) | parts
    patches, listed = (
        frozenset(
            os.path.normpath(folder / path)
            for folder, value in pairs
            for path in _listed(value, keys)
        )
        for keys in (_PATCHES, _RESOURCES)
    )
    beside = frozenset(str(folder) for folder, _ in pairs)
    return Kustomizations(patches, listed, beside, found)


def is_json_patch(value: object) -> bool:
    """Whether a document is a JSON patch (RFC 6902): a list of operations."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(
            isinstance(step, dict) and {"op", "path"} <= step.keys() for step in value
        )
    )


def may_have_directive(data: bytes) -> bool:
    """Whether the text of a file names a directive. Searching the objects of every file
    would take a fifth of the time of a check."""
    # JSON may write the slash of a prefix as an escape sequence.
    names = (*_DIRECTIVES, *(prefix[:-1] for prefix in _DIRECTIVE_PREFIXES))
    return any(name.encode() in data for name in names)


def has_directive(value: Any) -> bool:
    """Whether an object has a directive of a strategic merge patch: ``$patch``."""
    return any(
        any(map(is_directive, object_at(current))) for current in all_values(value)
    )


def is_directive(key: str) -> bool:
    """Whether a key is a directive of strategic merge patches (apimachinery,
    pkg/util/strategicpatch/patch.go)."""
    return key in _DIRECTIVES or key.startswith(_DIRECTIVE_PREFIXES)


class _Reader:
    """Reads kustomizations, each once."""

    def __init__(self) -> None:
        self._objects: dict[str, list[Mapping[str, Any]]] = {}

    def objects_in(self, folder: str) -> list[Mapping[str, Any]]:
        """The kustomizations in a folder."""
        if folder not in self._objects:
            self._objects[folder] = [*_objects_in(pathlib.Path(folder))]
        return self._objects[folder]

    def resources_of(self, folder: str, value: Mapping[str, Any]) -> Iterator[str]:
        """The paths of the files that a kustomization in a folder includes, those of
        other kustomizations as well."""
        pending, seen = [(folder, value)], {folder}
        while pending:
            folder, value = pending.pop()
            for entry in _listed(value, _RESOURCES):
                path = os.path.normpath(os.path.join(folder, entry))  # noqa: PTH118
                yield path
                if path not in seen and os.path.isdir(path):  # noqa: PTH112
                    seen.add(path)
                    pending += [(path, inner) for inner in self.objects_in(path)]

    def transformed(
        self, folder: str, value: Mapping[str, Any]
    ) -> frozenset[Transformed]:
        """What a kustomization in a folder sets in what it includes, itself or by a
        component."""
        components = {"resources": value.get("components")}
        included = (
            inner
            for path in self.resources_of(folder, components)
            for inner in self._objects.get(path, ())
        )
        return frozenset(
            part
            for each in (value, *included)
            for part, names in _TRANSFORMERS.items()
            if any(map(each.get, names))
        )


def _objects_in(folder: pathlib.Path) -> Iterator[Mapping[str, Any]]:
    for name in NAMES:
        try:
            text = regular_file.read(folder / name, max_bytes()).decode("utf-8-sig")
            values = [document.value for document in documents(text, str(folder))]
        except (OSError, UnicodeDecodeError, SpecError):
            continue
        yield from (value for value in values if isinstance(value, dict))


def _listed(kustomization: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """The paths in lists of a kustomization."""
    for key in keys:
        entries = kustomization.get(key)
        for entry in entries if isinstance(entries, list) else ():
            path = entry.get("path") if isinstance(entry, dict) else entry
            # An entry may also be the text of a patch.
            if isinstance(path, str) and "\n" not in path and "\0" not in path:
                yield path
