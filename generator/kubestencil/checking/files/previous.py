"""The objects of manifests as they were before: in another folder, or in Git."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.git import committed_files
from kubestencil.checking.files.manifests import Manifest, Mistake, read_manifests
from kubestencil.checking.findings import Skip
from kubestencil.errors import UsageError
from kubestencil.schema.facts.tables import group_version_kind


class _Key(NamedTuple):
    """What makes two objects the same one to a server, whatever their versions."""

    group: str
    kind: str
    namespace: str
    name: str


class _Object(NamedTuple):
    file: str
    value: Mapping[str, Any]


class PreviousObjects:
    """Objects as they were before.

    ``files`` are their paths below a folder, with slashes, and their bytes. ``unread``
    is what cannot be compared.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self.unread: list[Skip] = []
        self._objects: dict[_Key, list[_Object]] = {}
        for file, data in files:
            for item in read_manifests(data, file):
                if isinstance(item, Manifest):
                    key = _key(item.value)
                    if key is not None:
                        self._objects.setdefault(key, []).append(
                            _Object(file, item.value)
                        )
                elif isinstance(item, Mistake) and not item.is_template:
                    reason = "mistakes in the old manifests"
                    self.unread.append(Skip(file, item.at.line, reason))

    def find(self, value: Mapping[str, Any], file: str) -> Sequence[Mapping[str, Any]]:
        """What an object of a file was before.

        Objects are the same by group, kind, namespace and name; one without a name is
        always a new one. Of several, those of the same path are meant; where that does
        not decide, the result has more than one.
        """
        key = _key(value)
        candidates = self._objects.get(key, []) if key is not None else []
        if len(candidates) > 1:
            candidates = [
                candidate
                for candidate in candidates
                if f"/{file}".endswith(f"/{candidate.file}")
            ] or candidates
        values = [candidate.value for candidate in candidates]
        return values[:1] if values[1:] == values[:-1] else values


def objects_in(folder: str) -> PreviousObjects:
    """The objects of the manifests in a folder.

    Raises UsageError for one that does not exist, SourceError for what cannot be read.
    """
    if not os.path.isdir(folder):  # noqa: PTH112
        raise UsageError("is no folder", where=folder)
    return PreviousObjects(
        (os.path.relpath(file.path, folder).replace(os.sep, "/"), file.read())
        for file in find_files([folder])
        if not file.reason_to_skip
    )


def committed_objects(revision: str, paths: Sequence[str]) -> PreviousObjects:
    """The objects of the manifests at paths, as they are in a commit of Git.

    Of a file, those of its folder, so that it may have had another name. Raises
    UsageError where there is no such commit, KubestencilError where Git fails.
    """

    def files() -> Iterator[tuple[str, bytes]]:
        for path in paths:
            is_folder = os.path.isdir(path)  # noqa: PTH112
            folder = path if is_folder else os.path.dirname(path)  # noqa: PTH120
            yield from committed_files(revision, folder or ".", is_recursive=is_folder)

    if "-" in paths:
        raise UsageError(
            "does not work with standard input", where="--since", hint="use --old DIR"
        )
    return PreviousObjects(files())


def _key(value: Mapping[str, Any]) -> _Key | None:
    metadata = value.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    name, namespace = metadata.get("name"), metadata.get("namespace") or "default"
    if not (name and isinstance(name, str) and isinstance(namespace, str)):
        return None
    kind = group_version_kind(value["apiVersion"], value["kind"])
    return _Key(kind.group, kind.kind, namespace, name)
