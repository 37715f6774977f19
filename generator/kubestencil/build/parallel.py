"""Runs jobs in several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from kubestencil.errors import KubestencilError

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class ParallelMap:
    """``map`` over the processes of a pool, or in this process without one."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __call__(
        self, function: Callable[[Argument], Result], arguments: Iterable[Argument]
    ) -> Iterator[Result]:
        results: Iterator[Result] = (
            map(function, arguments)
            if self._pool is None
            else self._pool.map(function, arguments)
        )
        return results


@contextmanager
def processes(count: int) -> Iterator[ParallelMap]:
    """A map over up to ``count`` processes.

    Raises KubestencilError where one of them is killed.
    """
    if count < 2:
        yield ParallelMap(None)
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(count) as pool:
        try:
            yield ParallelMap(pool)
        except BrokenProcessPool as error:
            raise KubestencilError(
                "a worker process was killed",
                hint="the machine may be short of memory: try --jobs 1",
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
