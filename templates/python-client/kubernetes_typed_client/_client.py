"""The clients, which run calls: one that blocks, and one for asyncio."""

from __future__ import annotations

import threading
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

from ._calls import Call, inflate
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
    Sleep,
    run,
)
from ._names import USER_AGENT
from ._retries import Retry, Retrying
from ._transport import AsyncResponse, AsyncTransport, Response, Transport

if TYPE_CHECKING:
    import asyncio

    from ._exec import AsyncSession, Session

T = TypeVar("T")

_TIMEOUT = 30.0


def _warn(text: str) -> None:
    warnings.warn(text, ServerWarning, stacklevel=2)


class _Client:
    """What both clients know.

    ``config`` says where the API server is and how to authenticate; without it that of
    the environment is loaded (``load_config``). ``timeout`` is in seconds, for each of
    connecting, sending and waiting for data; every method can be given another one.
    ``on_retry`` is called before a request is sent again, ``on_warning`` with what the
    API server warns of: without it that is a ``ServerWarning`` of Python.
    """

    config: Config

    def __init__(
        self,
        config: Config | None = None,
        *,
        timeout: float | None = _TIMEOUT,
        retry: Retry = Retry(),  # noqa: B008
        on_retry: Callable[[Retrying], object] | None = None,
        on_warning: Callable[[str], object] = _warn,
        user_agent: str = USER_AGENT,
    ) -> None:
        self.config = config or load_config()
        headers = {"user-agent": user_agent}
        self.settings: Settings = Settings(
            headers, timeout, retry, on_retry, on_warning
        )
        self._credentials = Credentials(self.config)


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


class Client(_Client):
    """Runs calls and waits for their results. May be used by several threads.

    Use it as a context manager, or call ``close``, from any thread: what is in flight,
    and all later calls, raise ClientClosed.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        transport: Transport | None = None,
        timeout: float | None = _TIMEOUT,
        retry: Retry = Retry(),  # noqa: B008
        on_retry: Callable[[Retrying], object] | None = None,
        on_warning: Callable[[str], object] = _warn,
        user_agent: str = USER_AGENT,
    ) -> None:
        super().__init__(
            config,
            timeout=timeout,
            retry=retry,
            on_retry=on_retry,
            on_warning=on_warning,
            user_agent=user_agent,
        )
        if transport is None:
            from ._http import HttpTransport

            transport = HttpTransport(self.config, self._credentials)
        self.transport: Transport = transport
        self._closed = threading.Event()

    def run(self, call: Call[T]) -> T:
        """The result of a call.

        Raises StatusError where the API server refuses it, ConnectionFailed or
        TimedOut where there is no answer.
        """
        steps = self._steps(run(self.settings, call))
        while True:
            try:
                next(steps)
            except StopIteration as end:
                result: T = end.value
                return result

    def iterate(
        self, make_flow: Callable[[Settings], Flow[T, Any]]
    ) -> Generator[T, None, None]:
        """The values of a flow."""
        yield from self._steps(make_flow(self.settings))

    def open_session(self, call: Call[Any]) -> Session:
        """Open the session of a command in a container."""
        from ._exec import Session, open_stream

        steps = self._steps(open_stream(self.settings, call), keep_open=True)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return Session(end.value, self.settings.timeout)

    def _steps(
        self, flow: Flow[T, Any], *, keep_open: bool = False
    ) -> Generator[T, None, Any]:
        response: Response | None = None
        outcome: Any = None
        try:
            while True:
                step = _advance(flow, outcome)
                outcome = None
                if isinstance(step, Emit):
                    yield step.value
                elif isinstance(step, _Done):
                    if keep_open:
                        result, response = response, None
                        return result
                    return step.result
                else:
                    if self._closed.is_set():
                        raise ClientClosed
                    try:
                        if isinstance(step, Send):
                            response = self.transport.send(step.request)
                            outcome = Reply(response.status, response.headers, None)
                            if not step.is_open:
                                outcome = _whole(response)
                                response = None
                        elif isinstance(step, Read):
                            outcome = response.read() if response else b""
                        elif isinstance(step, Close):
                            if response:
                                response.close()
                            response = None
                        elif isinstance(step, Authorize):
                            outcome = self._credentials.headers(refresh=step.refresh)
                        elif isinstance(step, Sleep):
                            self._closed.wait(step.seconds)
                    except TransportError as error:
                        if self._closed.is_set():
                            raise ClientClosed from error
                        outcome = error
        finally:
            if response:
                response.close()

    def close(self) -> None:
        """End what is in flight, and close all connections."""
        self._closed.set()
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


def _whole(response: Response) -> Reply:
    """A response with its body."""
    try:
        pieces = list(iter(response.read, b""))
    finally:
        response.close()
    return _reply(response.status, response.headers, pieces)


def _reply(status: int, headers: Any, pieces: list[bytes]) -> Reply:
    body = b"".join(pieces)
    return Reply(status, headers, inflate(body, headers.get("content-encoding", "")))


class AsyncClient(_Client):
    """Runs calls with asyncio, in one event loop.

    Use it as an async context manager, or await ``close``: what is in flight in other
    tasks, and all later calls, raise ClientClosed.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        transport: AsyncTransport | None = None,
        timeout: float | None = _TIMEOUT,
        retry: Retry = Retry(),  # noqa: B008
        on_retry: Callable[[Retrying], object] | None = None,
        on_warning: Callable[[str], object] = _warn,
        user_agent: str = USER_AGENT,
    ) -> None:
        super().__init__(
            config,
            timeout=timeout,
            retry=retry,
            on_retry=on_retry,
            on_warning=on_warning,
            user_agent=user_agent,
        )
        if transport is None:
            from ._http import AsyncHttpTransport

            transport = AsyncHttpTransport(self.config, self._credentials)
        self.transport: AsyncTransport = transport
        self._flight = _Flight()

    async def run(self, call: Call[T]) -> T:
        """The result of a call; raises as ``Client.run`` does."""
        taker = _AsyncSteps(self.transport, self._credentials, self._flight)
        flow = run(self.settings, call)
        try:
            done = await taker.advance(flow)
        finally:
            await taker.close()
        result: T = done.result
        return result

    async def iterate(
        self, make_flow: Callable[[Settings], Flow[T, Any]]
    ) -> AsyncGenerator[T, None]:
        """The values of a flow."""
        taker = _AsyncSteps(self.transport, self._credentials, self._flight)
        flow = make_flow(self.settings)
        try:
            while isinstance(step := await taker.advance(flow), Emit):
                yield step.value
        finally:
            await taker.close()

    async def open_session(self, call: Call[Any]) -> AsyncSession:
        """Open the session of a command in a container."""
        from ._exec import AsyncSession, open_stream

        taker = _AsyncSteps(self.transport, self._credentials, self._flight)
        try:
            await taker.advance(open_stream(self.settings, call))
            response, taker.response = taker.response, None
        finally:
            await taker.close()
        assert response is not None  # It is open once its flow is done.
        return AsyncSession(response, self.settings.timeout)

    async def close(self) -> None:
        """End what is in flight, and close all connections."""
        self._flight.end()
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


class _Flight:
    """What an AsyncClient waits for, until it is closed."""

    def __init__(self) -> None:
        self._waits: set[asyncio.Timeout] = set()
        self._is_closed = False

    async def wait(self, take: Callable[[T], Awaitable[Any]], step: T) -> Any:
        """The outcome of a step; raises ClientClosed once the client is closed."""
        if self._is_closed:
            raise ClientClosed
        import asyncio

        wait = asyncio.timeout(None)
        try:
            async with wait:
                self._waits.add(wait)
                return await take(step)
        except (TimeoutError, TransportError) as error:
            if self._is_closed:
                raise ClientClosed from error
            raise
        finally:
            self._waits.discard(wait)

    def end(self) -> None:
        """End all waits."""
        self._is_closed = True
        for wait in self._waits:
            wait.reschedule(-1)


class _AsyncSteps:
    """Takes the steps of a flow; ``response`` is the one that is open."""

    def __init__(
        self, transport: AsyncTransport, credentials: Credentials, flight: _Flight
    ) -> None:
        self._transport = transport
        self._credentials = credentials
        self._flight = flight
        self.response: AsyncResponse | None = None
        self._outcome: Any = None

    async def advance(self, flow: Flow[Any, Any]) -> Any:
        """Take steps until there is a value to hand over, or the flow is done."""
        while True:
            outcome, self._outcome = self._outcome, None
            step = _advance(flow, outcome)
            if isinstance(step, Emit | _Done):
                return step
            try:
                self._outcome = await self._flight.wait(self._take, step)
            except TransportError as error:
                self._outcome = error

    async def _take(self, step: Any) -> Any:
        if isinstance(step, Send):
            self.response = response = await self._transport.send(step.request)
            if step.is_open:
                return Reply(response.status, response.headers, None)
            pieces: list[bytes] = []
            while piece := await response.read():
                pieces.append(piece)
            await self.close()
            return _reply(response.status, response.headers, pieces)
        if isinstance(step, Read):
            return await self.response.read() if self.response else b""
        if isinstance(step, Close):
            return await self.close()
        if isinstance(step, Authorize):
            if self._credentials.may_block:
                import asyncio

                return await asyncio.to_thread(
                    self._credentials.headers, refresh=step.refresh
                )
            return self._credentials.headers(refresh=step.refresh)
        import asyncio

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


@cache
def _default_client() -> Client:
    return Client()
