"""Writes a tree of files: only what differs, each file atomically.

Two steps: ``stage`` compares the new files with the folder and writes those that
differ to a staging folder on the same disk, so that nothing visible has changed
whatever goes wrong. ``commit`` renames them into place and removes what is no longer
generated.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from kubestencil import regular_file
from kubestencil.build import record
from kubestencil.build.record import FileState, Fingerprints, Record
from kubestencil.errors import OutputError
from kubestencil.output_paths import PRIVATE, check_paths, is_path
from kubestencil.shards import WHOLE, Shard

# Names in the folder of what is of this machine only.
_LOCK = "lock"
_STAGING = "staging."
# What earlier versions left among the records.
_LEFT = ".lock"


class TreeChange(NamedTuple):
    """What will be done to a tree.

    ``files`` has every generated file with the state that it will have in place;
    ``staged`` maps those that have to be moved to their staged files; ``removed``
    are no longer generated; ``kept`` are no longer generated, but were changed by hand.
    ``damage`` says what of the record of the last run was not used, and why. With
    ``loses_files``, ``removed`` has files that were not asked for in this run, and may
    not be out of date.
    """

    tree: str
    fingerprints: Fingerprints
    files: Mapping[str, FileState]
    staged: Mapping[str, str]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    damage: str = ""
    loses_files: bool = False


class Drift(NamedTuple):
    """How a tree on the disk differs from what would be generated: lists of paths."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    left_over: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.left_over)


def is_untouched(out: Path, tree: str, recorded: Record, *, read_bytes: bool) -> bool:
    """Whether the files of a finished run are all as the record has them.

    Files are compared by size and time, or by their bytes with ``read_bytes``.
    """
    if recorded.pending or not recorded.files:
        return False
    folder = out / tree
    for path, state in recorded.files.items():
        try:
            status = os.lstat(f"{folder}/{path}")
            if not stat.S_ISREG(status.st_mode):
                return False
            if not read_bytes and state.matches(status):
                continue
            if _digest(regular_file.read(folder / path)) != state.sha256:
                return False
        except OSError:
            return False
    return True


def stage(
    out: Path,
    tree: str,
    fingerprints: Fingerprints,
    files: Iterable[tuple[str, bytes]],
    staging: Path,
    *,
    overwrite: bool,
    can_have: Callable[[str], bool] = is_path,
) -> TreeChange:
    """Compare ``files`` (path and bytes) with a tree, and stage what differs.

    Only paths that the tree ``can_have`` are removed, whatever a record says. Raises
    OutputError for a file in the way that kubestencil did not write, or that was changed
    by hand, unless ``overwrite``; for paths that ``check_paths`` refuses; and where
    staging cannot be written.
    """
    recorded = record.read(out, tree)
    folder = out / tree
    exists = folder.exists()
    prefix = tree.replace("/", ".")
    generated: dict[str, FileState] = {}
    staged: dict[str, str] = {}
    foreign: list[str] = []
    try:
        for path, data in files:
            digest = _digest(data)
            state = (
                _state(f"{folder}/{path}", recorded.files.get(path)) if exists else None
            )
            if state is not None and state.sha256 == digest:
                generated[path] = state
                continue
            if state is not None and not recorded.wrote(path, state.sha256):
                foreign.append(path)
            # One flat folder: a file system spreads folders over the disk, and the
            # first files in each are slow to create.
            staged[path] = f"{staging}/{prefix}.{len(staged)}"
            generated[path] = _write(staged[path], data, digest)
    except OSError as error:
        raise record.write_error(folder, error) from error
    if foreign and not overwrite:
        raise _foreign_files_error(folder, foreign)
    removed, kept = _no_longer_generated(folder, recorded, generated)
    foreign = [path for path in removed if not can_have(path)]
    removed = [path for path in removed if path not in foreign]
    changed = (*staged, *removed)
    # There are no links in a folder that does not exist.
    checked = changed if exists else changed[:1]
    check_paths(out, (f"{tree}/{path}" for path in checked))
    return TreeChange(
        tree,
        fingerprints,
        generated,
        staged,
        tuple(removed),
        tuple(kept),
        recorded.why_unused or _foreign_files_damage(foreign),
        bool(removed) and not fingerprints.has_shape_of(recorded.fingerprints),
    )


def commit(out: Path, change: TreeChange) -> None:
    """Apply a change. Killed at any moment, it leaves each file old or new."""
    folder = out / change.tree
    old = record.read(out, change.tree)
    if change.staged or change.removed:
        pending = {path: change.files[path].sha256 for path in change.staged}
        started = Record(files=old.files, pending={**old.pending, **pending})
        record.write(out, change.tree, started)
    try:
        if change.staged:
            folder.mkdir(parents=True, exist_ok=True)
        made = {""}
        for path in change.staged:
            _make_folder(folder, path.rpartition("/")[0], made)
        for path, staged in change.staged.items():
            os.replace(staged, f"{folder}/{path}")  # noqa: PTH105 - see _state
        for path in change.removed:
            (folder / path).unlink(missing_ok=True)
            _remove_empty((folder / path).parent, folder)
    except OSError as error:
        raise record.write_error(folder, error) from error
    new = Record(change.fingerprints, change.files)
    record.write(out, change.tree, new)


def compare(
    out: Path,
    tree: str,
    files: Iterable[tuple[str, bytes]],
    can_have: Callable[[str], bool] = is_path,
) -> Drift:
    """How a tree differs from ``files``, as ``stage`` has it; nothing is written, and
    nothing read that is larger than it should be."""
    folder = out / tree
    recorded = record.read(out, tree)
    changed: list[str] = []
    missing: list[str] = []
    generated: set[str] = set()
    for path, data in files:
        generated.add(path)
        try:
            if (folder / path).is_symlink() or (
                regular_file.read(folder / path, len(data)) != data
            ):
                changed.append(path)
        except FileNotFoundError:
            missing.append(path)
        except OSError:
            changed.append(path)
    left_over = [
        path
        for path in recorded.files
        if path not in generated and (folder / path).is_file() and can_have(path)
    ]
    return Drift(tuple(changed), tuple(missing), tuple(left_over))


@contextlib.contextmanager
def staging_folder(out: Path, shard: Shard = WHOLE) -> Iterator[Path]:
    """A folder for staged files inside ``out``, for one run at a time, or one for each
    shard.

    Another run on the same output folder, and of the same shard, waits until this one is
    done. Folders that did not exist before and are empty afterwards are removed again.
    """
    created = [
        folder for folder in (*reversed(out.parents), out) if not folder.exists()
    ]
    private = out / PRIVATE
    is_first = not private.exists() and shard == WHOLE
    try:
        cache = record.cache_folder(out)
        with _locked(cache, shard):
            _remove_left_behind(out, shard)
            # A new name: a worker of a killed run may still be writing to its own.
            folder = cache / f"{_STAGING}{_suffix(shard)}{os.getpid()}"
            folder.mkdir()
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise record.write_error(out, error) from error
    finally:
        if is_first and not record.recorded_trees(out):
            record.remove_cache(out, _LOCK)
            for folder in (private, *reversed(created)):
                with contextlib.suppress(OSError):
                    folder.rmdir()


def remove_left_behind(out: Path) -> None:
    """Remove what a killed run left in the folder of records, unless a run is active."""
    from filelock import Timeout

    cache = record.cache_path(out)
    if not any(cache.glob(f"{_STAGING}*")):
        return
    with contextlib.suppress(Timeout, OSError), _locked(cache, WHOLE, timeout=0):
        _remove_left_behind(out, WHOLE)


@contextlib.contextmanager
def _locked(cache: Path, shard: Shard, timeout: float = -1) -> Iterator[None]:
    """Locks that exclude all other runs, or for a shard those of other shares only.

    A shard holds its own lock, and while it takes that the common one, which others hold
    while they wait for those of all shards. Raises Timeout after so many seconds.
    """
    from filelock import FileLock

    def lock(name: str) -> AbstractContextManager[object]:
        return FileLock(cache / name, is_singleton=True).acquire(timeout)

    with contextlib.ExitStack() as stack:
        if shard == WHOLE:
            stack.enter_context(lock(_LOCK))
            for path in sorted(cache.glob(f"{_LOCK}.*")):
                stack.enter_context(lock(path.name))
        else:
            with lock(_LOCK):
                stack.enter_context(lock(f"{_LOCK}.{_suffix(shard)}lock"))
        yield


def _suffix(shard: Shard) -> str:
    """What the names of locks and staging folders of a shard have; other runs have none."""
    return "" if shard == WHOLE else f"{shard.number}-{shard.total}."


def _remove_left_behind(out: Path, shard: Shard) -> None:
    """Remove what killed runs of a shard, or any killed runs, left."""
    for folder in record.cache_path(out).glob(f"{_STAGING}{_suffix(shard)}*"):
        shutil.rmtree(folder, ignore_errors=True)
    if shard == WHOLE:
        (out / PRIVATE / _LEFT).unlink(missing_ok=True)
        record.remove_partial_files(out)


def _state(path: str, recorded: FileState | None) -> FileState | None:
    """The state of the file at ``path``; its bytes are read only where its size or
    time differ from the ``recorded`` state. What is no regular file has no digest."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    digest = ""
    if stat.S_ISREG(status.st_mode):
        if recorded is not None and recorded.matches(status):
            return recorded
        try:
            digest = _digest(regular_file.read(path))
        except OSError as error:
            # It is too large.
            if error.errno:
                raise
    return FileState(digest, status.st_size, status.st_mtime_ns)


def _no_longer_generated(
    folder: Path, recorded: Record, generated: Mapping[str, FileState]
) -> tuple[list[str], list[str]]:
    """The recorded files that are no longer generated: unchanged, and edited."""
    removed: list[str] = []
    kept: list[str] = []
    for path in sorted({*recorded.files, *recorded.pending} - generated.keys()):
        try:
            state = _state(f"{folder}/{path}", recorded.files.get(path))
        except OSError:
            continue
        if state is not None:
            ours = recorded.wrote(path, state.sha256)
            (removed if ours else kept).append(path)
    return removed, kept


def _foreign_files_damage(paths: list[str]) -> str:
    if not paths:
        return ""
    return (
        f"names {len(paths)} file(s) that no rule of the target has, such as {paths[0]}; "
        "they stay"
    )


def _foreign_files_error(folder: Path, paths: list[str]) -> OutputError:
    listed = "".join(f"\n  {path}" for path in sorted(paths)[:10])
    more = f"\n  and {len(paths) - 10} more" if len(paths) > 10 else ""
    return OutputError(
        f"has {len(paths)} file(s) that kubestencil did not write, or that were "
        f"changed since:{listed}{more}",
        where=str(folder),
        hint="move them away, choose another output folder, or let kubestencil render "
        "--overwrite replace them",
    )


def _write(path: str, data: bytes, digest: str) -> FileState:
    with Path(path).open("wb") as file:
        file.write(data)
        file.flush()
        status = os.fstat(file.fileno())
    return FileState(digest, status.st_size, status.st_mtime_ns)


def _make_folder(top: Path, path: str, made: set[str]) -> None:
    """Make a folder inside of ``top``, and those above it, unless they are ``made``.

    ``Path.mkdir`` with ``parents`` takes three times as long for thousands of folders.
    """
    if path in made:
        return
    _make_folder(top, path.rpartition("/")[0], made)
    (top / path).mkdir(exist_ok=True)
    made.add(path)


def _remove_empty(folder: Path, top: Path) -> None:
    """Remove a folder and those above it, up to ``top``, while they are empty."""
    while folder != top.parent:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
