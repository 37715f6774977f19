"""What is done with a call, in steps: retries, pages, watches, lines of a log.

A flow is a generator that yields steps and gets their outcomes. It does nothing
itself: ``Client`` takes the steps, ``AsyncClient`` awaits them.
"""

from __future__ import annotations

import re
import time
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from ._calls import Call, Resource, decode, inflate, reader, value_at
from ._errors import ClientError, Gone, StatusError, TransportError, status_error
from ._events import Added, Bookmark, Deleted, Event, Listed, Modified
from ._retries import Retry, Retrying
from ._transport import Request

T = TypeVar("T")
R = TypeVar("R")

PAGE_SIZE = "500"
# An API server sends a bookmark about once a minute, so that a watch without one is
# dead.
_WATCH_TIMEOUT = 150.0


class Authorize(NamedTuple):
    """Get the headers that authorize a request: pairs. ``refresh`` where those of the
    last time were refused."""

    refresh: bool


class Send(NamedTuple):
    """Send a request: a Reply. Its body is left to Read where ``is_open``."""

    request: Request
    is_open: bool


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
    """A response; ``body`` is None where it is open."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


Step: TypeAlias = Authorize | Send | Read | Close | Sleep | Emit[T]
#: A flow that hands over values of type T, and returns one of type R.
Flow: TypeAlias = Generator[Step[T], Any, R]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a client does the same way in each call.

    ``timeout`` is in seconds, ``namespace`` that of objects which have none, and
    ``resources`` has what the API server said of kinds (``_objects``).
    """

    headers: Mapping[str, str]
    timeout: float | None
    retry: Retry
    on_retry: Callable[[Retrying], object] | None
    on_warning: Callable[[str], object]
    namespace: str = "default"
    resources: dict[str, Resource] = field(default_factory=dict)


# Warnings are 299 - "text", several in a header.
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


def server_warnings(headers: Mapping[str, str]) -> Iterator[str]:
    """The texts of the warnings in the headers of a response."""
    for text in _WARNING.findall(headers.get("warning", "")):
        yield re.sub(r"\\(.)", r"\1", text)


def run(settings: Settings, call: Call[T]) -> Flow[Any, T]:
    """The result of a call."""
    reply = yield from exchange(settings, call)
    result: T = decode(reply.body or b"", call.result)
    return result


def exchange(
    settings: Settings, call: Call[Any], *, is_open: bool = False
) -> Flow[Any, Reply]:
    """The response to a call that the API server accepted.

    Raises StatusError, ConnectionFailed or TimedOut where no attempt succeeds.
    """
    attempt = 1
    is_refreshed = False
    while True:
        authorization = yield Authorize(is_refreshed)
        request = _request(settings, call, authorization, is_open=is_open)
        error: StatusError | TransportError
        try:
            reply: Reply = yield Send(request, is_open)
            for text in server_warnings(reply.headers):
                settings.on_warning(text)
            if reply.status < 300:
                return reply
            error = yield from _refusal(reply)
        except TransportError as failure:
            error = failure
        if isinstance(error, StatusError) and error.status == 401 and not is_refreshed:
            # A token may have expired since the last request.
            is_refreshed = True
            continue
        wait = settings.retry.wait(error, attempt, idempotent=call.idempotent)
        if wait is None:
            raise error
        if settings.on_retry:
            settings.on_retry(Retrying(call.method, call.path, attempt, wait, error))
        attempt += 1
        yield Sleep(wait)


def _refusal(reply: Reply) -> Flow[Any, StatusError]:
    """The error that a response stands for."""
    body = reply.body
    if body is None:
        body = yield from _rest()
    encoding = reply.headers.get("content-encoding", "")
    return status_error(reply.status, inflate(body, encoding), reply.headers)


def _rest() -> Flow[Any, bytes]:
    """The rest of the open response."""
    pieces: list[bytes] = []
    while piece := (yield Read()):
        pieces.append(piece)
    yield Close()
    return b"".join(pieces)


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
            if call.get("continue") is None or not metadata or not metadata.continue_:
                raise
            call = call.with_query(**{"continue": metadata.continue_})
            continue
        yield Emit(unpack(page))
        token = value_at(page, "metadata", "continue")
        if not token:
            return
        # The token has the version of the first page.
        call = call.with_query(
            **{"continue": token, "resourceVersion": None, "resourceVersionMatch": None}
        )


def items(page: Any) -> Iterable[Any]:
    """The objects in a page of a list."""
    return value_at(page, "items") or ()


class _WatchEvent(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Metadata(msgspec.Struct, rename={"resource_version": "resourceVersion"}):
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Metadata


_EVENT = msgspec.json.Decoder(_WatchEvent)
_OBJECT = msgspec.json.Decoder(_Object)
_CHANGES: Mapping[str, type[Added[Any] | Modified[Any] | Deleted[Any]]] = {
    "ADDED": Added,
    "MODIFIED": Modified,
    "DELETED": Deleted,
}


class _WatchEnded(Exception):
    """The API server ended a watch, which can go on."""


def watch(
    settings: Settings, call: Call[Any], item: str | type[Any]
) -> Flow[Event[Any], None]:
    """The changes of a list of objects of the class ``item``.

    It begins with all objects, unless the call has a resourceVersion. After a closed
    connection it goes on where it was; where the API server no longer knows the
    changes since, it begins anew (``Listed``). With timeoutSeconds in the call it ends
    after that time.
    """
    end = _end(call)
    version = call.get("resourceVersion")
    call = call.with_query(resourceVersion=None)
    if version is None or version == "0":
        version = yield from _listed(settings, call, "start")
    quick_ends = 0
    while end is None or time.monotonic() < end:
        watch_call = call.with_query(
            watch="true",
            allowWatchBookmarks="true",
            limit=None,
            resourceVersion=version,
            resourceVersionMatch=None,
            timeoutSeconds=None if end is None else _seconds_until(end),
        )
        started = time.monotonic()
        try:
            version = yield from _watch_once(settings, watch_call, item, version)
        except Gone:
            version = yield from _listed(settings, call, "gone")
        # A server that closes each connection at once must not be asked all the time.
        is_quick = time.monotonic() - started < 1
        quick_ends = quick_ends + 1 if is_quick else 0
        if quick_ends > 1:
            retry = settings.retry
            yield Sleep(min(retry.delay * 2 ** min(quick_ends, 20), retry.longest))


def _end(call: Call[Any]) -> float | None:
    seconds = call.get("timeoutSeconds")
    return None if seconds is None else time.monotonic() + float(seconds)


def _seconds_until(end: float) -> str:
    return str(max(1, round(end - time.monotonic())))


def _listed(settings: Settings, call: Call[Any], reason: Any) -> Flow[Event[Any], str]:
    """Hand over all objects; the version that they have."""
    objects: list[Any] = []
    version = ""

    def collect(page: Any) -> Iterable[Event[Any]]:
        nonlocal version
        objects.extend(items(page))
        version = value_at(page, "metadata", "resourceVersion") or ""
        return ()

    yield from pages(settings, call.with_query(timeoutSeconds=None), collect)
    yield Emit([Listed(tuple(objects), version, reason)])
    return version


def _watch_once(
    settings: Settings, call: Call[Any], item: str | type[Any], version: str
) -> Flow[Event[Any], str]:
    """Hand over events until the connection ends; the version of the last one.

    Raises Gone where the API server does not know the changes since ``version``.
    """
    yield from exchange(settings, call, is_open=True)
    events = _Events(item, version)
    lines: Flow[Event[Any], None] = read_lines(events.read)
    # The next connection goes on from the last version.
    with suppress(TransportError, _WatchEnded):
        yield from lines
    yield Close()
    return events.version


class _Events:
    """Reads the events of objects of the class ``item``; ``version`` is the last one's."""

    def __init__(self, item: str | type[Any], version: str) -> None:
        self._reader = reader(item)
        self.version = version

    def read(self, line: bytes) -> Event[Any] | None:
        """The event in a line, None where it is empty."""
        if not line:
            return None
        try:
            event = _EVENT.decode(line)
            if event.type == "ERROR":
                raise _watch_error(bytes(event.object))
            version = _OBJECT.decode(event.object).metadata.resource_version
        except (msgspec.DecodeError, UnicodeError) as error:
            raise ClientError(f"a watch event is not valid: {error}") from error
        self.version = version or self.version
        if event.type == "BOOKMARK":
            return Bookmark(self.version)
        if event.type not in _CHANGES:
            raise ClientError(f"unknown type of a watch event: {event.type!r}")
        model = self._reader.from_json(bytes(event.object))
        return _CHANGES[event.type](model)


def _watch_error(data: bytes) -> Exception:
    """What the Status in an event of the type ERROR stands for."""
    error = status_error(500, data)
    if error.status == 410:
        return Gone(error.answer)
    is_passing = error.status >= 500 or error.status == 429
    return _WatchEnded() if is_passing else error


def text_lines(
    settings: Settings, call: Call[Any], convert: Callable[[str], T]
) -> Flow[T, None]:
    """Hand over what ``convert`` makes of the lines of a text as they come."""
    yield from exchange(settings, call, is_open=True)
    yield from read_lines(lambda line: convert(line.decode(errors="replace")))
    yield Close()


def read_lines(convert: Callable[[bytes], T | None]) -> Flow[T, None]:
    """Hand over what ``convert`` makes of each line of the open response, unless that
    is None. The last line may have no end."""
    pieces: list[bytes] = []
    while piece := (yield Read()):
        *complete, rest = piece.split(b"\n")
        for line in complete:
            value = convert(b"".join([*pieces, line]))
            pieces.clear()
            if value is not None:
                yield Emit([value])
        if rest:
            pieces.append(rest)
    if pieces and (value := convert(b"".join(pieces))) is not None:
        yield Emit([value])
