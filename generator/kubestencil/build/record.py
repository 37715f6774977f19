"""Records of what earlier runs wrote.

``<out>/.kubestencil/<release>/<target>.json`` is the record of one tree: the
fingerprints of what it was generated from and, for each file on a line of its own, the
digest of its bytes and their number: the same for everybody who generates it, so that a
repository can have it. While a run moves files into place, the record also has the digests
of the files that are about to appear (``pending``), so that the files of a killed run are
recognised by the next.

What is of this machine only is in ``<out>/.kubestencil/.cache``, which Git ignores: the
times at which files were last seen as recorded, and what is staged.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil import atomic, regular_file
from kubestencil.engine.run_cache import cached_for_run
from kubestencil.errors import OutputError
from kubestencil.output_paths import PRIVATE, check_folder, is_path

# With 1, times were in the record.
_FORMAT = 2
_FORMATS = (1, _FORMAT)
_CACHE = ".cache"
_IGNORE = ".gitignore"
_CHANGED = "changed"
# In bytes; a file of a tree takes some 150.
_MAX_BYTES = 64 << 20


# A NamedTuple, since thousands are passed between processes.
class FileState(NamedTuple):
    """A file as it was last seen: digest, size in bytes, time in nanoseconds, which is 0
    where it was not seen on this machine."""

    sha256: str
    size: int
    mtime: int = 0

    def matches(self, status: os.stat_result) -> bool:
        """Whether size and time show that the file has not been touched since."""
        return self.size == status.st_size and self.mtime == status.st_mtime_ns


_NO_INPUTS: Mapping[str, str] = {}


class Fingerprints(NamedTuple):
    """Digests of what a tree is generated from.

    ``tree`` covers exactly what the tree depends on. ``run`` covers all documents of
    a run: where it is unchanged, the parts of a target of scope ``releases`` are
    known to be current without computing what they depend on. It is empty for
    targets of scope ``release``. ``inputs`` is readable: by release, the digest of its
    document and after a space what limits or extends it, and under "" the options that
    were set.
    """

    tree: str = ""
    run: str = ""
    inputs: Mapping[str, str] = _NO_INPUTS

    def has_shape_of(self, earlier: Fingerprints) -> bool:
        """Whether a tree has all releases of an earlier one, limited and extended in the
        same way, and the same options: only then its lost files are out of date."""
        return all(
            name in self.inputs
            and _shape(name, self.inputs) == _shape(name, earlier.inputs)
            for name in earlier.inputs
        )


def _shape(name: str, inputs: Mapping[str, str]) -> str:
    return inputs[name].partition(" ")[2] if name else inputs[name]


_NONE = Fingerprints()


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one tree; paths are relative to the tree's folder.

    ``damage`` says why a record cannot be used, which is then read as an empty one.
    """

    fingerprints: Fingerprints = _NONE
    files: Mapping[str, FileState] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)
    damage: str = ""

    @property
    def why_unused(self) -> str:
        """The damage and what follows from it, for people; empty without damage."""
        return f"{self.damage}; it counts as none" if self.damage else ""

    def wrote(self, path: str, sha256: str) -> bool:
        """Whether a run wrote bytes with this digest to this path."""
        state = self.files.get(path)
        recorded = self.pending.get(path), state and state.sha256
        # What is no regular file has no digest.
        return bool(sha256) and sha256 in recorded


def record_path(out: Path, tree: str) -> Path:
    """The path of the record of a tree (``1.35/markdown``)."""
    return out / PRIVATE / f"{tree}.json"


def read(out: Path, tree: str) -> Record:
    """The record of a tree; an empty one where there is none, or it is unreadable.

    Without a record, files are compared by their bytes, and no file that differs is
    overwritten. An output folder can come from somebody else, as part of a repository:
    a record with a path that no target can have is damaged as a whole, since the files
    that it names may be removed.
    """
    path = record_path(out, tree)
    try:
        data = regular_file.read(path, _MAX_BYTES)
        record = _record(json.loads(data))
        times = _read_times(out, tree, data)
        files = {
            path: state._replace(mtime=time)
            for (path, state), time in zip(
                sorted(record.files.items()), times, strict=False
            )
        }
        return replace(record, files={**record.files, **files})
    except FileNotFoundError:
        return Record()
    except OSError as error:
        return Record(damage=error.strerror or str(error))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Record(damage="is not a record")


def _read_times(out: Path, tree: str, record: bytes) -> list[int]:
    """The times of a record's files, in the order of their paths; none where they are
    those of another record."""
    with contextlib.suppress(
        OSError, ValueError, LookupError, TypeError, OverflowError, RecursionError
    ):
        raw = json.loads(regular_file.read(_times_path(out, tree), _MAX_BYTES))
        if raw["record"] == _digest(record):
            return [int(time) for time in raw["times"]]
    return []


def _times_path(out: Path, tree: str) -> Path:
    return cache_path(out) / f"{tree}.times"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _record(raw: Any) -> Record:
    """Raises ValueError, KeyError, TypeError or AttributeError for anything else than
    what ``write`` writes."""
    if raw["format"] not in _FORMATS:
        return Record()
    fingerprints = Fingerprints(*raw.get("fingerprints", ()))
    files = {path: FileState(*state) for path, state in raw["files"].items()}
    pending = dict(raw["pending"].items())
    texts = (
        *fingerprints[:2],
        *fingerprints.inputs.values(),
        *pending.values(),
        *(state.sha256 for state in files.values()),
    )
    numbers = (number for state in files.values() for number in state[1:])
    if not (
        all(isinstance(text, str) for text in texts)
        and all(type(number) is int for number in numbers)
        and all(is_path(path) and path.encode() for path in (*files, *pending))
    ):
        raise ValueError
    return Record(fingerprints, files, pending)


def write(out: Path, tree: str, record: Record) -> None:
    """Replace the record of a tree atomically, and note the times of its files."""
    path = record_path(out, tree)
    data = _text(record).encode()
    times = {
        "record": _digest(data),
        "times": [state.mtime for _, state in sorted(record.files.items())],
    }
    try:
        if not path.is_file() or path.read_bytes() != data:
            atomic.write(path, data)
        if not record.pending:
            cache_folder(out)
            atomic.write(_times_path(out, tree), json.dumps(times).encode())
            (cache_path(out) / _CHANGED).touch()
    except OSError as error:
        raise write_error(path, error) from error


def _text(record: Record) -> str:
    """A record as JSON, with a line for each file, so that branches can be merged."""
    inputs = dict(record.fingerprints.inputs)
    members = (
        f'"format": {_FORMAT}',
        f'"fingerprints": {json.dumps((*record.fingerprints[:2], inputs))}',
        _table("files", {path: state[:2] for path, state in record.files.items()}),
        _table("pending", record.pending),
    )
    return "{\n" + ",\n".join(members) + "\n}\n"


def _table(name: str, values: Mapping[str, object]) -> str:
    lines = (
        f"{json.dumps(path)}: {json.dumps(value)}"
        for path, value in sorted(values.items())
    )
    return f'"{name}": {{\n' + ",\n".join(lines) + "\n}"


def cache_path(out: Path) -> Path:
    """The folder for what is of this machine only."""
    return out / PRIVATE / _CACHE


def cache_folder(out: Path) -> Path:
    """The same, made if needed; Git ignores what is in it."""
    folder = cache_path(out)
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _IGNORE).write_text("*\n", "utf-8")
    return folder


def remove_cache(out: Path, *names: str) -> None:
    """Remove the folder for what is of this machine only, unless it has files of other
    names than these. No file is opened, since a run may have too many already."""
    folder = cache_path(out)
    for name in (_IGNORE, *names):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def check_output(out: Path) -> None:
    """Raise OutputError where a folder cannot be an output folder, as ``check_folder``
    does, and for a symbolic link in its folder of records, or in the place of that.

    kubestencil makes none. Through one, records would be written, and temporary files
    removed, somewhere else.
    """
    check_folder(out)
    links = _found_in_records(out).links
    if links:
        raise OutputError(
            "is a symbolic link in the folder of records",
            where=links[0],
            hint="remove it, or choose another folder with -o",
        )


def remove_partial_files(out: Path) -> None:
    """Remove the temporary files that were there when the run began: those of killed runs,
    since no other run may be active."""
    for path in _found_in_records(out).partial:
        Path(path).unlink(missing_ok=True)


class _ForeignPaths(NamedTuple):
    """The paths of what does not belong among records: links, and temporary files."""

    links: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()


# A project has thousands of records, and a build for each of its tables.
@cached_for_run
def _found_in_records(out: Path) -> _ForeignPaths:
    root = out / PRIVATE
    # A link could lead to the root of the file system: it is not looked into.
    if root.is_symlink():
        return _ForeignPaths(links=(str(root),))
    links, partial = [], []
    for entry in _entries_below(root):
        if entry.is_symlink():
            links.append(entry.path)
        elif entry.name.endswith(atomic.PARTIAL_SUFFIX):
            partial.append(entry.path)
    return _ForeignPaths(tuple(links), tuple(partial))


def _entries_below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What is in a folder, however deep; it goes on where another run removes its staging
    folder meanwhile."""
    folders = [str(folder)]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                yield entry


def last_change(out: Path) -> int:
    """The time at which a run last wrote a record on this machine; 0 for none."""
    with contextlib.suppress(OSError):
        return (cache_path(out) / _CHANGED).lstat().st_mtime_ns
    return 0


def recorded_trees(out: Path) -> list[str]:
    """The trees that have a record."""
    root = out / PRIVATE
    paths = (Path(entry.path).relative_to(root) for entry in _record_files(out))
    return sorted(path.as_posix().removesuffix(".json") for path in paths)


def _record_files(out: Path) -> Iterator[os.DirEntry[str]]:
    root, cache = out / PRIVATE, f"{cache_path(out)}{os.sep}"
    for entry in () if root.is_symlink() else _entries_below(root):
        is_file = not entry.is_dir(follow_symlinks=False)
        if (
            is_file
            and entry.name.endswith(".json")
            and not entry.path.startswith(cache)
        ):
            yield entry


def inputs(out: Path, target: str) -> Mapping[str, str]:
    """The recorded inputs of all trees of a target of scope ``releases``."""
    trees = [target, *trees_inside(out, target)]
    return {
        name: text
        for tree in trees
        for name, text in read(out, tree).fingerprints.inputs.items()
    }


def trees_inside(out: Path, folder: str) -> list[str]:
    """The trees inside a folder that have a record: ``site/1.35``. The names are those of
    files, and may be no names of trees."""
    return [tree for tree in recorded_trees(out) if tree.startswith(f"{folder}/")]


def write_error(path: Path, error: OSError) -> OutputError:
    """The error for a file that the operating system did not let us write."""
    failed = Path(error.filename or path)
    is_dangling = failed.is_symlink() and not failed.exists()
    reason = "a link to what does not exist" if is_dangling else error.strerror or error
    return OutputError(
        f"cannot be written: {reason}",
        where=str(failed),
        hint="choose another folder with -o, or free some space, and run it again",
    )
