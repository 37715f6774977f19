"""Finds the files to check: those of folders that Git does not ignore."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kubestencil.errors import UsageError
from kubestencil.source.crds import SUFFIXES
from kubestencil.source.folder import read_bytes, read_stdin

#: The name of standard input in findings.
STDIN = "<stdin>"
#: Paths of files that are open already.
_OPEN_FILES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A file to check. ``path`` is as it was given, ``-`` for standard input.

    ``reason_to_skip`` says why it is not read, empty where it is.
    """

    path: str
    reason_to_skip: str = ""

    @property
    def name(self) -> str:
        """The name in findings, with slashes on every system."""
        return STDIN if self.path == "-" else self.path.replace(os.sep, "/")

    def read(self) -> bytes:
        """The bytes. Raises SourceError where they cannot be read, and for a file that
        is larger than the limit."""
        return read_stdin() if self.path == "-" else read_bytes(Path(self.path))


def find_files(paths: Sequence[str]) -> Iterator[ManifestFile]:
    """The files at ``paths``, those of a folder sorted, each file once.

    Of folders, hidden files and folders are left out, and what ``.gitignore`` files
    name, those of the folders above included. What cannot be read, or without an end,
    comes with a reason to skip it. Raises UsageError for a path that does not exist.
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
        yield from _walk(path, _rules_above(Path(path)))
    elif os.path.exists(path):  # noqa: PTH110
        yield ManifestFile(path, _reason_to_skip(path))
    else:
        raise UsageError(
            "does not exist",
            where=path or "an empty PATH",
            hint="name a file, a folder, or - for standard input",
        )


@dataclass(frozen=True)
class _Rules:
    """A ``.gitignore`` file, and the folder that its patterns are relative to."""

    folder: str
    lines: tuple[str, ...]

    @cached_property
    def spec(self) -> Any:
        from pathspec import GitIgnoreSpec

        return GitIgnoreSpec.from_lines(filter(is_pattern, self.lines))

    def ignores(self, path: str, is_folder: bool) -> bool | None:
        """Whether the patterns ignore a path; None where none matches it."""
        relative = os.path.relpath(path, self.folder).replace(os.sep, "/")
        include: bool | None = self.spec.check_file(
            f"{relative}/" if is_folder else relative
        ).include
        return include


def is_pattern(line: str) -> bool:
    """Whether a line is a valid pattern of a .gitignore file; Git ignores others."""
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):
        return False
    return True


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
    if stat.S_ISREG(mode) or path.startswith(_OPEN_FILES):
        return ""
    return "pipe, socket or device"


def _walk(folder: str, rules: tuple[_Rules, ...]) -> Iterator[ManifestFile]:
    rules = (*rules, *_rules_in(folder))
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: entry.name)
    for entry in ordered:
        if entry.name.startswith("."):
            continue
        is_folder = entry.is_dir(follow_symlinks=False)
        if not entry.is_dir() and not entry.name.endswith(SUFFIXES):
            continue
        if _is_ignored(entry.path, is_folder, rules):
            continue
        if is_folder:
            yield from _walk(entry.path, rules)
        elif entry.is_file(follow_symlinks=False):
            yield ManifestFile(entry.path)
        else:
            yield ManifestFile(entry.path, _reason_to_skip(entry.path))


def _is_ignored(path: str, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    """The innermost file that has a pattern for the path decides."""
    for rule in reversed(rules):
        ignored = rule.ignores(path, is_folder)
        if ignored is not None:
            return ignored
    return False


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
    try:
        text = Path(folder, ".gitignore").read_text("utf-8", errors="replace")
    except OSError:
        return ()
    return (_Rules(os.path.abspath(folder), tuple(text.splitlines())),)  # noqa: PTH100
