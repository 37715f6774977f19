"""Runs jobs in several processes."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from kubestencil.build.interrupts import interrupts_delayed
from kubestencil.errors import KubestencilError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.queues import SimpleQueue

Argument = TypeVar("Argument")
Result = TypeVar("Result")


@contextmanager
def parallel_map(
    function: Callable[[Argument], Result], arguments: Sequence[Argument], count: int
) -> Iterator[Iterator[Result]]:
    """The results of ``function`` for ``arguments``, in their order, from ``count``
    processes.

    The first of three processes takes the first, fourth and seventh argument, and so
    on. One that is done takes what is left of the others'. The processes end at once
    where the body raises an error or this process is killed. Raises KubestencilError
    where one of them is killed.
    """
    if count < 2:
        yield map(function, arguments)
        return
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
    work = _Work(function, arguments, *_queues(context, count))
    start = (reader, writer, work)
    with reader, ProcessPoolExecutor(count, context, _start_worker, start) as pool:
        try:
            # The first jobs start the processes. A signal that came in the middle of a
            # fork could leave a lock of the standard library taken for ever.
            with interrupts_delayed():
                outcomes = pool.map(_call_next, range(len(arguments)))
            yield _in_order(outcomes)
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


class _Work(NamedTuple):
    """What workers do: call ``function`` with each of ``arguments``.

    There is a row of arguments for each worker. ``positions`` has, for each row, a
    queue with the position of the next argument, and nothing else: a queue that is
    full would block. ``rows`` has the number of the next worker's own row.
    """

    function: Callable[[Any], Any]
    arguments: Sequence[Any]
    positions: Sequence[SimpleQueue[int]]
    rows: SimpleQueue[int]

    def next_position(self, row: int) -> int:
        """The position of the next argument of a row; behind the last one where there
        is none left."""
        position = self.positions[row].get()
        self.positions[row].put(position + len(self.positions))
        return position


class _Outcome(NamedTuple):
    """The result, or the error, for the argument at a position."""

    position: int
    result: Any
    error: KubestencilError | None


def _queues(
    context: BaseContext, count: int
) -> tuple[Sequence[SimpleQueue[int]], SimpleQueue[int]]:
    """The queues of ``_Work`` for ``count`` workers."""
    rows: SimpleQueue[int] = context.SimpleQueue()
    positions: list[SimpleQueue[int]] = []
    for row in range(count):
        rows.put(row)
        positions.append(context.SimpleQueue())
        positions[row].put(row)
    return positions, rows


def _in_order(outcomes: Iterable[_Outcome]) -> Iterator[Any]:
    """The results in the order of their arguments. Raises the first error, in the same
    order."""
    early: dict[int, _Outcome] = {}
    following = 0
    for outcome in outcomes:
        early[outcome.position] = outcome
        while following in early:
            _, result, error = early.pop(following)
            if error is not None:
                raise error
            yield result
            following += 1


# Of a worker process: its work, and the rows that may have arguments, its own first.
_work: _Work
_rows: list[int]


def _start_worker(reader: Connection, writer: Connection, work: _Work) -> None:
    """Let this worker end with the process that started it, and not before.

    Ctrl-C in a terminal interrupts all processes of a run, and others may send SIGTERM
    to all of them. The first process stops the others, but not while files are moved
    into place.
    """
    import threading

    global _work, _rows
    row, count = work.rows.get(), len(work.positions)
    _work, _rows = work, [*range(row, count), *range(row)]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    writer.close()
    # What was read before the fork is no garbage. To look at it would also copy the
    # memory that the processes have in common.
    gc.freeze()
    threading.Thread(target=_exit_after, args=(reader,), daemon=True).start()


def _call_next(call: int) -> _Outcome:
    """The outcome for the next argument of this worker. There are as many calls as
    arguments."""
    del call
    position = _work.next_position(_rows[0])
    while position >= len(_work.arguments):
        del _rows[0]
        position = _work.next_position(_rows[0])
    try:
        result = _work.function(_work.arguments[position])
    except KubestencilError as error:
        return _Outcome(position, None, error)
    return _Outcome(position, result, None)


def _exit_after(reader: Connection) -> None:
    """End this process when the other end of a pipe is closed."""
    reader.poll(None)
    os._exit(1)
