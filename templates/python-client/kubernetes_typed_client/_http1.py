"""HTTP/1.1 without a network (RFC 9112): requests as bytes, responses from what arrives,
and how proxies are asked for a connection (RFC 9110, RFC 1928, RFC 1929)."""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Generator, Iterable
from typing import TypeAlias
from urllib.parse import SplitResult, unquote

SWITCHING_PROTOCOLS = 101
# What a gateway before an API server can say, in bytes.
_LONGEST_HEAD = 1 << 18
_LONGEST_LINE = 1 << 12
_FORBIDDEN = re.compile("[\0\r\n]")
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9])(?: .*)?")
_FIELD = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\0\r\n]*?)[ \t]*")
_LENGTH = re.compile("[0-9]{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")


class ProtocolError(OSError):
    """What arrives is no HTTP, or is cut off; or a proxy makes no connection."""


def head(request: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """The head of a request: its first line, and its headers.

    Raises ValueError where one of them has a line break.
    """
    lines = [request, *[f"{name}: {value}" for name, value in headers]]
    for line in lines:
        if _FORBIDDEN.search(line):
            raise ValueError("a header of a request has a line break")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class Incoming:
    """A response as it arrives; all raise ProtocolError.

    ``method`` is that of the request, ``headers`` have names in lower case, ``data`` is
    what was received after what was read.
    """

    def __init__(self, method: str) -> None:
        self._method = method
        self.status = 0
        self.headers: dict[str, str] = {}
        self.data = b""
        self._is_closed = False
        self._is_kept = False
        self._is_complete = False
        # Bytes of the body, or of the current chunk, that are to come; None where the
        # body ends with the connection.
        self._left: int | None = None
        self._is_chunked = False
        self._is_in_chunk = False
        self._is_in_trailer = False

    @property
    def is_reusable(self) -> bool:
        """Whether the connection can have another request."""
        return self._is_complete and self._is_kept and not self.data

    def feed(self, data: bytes) -> None:
        """Add what was received: nothing where the connection was closed."""
        self._is_closed = not data
        self.data += data

    def has_head(self) -> bool:
        """Whether status and headers are there."""
        while not self.status:
            end = self.data.find(b"\r\n\r\n")
            if end < 0:
                self._expect_more(len(self.data) > _LONGEST_HEAD)
                return False
            lines = self.data[:end].split(b"\r\n")
            self.data = self.data[end + 4 :]
            self._read_head(lines)
        return True

    def _expect_more(self, is_too_long: bool = False) -> None:
        if is_too_long:
            raise ProtocolError("the response has a line that is too long")
        if self._is_closed:
            raise ProtocolError("the server closed the connection")

    def _read_head(self, lines: list[bytes]) -> None:
        first = _STATUS.fullmatch(lines[0])
        if not first:
            raise ProtocolError("the response is no HTTP/1.1")
        status = int(first[2])
        if status < 200 and status != SWITCHING_PROTOCOLS:
            return  # 100 Continue, 103 Early Hints: the response is still to come.
        self.status = status
        for line in lines[1:]:
            field = _FIELD.fullmatch(line)
            if not field:
                raise ProtocolError("the response has a header that is none")
            self._add(field[1].decode().lower(), field[2])
        connection = self.headers.get("connection", "").lower()
        self._is_kept = first[1] == b"1" and "close" not in connection
        self._set_length()

    def _add(self, name: str, value: bytes) -> None:
        text = value.decode("latin-1")
        if name == "warning":
            # The API server sends them in UTF-8, each in a header of its own.
            text = value.decode(errors="replace")
            text = f"{self.headers[name]}, {text}" if name in self.headers else text
        elif name == "content-length" and self.headers.get(name, text) != text:
            raise ProtocolError("the response has two lengths")
        self.headers[name] = text

    def _set_length(self) -> None:
        coding = self.headers.get("transfer-encoding")
        length = self.headers.get("content-length")
        if self._method == "HEAD" or self.status in (204, 304):
            self._is_complete = True
        elif coding is not None:
            if coding.lower() != "chunked":
                raise ProtocolError("the response has an unknown transfer coding")
            self._is_chunked = True
        elif length is not None:
            if not _LENGTH.fullmatch(length):
                raise ProtocolError("the response has a length that is no number")
            self._left = int(length)
            self._is_complete = self._left == 0

    def body(self) -> bytes | None:
        """What has arrived of the body: empty at its end, None where more is to come."""
        if self._is_complete or self.status == SWITCHING_PROTOCOLS:
            return b""
        if self._is_chunked:
            return self._chunks()
        if self._left is None:
            piece, self.data = self.data, b""
            return piece or (b"" if self._is_closed else None)
        piece, self.data = self.data[: self._left], self.data[self._left :]
        self._left -= len(piece)
        self._is_complete = self._left == 0
        if not piece:
            self._expect_more()
        return piece or None

    def _chunks(self) -> bytes | None:
        """The content of the chunks that have arrived."""
        data, position = self.data, 0
        pieces: list[bytes] = []
        while not self._is_complete:
            if self._left:
                piece = data[position : position + self._left]
                if not piece:
                    break
                pieces.append(piece)
                position += len(piece)
                self._left -= len(piece)
                continue
            end = data.find(b"\r\n", position)
            if end < 0:
                break
            self._read_line(data[position:end])
            position = end + 2
        self.data = data[position:]
        if not pieces and not self._is_complete:
            self._expect_more(len(self.data) > _LONGEST_LINE)
            return None
        return b"".join(pieces)

    def _read_line(self, line: bytes) -> None:
        """Read a line between chunks: the end of one, the size of the next, or a part of
        the trailer after the last one."""
        if self._is_in_trailer:
            self._is_complete = not line
        elif self._is_in_chunk:
            if line:
                raise ProtocolError("the response has a chunk that is too long")
            self._is_in_chunk = False
        else:
            size = _CHUNK.fullmatch(line)
            if not size:
                raise ProtocolError("the response has a chunk without a size")
            self._left = int(size[1], 16)
            self._is_in_chunk = self._left > 0
            self._is_in_trailer = self._left == 0


#: Yields what is to be sent to a proxy, and gets what arrives.
Tunnel: TypeAlias = Generator[bytes, bytes, None]


def proxy_credentials(proxy: SplitResult) -> list[tuple[str, str]]:
    """The headers of a request to an HTTP proxy."""
    if proxy.username is None:
        return []
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return [("proxy-authorization", f"Basic {base64.b64encode(pair).decode()}")]


def http_tunnel(proxy: SplitResult, host: str, port: int) -> Tunnel:
    """Ask an HTTP proxy for a connection to a server."""
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    headers = [("host", target), *proxy_credentials(proxy)]
    incoming = Incoming("CONNECT")
    incoming.feed((yield head(f"CONNECT {target} HTTP/1.1", headers)))
    while not incoming.has_head():
        incoming.feed((yield b""))
    if not 200 <= incoming.status < 300:
        raise ProtocolError(f"the proxy refuses a connection: {incoming.status}")


def socks_tunnel(proxy: SplitResult, host: str, port: int) -> Tunnel:
    """Ask a SOCKS 5 proxy for a connection to a server, whose name it resolves."""
    method = b"\x00" if proxy.username is None else b"\x02"
    if (yield from _exchange(b"\x05\x01" + method, 2)) != b"\x05" + method:
        raise ProtocolError("the SOCKS proxy wants another authentication")
    if proxy.username is not None:
        user = unquote(proxy.username).encode()
        password = unquote(proxy.password or "").encode()
        pair = b"\x01" + _sized(user) + _sized(password)
        if (yield from _exchange(pair, 2))[1]:
            raise ProtocolError("the SOCKS proxy refuses the name or password")
    request = b"\x05\x01\x00" + _socks_address(host) + port.to_bytes(2, "big")
    answer = yield from _exchange(request, 5)
    if answer[1]:
        raise ProtocolError(f"the SOCKS proxy refuses a connection: error {answer[1]}")
    # It ends with an address and a port that nothing depends on.
    size = {1: 10, 4: 22}.get(answer[3], 7 + answer[4])
    yield from _exchange(b"", size - len(answer))


def _socks_address(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return b"\x03" + _sized(host.encode("idna"))
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed


def _sized(data: bytes) -> bytes:
    if len(data) > 255:
        raise ProtocolError("a name or password is too long for a SOCKS proxy")
    return bytes([len(data)]) + data


def _exchange(data: bytes, size: int) -> Generator[bytes, bytes, bytes]:
    """Send data; the answer of so many bytes."""
    answer = b""
    while len(answer) < size:
        piece = yield data
        if not piece:
            raise ProtocolError("the SOCKS proxy closed the connection")
        answer += piece
        data = b""
    return answer
