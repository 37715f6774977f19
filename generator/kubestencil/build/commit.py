"""Moves the files of a run into place, all of them or none.

They are moved by a process of its own, which finishes what it began where the run is
killed meanwhile: with SIGKILL, by the operating system for lack of memory, or by a CI
system that ends all processes of a job. Where a process cannot be forked, as on
Windows, the run moves them itself.
"""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NoReturn

from kubestencil.build import tree
from kubestencil.build.tree import TreeChange
from kubestencil.errors import KubestencilError

#: Applies changes of trees in the order given.
Commit = Callable[[Sequence[TreeChange]], None]

# What the process sends when it has its lock.
_READY = b"\n"


@contextmanager
def committing(out: Path) -> Iterator[Commit]:
    """A function that applies changes to an output folder in another process, and
    returns when it is done. It can be called once.

    The process starts here, so that it has little memory in common with this one. The
    function raises what ``tree.commit`` raises, and KubestencilError where the process
    is killed.
    """
    if not hasattr(os, "fork"):
        yield lambda changes: _apply(out, changes)
        return
    task_reader, task_writer = _pipe()
    result_reader, result_writer = _pipe()
    process = os.fork()
    if process == 0:
        # A pipe ends where no process has its writing end open: these copies would
        # hide the end of the run.
        task_writer.close()
        result_reader.close()
        _work(out, task_reader, result_writer)
    task_reader.close()
    result_writer.close()

    def commit(changes: Sequence[TreeChange]) -> None:
        with suppress(BrokenPipeError):
            pickle.dump(changes, task_writer)
            task_writer.flush()
        error = _received(result_reader)
        if error is not None:
            raise error

    try:
        # From here on, the next run waits for the lock of the process.
        result_reader.read(len(_READY))
        yield commit
    finally:
        # It is idle: no changes were sent to it, or it has applied them.
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        result_reader.close()
        with suppress(BrokenPipeError):
            task_writer.close()


def _pipe() -> tuple[BinaryIO, BinaryIO]:
    reader, writer = os.pipe()
    return open(reader, "rb"), open(writer, "wb")  # noqa: PTH123 - descriptors


def _apply(out: Path, changes: Sequence[TreeChange]) -> None:
    for change in changes:
        tree.commit(out, change)


def _received(reader: BinaryIO) -> BaseException | None:
    try:
        error: BaseException | None = pickle.load(reader)
    except (EOFError, pickle.UnpicklingError):
        return KubestencilError(
            "the process that moves files into place was killed",
            hint="run the same command again: it completes what is missing",
        )
    return error


def _work(out: Path, reader: BinaryIO, writer: BinaryIO) -> NoReturn:
    """Apply the changes that are received; send the error that this raises, or None.

    Where the run ends before it has sent all of them, nothing is applied.
    """
    # Signals for the run, also for the group of its processes, are not for this one.
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        with tree.commit_lock(out):
            writer.write(_READY)
            writer.flush()
            changes = pickle.load(reader)
            error: BaseException | None = None
            try:
                _apply(out, changes)
            except Exception as raised:
                error = raised
            pickle.dump(error, writer)
            writer.flush()
    finally:
        # Open files and exit handlers that were inherited are those of the run.
        os._exit(0)
