"""What the client needs of an HTTP library; the one it comes with is in ``http``.

Implement ``Transport`` or ``AsyncTransport`` to use another one:
``Client(transport=MyTransport())``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol


class Request(NamedTuple):
    """An HTTP request.

    ``target`` is path and query, percent-encoded, below the server's address.
    ``timeout`` is in seconds, for each of connecting and sending, ``read_timeout`` for
    waiting for data; None waits for ever.
    """

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    timeout: float | None
    read_timeout: float | None

    def __repr__(self) -> str:
        return f"<Request {self.method} {self.target}>"  # The rest can have secrets.


class ByteStream(Protocol):
    """The connection after a response with status 101 (Switching Protocols)."""

    def read(self, timeout: float | None) -> bytes:
        """What comes next; empty at the end."""
        ...

    def write(self, data: bytes, timeout: float | None) -> None: ...


class Response(Protocol):
    """A response. It has to be closed; ``headers`` have names in lower case."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def stream(self) -> ByteStream | None:
        """The connection, where ``status`` is 101."""
        ...

    def read(self) -> bytes:
        """The next piece of the body as it was sent; empty at the end."""
        ...

    def close(self) -> None: ...

    def abort(self) -> None:
        """Break the connection: another thread that waits in ``read`` fails."""
        ...


class Transport(Protocol):
    """Sends requests. May be used by several threads.

    Raises ConnectionFailed or TimedOut, also while a response is read. Nothing is
    decoded, redirected or tried again here.
    """

    def send(self, request: Request) -> Response: ...

    def close(self) -> None:
        """Close all connections, also those that other threads wait for."""
        ...


class AsyncByteStream(Protocol):
    """``ByteStream`` for asyncio."""

    async def read(self, timeout: float | None) -> bytes: ...

    async def write(self, data: bytes, timeout: float | None) -> None: ...


class AsyncResponse(Protocol):
    """``Response`` for asyncio."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def stream(self) -> AsyncByteStream | None: ...

    async def read(self) -> bytes: ...

    async def close(self) -> None: ...


class AsyncTransport(Protocol):
    """``Transport`` for asyncio."""

    async def send(self, request: Request) -> AsyncResponse: ...

    async def close(self) -> None: ...
