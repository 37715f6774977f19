"""The objects of manifests as they were before: in another folder, or in Git."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, Mistake, read_manifests
from kubestencil.checking.findings import Skip
from kubestencil.checking.paths import object_at, text_at
from kubestencil.errors import SourceError, UsageError
from kubestencil.programs import git_output
from kubestencil.schema.types import group_version_kind
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.limits import max_bytes, too_large

_FILE_MODES = (b"100644", b"100755")
# Bytes that Git prints besides the content of a file.
_MAX_HEAD = 200
# What makes two objects the same one to a server, whatever their versions: group, kind,
# namespace and name.
_Key = tuple[str, str, str, str]


class PreviousObjects:
    """Objects as they were before.

    ``files`` are their paths below a folder, with slashes, and their bytes. ``unread``
    is what cannot be compared.
    """

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self.unread: list[Skip] = []
        self._objects: dict[_Key | None, list[tuple[str, Mapping[str, Any]]]] = {}
        for file, data in files:
            for item in read_manifests(data, file):
                if isinstance(item, Manifest):
                    places = self._objects.setdefault(_key(item.value), [])
                    places.append((file, item.value))
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
        found = self._objects.get(key, []) if key is not None else []
        if len(found) > 1:
            same = [place for place in found if f"/{file}".endswith(f"/{place[0]}")]
            found = same or found
        values = [value for _, value in found]
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
    UsageError where there is no such commit, SourceError where Git fails.
    """

    if "-" in paths:
        raise UsageError(
            "does not work with standard input",
            where="--applied-commit",
            hint="use --applied DIR",
        )
    return PreviousObjects(
        file
        for path in paths
        for is_folder in (os.path.isdir(path),)  # noqa: PTH112
        for file in committed_files(
            revision,
            path if is_folder else os.path.dirname(path) or ".",  # noqa: PTH120
            is_recursive=is_folder,
        )
    )


def committed_files(
    revision: str, folder: str, *, is_recursive: bool
) -> Iterator[tuple[str, bytes]]:
    """The manifests in a folder as they are in a commit: paths below it, and bytes.

    Hidden files and folders and links are left out. Raises UsageError where there is no
    such commit or no repository, SourceError for a file that is larger than the limit,
    and where Git fails or cannot be run.
    """
    files: dict[str, tuple[bytes, int]] = {}
    options = ["-r"] if is_recursive else []
    commit = _commit(revision, folder)
    listing = git_output(folder, max_bytes(), "ls-tree", "-zl", *options, commit)
    for line in filter(None, listing.split(b"\0")):
        description, _, name = line.partition(b"\t")
        mode, _, digest, size = description.split()
        path = os.fsdecode(name)
        is_hidden = "/." in f"/{path}"
        if mode not in _FILE_MODES or not path.endswith(SUFFIXES) or is_hidden:
            continue
        if not size.isdigit():
            raise SourceError("Git has no content of it", where=path)
        if int(size) > max_bytes():
            raise too_large(path, f"{int(size):,}")
        files[path] = digest, int(size)
    digests = b"\n".join(digest for digest, _ in files.values())
    total = sum(size + _MAX_HEAD for _, size in files.values())
    contents = BytesIO(git_output(folder, total, "cat-file", "--batch", text=digests))
    for path, (_, length) in files.items():
        contents.readline()
        yield path, contents.read(length)
        contents.read(1)


def _commit(revision: str, folder: str) -> str:
    """The digest of a commit. Only this is given to other commands, so that nobody's
    text can be an option of theirs."""
    failure = f"{revision!r} is no commit"
    if not revision or revision.startswith("-"):
        raise UsageError(failure, where="--applied-commit")
    wanted = ("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    try:
        # Versions of Git before 2.30 repeat --end-of-options.
        return git_output(folder, max_bytes(), *wanted).decode().split()[-1]
    except SourceError as error:
        raise UsageError(
            f"{failure}: {error.what}", where="--applied-commit"
        ) from error


def _key(value: Mapping[str, Any]) -> _Key | None:
    name = text_at(value, "metadata", "name")
    namespace = object_at(value, "metadata").get("namespace") or "default"
    if not name or not isinstance(namespace, str):
        return None
    kind = group_version_kind(value["apiVersion"], value["kind"])
    return kind.group, kind.kind, namespace, name
