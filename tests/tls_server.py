"""A TLS server with a certificate authority of its own, and proxies in front of it."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import ssl
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

#: The only name in the server's certificate; nothing resolves it.
SERVER_NAME = "api.cluster.example"


class KeyPair(NamedTuple):
    """The files of a certificate and its key."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """A certificate authority in a folder. Its certificates have no extension but the
    server's name, as those of many clusters."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> Authority:
        """A new authority; the test is skipped without openssl."""
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed")
        authority = cls(folder)
        config = folder / "openssl.cnf"
        config.write_text(
            "[req]\ndistinguished_name = name\nx509_extensions = ca\n[name]\n"
            "[ca]\nbasicConstraints = critical, CA:true\n"
        )
        authority._run(
            *("req", "-x509", *_NEW_KEY, "-keyout", "ca.key", "-out", "ca.crt"),
            *("-subj", "/CN=authority", "-config", "openssl.cnf", "-days", "2"),
        )
        return authority

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.crt"

    def issue(self, name: str, subject_name: str = "") -> KeyPair:
        """A certificate for the common name, with a DNS name if there is one."""
        request = ("-keyout", f"{name}.key", "-out", f"{name}.csr")
        self._run(
            *("req", "-new", *_NEW_KEY, *request, "-subj", f"/CN={name}"),
            *("-config", "openssl.cnf"),
        )
        extensions = self.folder / f"{name}.cnf"
        extensions.write_text(
            f"subjectAltName = DNS:{subject_name}\n" if subject_name else ""
        )
        self._run(
            *("x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.crt"),
            *("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"),
            *("-extfile", extensions.name),
        )
        return KeyPair(self.folder / f"{name}.crt", self.folder / f"{name}.key")

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(
            ["openssl", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr


_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass
class TlsServer:
    """Answers requests with an empty list, and watches never. Keeps the common name of
    each client's certificate, None for one without; those that are ``expired`` get 401.
    """

    port: int = 0
    expired: set[str | None] = field(default_factory=set)
    clients: list[str | None] = field(default_factory=list)
    is_watched: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"


@contextmanager
def tls_server(
    authority: Authority, *, requires_certificate: bool
) -> Iterator[TlsServer]:
    state = TlsServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            assert isinstance(self.connection, ssl.SSLSocket)
            certificate: Any = self.connection.getpeercert() or {}
            subject = dict(pair for (pair,) in certificate.get("subject", ()))
            state.clients.append(subject.get("commonName"))
            if "watch" in self.path:
                state.is_watched.set()
                self.connection.recv(1)
                return
            body = json.dumps({"kind": "NamespaceList", "items": []}).encode()
            self.send_response(401 if state.clients[-1] in state.expired else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    class Listener(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that do not trust the server break the connection."""

        def finish_request(self, request: Any, client_address: Any) -> None:
            # Here, so that a handshake does not stop others.
            with context.wrap_socket(request, server_side=True) as connection:
                super().finish_request(connection, client_address)

    pair = authority.issue("server", SERVER_NAME)
    context = ssl.create_default_context(
        ssl.Purpose.CLIENT_AUTH, cafile=str(authority.certificate)
    )
    context.load_cert_chain(pair.certificate, pair.key)
    context.verify_mode = (
        ssl.CERT_REQUIRED if requires_certificate else ssl.CERT_OPTIONAL
    )
    with _served(Listener(("127.0.0.1", 0), Handler)) as port:
        state.port = port
        yield state


@contextmanager
def _served(listener: ThreadingHTTPServer) -> Iterator[int]:
    with listener:
        thread = threading.Thread(target=listener.serve_forever, args=(0.05,))
        thread.start()
        yield listener.server_port
        listener.shutdown()
        thread.join()


@dataclass
class TunnelProxy:
    """A proxy that leads every connection to one port of this machine, and keeps what
    clients asked for."""

    url: str = ""
    targets: list[str] = field(default_factory=list)
    credentials: list[str | None] = field(default_factory=list)


@contextmanager
def http_proxy(port: int) -> Iterator[TunnelProxy]:
    """A proxy that takes CONNECT."""
    state = TunnelProxy()

    class Handler(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            state.targets.append(self.path)
            state.credentials.append(self.headers.get("Proxy-Authorization"))
            self.send_response(200)
            self.end_headers()
            with socket.create_connection(("127.0.0.1", port)) as server:
                _forward(self.connection, server)

        def log_message(self, *_: Any) -> None:
            pass

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with _served(listener) as proxy_port:
        state.url = f"http://user:p%40ss@127.0.0.1:{proxy_port}"
        yield state


@contextmanager
def socks_proxy(port: int) -> Iterator[TunnelProxy]:
    """A SOCKS 5 proxy without authentication (https://www.rfc-editor.org/rfc/rfc1928);
    names are resolved by the proxy."""
    state = TunnelProxy()

    def answer(client: socket.socket) -> None:
        _, method_count = _read(client, 2)
        _read(client, method_count)
        client.sendall(b"\x05\x00")
        _, command, _, address_type = _read(client, 4)
        assert command == 1
        host = {
            1: lambda: socket.inet_ntoa(_read(client, 4)),
            3: lambda: _read(client, _read(client, 1)[0]).decode(),
        }[address_type]()
        (asked_port,) = struct.unpack(">H", _read(client, 2))
        state.targets.append(f"{host}:{asked_port}")
        client.sendall(b"\x05\x00\x00\x01" + bytes(6))
        with socket.create_connection(("127.0.0.1", port)) as server:
            _forward(client, server)

    with _listening(answer) as proxy_port:
        state.url = f"socks5://127.0.0.1:{proxy_port}"
        yield state


@contextmanager
def _listening(answer: Callable[[socket.socket], None]) -> Iterator[int]:
    """Call ``answer`` in a thread for each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(client: socket.socket) -> None:
            with client:
                answer(client)

        def accept() -> None:
            with contextlib.suppress(OSError):  # the listener is closed
                while True:
                    client, _ = listener.accept()
                    threading.Thread(target=serve, args=(client,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


def _read(client: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = client.recv(size - len(data))
        assert piece, "the connection is closed"
        data += piece
    return data


def _forward(client: socket.socket, server: socket.socket) -> None:
    """Copy what both sides send, until one closes the connection."""

    def copy(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    other = threading.Thread(target=copy, args=(server, client), daemon=True)
    other.start()
    copy(client, server)
    other.join(10)
