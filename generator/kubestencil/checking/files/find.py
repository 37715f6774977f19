"""Finds the files to check: those of folders that Git does not ignore."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kubestencil.checking.files.expectations import (
    EXPECTATION,
    Use,
    use_in_test,
    uses_in_tests,
)
from kubestencil.checking.files.ignored_paths import (
    make_valid_spec,
    split_lines,
    verdict_on,
)
from kubestencil.checking.findings import STDIN
from kubestencil.errors import UsageError
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.folder import read_bytes, read_stdin, scan

#: Paths of files that are open already.
_OPEN_FILES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file to check. ``path`` is as it was given, ``-`` for standard input.

    ``reason_to_skip`` says why it is not read, empty where it is. A text that is in no
    file has its ``content``, and a path that begins with ``<``. In a cluster,
    ``manager`` is who wrote the objects; with ``is_part``, others wrote other fields.
    With ``may_be_part``, objects without required fields may be changes of others.
    """

    path: str
    reason_to_skip: str = ""
    content: bytes | None = None
    manager: str = ""
    is_part: bool = False
    may_be_part: bool = False

    @property
    def name(self) -> str:
        """The name in findings, with slashes on every system, and ``\\xff`` for bytes
        that are not UTF-8."""
        if self.path == "-":
            return STDIN
        if self.content is not None:
            return self.path
        path = os.fsencode(self.path).decode("utf-8", "backslashreplace")
        return path.replace(os.sep, "/")

    @property
    def is_stream(self) -> bool:
        """Whether somebody writes the text for this run: it has objects, or nothing was
        written."""
        return is_read_once(self.path) or self.content is not None

    def read(self) -> bytes:
        """The bytes. Raises SourceError where they cannot be read, and for a file that
        is larger than the limit."""
        if self.content is not None:
            return self.content
        return read_stdin() if self.path == "-" else read_bytes(Path(self.path))


def is_read_once(path: str) -> bool:
    """Whether a path is standard input or another file that is open already."""
    return path == "-" or path.startswith(_OPEN_FILES)


def find_files(paths: Sequence[str]) -> Iterator[ManifestFile]:
    """The files at ``paths``, those of a folder sorted, each file once.

    Of folders, hidden files and folders are left out, and what ``.gitignore`` files
    name, those of the folders above included. What Go has vendored, cannot be read, or has
    no end, comes with a reason to skip it. Raises UsageError for a path that does not
    exist.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _files_at(path):
            key = file.path
            if key != "-":
                key = os.path.abspath(key)  # noqa: PTH100
            if key not in seen:
                seen.add(key)
                yield file


def _files_at(path: str) -> Iterator[ManifestFile]:
    if path == "-":
        yield ManifestFile(path)
    elif os.path.isdir(path):  # noqa: PTH112
        yield from _walk((path, _rules_above(Path(path))))
    elif os.path.exists(path):  # noqa: PTH110
        yield _file_at(path)
    else:
        hint = "name a file, a folder, or - for standard input"
        if "://" in path:
            hint = f"pipe what is there: curl -fsSL {path} | kubestencil check -"
        raise UsageError("does not exist", where=path or "an empty PATH", hint=hint)


@dataclass(frozen=True)
class _Rules:
    """A ``.gitignore`` file, and the folder that its patterns are relative to."""

    folder: str
    lines: tuple[str, ...]

    @cached_property
    def spec(self) -> Any:
        return make_valid_spec(self.lines)

    def ignores(self, path: str, is_folder: bool) -> bool | None:
        """Whether the patterns ignore a path; None where none matches it."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        return verdict_on(self.spec, relative, is_folder=is_folder)


def _reason_to_skip(path: str) -> str:
    """Why a file is not read: it is no file, or might never end."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except OSError:
        return "link to nothing"
    if stat.S_ISDIR(mode):
        # Links to folders can lead back up.
        return "link to a folder"
    # A shell makes a pipe of <(helm template chart/), which has a writer.
    is_readable = path.startswith(_OPEN_FILES) or stat.S_ISREG(mode)
    return "" if is_readable else "pipe, socket or device"


def _file_at(path: str) -> ManifestFile:
    """A file whose path was given."""
    reason = _reason_to_skip(path)
    use = None if reason or path.startswith(_OPEN_FILES) else use_in_test(Path(path))
    return _as_used(path, use) if use else ManifestFile(path, reason)


def _as_used(path: str, use: Use | None) -> ManifestFile:
    """A regular file that a test uses, or no test."""
    if use == "expected":
        return ManifestFile(path, EXPECTATION)
    return ManifestFile(path, may_be_part=use == "applied")


# A folder, and the rules of the folders above.
_Folder = tuple[str, tuple[_Rules, ...]]


def _walk(folder: _Folder) -> Iterator[ManifestFile]:
    """The files in a folder, however deep. The members of the folders that lead to the
    current one are on a stack, since a folder can be deeper than calls may be nested.
    """
    stack = [_members(folder)]
    while stack:
        member = next(stack[-1], None)
        if member is None:
            stack.pop()
        elif isinstance(member, ManifestFile):
            yield member
        else:
            stack.append(_members(member))


def _members(folder: _Folder) -> Iterator[ManifestFile | _Folder]:
    """The files and folders in a folder that are not ignored, by name."""
    path, rules = folder
    entries = scan(path)
    rules = (*rules, *_rules_in(path))
    uses = uses_in_tests(Path(path), (entry.name for entry in entries))
    for entry in entries:
        if entry.name.startswith("."):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if not entry.is_dir() and not entry.name.endswith(SUFFIXES):
            continue
        if _is_ignored(entry.path, is_folder, rules):
            continue
        if is_folder and _has_go_modules(entry.path):
            yield ManifestFile(entry.path, "vendored modules of Go")
        elif is_folder:
            yield entry.path, rules
        elif entry.is_file(follow_symlinks=False):
            yield _as_used(entry.path, uses.get(entry.name))
        else:
            yield _file_at(entry.path)


def _has_go_modules(folder: str) -> bool:
    """Whether a folder has copies of others' modules (https://go.dev/ref/mod#vendoring)."""
    name = os.path.basename(folder)  # noqa: PTH119
    listing = os.path.join(folder, "modules.txt")  # noqa: PTH118
    return name == "vendor" and os.path.isfile(listing)  # noqa: PTH113


def _is_ignored(path: str, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    """The innermost file that has a pattern for the path decides."""
    verdicts = (rule.ignores(path, is_folder) for rule in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _rules_above(folder: Path) -> tuple[_Rules, ...]:
    """The rules of the folders above, up to the root of the repository."""
    absolute = folder.resolve()
    if not any((above / ".git").exists() for above in (absolute, *absolute.parents)):
        return ()
    rules: list[_Rules] = []
    current = absolute
    while not (current / ".git").exists():
        current = current.parent
        rules[:0] = _rules_in(str(current))
    return tuple(rules)


def _rules_in(folder: str) -> tuple[_Rules, ...]:
    """The rules of a folder's file; none where that is a link, as for Git.

    Raises SourceError where it is larger than such a file may be.
    """
    path = os.path.join(folder, ".gitignore")  # noqa: PTH118
    if os.path.islink(path) or not os.path.isfile(path):  # noqa: PTH113,PTH114
        return ()
    lines = split_lines(read_bytes(Path(path)), path)
    return (_Rules(os.path.abspath(folder), lines),)  # noqa: PTH100
