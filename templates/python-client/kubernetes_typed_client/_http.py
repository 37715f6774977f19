"""The transport that the client comes with: HTTP/1.1 on the sockets of Python.

An API server is asked for little at a time, and a request takes half as long as with a
library that can do more.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import SplitResult
from urllib.request import getproxies, proxy_bypass

from ._config import Config, split_proxy, split_server
from ._credentials import Certificate, Credentials
from ._errors import ConfigError, ConnectionFailed, TimedOut
from ._http1 import (
    SWITCHING_PROTOCOLS,
    Incoming,
    Tunnel,
    head,
    http_tunnel,
    proxy_credentials,
    socks_tunnel,
)
from ._transport import Request


class _Usable(Protocol):
    def is_usable(self) -> bool: ...

    def close(self) -> None: ...


C = TypeVar("C", bound=_Usable)
R = TypeVar("R")

CONNECTIONS = 100
_IDLE_CONNECTIONS = 20
_KEEPALIVE = 60.0
_READ_SIZE = 65536
# A peer that has vanished is found after two minutes, also where nothing is sent.
_PROBES = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 30, "TCP_KEEPCNT": 3}


class Server:
    """An API server's address, and the way to it."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        parts = split_server(config.server)
        self.host = parts.hostname or ""
        self.is_secure = parts.scheme == "https"
        self.port = parts.port or (443 if self.is_secure else 80)
        self.name = config.server_name or self.host
        self.proxy = _proxy(config)
        self.tls = _Tls(config, credentials)
        name = f"[{self.host}]" if ":" in self.host else self.host
        self._headers = [("host", f"{name}:{self.port}")]
        self._prefix = parts.path.rstrip("/")
        if self.proxy and not self.is_secure and self._proxy_scheme != "socks5":
            # Such a proxy sends the requests itself.
            self._prefix = f"http://{name}:{self.port}{self._prefix}"
            self._headers += proxy_credentials(self.proxy)

    @property
    def _proxy_scheme(self) -> str:
        # Both kinds of SOCKS 5 that kubectl knows.
        scheme = self.proxy.scheme if self.proxy else ""
        return "socks5" if scheme.startswith("socks5") else scheme

    @property
    def address(self) -> tuple[str, int]:
        """Where connections are made to: the server, or a proxy."""
        if not self.proxy:
            return self.host, self.port
        port = {"https": 443, "http": 80}.get(self._proxy_scheme, 1080)
        return self.proxy.hostname or "", self.proxy.port or port

    @property
    def proxy_name(self) -> str:
        """The name in the certificate of a proxy that has one."""
        return self.address[0] if self._proxy_scheme == "https" else ""

    def tunnel(self) -> Tunnel | None:
        """What the proxy is asked for."""
        if self.proxy and self._proxy_scheme == "socks5":
            return socks_tunnel(self.proxy, self.host, self.port)
        if self.proxy and self.is_secure:
            return http_tunnel(self.proxy, self.host, self.port)
        return None

    def data(self, request: Request) -> bytes:
        """A request as it is sent."""
        headers = [*self._headers, *request.headers]
        if request.body or request.method in ("POST", "PUT", "PATCH"):
            headers.append(("content-length", str(len(request.body))))
        line = f"{request.method} {self._prefix}{request.target} HTTP/1.1"
        return head(line, headers) + request.body


class _Tls:
    """The TLS context of a configuration, with the client certificate of the moment."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        self._credentials = credentials
        self._loaded: Certificate | None = None
        self._context = _context(config)

    def current(self) -> ssl.SSLContext:
        """The context for a new connection."""
        certificate = self._credentials.certificate
        if certificate is not None and certificate != self._loaded:
            with _file(certificate.certificate) as chain, _file(certificate.key) as key:
                try:
                    self._context.load_cert_chain(chain, key)
                except ssl.SSLError as error:
                    raise ConfigError(
                        f"the client certificate cannot be used: {error}"
                    ) from error
            self._loaded = certificate
        return self._context


def _context(config: Config) -> ssl.SSLContext:
    authority = config.certificate_authority
    try:
        context = ssl.create_default_context(
            cadata=authority.decode() if authority else None
        )
    except (ssl.SSLError, ValueError) as error:
        raise ConfigError(
            f"the certificate authority cannot be used: {error}"
        ) from error
    # Since Python 3.13 a certificate must have extensions that those of many clusters
    # do not have, and no other client asks for
    # (https://docs.python.org/3/library/ssl.html#ssl.create_default_context).
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.set_alpn_protocols(["http/1.1"])
    if config.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


@contextmanager
def _file(data: bytes) -> Iterator[str]:
    """A file with secret data, which OpenSSL reads from files only."""
    descriptor, path = tempfile.mkstemp()
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        yield path
    finally:
        Path(path).unlink()


def _proxy(config: Config) -> SplitResult | None:
    """The proxy of a configuration, otherwise that of the environment."""
    url = config.proxy
    if url is None:
        parts = split_server(config.server)
        if proxy_bypass(parts.hostname or ""):
            return None
        proxies = getproxies()
        url = proxies.get(parts.scheme) or proxies.get("all")
    return split_proxy(url) if url else None


@contextmanager
def errors(*, sent: bool = True) -> Iterator[None]:
    """Raises the errors of this package for those of sockets."""
    try:
        yield
    except TimeoutError as error:
        raise TimedOut("no answer in time", sent=sent) from error
    except (OSError, UnicodeError) as error:  # of a host that is no name
        message = str(error) or "the connection broke"
        raise ConnectionFailed(message, sent=sent) from error


def configure(connection: Any) -> None:
    """Set the options of a socket: send at once, and find a peer that has vanished."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _PROBES.items():
        if option := getattr(socket, name, None):  # not on all systems
            connection.setsockopt(socket.IPPROTO_TCP, option, value)


def is_readable(descriptor: int) -> bool:
    """Whether an idle connection has something: its end, most likely."""
    if descriptor < 0:  # It is closed.
        return True
    if sys.platform == "win32":
        return bool(select.select([descriptor], (), (), 0)[0])
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


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


def _age(since: float) -> float:
    """Seconds since then: those of a suspended machine count, which no other clock has;
    the server forgets connections meanwhile."""
    return abs(time.time() - since)


class Idle(Generic[C]):
    """Connections that wait for another request, the last one first; ``drop`` is called
    with those that cannot have one any more."""

    def __init__(self, drop: Callable[[C], None]) -> None:
        self._drop = drop
        self._lock = threading.Lock()
        self._connections: list[tuple[float, C]] = []

    def take(self) -> C | None:
        """A connection that can be used."""
        while True:
            with self._lock:
                if not self._connections:
                    return None
                since, connection = self._connections.pop()
            if _age(since) < _KEEPALIVE and connection.is_usable():
                return connection
            self._drop(connection)

    def put(self, connection: C) -> None:
        """Keep a connection."""
        with self._lock:
            self._connections.append((time.time(), connection))
            since, oldest = self._connections[0]
            count = len(self._connections)
            if count <= _IDLE_CONNECTIONS and _age(since) < _KEEPALIVE:
                return
            del self._connections[0]
        self._drop(oldest)


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
