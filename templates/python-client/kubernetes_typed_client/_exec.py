"""Sessions with a container: commands, what they print, and how they end.

The protocol is a WebSocket on which the first byte of each message is its channel
(kubelet, v5.channel.k8s.io and v4.channel.k8s.io).
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self

import msgspec
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage, CloseConnection, Ping, TextMessage
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from ._calls import Call
from ._errors import ClientError, ConnectionFailed, Status
from ._flows import Flow, Settings, exchange
from ._transport import AsyncResponse, Response

_V5, _V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
_STDIN, _STDOUT, _STDERR, _ERROR, _RESIZE = range(5)
_CLOSE = 255
_NAMES: dict[int, Literal["stdout", "stderr"]] = {_STDOUT: "stdout", _STDERR: "stderr"}
_EXIT_CODE = "ExitCode"
# What a WebSocket sends when it closes.
_NORMAL = 1000


@dataclass(frozen=True, slots=True)
class ExecResult:
    """What a command printed, and how it ended.

    ``exit_code`` is None where the API server did not say it; ``status`` has what it
    said.
    """

    stdout: bytes
    stderr: bytes
    exit_code: int | None
    status: Status | None


class Output(NamedTuple):
    """A piece of what a command prints."""

    channel: Literal["stdout", "stderr"]
    data: bytes


def open_stream(settings: Settings, call: Call[Any]) -> Flow[Any, None]:
    """Open the WebSocket for a call."""
    handshake = {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": base64.b64encode(os.urandom(16)).decode(),
        "sec-websocket-protocol": f"{_V5}, {_V4}",
    }
    settings = replace(settings, headers={**settings.headers, **handshake})
    # A command must not run twice.
    call = replace(call, idempotent=False)
    yield from exchange(settings, call, is_open=True)


class _Channels:
    """The messages of a WebSocket. Bytes go in and out, nothing is sent here."""

    def __init__(self, protocol: str) -> None:
        self._can_close = protocol == _V5
        self._connection = Connection(ConnectionType.CLIENT)
        self._pieces: list[bytes] = []
        self.status: Status | None = None
        self.is_closed = False

    def send(self, channel: int, data: bytes) -> bytes:
        """The bytes of a message."""
        return self._send(BytesMessage(data=bytes([channel]) + data))

    def close_stdin(self) -> bytes:
        """The bytes that end the input of the command."""
        if not self._can_close:
            raise ClientError(
                "this API server cannot close the input of a command: "
                f"it does not have {_V5}"
            )
        return self._send(BytesMessage(data=bytes([_CLOSE, _STDIN])))

    def close(self) -> bytes:
        """The bytes that close the WebSocket."""
        if self.is_closed:
            return b""
        self.is_closed = True
        return self._send(CloseConnection(code=_NORMAL))

    def receive(self, data: bytes) -> tuple[list[Output], bytes]:
        """What the command printed, and the bytes to answer with."""
        outputs: list[Output] = []
        answer = b""
        try:
            self._connection.receive_data(data or None)
            for event in self._connection.events():
                if isinstance(event, BytesMessage | TextMessage):
                    content = event.data
                    if isinstance(content, str):
                        content = content.encode()
                    self._pieces.append(bytes(content))
                    if event.message_finished:
                        message = b"".join(self._pieces)
                        self._pieces.clear()
                        outputs += self._outputs(message)
                elif isinstance(event, Ping):
                    answer += self._connection.send(event.response())
                elif isinstance(event, CloseConnection):
                    if not self.is_closed:
                        answer += self._connection.send(event.response())
                    self.is_closed = True
        except (LocalProtocolError, RemoteProtocolError) as error:
            raise ConnectionFailed(f"WebSocket: {error}", sent=True) from error
        return outputs, answer

    def _outputs(self, message: bytes) -> list[Output]:
        channel, data = message[:1], message[1:]
        if not channel or not data:
            return []
        if channel[0] in _NAMES:
            return [Output(_NAMES[channel[0]], data)]
        if channel[0] == _ERROR:
            try:
                self.status = msgspec.json.decode(data, type=Status)
            except (msgspec.DecodeError, UnicodeError):
                self.status = Status(message=data.decode(errors="replace"))
        return []

    def _send(self, event: BytesMessage | CloseConnection) -> bytes:
        try:
            return self._connection.send(event)
        except LocalProtocolError as error:
            raise ConnectionFailed(f"WebSocket: {error}", sent=False) from error

    @property
    def exit_code(self) -> int | None:
        """The exit code of the command, None where it has not ended or is unknown."""
        status = self.status
        if status is None:
            return None
        if status.status == "Success":
            return 0
        causes = status.details.causes if status.details else None
        for cause in causes or ():
            if cause.reason == _EXIT_CODE and cause.message and cause.message.isdigit():
                return int(cause.message)
        return None

    def result(self, outputs: list[Output]) -> ExecResult:
        """The result, given all that was printed.

        Raises ConnectionFailed where the connection ended before the command.
        """
        if self.status is None and not self.is_closed:
            raise ConnectionFailed(
                "the connection closed before the command ended", sent=True
            )
        texts = {
            name: b"".join(data for channel, data in outputs if channel == name)
            for name in _NAMES.values()
        }
        return ExecResult(texts["stdout"], texts["stderr"], self.exit_code, self.status)


def _size(columns: int, rows: int) -> bytes:
    return json.dumps({"Width": columns, "Height": rows}).encode()


def _protocol(response: Response | AsyncResponse | None) -> str:
    protocol = response.headers.get("sec-websocket-protocol", "") if response else ""
    if protocol not in (_V5, _V4):
        raise ClientError(f"the API server does not have {_V5} or {_V4}")
    return protocol


class Session:
    """A session with a container. Iterate over it to read what the command prints."""

    def __init__(self, response: Response, timeout: float | None) -> None:
        stream = response.stream
        if stream is None:
            response.close()
            raise ClientError("the API server did not open a WebSocket")
        self._response = response
        self._stream = stream
        self._timeout = timeout
        self._channels = _Channels(_protocol(response))

    @property
    def status(self) -> Status | None:
        """How the command ended, once it has."""
        return self._channels.status

    @property
    def exit_code(self) -> int | None:
        """The exit code of the command, once it has ended."""
        return self._channels.exit_code

    def write(self, data: bytes | str) -> None:
        """Write to the input of the command; it needs ``stdin=True``."""
        data = data.encode() if isinstance(data, str) else data
        self._write(self._channels.send(_STDIN, data))

    def close_stdin(self) -> None:
        """End the input of the command. Servers before 1.30 cannot (v4)."""
        self._write(self._channels.close_stdin())

    def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal; it needs ``tty=True``."""
        self._write(self._channels.send(_RESIZE, _size(columns, rows)))

    def __iter__(self) -> Generator[Output, None, None]:
        """What the command prints, until it ends."""
        while not self._channels.is_closed:
            data = self._stream.read(None)
            outputs, answer = self._channels.receive(data)
            yield from outputs
            if not data:
                return
            self._answer(answer)

    def result(self) -> ExecResult:
        """What the command prints, once it has ended."""
        return self._channels.result(list(self))

    def _answer(self, data: bytes) -> None:
        try:
            self._write(data)
        except ConnectionFailed:
            # A server that closed the WebSocket need not wait for the answer.
            if not self._channels.is_closed:
                raise

    def _write(self, data: bytes) -> None:
        if data:
            self._stream.write(data, self._timeout)

    def close(self) -> None:
        """Close the connection."""
        with suppress(ConnectionFailed):
            self._write(self._channels.close())
        self._response.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncSession:
    """``Session`` for asyncio."""

    def __init__(self, response: AsyncResponse, timeout: float | None) -> None:
        stream = response.stream
        if stream is None:
            raise ClientError("the API server did not open a WebSocket")
        self._response = response
        self._stream = stream
        self._timeout = timeout
        self._channels = _Channels(_protocol(response))

    @property
    def status(self) -> Status | None:
        """How the command ended, once it has."""
        return self._channels.status

    @property
    def exit_code(self) -> int | None:
        """The exit code of the command, once it has ended."""
        return self._channels.exit_code

    async def write(self, data: bytes | str) -> None:
        """Write to the input of the command; it needs ``stdin=True``."""
        data = data.encode() if isinstance(data, str) else data
        await self._write(self._channels.send(_STDIN, data))

    async def close_stdin(self) -> None:
        """End the input of the command. Servers before 1.30 cannot (v4)."""
        await self._write(self._channels.close_stdin())

    async def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal; it needs ``tty=True``."""
        await self._write(self._channels.send(_RESIZE, _size(columns, rows)))

    async def __aiter__(self) -> AsyncGenerator[Output, None]:
        """What the command prints, until it ends."""
        while not self._channels.is_closed:
            data = await self._stream.read(None)
            outputs, answer = self._channels.receive(data)
            for output in outputs:
                yield output
            if not data:
                return
            await self._answer(answer)

    async def result(self) -> ExecResult:
        """What the command prints, once it has ended."""
        return self._channels.result([output async for output in self])

    async def _answer(self, data: bytes) -> None:
        try:
            await self._write(data)
        except ConnectionFailed:
            if not self._channels.is_closed:
                raise

    async def _write(self, data: bytes) -> None:
        if data:
            await self._stream.write(data, self._timeout)

    async def close(self) -> None:
        """Close the connection."""
        with suppress(ConnectionFailed):
            await self._write(self._channels.close())
        await self._response.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
