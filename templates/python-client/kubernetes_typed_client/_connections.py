"""What connections to an API server have in common, blocking and for asyncio: its
address, TLS, proxies, errors, and which of them wait for another request."""

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
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import SplitResult
from urllib.request import getproxies, proxy_bypass

from ._config import Config, split_proxy, split_server
from ._credentials import Certificate, Credentials
from ._errors import ConfigError, ConnectionFailed, TimedOut
from ._http1 import Tunnel, head, http_tunnel, proxy_credentials, socks_tunnel
from ._transport import Request


class _Usable(Protocol):
    def is_usable(self) -> bool: ...


C = TypeVar("C", bound=_Usable)

CONNECTIONS = 100
_IDLE_CONNECTIONS = 20
_KEEPALIVE = 60.0
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
