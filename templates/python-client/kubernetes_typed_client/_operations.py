"""Operations as attributes of API classes: described once, called in two ways.

An operation is a descriptor. Of an API class it is a method that returns its result, of
one of ``aio`` a method to await. Both have the same arguments,
which the stubs of the API classes declare.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from inspect import Signature
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    TypeVar,
    overload,
)

from ._calls import Call
from ._descriptions import Description, Documented
from ._events import Event
from ._flows import items, pages, text_lines
from ._watches import watch

if TYPE_CHECKING:
    from ._client import Api, AsyncApi, AsyncClient, Client, Stream  # noqa: F401
    from ._exec import AsyncSession, ExecResult, Session

P = ParamSpec("P")
C = TypeVar("C")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741


class _Method(Documented, Generic[P, C]):
    """An operation of an API object."""

    def __init__(self, operation: Description[P], client: C) -> None:
        self._operation = operation
        self._client = client
        self.__name__: str = operation.name

    @property
    def documentation(self) -> str:
        """What help() shows."""
        return self._operation.documentation

    @property
    def __signature__(self) -> Signature:
        return self._operation.signature

    def __repr__(self) -> str:
        request = f"{self._operation.method} {self._operation.path}"
        return f"<{self.__name__}{self._operation.signature}: {request}>"


class Method(_Method[P, "Client"], Generic[P, T]):
    """Calls an operation."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = self._client.run(self._operation.call(*args, **kwargs))
        return result

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        """The call as a value, for ``Client.run``."""
        return self._operation.call(*args, **kwargs)


class AsyncMethod(_Method[P, "AsyncClient"], Generic[P, T]):
    """Calls an operation with asyncio."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await self._client.run(self._operation.call(*args, **kwargs))
        return result

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call[T]:
        """The call as a value, for ``AsyncClient.run``."""
        return self._operation.call(*args, **kwargs)


class ListMethod(Method[P, T], Generic[P, T, I]):
    """Lists objects: in one response, page by page, one by one, or as they change."""

    def pages(self, *args: P.args, **kwargs: P.kwargs) -> Stream[T]:
        """The pages of the list, of ``limit`` objects each (500)."""
        return self._client.iterate(
            lambda settings: pages(settings, self.call(*args, **kwargs), _whole)
        )

    def items(self, *args: P.args, **kwargs: P.kwargs) -> Stream[I]:
        """The objects of the list, which is read page by page."""
        return self._client.iterate(
            lambda settings: pages(settings, self.call(*args, **kwargs), items)
        )

    def watch(self, *args: P.args, **kwargs: P.kwargs) -> Stream[Event[I]]:
        """All objects, and then each change of one (``Listed``, ``Added``, …).

        With ``resource_version`` only the changes since. It goes on after closed
        connections; ``timeout_seconds`` ends it.
        """
        return self._client.iterate(
            lambda settings: watch(
                settings, self.call(*args, **kwargs), self._operation.item
            )
        )


class AsyncListMethod(AsyncMethod[P, T], Generic[P, T, I]):
    """``ListMethod`` for asyncio. Use ``contextlib.aclosing`` to leave a loop early."""

    def pages(self, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        """The pages of the list, of ``limit`` objects each (500)."""
        return self._client.iterate(
            lambda settings: pages(settings, self.call(*args, **kwargs), _whole)
        )

    def items(self, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[I, None]:
        """The objects of the list, which is read page by page."""
        return self._client.iterate(
            lambda settings: pages(settings, self.call(*args, **kwargs), items)
        )

    def watch(
        self, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncGenerator[Event[I], None]:
        """All objects, and then each change of one, as ``ListMethod.watch``."""
        return self._client.iterate(
            lambda settings: watch(
                settings, self.call(*args, **kwargs), self._operation.item
            )
        )


class LogMethod(Method[P, str]):
    """Reads a log: as one text, or line by line."""

    def lines(self, *args: P.args, **kwargs: P.kwargs) -> Stream[str]:
        """The lines of the log; with ``follow=True`` also those to come."""
        return self._client.iterate(
            lambda settings: text_lines(settings, self.call(*args, **kwargs), str)
        )


class AsyncLogMethod(AsyncMethod[P, str]):
    """``LogMethod`` for asyncio."""

    def lines(self, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[str, None]:
        """The lines of the log; with ``follow=True`` also those to come."""
        return self._client.iterate(
            lambda settings: text_lines(settings, self.call(*args, **kwargs), str)
        )


class ExecMethod(_Method[P, "Client"]):
    """Runs a command in a container, or is attached to one, through a WebSocket."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ExecResult:
        """What the command printed, once it has ended."""
        with self.open(*args, **kwargs) as session:
            return session.result()

    def open(self, *args: P.args, **kwargs: P.kwargs) -> Session:
        """The session, to write to the command and read from it as it runs."""
        return self._client.open_session(self._operation.call(*args, **kwargs))


class AsyncExecMethod(_Method[P, "AsyncClient"]):
    """``ExecMethod`` for asyncio."""

    async def __call__(self, *args: P.args, **kwargs: P.kwargs) -> ExecResult:
        """What the command printed, once it has ended."""
        async with await self.open(*args, **kwargs) as session:
            return await session.result()

    async def open(self, *args: P.args, **kwargs: P.kwargs) -> AsyncSession:
        """The session, to write to the command and read from it as it runs."""
        return await self._client.open_session(self._operation.call(*args, **kwargs))


def _whole(page: T) -> tuple[T]:
    return (page,)


class Operation(Description[P], Generic[P, T]):
    """An operation that returns a T."""

    @overload
    def __get__(self, api: None, owner: Any = None) -> Operation[P, T]: ...
    @overload
    def __get__(self, api: Api, owner: Any = None) -> Method[P, T]: ...
    @overload
    def __get__(self, api: AsyncApi, owner: Any = None) -> AsyncMethod[P, T]: ...
    def __get__(self, api: Any, owner: Any = None) -> Any:
        if api is None:
            return self
        return (AsyncMethod if api.is_async else Method)(self, api.client)


class ListOperation(Description[P], Generic[P, T, I]):
    """An operation that returns a list T of objects I."""

    @overload
    def __get__(self, api: None, owner: Any = None) -> ListOperation[P, T, I]: ...
    @overload
    def __get__(self, api: Api, owner: Any = None) -> ListMethod[P, T, I]: ...
    @overload
    def __get__(self, api: AsyncApi, owner: Any = None) -> AsyncListMethod[P, T, I]: ...
    def __get__(self, api: Any, owner: Any = None) -> Any:
        if api is None:
            return self
        return (AsyncListMethod if api.is_async else ListMethod)(self, api.client)


class LogOperation(Description[P]):
    """An operation that returns a log."""

    @overload
    def __get__(self, api: None, owner: Any = None) -> LogOperation[P]: ...
    @overload
    def __get__(self, api: Api, owner: Any = None) -> LogMethod[P]: ...
    @overload
    def __get__(self, api: AsyncApi, owner: Any = None) -> AsyncLogMethod[P]: ...
    def __get__(self, api: Any, owner: Any = None) -> Any:
        if api is None:
            return self
        return (AsyncLogMethod if api.is_async else LogMethod)(self, api.client)


class ExecOperation(Description[P]):
    """An operation that opens a session with a container."""

    @overload
    def __get__(self, api: None, owner: Any = None) -> ExecOperation[P]: ...
    @overload
    def __get__(self, api: Api, owner: Any = None) -> ExecMethod[P]: ...
    @overload
    def __get__(self, api: AsyncApi, owner: Any = None) -> AsyncExecMethod[P]: ...
    def __get__(self, api: Any, owner: Any = None) -> Any:
        if api is None:
            return self
        return (AsyncExecMethod if api.is_async else ExecMethod)(self, api.client)


if TYPE_CHECKING:
    # The decorators of the stubs of API classes.

    class ListOf(Generic[T, I]):
        """The result of an operation that returns a list T of objects I."""

    def operation(function: Callable[Concatenate[Any, P], T]) -> Operation[P, T]: ...

    def list_operation(
        function: Callable[Concatenate[Any, P], ListOf[T, I]],
    ) -> ListOperation[P, T, I]: ...

    def log_operation(
        function: Callable[Concatenate[Any, P], str],
    ) -> LogOperation[P]: ...

    def exec_operation(
        function: Callable[Concatenate[Any, P], ExecResult],
    ) -> ExecOperation[P]: ...
