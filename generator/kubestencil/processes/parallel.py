"""Runs jobs in several processes."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from kubestencil.errors import KubestencilError
from kubestencil.processes import without_current_folder
from kubestencil.processes.interrupts import interrupts_delayed

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@contextmanager
def parallel_map(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], count: int
) -> Iterator[Iterator[Result]]:
    """The results of ``function`` for ``arguments``, in their order, from ``count``
    processes.

    The processes end at once where the body raises an error or this process is killed.
    Raises the first error of ``function``, and KubestencilError where a process is
    killed.
    """
    if count < 2:
        yield map(function, arguments)
        return
    # These take 20 ms, which a run without jobs does not need.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # Later versions of Python have another default on Linux.
    context = get_context("fork" if sys.platform == "linux" else None)
    # Nothing is sent. The end of the pipe that is closed, by this process or by the
    # operating system after it was killed, ends the workers.
    reader, writer = context.Pipe(duplex=False)
    # What a process is started with is inherited. To send each job with its documents
    # would take longer than the fork.
    start = (reader, writer, function, arguments)
    with reader, ProcessPoolExecutor(count, context, _start_worker, start) as pool:
        try:
            # The first jobs start the processes. A signal that came in the middle of a
            # fork could leave a lock of the standard library taken for ever.
            with interrupts_delayed(), without_current_folder():
                results = pool.map(_call, range(len(arguments)))
            yield results
        except BrokenProcessPool as error:
            raise KubestencilError(
                "a worker process was killed",
                hint="the machine may be short of memory: try --jobs 1",
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            # Before the pool waits for its workers: where one was killed, it sends
            # SIGTERM to the others, which they ignore.
            writer.close()


# Of a worker process: what it was started with.
_function: Callable[[Any], Any]
_arguments: Sequence[Any]


def _start_worker(
    reader: Connection,
    writer: Connection,
    function: Callable[[Any], Any],
    arguments: Sequence[Any],
) -> None:
    """Let this worker end with the process that started it, and not before.

    Ctrl-C in a terminal interrupts all processes of a run, and others may send SIGTERM
    to all of them. The first process stops the others, but not while files are moved
    into place.
    """
    global _function, _arguments
    _function, _arguments = function, arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    writer.close()
    # What was read before the fork is no garbage. To look at it would also copy the
    # memory that the processes have in common.
    gc.freeze()
    threading.Thread(target=_exit_after, args=(reader,), daemon=True).start()


def _call(position: int) -> Any:
    return _function(_arguments[position])


def _exit_after(reader: Connection) -> None:
    """End this process when the other end of a pipe is closed."""
    reader.poll(None)
    os._exit(1)
