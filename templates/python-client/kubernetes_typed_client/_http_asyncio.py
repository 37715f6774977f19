"""``_http`` for asyncio."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ._config import Config
from ._connections import CONNECTIONS, Idle, Server, configure, errors, is_readable
from ._credentials import Credentials
from ._http1 import SWITCHING_PROTOCOLS, Incoming, Tunnel
from ._transport import Request

# A connection reads ahead by so many pieces.
_MOST_PIECES = 16


class _AsyncConnection(asyncio.Protocol):
    """``_Connection`` for asyncio."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._pieces: list[bytes] = []
        self._is_over = False
        self._error: Exception | None = None
        self._changed = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        configure(transport.get_extra_info("socket"))

    def data_received(self, data: bytes) -> None:
        self._pieces.append(data)
        if len(self._pieces) == _MOST_PIECES:
            self._transport.pause_reading()
        self._changed.set()

    def eof_received(self) -> None:
        self._is_over = True
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._error = exc
        self._is_over = True
        self._changed.set()
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        loop = asyncio.get_running_loop()
        self._transport = await loop.start_tls(
            self._transport, self, context, server_hostname=name
        )

    async def read(self, timeout: float | None) -> bytes:
        if not self._pieces and not self._is_over:
            self._changed.clear()
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        if not self._pieces and self._error:
            raise self._error
        if len(self._pieces) >= _MOST_PIECES:
            self._transport.resume_reading()
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data

    async def write(self, data: bytes, timeout: float | None) -> None:
        if self._is_over:
            raise self._error or ConnectionResetError("the connection was closed")
        self._transport.write(data)
        if not self._writable.is_set():
            async with asyncio.timeout(timeout):
                await self._writable.wait()

    def is_usable(self) -> bool:
        return not (
            self._is_over
            or self._pieces
            or is_readable(self._transport.get_extra_info("socket").fileno())
        )

    def close(self) -> None:
        self._transport.abort()


class _AsyncStream:
    """``_Stream`` for asyncio."""

    def __init__(self, connection: _AsyncConnection, data: bytes) -> None:
        self._connection = connection
        self._data = data

    async def read(self, timeout: float | None) -> bytes:
        data, self._data = self._data, b""
        with errors():
            return data or await self._connection.read(timeout)

    async def write(self, data: bytes, timeout: float | None) -> None:
        with errors():
            await self._connection.write(data, timeout)


class AsyncHttpResponse:
    """A response of ``AsyncHttpTransport``."""

    def __init__(
        self,
        connection: _AsyncConnection,
        incoming: Incoming,
        timeout: float | None,
        release: Callable[[_AsyncConnection, bool], None],
    ) -> None:
        self._connection = connection
        self._incoming = incoming
        self._timeout = timeout
        self._release = release
        self.status = incoming.status
        self.headers = incoming.headers
        self._is_open = True

    @property
    def stream(self) -> _AsyncStream | None:
        if self.status != SWITCHING_PROTOCOLS:
            return None
        return _AsyncStream(self._connection, self._incoming.data)

    async def read(self) -> bytes:
        with errors():
            while (piece := self._incoming.body()) is None:
                self._incoming.feed(await self._connection.read(self._timeout))
            return piece

    async def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._release(self._connection, self._incoming.is_reusable)


class AsyncHttpTransport:
    """``HttpTransport`` for asyncio."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        self._server = Server(config, credentials)
        self._idle = Idle(self._drop)
        self._slots = asyncio.Semaphore(CONNECTIONS)
        self._connections: set[_AsyncConnection] = set()
        self._is_closed = False

    async def send(self, request: Request) -> AsyncHttpResponse:
        data = self._server.data(request)
        with errors(sent=False):
            connection = await self._take(request.timeout)
        try:
            with errors():
                await connection.write(data, request.timeout)
                incoming = Incoming(request.method)
                while not incoming.has_head():
                    incoming.feed(await connection.read(request.read_timeout))
        except BaseException:
            self._release(connection, False)
            raise
        return AsyncHttpResponse(
            connection, incoming, request.read_timeout, self._release
        )

    async def _take(self, timeout: float | None) -> _AsyncConnection:
        async with asyncio.timeout(timeout):
            await self._slots.acquire()
        try:
            if connection := self._idle.take():
                return connection
            async with asyncio.timeout(timeout):
                return await self._connect(timeout)
        except BaseException:
            self._slots.release()
            raise

    async def _connect(self, timeout: float | None) -> _AsyncConnection:
        server = self._server
        context = server.tls.current()
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(_AsyncConnection, *server.address)
        self._connections.add(connection)
        try:
            if self._is_closed:
                raise ConnectionAbortedError("the transport is closed")
            if server.proxy_name:
                await connection.start_tls(context, server.proxy_name)
            if tunnel := server.tunnel():
                await _pass_async(tunnel, connection, timeout)
            if server.is_secure:
                await connection.start_tls(context, server.name)
        except BaseException:
            self._drop(connection)
            raise
        return connection

    def _release(self, connection: _AsyncConnection, is_reusable: bool) -> None:
        if is_reusable and not self._is_closed:
            self._idle.put(connection)
        else:
            self._drop(connection)
        self._slots.release()

    def _drop(self, connection: _AsyncConnection) -> None:
        self._connections.discard(connection)
        connection.close()

    async def close(self) -> None:
        self._is_closed = True
        for connection in list(self._connections):
            self._drop(connection)
        # The sockets are closed in the next rounds of the event loop.
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def _pass_async(
    tunnel: Tunnel, connection: _AsyncConnection, timeout: float | None
) -> None:
    """``_pass`` for asyncio."""
    with suppress(StopIteration):
        data = next(tunnel)
        while True:
            await connection.write(data, timeout)
            data = tunnel.send(await connection.read(timeout))
