"""What a run wrote: the memory that later runs compare with.

``<out>/.kubestencil/<release>/<target>.json`` holds, for one tree, the digest of
what it was printed from and, for each file, the digest of its bytes with the size
and time that they were last seen with. While a run moves files into place the
record also holds the digests that are on their way (``pending``), so that a run
that was killed leaves nothing that the next one takes for somebody else's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from generator import whole
from generator.errors import OutputError

#: The folder of records and of files on their way, inside the output folder.
PRIVATE = ".kubestencil"
_FORMAT = 1


# A tuple, since a run passes thousands between its processes.
class Seen(NamedTuple):
    """A file as it was last seen: digest, size in bytes, time in nanoseconds."""

    sha256: str
    size: int
    mtime: int

    def matches(self, status: os.stat_result) -> bool:
        """Whether the file has not been touched since."""
        return self.size == status.st_size and self.mtime == status.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Record:
    """One tree: ``files`` and ``pending`` by path below the tree's folder."""

    inputs: str = ""
    files: Mapping[str, Seen] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)

    def wrote(self, path: str, sha256: str) -> bool:
        """Whether bytes with this digest at this path came from us."""
        seen = self.files.get(path)
        return self.pending.get(path) == sha256 or (
            seen is not None and seen.sha256 == sha256
        )


def location(out: Path, tree: str) -> Path:
    """Where the record of a tree (``1.35/markdown``) is."""
    return out / PRIVATE / f"{tree}.json"


def read(out: Path, tree: str) -> Record:
    """The record of a tree; an empty one where there is none.

    A record that cannot be understood is as good as none: its files are then
    compared by their bytes, and nothing is overwritten that differs.
    """
    try:
        raw = json.loads(location(out, tree).read_bytes())
        if raw["format"] != _FORMAT:
            return Record()
        return Record(
            inputs=raw["inputs"],
            files={path: Seen(*seen) for path, seen in raw["files"].items()},
            pending=raw["pending"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Record()


def write(out: Path, tree: str, record: Record) -> None:
    """Replace the record of a tree, whole."""
    path = location(out, tree)
    raw = {
        "format": _FORMAT,
        "inputs": record.inputs,
        "files": dict(record.files),
        "pending": dict(record.pending),
    }
    try:
        whole.write(path, json.dumps(raw, separators=(",", ":")).encode())
    except OSError as error:
        raise unwritable(path, error) from error


def clear(out: Path) -> None:
    """Remove what runs that were killed have left of records. No other run may be
    writing any."""
    for path in (out / PRIVATE).rglob(f"*{whole.PART}"):
        path.unlink(missing_ok=True)


def trees(out: Path) -> list[str]:
    """Every tree that has a record."""
    root = out / PRIVATE
    paths = root.rglob("*.json")
    return sorted(path.relative_to(root).with_suffix("").as_posix() for path in paths)


def places(out: Path, folder: str) -> list[str]:
    """The trees inside a folder that have files on record: ``site/1.35``."""
    found = (tree for tree in trees(out) if tree.startswith(f"{folder}/"))
    return [tree for tree in found if read(out, tree).files]


def unwritable(path: Path, error: OSError) -> OutputError:
    """The error of an operating system that would not have a file written."""
    return OutputError(
        f"cannot be written: {error.strerror or error}",
        where=str(error.filename or path),
        hint="choose another folder with -o, or make room and repeat the command",
    )
