"""Specs in a folder: ``1.35.json``, ``1.35.yaml`` or ``1.35.yml`` for release 1.35."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kubestencil.errors import SourceError, UsageError
from kubestencil.source.document import SourceFile, shown_location
from kubestencil.source.limits import max_bytes, too_large

_SUFFIXES = (".json", ".yaml", ".yml")
# Characters of a path in a message.
_MAX_SHOWN = 300


def releases(folder: Path) -> Mapping[str, Path]:
    """The file of each release in ``folder``; a JSON file is preferred to YAML."""
    if not folder.is_dir():
        return {}
    paths: dict[str, Path] = {}
    for suffix in reversed(_SUFFIXES):
        for path in folder.glob(f"[0-9]*.[0-9]*{suffix}"):
            # Not a pipe or device that somebody's folder has in the place of a file.
            if path.is_file():
                paths[path.name.removesuffix(suffix)] = path
    return paths


def scan(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; raises SourceError where it cannot be read."""
    where = folder if len(folder) <= _MAX_SHOWN else f"{folder[:_MAX_SHOWN]}…"
    with _reading(where), os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def read_stdin(limit: int = -1) -> bytes:
    """The bytes of standard input, at most ``limit`` where that is not negative.

    Raises SourceError where it is closed or cannot be read.
    """
    where = "standard input"
    if sys.stdin is None:
        raise SourceError(
            "is closed", where=where, hint="pipe something into it, or name a file"
        )
    with _reading(where):
        return sys.stdin.buffer.read(limit)


def read_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises SourceError where it cannot be read or is larger than ``max_bytes()``.
    """
    with _reading(str(path)):
        # A device, or a pipe that the user names, has no size beforehand.
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(max_bytes() + 1) if size <= max_bytes() else b""
        if max(size, len(data)) > max_bytes():
            raise too_large(str(path), f"{size:,}" if size else "more")
        return data


def read_file(location: str) -> SourceFile:
    """The bytes at a path or a URL, or on standard input (``-``).

    Raises UsageError where the URL is not https or there is no such file, SourceError
    where it cannot be read.
    """
    if location == "-":
        data = read_stdin(max_bytes() + 1)
        if len(data) > max_bytes():
            raise too_large("standard input", "more")
        return SourceFile("standard input", data)
    if "://" in location:
        # What it needs takes longer to import than a file to read.
        from kubestencil.source import remote

        data = remote.download(location)
        return SourceFile(shown_location(location), data)
    path = Path(location)
    if not os.path.lexists(path):
        raise UsageError("there is no such file or folder", where=location)
    return SourceFile(str(path), read_bytes(path))


@contextmanager
def _reading(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise SourceError(f"cannot be read: {error.strerror}", where=where) from error
