"""Watches: the changes of a list, over closed connections and forgotten versions."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from ._calls import Call, reader, reading, value_at
from ._errors import Gone, ServerError, TooManyRequests, TransportError, status_error
from ._events import Added, Bookmark, Deleted, Event, Listed, Modified
from ._flows import (
    Close,
    Emit,
    Flow,
    Settings,
    Sleep,
    exchange,
    items,
    pages,
    read_lines,
)


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
        started = time.monotonic()
        watch_call = call.with_query(
            watch="true",
            allowWatchBookmarks="true",
            limit=None,
            resourceVersion=version,
            resourceVersionMatch=None,
            timeoutSeconds=None if end is None else str(max(1, round(end - started))),
        )
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
    reply = yield from exchange(settings, call, is_open=True)
    events = _Events(item, version)
    lines: Flow[Event[Any], None] = read_lines(settings, reply, events.read)
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
        with reading("a watch event"):
            event = _EVENT.decode(line)
            if event.type == "ERROR":
                raise _watch_error(bytes(event.object))
            version = _OBJECT.decode(event.object).metadata.resource_version
            self.version = version or self.version
            if event.type == "BOOKMARK":
                return Bookmark(self.version)
            if event.type not in _CHANGES:
                raise ValueError(f"its type is {event.type!r}")
            return _CHANGES[event.type](self._reader.from_json(bytes(event.object)))


def _watch_error(data: bytes) -> Exception:
    """What the Status in an event of the type ERROR stands for."""
    error = status_error(0, data)
    is_passing = isinstance(error, ServerError | TooManyRequests)
    return _WatchEnded() if is_passing else error
