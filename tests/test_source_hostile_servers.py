"""Servers that send too much, too slowly, or elsewhere: what they send is refused with
one message, and what was there before stays. With real servers on the loopback interface.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kubestencil.errors import KubestencilError, SourceError, UsageError
from kubestencil.source import remote
from kubestencil.source.inputs import read_location
from kubestencil.source.releases import ListedRelease
from tests.conftest import SMALL, Command, make_document, read_files
from tests.test_source import accept, no_progress

DOCUMENT = json.dumps(make_document(SMALL)).encode()
Answer = Callable[[socket.socket], None]


@contextmanager
def server(answer: Answer) -> Iterator[str]:
    """A server that reads requests and lets ``answer`` send what it likes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def respond(connection: socket.socket) -> None:
        try:
            with connection:
                if connection.recv(65536):
                    answer(connection)
        except OSError:
            """The client has gone."""

    def accept_all() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=respond, args=(connection,), daemon=True).start()

    threading.Thread(target=accept_all, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.close()


def sent(head: str, body: bytes = b"") -> Answer:
    data = f"HTTP/1.1 {head}\r\nconnection: close\r\n\r\n".encode() + body
    return lambda connection: connection.sendall(data)


def trickled(head: bytes, seconds: float = 0.05) -> Answer:
    def answer(connection: socket.socket) -> None:
        connection.sendall(head)
        for _ in range(400):
            connection.sendall(b"x")
            time.sleep(seconds)

    return answer


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\na: ", b"HTTP/1.1 "]
)
def test_a_server_that_sends_a_byte_now_and_then_is_given_up(
    head: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in its headers, and although no socket waits for long."""
    monkeypatch.setattr(remote, "MAX_SECONDS", 0.5)
    start = time.monotonic()
    with (
        server(trickled(head)) as url,
        pytest.raises(SourceError, match="takes longer"),
    ):
        remote.download(url, no_progress)
    assert time.monotonic() - start < 5


def test_a_server_that_says_when_to_come_back_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "MAX_SECONDS", 0.5)
    busy = sent("503 Busy\r\nretry-after: 86400\r\ncontent-length: 0")
    with server(busy) as url, pytest.raises(SourceError):
        remote.download(url, no_progress)


@pytest.mark.parametrize(
    ("head", "body", "message"),
    [
        ("200 OK\r\ncontent-length: 99999999999999999999", b"", "bytes; the limit is"),
        ("200 OK", b"x" * 2_000, "has more bytes; the limit is 1,000"),
        ("200 OK\r\ntransfer-encoding: chunked", b"5\r\nabc", "cannot be downloaded"),
        ("200 OK\r\ntransfer-encoding: chunked", b"zz\r\n", "cannot be downloaded"),
        ("200 OK\r\ncontent-length: 50", b"{}", "cannot be downloaded"),
        ("206 Partial Content\r\ncontent-range: bytes 0-1/9", b"{}", "responds 206"),
        ("204 No Content", b"", "responds 204"),
        pytest.param(
            "200 OK\r\ncontent-encoding: gzip",
            gzip.compress(bytes(10**8), mtime=0),
            "more bytes",
            id="a small response with a large document",
        ),
        ("200 OK\r\ncontent-encoding: gzip", b"no gzip", "cannot be downloaded"),
        (
            "200 OK\r\ncontent-encoding: gzip, gzip",
            b"",
            "content encoding 'gzip, gzip'",
        ),
        ("200 OK\r\ncontent-encoding: br", b"x", "content encoding 'br'"),
        ("200 OK\r\na: " + "x" * 70_000, b"", "cannot be downloaded"),
        ("200 OK" + "\r\na: x" * 200, b"", "cannot be downloaded"),
        ("302 Found\r\nlocation: https://[x", b"", "redirects to"),
        ("302 Found\r\nlocation: file:///etc/passwd", b"", "redirects to 'file:"),
        ("302 Found\r\nlocation: ftp://127.0.0.1/x", b"", "redirects to 'ftp:"),
        ("302 Found\r\nlocation: http://example.invalid/", b"", "redirects to 'http:"),
        ("302 Found\r\nlocation: https://127.0.0.1/", b"", "redirects to 'https:"),
        ("200 OK\r\ntransfer-encoding: chunked", b"-5\r\nabc\r\n", "be downloaded"),
        ("404 Not Found", b"", "404"),
        ("302 Found", b"", "responds 302"),
        ("abc", b"", "cannot be downloaded"),
    ],
)
def test_a_response_that_is_wrong_is_refused(
    head: str, body: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "1000")
    monkeypatch.setattr(remote, "RETRIES", 0)
    with server(sent(head, body)) as url, pytest.raises(SourceError, match=message):
        remote.download(url, no_progress)


@pytest.mark.parametrize("length", ["x", "-1", "1e3", "٣", "", "9" * 5000])
def test_a_length_that_is_no_number_breaks_nothing(length: str) -> None:
    answer = sent(f"200 OK\r\ncontent-length: {length}", DOCUMENT)
    with server(answer) as url:
        try:
            assert remote.download(url, no_progress) in (DOCUMENT, b"")
        except SourceError as error:
            assert "cannot be downloaded" in error.what


def test_compressed_content_is_read() -> None:
    compressed = gzip.compress(DOCUMENT)
    answer = sent("200 OK\r\ncontent-encoding: gzip", compressed)
    with server(answer) as url:
        assert remote.download(url, no_progress) == DOCUMENT


def test_an_index_leads_to_no_other_server() -> None:
    requests: list[str] = []

    def inside(connection: socket.socket) -> None:
        requests.append("inside")
        sent("200 OK", b"{}")(connection)

    with server(inside) as inner:
        index = {"paths": {"api/v1": {"serverRelativeURL": f"{inner}/secrets"}}}
        answer = sent("200 OK", json.dumps(index).encode())
        message = "leads to another server"
        with server(answer) as url, pytest.raises(SourceError, match=message):
            read_location(url, "cluster")
    assert requests == []


def test_an_index_of_many_documents_has_the_limits_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "50000")
    paths = {str(i): {"serverRelativeURL": f"/openapi/v3/{i}"} for i in range(50)}
    index = json.dumps({"openapi": "3.0.0", "paths": paths}).encode()
    message = "has more bytes; the limit is 50,000"
    with (
        server(sent("200 OK", index)) as url,
        pytest.raises(SourceError, match=message),
    ):
        read_location(url, "cluster")


@pytest.mark.parametrize(
    "url", ["https://[x/y", "https://", "https://a:b/", "http://[::1"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(KubestencilError):
        read_location(url, "x")


INSIDE = (
    "127.0.0.1", "0.0.0.0", "169.254.169.254", "10.0.0.1", "100.64.0.1", "::1", "::",
    "fe80::1", "fe80::1%lo", "fd00::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe",
    "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::",
    "2001:0:1:2:3:4:80ff:fffe",
)  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
def test_a_connection_may_not_lead_from_outside_to_this_network(address: str) -> None:
    peers = remote._Peers("https://outside.example/")
    peers.check(address)
    peers.check("93.184.215.14")
    with pytest.raises(SourceError, match="on this machine or in its network"):
        peers.check(address)


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1\\@93.184.215.14/x",
        "http://93.184.215.14\\@localhost/x",
        "https://93.184.215.14\n/x",
        "https://93.184.215.14/x\x1b[31m",
        "https://93.184.215.14 @localhost/",
    ],
)
def test_a_url_that_readers_disagree_about_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="is no URL"):
        remote.download(url, no_progress)


def test_a_name_that_gets_another_address_does_not_lead_inside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The address of the connection counts, and no request is sent to it."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        "socket.getaddrinfo", lambda _, *arguments: resolve("127.0.0.1", *arguments)
    )
    requests: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        requests.append(b"")
        sent("200 OK", DOCUMENT)(connection)

    peers = remote._Peers("https://outside.example/")
    peers.check("93.184.215.14")
    with server(answer) as url:
        location = url.replace("127.0.0.1", "rebound.example")
        with pytest.raises(SourceError, match="which is on this machine"):
            remote._request(location, peers, threading.Event())
    assert requests == []


class Endless:
    """Sends the same bytes until the client has gone; counts them."""

    def __init__(self, head: bytes, unit: bytes) -> None:
        self.head = head
        self.unit = unit
        self.sent = 0

    def __call__(self, connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 " + self.head)
        while True:
            connection.sendall(self.unit)
            self.sent += len(self.unit)


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        (b"200 OK\r\n\r\n", b"x" * 65536),
        (b"503 Busy\r\n\r\n", b"x" * 65536),
        (b"503 Busy\r\nretry-after: 1\r\n\r\n", b"x" * 65536),
        (b"404 No\r\n\r\n", b"x" * 65536),
        (b"302 Found\r\nlocation: /\r\n\r\n", b"x" * 65536),
        (b"200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1" * 65536),
        (b"200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;", b"x" * 65536),
        (b"200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", b"x" * 65536),
        (b"200 OK\r\n", b"x" * 65536),
        (b"200 OK\r\n", b"a: b\r\n" * 9999),
        (b"", b"x" * 65536),
    ],
)
def test_a_server_that_never_ends_is_left_early(
    head: bytes, unit: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever it sends without an end, and whatever its status says; a connection has
    some megabytes in buffers of the system."""
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "1000000")
    monkeypatch.setattr(remote, "MAX_SECONDS", 5)
    monkeypatch.setattr(remote, "_FIRST_PAUSE", 0)
    endless = Endless(head, unit)
    with server(endless) as url, pytest.raises(SourceError):
        remote.download(url, no_progress)
    assert endless.sent < 10**8


@pytest.mark.parametrize(
    "answer",
    [
        sent("200 OK", DOCUMENT + b" "),
        sent("200 OK", DOCUMENT[:-9]),
        sent("302 Found\r\nlocation: file:///etc/passwd"),
        sent("500 No"),
        trickled(b"HTTP/1.1 200 OK\r\n\r\n"),
    ],
)
def test_an_earlier_download_stays(
    answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MAX_SECONDS", 1)
    monkeypatch.setattr(remote, "RETRIES", 0)
    (tmp_path / "1.35.json").write_text("earlier")
    with server(answer) as url:
        release = ListedRelease("1.35", url, hashlib.sha256(DOCUMENT).hexdigest())
        with pytest.raises(SourceError):
            remote.fetch(release, tmp_path, no_progress, accept)
    assert read_files(tmp_path) == {"1.35.json": b"earlier"}


@pytest.mark.parametrize("option", ["--spec", "--crds"])
def test_a_command_refuses_it_and_leaves_the_files(
    option: str, run: Command, tmp_path: Path
) -> None:
    (tmp_path / "spec.json").write_bytes(DOCUMENT)
    render = ("render", "x", "-t", "markdown", "-o", "out")
    assert run(*render, "--spec", "spec.json").returncode == 0
    before = read_files(tmp_path / "out")
    answer = sent("302 Found\r\nlocation: http://169.254.169.254/x")
    with server(answer) as url:
        inputs = [option, f"{url}/x.json"]
        if option == "--crds":
            inputs += ["--spec", "spec.json"]
        done: Any = run(*render, *inputs)
    assert done.returncode == 1
    assert done.stderr.count("error: ") == 1 and "redirects to" in done.stderr
    assert read_files(tmp_path / "out") == before


def test_secrets_in_a_url_are_neither_shown_nor_written(
    run: Command, tmp_path: Path
) -> None:
    """User information, query and fragment: with a document, and with each error."""
    for head in ("200 OK", "404 Not Found", "302 Found\r\nlocation: ftp://x", "abc"):
        with server(sent(head, DOCUMENT)) as url:
            secret = url.replace("://", "://SECRET:SECRET@") + "/x.json?t=SECRET#SECRET"
            for options in (["1.0", "--spec"], ["--crds"], ["1.35", "--crds"]):
                result = run("render", "-t", "markdown", *options, secret)
                assert "SECRET" not in result.stdout + result.stderr
                assert result.returncode == 0 or f"{url}/x.json" in result.stderr
    files = read_files(tmp_path)
    assert files
    assert not any(b"SECRET" in data for data in files.values())
