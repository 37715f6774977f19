"""The transport that the client comes with: httpcore2 (https://pypi.org/project/httpcore2)."""

from __future__ import annotations

import os
import socket
import ssl
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import SplitResult, unquote
from weakref import WeakSet

import httpcore2

from ._config import Config, split_proxy, split_server
from ._credentials import Certificate, Credentials
from ._errors import ConfigError, ConnectionFailed, TimedOut
from ._proxies import ascii_name, proxy_of
from ._transport import Request

P = TypeVar("P")

_CONNECTIONS = 100
_IDLE_CONNECTIONS = 20
_KEEPALIVE = 60.0
_READ_SIZE = 65536
# A server that vanishes without a word is found within two minutes, also by what waits
# without a timeout. Some systems have not all of these names.
_PROBES = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 30, "TCP_KEEPCNT": 3}
_SOCKET_OPTIONS = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in _PROBES.items()
        if hasattr(socket, name)
    ),
]
# The request was never sent.
_UNSENT = (
    httpcore2.ConnectError,
    httpcore2.ConnectTimeout,
    httpcore2.PoolTimeout,
    httpcore2.ProxyError,
)


class _Server(NamedTuple):
    """An API server's address, and what every request to it has."""

    scheme: bytes
    host: bytes
    port: int
    prefix: str
    host_header: bytes
    extensions: Mapping[str, Any]

    def request(self, request: Request) -> httpcore2.Request:
        """The request for httpcore2."""
        timeouts = {
            **dict.fromkeys(("connect", "write", "pool"), request.timeout),
            "read": request.read_timeout,
        }
        headers = [(b"host", self.host_header)]
        headers += [(name.encode(), text.encode()) for name, text in request.headers]
        if request.body or request.method in ("POST", "PUT", "PATCH"):
            headers.append((b"content-length", str(len(request.body)).encode()))
        url = httpcore2.URL(
            scheme=self.scheme,
            host=self.host,
            port=self.port,
            target=f"{self.prefix}{request.target}".encode(),
        )
        return httpcore2.Request(
            request.method,
            url,
            headers=headers,
            content=request.body,
            extensions={**self.extensions, "timeout": timeouts},
        )


def _host(parts: SplitResult) -> bytes:
    """The host of a URL; the zone of an IPv6 address is escaped there."""
    return ascii_name((parts.hostname or "").replace("%25", "%")).encode()


def _server(config: Config) -> _Server:
    parts = split_server(config.server)
    is_secure = parts.scheme == "https"
    port = parts.port or (443 if is_secure else 80)
    host = _host(parts)
    address = host.partition(b"%")[0]
    name = b"[%b]" % address if b":" in host else host
    return _Server(
        scheme=parts.scheme.encode(),
        # In what such a proxy is asked for, an address of IPv6 has brackets.
        host=name if proxy_of(config).startswith("http") else host,
        port=port,
        prefix=parts.path.rstrip("/"),
        host_header=b"%b:%d" % (name, port),
        extensions={"sni_hostname": config.server_name or address.decode()},
    )


class _Pools(Generic[P]):
    """The pool of connections with the client certificate of the moment."""

    def __init__(
        self, config: Config, credentials: Credentials, pool: Callable[..., P]
    ) -> None:
        self._credentials = credentials
        self._lock = threading.Lock()
        self._loaded: Certificate | None = None
        self._context = _context(config)
        self._new = partial(
            pool,
            ssl_context=self._context,
            proxy=_proxy(config, self._context),
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_IDLE_CONNECTIONS,
            keepalive_expiry=_KEEPALIVE,
            socket_options=_SOCKET_OPTIONS,
        )
        self.pool = self._new()

    def current(self) -> P:
        """The pool; another one once there is another certificate, since a connection
        keeps that with which it began."""
        certificate = self._credentials.certificate
        with self._lock:
            if certificate is not None and certificate != self._loaded:
                self._load(certificate)
                self._loaded = certificate
                self.pool = self._new()
            return self.pool

    def _load(self, certificate: Certificate) -> None:
        with _file(certificate.certificate) as chain, _file(certificate.key) as key:
            try:
                # OpenSSL asks the terminal for a password that is not given.
                self._context.load_cert_chain(chain, key, password="")
            except ssl.SSLError as error:
                raise ConfigError(
                    f"the client certificate cannot be used: {error}"
                ) from error


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


class _Secret(bytes):
    """Bytes that httpcore2 does not log."""

    def __repr__(self) -> str:
        return "<secret>"


def _proxy(config: Config, context: ssl.SSLContext) -> httpcore2.Proxy | None:
    """The proxy of a configuration, otherwise that of the environment."""
    url = proxy_of(config)
    if not url:
        return None
    parts = split_proxy(url)
    # Both kinds of SOCKS 5 that kubectl knows.
    scheme = "socks5" if parts.scheme.startswith("socks5") else parts.scheme
    if scheme == "socks5" and find_spec("socksio") is None:
        raise ConfigError("a SOCKS proxy needs: pip install httpcore2[socks]")
    port = parts.port or {"https": 443, "http": 80}.get(scheme, 1080)
    auth = None
    if parts.username is not None:
        name, password = unquote(parts.username), unquote(parts.password or "")
        auth = (_Secret(name.encode()), _Secret(password.encode()))
    return httpcore2.Proxy(
        httpcore2.URL(scheme=scheme, host=_host(parts), port=port, target="/"),
        auth=auth,
        ssl_context=context if scheme == "https" else None,
    )


@contextmanager
def _errors() -> Iterator[None]:
    """Raises the errors of this package for those of httpcore2."""
    try:
        yield
    except httpcore2.TimeoutException as error:
        is_sent = not isinstance(error, _UNSENT)
        raise TimedOut(str(error) or "no answer in time", sent=is_sent) from error
    except (
        httpcore2.NetworkError,
        httpcore2.ProtocolError,
        httpcore2.ProxyError,
    ) as error:
        is_sent = not isinstance(error, _UNSENT)
        text = str(error) or "the connection broke"
        raise ConnectionFailed(text, sent=is_sent) from error
    except Exception as error:
        # Of libraries below, such as that for SOCKS, whose errors pass unchanged.
        raise ConnectionFailed(f"{type(error).__name__}: {error}", sent=True) from error


def _headers(response: httpcore2.Response) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name_bytes, value in response.headers:
        name, text = name_bytes.decode("latin-1").lower(), value.decode("latin-1")
        if name == "warning":
            # The API server sends them in UTF-8, each in a header of its own.
            text = value.decode(errors="replace")
            text = f"{headers[name]}, {text}" if name in headers else text
        headers[name] = text
    return headers


class _Stream:
    """The connection after a response with status 101."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def read(self, timeout: float | None) -> bytes:
        with _errors():
            data: bytes = self._stream.read(_READ_SIZE, timeout)
            return data

    def write(self, data: bytes, timeout: float | None) -> None:
        with _errors():
            self._stream.write(data, timeout)


class HttpResponse:
    """A response of ``HttpTransport``."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response
        self.status = response.status
        self.headers = _headers(response)
        self._pieces: Iterator[bytes] | None = None

    @property
    def stream(self) -> _Stream | None:
        if self.status != 101:
            return None
        return _Stream(self._response.extensions["network_stream"])

    def read(self) -> bytes:
        with _errors():
            if self._pieces is None:
                self._pieces = iter(self._response.iter_stream())
            return next(self._pieces, b"")

    def close(self) -> None:
        self._response.close()

    def abort(self) -> None:
        self._response.extensions["network_stream"].close()


class _Connection(httpcore2.NetworkStream):
    """A connection that can be closed while other threads use it."""

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self._is_closed = False
        self._reading, self._writing = threading.Lock(), threading.Lock()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with self._reading:
            return self._stream.read(max_bytes, timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._writing:
            self._stream.write(buffer, timeout)

    def close(self) -> None:
        self._is_closed = True
        # Wakes those who wait for it; the method of SSLSocket would break their reads.
        with suppress(OSError):
            socket.socket.shutdown(
                self._stream.get_extra_info("socket"), socket.SHUT_RDWR
            )
        # The number of a closed socket can be another one's at once.
        with self._reading, self._writing:
            self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.NetworkStream:
        self._stream = self._stream.start_tls(ssl_context, server_hostname, timeout)
        if self._is_closed:
            self.close()
            raise httpcore2.ConnectError("the transport is closed")
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    """Opens connections until it is closed, which ends all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connections: WeakSet[_Connection] = WeakSet()
        self._is_closed = False

    def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore2.NetworkStream:
        connection = _Connection(super().connect_tcp(*args, **kwargs))
        with self._lock:
            if not self._is_closed:
                self._connections.add(connection)
                return connection
        connection.close()
        raise httpcore2.ConnectError("the transport is closed")

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            connections = list(self._connections)
        for connection in connections:
            connection.close()


class HttpTransport:
    """Sends requests through a pool of connections."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        self._server = _server(config)
        self._backend = _Backend()
        pool = partial(httpcore2.ConnectionPool, network_backend=self._backend)
        self._pools = _Pools(config, credentials, pool)

    def send(self, request: Request) -> HttpResponse:
        pool = self._pools.current()
        with _errors():
            return HttpResponse(pool.handle_request(self._server.request(request)))

    def close(self) -> None:
        self._backend.close()
        self._pools.pool.close()


class _AsyncStream:
    """``_Stream`` for asyncio."""

    def __init__(self, stream: Any) -> None:
        import asyncio

        self._stream = stream
        self._writing = asyncio.Lock()

    async def read(self, timeout: float | None) -> bytes:
        with _errors():
            data: bytes = await self._stream.read(_READ_SIZE, timeout)
            return data

    async def write(self, data: bytes, timeout: float | None) -> None:
        with _errors():
            async with self._writing:
                await self._stream.write(data, timeout)


class AsyncHttpResponse:
    """A response of ``AsyncHttpTransport``."""

    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response
        self.status = response.status
        self.headers = _headers(response)
        self._pieces: AsyncIterator[bytes] | None = None

    @property
    def stream(self) -> _AsyncStream | None:
        if self.status != 101:
            return None
        return _AsyncStream(self._response.extensions["network_stream"])

    async def read(self) -> bytes:
        with _errors():
            if self._pieces is None:
                self._pieces = aiter(self._response.aiter_stream())
            return await anext(self._pieces, b"")

    async def close(self) -> None:
        await self._response.aclose()


class AsyncHttpTransport:
    """``HttpTransport`` for asyncio."""

    def __init__(self, config: Config, credentials: Credentials) -> None:
        self._server = _server(config)
        self._pools = _Pools(config, credentials, httpcore2.AsyncConnectionPool)

    async def send(self, request: Request) -> AsyncHttpResponse:
        pool = self._pools.current()
        with _errors():
            response = await pool.handle_async_request(self._server.request(request))
            return AsyncHttpResponse(response)

    async def close(self) -> None:
        await self._pools.pool.aclose()
