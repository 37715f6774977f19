"""Writing one tree of files: only what differs, each file whole or not at all.

It takes two steps. ``stage`` compares the new files with the folder and puts
those that differ into a folder of their own on the same disk; nothing visible
has changed then, whatever goes wrong. ``commit`` moves them into place, one
rename a file, and removes what is no longer printed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import OutputError
from generator.output import record
from generator.output.record import Record, Seen


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be done to a tree.

    ``files`` has every file that was printed, as it will be seen in place;
    ``staged`` those that still have to be moved there, with the file that waits;
    ``removed`` what is no longer printed; ``kept`` what is no longer printed and
    was changed by hand. ``size`` is the sum of all printed bytes.
    """

    tree: str
    inputs: str
    files: Mapping[str, Seen]
    staged: Mapping[str, str]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Drift:
    """How a tree on the disk differs from what would be printed, by path."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    left_over: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.missing or self.left_over)


def current(
    out: Path, tree: str, decides: Callable[[str], bool], *, read_bytes: bool
) -> Record | None:
    """The tree's record, if it is of a finished run whose inputs ``decides`` takes,
    and nobody touched the tree.

    A file is taken as untouched by its size and time, or, with ``read_bytes``,
    by its bytes only.
    """
    known = record.read(out, tree)
    if known.pending or not known.files or not decides(known.inputs):
        return None
    folder = out / tree
    for path, seen in known.files.items():
        try:
            if not read_bytes and seen.matches((folder / path).stat()):
                continue
            if _digest((folder / path).read_bytes()) != seen.sha256:
                return None
        except OSError:
            return None
    return known


def stage(
    out: Path,
    tree: str,
    inputs: str,
    files: Iterable[tuple[str, bytes]],
    stage_folder: Path,
    *,
    overwrite: bool,
) -> Plan:
    """Compare ``files`` (path and bytes) with a tree, and stage what differs.

    Raises OutputError for a file in the way that is not ours, or was changed by
    hand, unless ``overwrite``; and where the disk cannot take the new files.
    """
    known = record.read(out, tree)
    folder = out / tree
    exists = folder.exists()
    prefix = tree.replace("/", ".")
    printed: dict[str, Seen] = {}
    staged: dict[str, str] = {}
    foreign: list[str] = []
    size = 0
    try:
        for path, data in files:
            digest = _digest(data)
            size += len(data)
            old = known.files.get(path)
            found = _look(f"{folder}/{path}", old) if exists else None
            if found is not None and found.sha256 == digest:
                printed[path] = found
                continue
            if found is not None and not known.wrote(path, found.sha256):
                foreign.append(path)
            # One flat folder: a file system spreads folders over the disk, and
            # the first files in each are slow to make.
            staged[path] = f"{stage_folder}/{prefix}.{len(staged)}"
            printed[path] = _write(staged[path], data, digest)
    except OSError as error:
        raise record.unwritable(folder, error) from error
    if foreign and not overwrite:
        raise _not_ours(folder, foreign)
    removed, kept = _left_over(folder, known, printed)
    return Plan(
        tree=tree,
        inputs=inputs,
        files=printed,
        staged=staged,
        removed=tuple(removed),
        kept=tuple(kept),
        size=size,
    )


def unchanged(tree: str, inputs: str, known: Record) -> Plan:
    """The plan of a tree that other inputs give as it is: only they are recorded."""
    size = sum(seen.size for seen in known.files.values())
    return Plan(tree, inputs, known.files, {}, (), (), size)


def commit(out: Path, plan: Plan) -> None:
    """Do what was planned. Killed at any moment, it leaves each file old or new."""
    folder = out / plan.tree
    old = record.read(out, plan.tree)
    if plan.staged or plan.removed:
        pending = {path: plan.files[path].sha256 for path in plan.staged}
        record.write(out, plan.tree, Record("", old.files, {**old.pending, **pending}))
    try:
        for parent in {path.rpartition("/")[0] for path in plan.staged}:
            (folder / parent).mkdir(parents=True, exist_ok=True)
        for path, waiting in plan.staged.items():
            os.replace(waiting, f"{folder}/{path}")  # noqa: PTH105 - as above
        for path in plan.removed:
            (folder / path).unlink(missing_ok=True)
            _remove_empty((folder / path).parent, folder)
    except OSError as error:
        raise record.unwritable(folder, error) from error
    new = Record(plan.inputs, plan.files)
    if new != old:
        record.write(out, plan.tree, new)


def compare(out: Path, tree: str, files: Iterable[tuple[str, bytes]]) -> Drift:
    """How a tree differs from ``files``; nothing is written."""
    folder = out / tree
    known = record.read(out, tree)
    changed: list[str] = []
    missing: list[str] = []
    printed: set[str] = set()
    for path, data in files:
        printed.add(path)
        try:
            if (folder / path).read_bytes() != data:
                changed.append(path)
        except FileNotFoundError:
            missing.append(path)
        except OSError:
            changed.append(path)
    left_over = [
        path
        for path in known.files
        if path not in printed and (folder / path).is_file()
    ]
    return Drift(tuple(changed), tuple(missing), tuple(left_over))


def _look(path: str, seen: Seen | None) -> Seen | None:
    """What is at ``path``; its bytes are read only where it may have changed."""
    try:
        status = os.stat(path)  # noqa: PTH116 - a Path costs more than the call
    except FileNotFoundError:
        return None
    if seen is not None and seen.matches(status):
        return seen
    return Seen(_digest(Path(path).read_bytes()), status.st_size, status.st_mtime_ns)


def _left_over(
    folder: Path, known: Record, printed: Mapping[str, Seen]
) -> tuple[list[str], list[str]]:
    removed: list[str] = []
    kept: list[str] = []
    for path in sorted({*known.files, *known.pending} - printed.keys()):
        try:
            found = _look(f"{folder}/{path}", known.files.get(path))
        except OSError:
            continue
        if found is not None:
            ours = known.wrote(path, found.sha256)
            (removed if ours else kept).append(path)
    return removed, kept


def _not_ours(folder: Path, paths: list[str]) -> OutputError:
    listed = "".join(f"\n  {path}" for path in sorted(paths)[:10])
    more = f"\n  and {len(paths) - 10} more" if len(paths) > 10 else ""
    return OutputError(
        f"holds {len(paths)} file(s) that kubestencil did not write, or that were "
        f"changed since:{listed}{more}",
        where=str(folder),
        hint="move them away, choose another folder with -o, or pass --overwrite",
    )


def _write(path: str, data: bytes, digest: str) -> Seen:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        status = os.fstat(handle)
        return Seen(digest, status.st_size, status.st_mtime_ns)
    finally:
        os.close(handle)


def _remove_empty(folder: Path, stop: Path) -> None:
    for each in _up_to(folder, stop):
        try:
            each.rmdir()
        except OSError:
            return


def _up_to(folder: Path, stop: Path) -> Iterator[Path]:
    while folder != stop.parent:
        yield folder
        folder = folder.parent


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@contextlib.contextmanager
def workspace(out: Path) -> Iterator[Path]:
    """A folder for staged files inside ``out``, for one run at a time.

    Another run on the same output folder waits until this one is done. What was
    not there before and is empty afterwards is removed again.
    """
    from filelock import FileLock

    created = [each for each in (*reversed(out.parents), out) if not each.exists()]
    private = out / record.PRIVATE
    first = not private.exists()
    try:
        private.mkdir(parents=True, exist_ok=True)
        lock = FileLock(private / "lock", is_singleton=True)
        with lock:
            folder = private / "stage"
            _clear(folder)
            record.clear(out)
            folder.mkdir()
            try:
                yield folder
            finally:
                _clear(folder)
                if first and not record.trees(out):
                    (private / "lock").unlink(missing_ok=True)
    except OSError as error:
        raise record.unwritable(out, error) from error
    finally:
        if first and not record.trees(out):
            for each in (private, *reversed(created)):
                with contextlib.suppress(OSError):
                    each.rmdir()


def _clear(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
