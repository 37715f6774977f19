"""Several streams as one, in the order in which their values come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Sequence
from queue import Queue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from ._client import Stream

T = TypeVar("T")

# Values that wait for a slow program; after that, streams wait.
_WAITING = 1000


class _End:
    """The end of a stream, and why."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def merge(streams: Sequence[Stream[T]]) -> Generator[T, None, None]:
    """The values of streams, each of which a thread reads."""
    queue: Queue[Any] = Queue(_WAITING)

    def read(stream: Stream[T]) -> None:
        error: BaseException | None = None
        try:
            for value in stream:
                queue.put(value)
        except BaseException as reason:
            error = reason
        queue.put(_End(error))

    for stream in streams:
        Thread(target=read, args=(stream,), daemon=True).start()
    running = len(streams)
    try:
        while running:
            value = queue.get()
            if not isinstance(value, _End):
                yield value
                continue
            running -= 1
            if value.error:
                raise value.error
    finally:
        for stream in streams:
            stream.close()
        while running:
            running -= isinstance(queue.get(), _End)


async def merge_async(
    streams: Sequence[AsyncGenerator[T, None]],
) -> AsyncGenerator[T, None]:
    """The values of streams, each of which a task reads."""
    import asyncio

    queue: asyncio.Queue[Any] = asyncio.Queue(_WAITING)

    async def read(stream: AsyncGenerator[T, None]) -> None:
        error: BaseException | None = None
        try:
            async for value in stream:
                await queue.put(value)
        except Exception as reason:
            error = reason
        finally:
            await stream.aclose()
        await queue.put(_End(error))

    tasks = [asyncio.create_task(read(stream)) for stream in streams]
    running = len(tasks)
    try:
        while running:
            value = await queue.get()
            if not isinstance(value, _End):
                yield value
                continue
            running -= 1
            if value.error:
                raise value.error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
