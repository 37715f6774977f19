"""The transport that the client comes with: HTTP/1.1 on the sockets of Python.

An API server is asked for little at a time, and a request takes half as long as with a
library that can do more.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ._config import Config
from ._connections import CONNECTIONS, Idle, Server, configure, errors, is_readable
from ._credentials import Credentials
from ._http1 import SWITCHING_PROTOCOLS, Incoming, Tunnel
from ._transport import Request

R = TypeVar("R")

_READ_SIZE = 65536


class _TlsInTls:
    """TLS through a proxy that has TLS itself, which sockets of ``ssl`` cannot do."""

    def __init__(
        self, outer: ssl.SSLSocket, context: ssl.SSLContext, name: str
    ) -> None:
        self._outer = outer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(
            self._incoming, self._outgoing, server_hostname=name
        )
        self._do(self._tls.do_handshake)

    def recv(self, size: int) -> bytes:
        return self._do(lambda: self._tls.read(size))

    def sendall(self, data: bytes) -> None:
        self._do(lambda: self._tls.write(data))

    def _do(self, action: Callable[[], R]) -> R:
        while True:
            try:
                result = action()
            except ssl.SSLWantReadError:
                self._outer.sendall(self._outgoing.read())
                if data := self._outer.recv(_READ_SIZE):
                    self._incoming.write(data)
                else:
                    self._incoming.write_eof()
            else:
                self._outer.sendall(self._outgoing.read())
                return result


class _Connection:
    """A connection that can be closed while other threads use it."""

    def __init__(self, address: tuple[str, int], timeout: float | None) -> None:
        self._socket = socket.create_connection(address, timeout)
        configure(self._socket)
        # The socket, or TLS inside of its own.
        self._stream: socket.socket | _TlsInTls = self._socket
        self._timeout = timeout
        self._reading, self._writing = threading.Lock(), threading.Lock()

    def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        if isinstance(self._socket, ssl.SSLSocket):
            self._stream = _TlsInTls(self._socket, context, name)
            return
        secure = context.wrap_socket(
            self._socket, server_hostname=name, do_handshake_on_connect=False
        )
        self._socket = self._stream = secure
        secure.do_handshake()

    def read(self, timeout: float | None) -> bytes:
        with self._reading:
            self._set_timeout(timeout)
            return self._stream.recv(_READ_SIZE)

    def write(self, data: bytes, timeout: float | None) -> None:
        with self._writing:
            self._set_timeout(timeout)
            self._stream.sendall(data)

    def _set_timeout(self, timeout: float | None) -> None:
        if timeout != self._timeout:  # Each time is a call of the system.
            self._socket.settimeout(timeout)
            self._timeout = timeout

    def is_usable(self) -> bool:
        return not is_readable(self._socket.fileno())

    def shutdown(self) -> None:
        """Wake those who wait for it."""
        with suppress(OSError):
            # The method of SSLSocket would break their reads.
            socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def close(self) -> None:
        self.shutdown()
        # The number of a closed socket can be another one's at once.
        with self._reading, self._writing:
            self._socket.close()


class _Stream:
    """The connection after a response with status 101."""

    def __init__(self, connection: _Connection, data: bytes) -> None:
        self._connection = connection
        self._data = data

    def read(self, timeout: float | None) -> bytes:
        data, self._data = self._data, b""
        with errors():
            return data or self._connection.read(timeout)

    def write(self, data: bytes, timeout: float | None) -> None:
        with errors():
            self._connection.write(data, timeout)


class HttpResponse:
    """A response of ``HttpTransport``."""

    def __init__(
        self,
        connection: _Connection,
        incoming: Incoming,
        timeout: float | None,
        release: Callable[[_Connection, bool], None],
    ) -> None:
        self._connection = connection
        self._incoming = incoming
        self._timeout = timeout
        self._release = release
        self.status = incoming.status
        self.headers = incoming.headers
        self._is_open = True

    @property
    def stream(self) -> _Stream | None:
        if self.status != SWITCHING_PROTOCOLS:
            return None
        return _Stream(self._connection, self._incoming.data)

    def read(self) -> bytes:
        with errors():
            while (piece := self._incoming.body()) is None:
                self._incoming.feed(self._connection.read(self._timeout))
            return piece

    def close(self) -> None:
        if self._is_open:
            self._is_open = False
            self._release(self._connection, self._incoming.is_reusable)

    def abort(self) -> None:
        self._connection.shutdown()


class HttpTransport:
    """Sends requests, each through a connection that has no other one."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        self._server = Server(config, credentials)
        self._idle = Idle(self._drop)
        self._slots = threading.BoundedSemaphore(CONNECTIONS)
        self._lock = threading.Lock()
        self._connections: set[_Connection] = set()
        self._is_closed = False

    def send(self, request: Request) -> HttpResponse:
        data = self._server.data(request)
        with errors(sent=False):
            connection = self._take(request.timeout)
        try:
            with errors():
                connection.write(data, request.timeout)
                incoming = Incoming(request.method)
                while not incoming.has_head():
                    incoming.feed(connection.read(request.read_timeout))
        except BaseException:
            self._release(connection, False)
            raise
        return HttpResponse(connection, incoming, request.read_timeout, self._release)

    def _take(self, timeout: float | None) -> _Connection:
        if not self._slots.acquire(timeout=timeout):
            raise TimeoutError
        try:
            return self._idle.take() or self._connect(timeout)
        except BaseException:
            self._slots.release()
            raise

    def _connect(self, timeout: float | None) -> _Connection:
        server = self._server
        context = server.tls.current()
        connection = _Connection(server.address, timeout)
        with self._lock:
            self._connections.add(connection)
        try:
            if self._is_closed:
                raise ConnectionAbortedError("the transport is closed")
            if server.proxy_name:
                connection.start_tls(context, server.proxy_name)
            if tunnel := server.tunnel():
                _pass(tunnel, connection, timeout)
            if server.is_secure:
                connection.start_tls(context, server.name)
        except BaseException:
            self._drop(connection)
            raise
        return connection

    def _release(self, connection: _Connection, is_reusable: bool) -> None:
        if is_reusable and not self._is_closed:
            self._idle.put(connection)
        else:
            self._drop(connection)
        self._slots.release()

    def _drop(self, connection: _Connection) -> None:
        with self._lock:
            self._connections.discard(connection)
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            connections = list(self._connections)
        for connection in connections:
            connection.close()


def _pass(tunnel: Tunnel, connection: _Connection, timeout: float | None) -> None:
    """Do what a proxy has to be asked."""
    with suppress(StopIteration):
        data = next(tunnel)
        while True:
            connection.write(data, timeout)
            data = tunnel.send(connection.read(timeout))
