"""What is done with a call, in steps: retries, pages, lines of a log.

A flow is a generator that yields steps and gets their outcomes. It does nothing
itself: ``Client`` takes the steps, ``AsyncClient`` awaits them.
"""

from __future__ import annotations

import re
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from ._bodies import Buffer, Decompressor
from ._calls import Call, Resource, decode, value_at
from ._credentials import Credential
from ._errors import (
    ClientError,
    Gone,
    StatusError,
    TransportError,
    printable,
    status_error,
)
from ._retries import Retry, Retrying
from ._transport import Request

T = TypeVar("T")
R = TypeVar("R")

PAGE_SIZE = "500"
# An API server sends a bookmark about once a minute, so that a watch without one is
# dead.
_WATCH_TIMEOUT = 150.0


class Authorize(NamedTuple):
    """Get the Credential of a request, another one than was ``refused``."""

    refused: Credential | None


class Send(NamedTuple):
    """Send a request: a Reply, whose body is left to Read."""

    request: Request


class Read(NamedTuple):
    """Read the next piece of the open response: bytes, empty at the end."""


class Close(NamedTuple):
    """Close the open response."""


class Sleep(NamedTuple):
    """Wait."""

    seconds: float


class Emit(NamedTuple, Generic[T]):
    """Hand values to the caller, one after the other."""

    values: Iterable[T]


class Reply(NamedTuple):
    """A response; ``body`` is empty where it is still to be read."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


Step: TypeAlias = Authorize | Send | Read | Close | Sleep | Emit[T]
#: A flow that hands over values of type T, and returns one of type R.
Flow: TypeAlias = Generator[Step[T], Any, R]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client does the same way in each call.

    ``timeout`` is in seconds, ``max_bytes`` the size of an answer or a line,
    ``namespace`` that of objects which have none, and ``resources`` has what the API
    server said of kinds (``_objects``).
    """

    headers: Mapping[str, str]
    timeout: float | None
    retry: Retry
    on_retry: Callable[[Retrying], object] | None
    on_warning: Callable[[str], object]
    max_bytes: int
    namespace: str = "default"
    resources: dict[str, Resource] = field(default_factory=dict)


# Warnings are 299 - "text", several in a header.
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


def server_warnings(headers: Mapping[str, str]) -> Iterator[str]:
    """The texts of the warnings in the headers of a response."""
    for text in _WARNING.findall(headers.get("warning", "")):
        yield printable(re.sub(r"\\(.)", r"\1", text))


def run(settings: Settings, call: Call[T]) -> Flow[Any, T]:
    """The result of a call."""
    reply = yield from exchange(settings, call)
    result: T = decode(reply.body, call.result)
    return result


def exchange(
    settings: Settings, call: Call[Any], *, is_open: bool = False
) -> Flow[Any, Reply]:
    """The response to a call that the API server accepted.

    Its body is left to be read where ``is_open``. Raises StatusError, ConnectionFailed
    or TimedOut where no attempt succeeds.
    """
    attempt = 1
    refused: Credential | None = None
    while True:
        credential: Credential = yield Authorize(refused)
        request = _request(settings, call, credential.headers, is_open=is_open)
        error: StatusError | TransportError
        try:
            reply: Reply = yield Send(request)
            for text in server_warnings(reply.headers):
                settings.on_warning(text)
            if reply.status < 300:
                if not is_open:
                    reply = reply._replace(body=(yield from _body(settings, reply)))
                    yield Close()
                return reply
            error = yield from _refusal(settings, reply)
        except TransportError as failure:
            error = failure
        yield Close()
        if isinstance(error, StatusError) and error.status == 401 and refused is None:
            # A token may have expired since the last request.
            refused = credential
            continue
        wait = settings.retry.wait(error, attempt, idempotent=call.idempotent)
        if wait is None:
            raise error
        if settings.on_retry:
            settings.on_retry(Retrying(call.method, call.path, attempt, wait, error))
        attempt += 1
        yield Sleep(wait)


def _refusal(settings: Settings, reply: Reply) -> Flow[Any, StatusError]:
    """The error that a response stands for."""
    try:
        body = yield from _body(settings, reply)
    except TransportError:
        raise
    except ClientError as error:
        body = str(error).encode()
    return status_error(reply.status, body, reply.headers)


def _body(settings: Settings, reply: Reply) -> Flow[Any, bytes]:
    """The body of the open response."""
    body = Buffer(settings.max_bytes)

    def add(piece: bytes) -> tuple[()]:
        body.add(piece)
        return ()

    yield from _read(reply, add)
    return body.take()


def _read(reply: Reply, values: Callable[[bytes], Iterable[T]]) -> Flow[T, None]:
    """Hand over what ``values`` makes of each piece of the body of the open response."""
    decompressor = Decompressor(reply.headers.get("content-encoding", ""))
    while data := (yield Read()):
        for piece in decompressor.pieces(data):
            for value in values(piece):
                yield Emit([value])
    decompressor.end()


def _request(
    settings: Settings,
    call: Call[Any],
    authorization: Sequence[tuple[str, str]],
    *,
    is_open: bool,
) -> Request:
    headers = {**settings.headers, "accept": call.accept}
    for name, _ in authorization:
        headers.pop(name, None)
    # What arrives in pieces is of use before it is complete.
    headers["accept-encoding"] = "identity" if is_open else "gzip"
    if call.content_type:
        headers["content-type"] = call.content_type
    timeout = settings.timeout if call.timeout is None else call.timeout
    pairs = (*headers.items(), *authorization)
    read_timeout = timeout
    if call.timeout is None and call.get("watch") == "true":
        read_timeout = _WATCH_TIMEOUT
    elif call.timeout is None and call.get("follow") == "true":
        read_timeout = None
    return Request(call.method, call.target, pairs, call.body, timeout, read_timeout)


def pages(
    settings: Settings,
    call: Call[Any],
    unpack: Callable[[Any], Iterable[T]],
) -> Flow[T, None]:
    """Hand over what ``unpack`` makes of each page of a list.

    A list that takes longer than the API server keeps its version goes on in a newer
    one.
    """
    if call.get("limit") is None:
        call = call.with_query(limit=PAGE_SIZE)
    while True:
        try:
            page = yield from run(settings, call)
        except Gone as error:
            metadata = error.answer.metadata
            token, newer = call.get("continue"), metadata and metadata.continue_
            if token is None or not newer or newer == token:
                raise
            call = call.with_query(**{"continue": newer})
            continue
        yield Emit(unpack(page))
        token = value_at(page, "metadata", "continue")
        if not token:
            return
        if token == call.get("continue"):
            raise ClientError("the API server continues a list where it was")
        # The token has the version of the first page.
        call = call.with_query(
            **{"continue": token, "resourceVersion": None, "resourceVersionMatch": None}
        )


def items(page: Any) -> Iterable[Any]:
    """The objects in a page of a list."""
    return value_at(page, "items") or ()


def text_lines(
    settings: Settings, call: Call[Any], convert: Callable[[str], T]
) -> Flow[T, None]:
    """Hand over what ``convert`` makes of the lines of a text as they come."""
    reply = yield from exchange(settings, call, is_open=True)
    yield from read_lines(
        settings, reply, lambda line: convert(line.decode(errors="replace"))
    )
    yield Close()


def read_lines(
    settings: Settings, reply: Reply, convert: Callable[[bytes], T | None]
) -> Flow[T, None]:
    """Hand over what ``convert`` makes of each line of the open response, unless that
    is None. The last line may have no end."""
    line = Buffer(settings.max_bytes)

    def values(piece: bytes) -> Iterator[T]:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            line.add(end)
            if (value := convert(line.take())) is not None:
                yield value
        line.add(rest)

    yield from _read(reply, values)
    if (last := line.take()) and (value := convert(last)) is not None:
        yield Emit([value])
