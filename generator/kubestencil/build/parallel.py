"""Runs jobs in several processes."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from kubestencil.build.interrupts import interrupts_delayed
from kubestencil.errors import KubestencilError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class ParallelMap:
    """``map`` over the processes of a pool, or in this process without one."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(
        self, function: Callable[[Argument], Result], arguments: Iterable[Argument]
    ) -> Iterator[Result]:
        results: Iterator[Result]
        if self._pool is None:
            return map(function, arguments)
        # The first jobs start the processes. A signal that came in the middle of a fork
        # could leave a lock of the standard library taken for ever.
        with interrupts_delayed():
            results = self._pool.map(function, arguments)
        return results


@contextmanager
def processes(count: int) -> Iterator[ParallelMap]:
    """A map over up to ``count`` processes.

    The processes end at once where the body raises an error or this process is killed.
    Raises KubestencilError where one of them is killed.
    """
    if count < 2:
        yield ParallelMap(None)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import Pipe

    # Nothing is sent. The end of the pipe that is closed, by this process or by the
    # operating system after it was killed, ends the workers.
    reader, writer = Pipe(duplex=False)
    with reader, ProcessPoolExecutor(count, None, _start_worker, (reader, writer)) as pool:
        try:
            yield ParallelMap(pool)
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


def _start_worker(reader: Connection, writer: Connection) -> None:
    """Let this worker end with the process that started it, and not before.

    Ctrl-C in a terminal interrupts all processes of a run, and others may send SIGTERM
    to all of them. The first process stops the others, but not while files are moved
    into place.
    """
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    writer.close()
    # What was read before the fork is no garbage. To look at it would also copy the
    # memory that the processes have in common.
    gc.freeze()
    threading.Thread(target=_exit_after, args=(reader,), daemon=True).start()


def _exit_after(reader: Connection) -> None:
    """End this process when the other end of a pipe is closed."""
    reader.poll(None)
    os._exit(1)
