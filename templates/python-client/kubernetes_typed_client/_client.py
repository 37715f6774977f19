"""The clients, which run calls: one that blocks, and one for asyncio."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import AsyncGenerator, Callable, Generator
from functools import cache
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
)
from weakref import WeakSet

from ._calls import Call
from ._config import Config, load_config
from ._credentials import Credentials
from ._errors import ClientClosed, ServerWarning, TransportError
from ._flows import (
    Authorize,
    Close,
    Emit,
    Flow,
    Read,
    Reply,
    Send,
    Settings,
    run,
)
from ._names import USER_AGENT
from ._retries import Retry, Retrying
from ._transport import AsyncResponse, AsyncTransport, Response, Transport
from ._verbs import AsyncVerbs, Verbs

if TYPE_CHECKING:
    import asyncio

    from ._exec import AsyncSession, Session

T = TypeVar("T")
X = TypeVar("X")

_TIMEOUT = 30.0
_MAX_BYTES = 1 << 28


def _warn(text: str) -> None:
    warnings.warn(text, ServerWarning, stacklevel=2)


class _Client(Generic[X]):
    """What both clients know.

    ``config`` says where the API server is and how to authenticate; without it that of
    the environment is loaded (``load_config``). ``timeout`` is in seconds, for each of
    connecting, sending and waiting for data; every method can be given another one.
    ``max_bytes`` is the size of an answer once it is decompressed, or of one line of a
    watch or log; ClientError is raised for a larger one.
    ``on_retry`` is called before a request is sent again, ``on_warning`` with what the
    API server warns of: without it that is a ``ServerWarning`` of Python.
    """

    config: Config
    transport: X

    def __init__(
        self,
        config: Config | None = None,
        *,
        transport: X | None = None,
        timeout: float | None = _TIMEOUT,
        retry: Retry = Retry(),  # noqa: B008
        on_retry: Callable[[Retrying], object] | None = None,
        on_warning: Callable[[str], object] = _warn,
        user_agent: str = USER_AGENT,
        max_bytes: int = _MAX_BYTES,
    ) -> None:
        self.config = config or load_config()
        self.settings: Settings = Settings(
            {"user-agent": user_agent},
            timeout,
            retry,
            on_retry,
            on_warning,
            max_bytes,
            self.config.namespace,
        )
        self.is_closed = False
        self._given = transport
        self._start()
        _CLIENTS.add(self)

    def _start(self) -> None:
        self._credentials = Credentials(self.config)
        # What a blocking client and one for asyncio wait with.
        self._sleeping = threading.Condition()
        self._waits: set[asyncio.Timeout] = set()
        self.transport = self._http() if self._given is None else self._given

    def _http(self) -> X:
        """The transport that the client comes with."""
        raise NotImplementedError


_CLIENTS: WeakSet[_Client[Any]] = WeakSet()


def _restart() -> None:
    """Give a forked process connections and locks of its own: its parent uses those."""
    for client in _CLIENTS:
        client._start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart)


class _Done(NamedTuple):
    """The end of a flow, and what it returned."""

    result: Any


def _advance(flow: Flow[Any, Any], outcome: Any) -> Any:
    """The next step of a flow, given the outcome of the last one."""
    try:
        if isinstance(outcome, TransportError):
            return flow.throw(outcome)
        return flow.send(outcome)
    except StopIteration as end:
        return _Done(end.value)


class Stream(Generic[T]):
    """Values as they come: an iterator, and a context manager that closes it."""

    def __init__(self, steps: _Steps, flow: Flow[T, Any]) -> None:
        self._steps = steps
        self._values = steps.values(flow)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T:
        try:
            return next(self._values)
        except ClientClosed:
            if self._steps.is_ended:
                raise StopIteration from None
            raise

    def close(self) -> None:
        """End it, from any thread: one that waits for the next value gets none."""
        self._steps.is_ended = True
        try:
            self._values.close()
        except ValueError:  # Another thread waits for it, which closes it.
            self._steps.interrupt()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Client(_Client[Transport], Verbs):
    """Runs calls and waits for their results. May be used by several threads.

    Use it as a context manager, or call ``close``, from any thread: what is in flight,
    and all later calls, raise ClientClosed.
    """

    def _http(self) -> Transport:
        from ._http import HttpTransport

        return HttpTransport(self.config, self._credentials)

    def run(self, call: Call[T]) -> T:
        """The result of a call.

        Raises StatusError where the API server refuses it, ConnectionFailed or
        TimedOut where there is no answer.
        """
        return self.complete(run(self.settings, call))

    def complete(self, flow: Flow[Any, T]) -> T:
        """The result of a flow."""
        steps = _Steps(self)
        try:
            result: T = steps.advance(flow).result
            return result
        finally:
            steps.close()

    def iterate(self, make_flow: Callable[[Settings], Flow[T, Any]]) -> Stream[T]:
        """The values of a flow."""
        return Stream(_Steps(self), make_flow(self.settings))

    def open_session(self, call: Call[Any]) -> Session:
        """Open the session of a command in a container."""
        from ._exec import Session, open_stream

        steps = _Steps(self)
        try:
            steps.advance(open_stream(self.settings, call))
            assert steps.response is not None  # It is open once its flow is done.
            session = Session(steps.response, self)
            steps.response = None
            return session
        finally:
            steps.close()

    def close(self) -> None:
        """End what is in flight, and close all connections."""
        with self._sleeping:
            self.is_closed = True
            self._sleeping.notify_all()
        self.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Steps:
    """Takes the steps of a flow; ``response`` is the one that is open."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.response: Response | None = None
        self.is_ended = False
        self._outcome: Any = None

    def values(self, flow: Flow[T, Any]) -> Generator[T, None, None]:
        """The values that a flow hands over."""
        try:
            while isinstance(step := self.advance(flow), Emit):
                yield from step.values
        finally:
            self.close()

    def advance(self, flow: Flow[Any, Any]) -> Any:
        """Take steps until there is a value to hand over, or the flow is done."""
        while True:
            outcome, self._outcome = self._outcome, None
            step = _advance(flow, outcome)
            if isinstance(step, Emit | _Done):
                return step
            if self._is_over():
                raise ClientClosed
            try:
                self._outcome = self._take(step)
            except TransportError as error:
                if self._is_over():
                    raise ClientClosed from error
                self._outcome = error

    def _is_over(self) -> bool:
        return self.is_ended or self._client.is_closed

    def _take(self, step: Any) -> Any:
        if isinstance(step, Send):
            response = self.response = self._client.transport.send(step.request)
            return Reply(response.status, response.headers)
        if isinstance(step, Read):
            return self.response.read() if self.response else b""
        if isinstance(step, Close):
            return self.close()
        if isinstance(step, Authorize):
            return self._client._credentials.get(step.refused)
        with self._client._sleeping:
            return self._client._sleeping.wait_for(self._is_over, step.seconds)

    def interrupt(self) -> None:
        """End what another thread waits for."""
        with self._client._sleeping:
            self._client._sleeping.notify_all()
        if response := self.response:
            response.abort()

    def close(self) -> None:
        """Close the open response."""
        response, self.response = self.response, None
        if response:
            response.close()


class AsyncClient(_Client[AsyncTransport], AsyncVerbs):
    """Runs calls with asyncio, in one event loop.

    Use it as an async context manager, or await ``close``: what is in flight in other
    tasks, and all later calls, raise ClientClosed.
    """

    def _http(self) -> AsyncTransport:
        from ._http import AsyncHttpTransport

        return AsyncHttpTransport(self.config, self._credentials)

    async def run(self, call: Call[T]) -> T:
        """The result of a call; raises as ``Client.run`` does."""
        return await self.complete(run(self.settings, call))

    async def complete(self, flow: Flow[Any, T]) -> T:
        """The result of a flow."""
        steps = _AsyncSteps(self)
        try:
            result: T = (await steps.advance(flow)).result
            return result
        finally:
            await steps.close()

    async def iterate(
        self, make_flow: Callable[[Settings], Flow[T, Any]]
    ) -> AsyncGenerator[T, None]:
        """The values of a flow."""
        steps = _AsyncSteps(self)
        flow = make_flow(self.settings)
        try:
            while isinstance(step := await steps.advance(flow), Emit):
                for value in step.values:
                    yield value
        finally:
            await steps.close()

    async def open_session(self, call: Call[Any]) -> AsyncSession:
        """Open the session of a command in a container."""
        from ._exec import AsyncSession, open_stream

        steps = _AsyncSteps(self)
        try:
            await steps.advance(open_stream(self.settings, call))
            assert steps.response is not None  # It is open once its flow is done.
            session = AsyncSession(steps.response, self)
            steps.response = None
            return session
        finally:
            await steps.close()

    async def close(self) -> None:
        """End what is in flight, and close all connections."""
        self.is_closed = True
        for wait in self._waits:
            wait.reschedule(-1)
        await self.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class _AsyncSteps:
    """``_Steps`` for asyncio."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client
        self.response: AsyncResponse | None = None
        self._outcome: Any = None

    async def advance(self, flow: Flow[Any, Any]) -> Any:
        """Take steps until there is a value to hand over, or the flow is done."""
        while True:
            outcome, self._outcome = self._outcome, None
            step = _advance(flow, outcome)
            if isinstance(step, Emit | _Done):
                return step
            if self._client.is_closed:
                raise ClientClosed
            try:
                self._outcome = await self._wait_for(step)
            except TransportError as error:
                self._outcome = error

    async def _wait_for(self, step: Any) -> Any:
        """The outcome of a step; raises ClientClosed once the client is closed."""
        import asyncio

        wait = asyncio.timeout(None)
        try:
            async with wait:
                self._client._waits.add(wait)
                return await self._take(step)
        except (TimeoutError, TransportError) as error:
            if self._client.is_closed:
                raise ClientClosed from error
            raise
        finally:
            self._client._waits.discard(wait)

    async def _take(self, step: Any) -> Any:
        credentials = self._client._credentials
        if isinstance(step, Send):
            response = await self._client.transport.send(step.request)
            self.response = response
            return Reply(response.status, response.headers)
        if isinstance(step, Read):
            return await self.response.read() if self.response else b""
        if isinstance(step, Close):
            return await self.close()
        import asyncio

        if isinstance(step, Authorize):
            if credentials.may_block:
                return await asyncio.to_thread(credentials.get, step.refused)
            return credentials.get(step.refused)
        return await asyncio.sleep(step.seconds)

    async def close(self) -> None:
        """Close the open response."""
        response, self.response = self.response, None
        if response:
            await response.close()


class Api:
    """The base class of the API classes. Without a client they share one for the
    configuration of the environment."""

    is_async: ClassVar[Literal[False]] = False

    def __init__(self, client: Client | None = None) -> None:
        self.client: Client = client or _default_client()


class AsyncApi:
    """The base class of the API classes for asyncio. Without a client, an object has
    one of its own, since connections belong to an event loop."""

    is_async: ClassVar[Literal[True]] = True

    def __init__(self, client: AsyncClient | None = None) -> None:
        self.client: AsyncClient = client or AsyncClient()


_DEFAULT_CLIENT = threading.Lock()


def _default_client() -> Client:
    with _DEFAULT_CLIENT:
        return _shared_client()


@cache
def _shared_client() -> Client:
    return Client()
