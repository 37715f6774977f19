"""HTTP/1.1 of the generated client, without a network: responses in pieces of any size,
responses that are none, what proxies are asked, and which connections are used again.
"""

from __future__ import annotations

import importlib
import socket
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.conftest import load
from tests.packages import generate_client, import_client


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module of a client."""
    folder = generate_client(load("1.35"), tmp_path_factory.mktemp("client"), "http1")
    package = import_client(folder, "http1")[0]
    return importlib.import_module(f"{package.__name__}._http1")


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    """What a connection receives, and then its end."""
    for start in range(0, len(data), size):
        yield data[start : start + size]
    while True:
        yield b""


def received(protocol: Any, data: bytes, size: int, method: str) -> tuple[Any, bytes]:
    """A response that arrives in pieces, and its body."""
    arriving = pieces(data, size)
    incoming = protocol.Incoming(method)
    while not incoming.has_head():
        incoming.feed(next(arriving))
    body = b""
    while piece := incoming.body():
        body += piece
    while piece is None:
        incoming.feed(next(arriving))
        while piece := incoming.body():
            body += piece
    return incoming, body


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("data", "method", "status", "body", "is_reusable"),
    [
        (b"200 OK\r\nContent-Length: 5\r\n\r\nhello", "GET", 200, b"hello", True),
        (b"200 \r\ncontent-length:0\r\n\r\n", "GET", 200, b"", True),
        (b"204 No Content\r\n\r\n", "DELETE", 204, b"", True),
        (b"200 OK\r\nContent-Length: 5\r\n\r\n", "HEAD", 200, b"", True),
        (b"200 OK\r\n\r\nuntil the end", "GET", 200, b"until the end", False),
        (
            b"200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\na",
            *("GET", 200, b"a", False),
        ),
        (
            b"200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"3;a=b\r\na\r\n\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n",
            *("GET", 200, b"a\r\n0123456789", True),
        ),
        (
            b"100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
            b"HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\n{}",
            *("POST", 409, b"{}", True),
        ),
        # What nobody has asked for.
        (
            b"200 OK\r\nContent-Length: 1\r\n\r\naHTTP/1.1 200 OK\r\n\r\n",
            *("GET", 200, b"a", None),
        ),
    ],
)
def test_responses_are_read_in_any_pieces(
    protocol: Any,
    data: bytes,
    method: str,
    status: int,
    body: bytes,
    is_reusable: bool | None,
    size: int,
) -> None:
    incoming, content = received(protocol, b"HTTP/1.1 " + data, size, method)
    assert (incoming.status, content) == (status, body)
    if is_reusable is not None:
        assert incoming.is_reusable == is_reusable
    elif size == 1000:
        assert not incoming.is_reusable


def test_headers_have_names_in_lower_case_and_all_warnings(protocol: Any) -> None:
    data = 'HTTP/1.1 200 OK\r\nWarning: 299 - "ä"\r\nWARNING:299 - "b" \r\nA-b: \t1\t\r\n\r\n'
    incoming, _ = received(protocol, data.encode(), 1000, "GET")
    assert incoming.headers == {"warning": '299 - "ä", 299 - "b"', "a-b": "1"}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * 5000,
        b"HTTP/1.1 200 OK\r\nA: " + b"1" * 300_000,
    ],
)
def test_what_is_no_response_or_cut_off_is_an_error(
    protocol: Any, data: bytes, size: int
) -> None:
    with pytest.raises(protocol.ProtocolError):
        received(protocol, data, size if len(data) < 10_000 else 1000, "GET")


def test_requests_have_no_line_breaks_of_others(protocol: Any) -> None:
    data = protocol.head("GET / HTTP/1.1", [("host", "a"), ("b", "c")])
    assert data == b"GET / HTTP/1.1\r\nhost: a\r\nb: c\r\n\r\n"
    for line, value in (("GET /\r\nA: b HTTP/1.1", "a"), ("GET / HTTP/1.1", "a\nb: c")):
        with pytest.raises(ValueError, match="line break"):
            protocol.head(line, [("host", value)])


def asked(tunnel: Any, *answers: bytes) -> list[bytes]:
    """What a proxy is asked, given its answers."""
    questions = [next(tunnel)]
    with pytest.raises(StopIteration):
        for answer in answers:
            questions.append(tunnel.send(answer))
    return questions


def test_proxies_are_asked_for_connections(protocol: Any) -> None:
    proxy = urlsplit("http://me:p%40ss@proxy")
    questions = asked(
        protocol.http_tunnel(proxy, "::1", 6443), b"HTTP/1.1 200", b" OK\r\n\r\n"
    )
    assert questions == [
        b"CONNECT [::1]:6443 HTTP/1.1\r\nhost: [::1]:6443\r\n"
        b"proxy-authorization: Basic bWU6cEBzcw==\r\n\r\n",
        b"",
    ]
    address = b"\x05\x00\x00\x04" + bytes(18)
    questions = asked(
        protocol.socks_tunnel(proxy, "a.example", 6443),
        *(b"\x05", b"\x02", b"\x01\x00", address[:7], address[7:]),
    )
    assert questions == [
        *(b"\x05\x01\x02", b"", b"\x01\x02me\x04p@ss"),
        *(b"\x05\x01\x00\x03\x09a.example\x19\x2b", b""),
    ]
    questions = asked(
        protocol.socks_tunnel(urlsplit("socks5://proxy"), "10.0.0.1", 443),
        *(b"\x05\x00", b"\x05\x00\x00\x03\x01a\x00\x00"),
    )
    assert questions[1] == b"\x05\x01\x00\x01\x0a\x00\x00\x01\x01\xbb"


def test_a_refusal_of_a_proxy_is_an_error(protocol: Any) -> None:
    proxy = urlsplit("http://me:pass@proxy")
    for make, answers in (
        (protocol.http_tunnel, [b"HTTP/1.1 407 No\r\n\r\n"]),
        (protocol.http_tunnel, [b""]),
        (protocol.socks_tunnel, [b"\x05\xff"]),
        (protocol.socks_tunnel, [b"\x05\x02", b"\x01\x01"]),
        (protocol.socks_tunnel, [b"\x05\x02", b"\x01\x00", b"\x05\x05\x00\x01\x00"]),
        (protocol.socks_tunnel, [b"\x05\x02", b""]),
    ):
        tunnel = make(proxy, "a", 1)
        next(tunnel)
        with pytest.raises(protocol.ProtocolError):
            for answer in answers:
                tunnel.send(answer)


class Connection:
    """One of which nothing was heard."""

    def is_usable(self) -> bool:
        return True


def test_connections_from_before_a_suspension_are_not_used_again(
    protocol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may have forgotten them, which nobody has said to a machine that was
    asleep."""
    package = protocol.__name__.rpartition(".")[0]
    connections = importlib.import_module(f"{package}._connections")
    dropped: list[Connection] = []
    idle = connections.Idle(dropped.append)
    first, second = Connection(), Connection()
    idle.put(first)
    assert idle.take() is first
    idle.put(first)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 3600)
    idle.put(second)
    assert (idle.take(), idle.take()) == (second, None)
    assert dropped == [first]


def test_a_vanished_server_is_probed_for(protocol: Any) -> None:
    package = protocol.__name__.rpartition(".")[0]
    connections = importlib.import_module(f"{package}._connections")
    with socket.socket() as connection:
        connections.configure(connection)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
