"""Downloads: what a URL has, and the documents of releases.

The name of a server can have another address each time that it is asked for, so that only
the address of the connection itself says where a request goes. urllib3 makes connections and
reads responses; it has no limit for the duration or the size of a download, and no check
of addresses, which is what is here.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterable
from http.client import HTTPException
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.response import BaseHTTPResponse

from kubestencil.errors import MissingError, SourceError, UsageError
from kubestencil.output_paths import real_path, save
from kubestencil.source.decoding import decode
from kubestencil.source.document import OPENAPI_V3, Source, SourceFile, shown_location
from kubestencil.source.limits import max_bytes, too_large
from kubestencil.source.releases import ListedRelease

#: Seconds to wait for a connection, and between two chunks of a response.
TIMEOUT = (10.0, 30.0)
RETRIES = 3
MAX_REDIRECTS = 5
#: Seconds after which a response must be complete.
MAX_SECONDS = 900
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_CHUNK_BYTES = 64 * 1024
# What readers of URLs disagree about: some take a backslash for a slash, and some drop
# line breaks.
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f\\]")
# What urllib3 begins its messages with: the connection, as an object or with its host.
_CONNECTION = re.compile(r".*?(?:> ?|\(host=[^)]*\)): ", re.S)
# Responses of a server that may answer later, and seconds before it is asked again.
_BUSY = (429, 500, 502, 503, 504)
_FIRST_PAUSE = 0.5
# Addresses of IPv6 that are routed on the internet, and those in them that a gateway
# translates to IPv4 (RFC 6052, 2.1).
_ROUTED = ip_network("2000::/3")
_TRANSLATED = ip_network("64:ff9b::/96")

#: Called with the number of bytes received, and that of all bytes (0 if unknown).
Progress = Callable[[int, int], None]


def no_progress(received: int, expected: int) -> None:
    """Show no progress."""


def download(
    url: str, progress: Progress = no_progress, end: float | None = None
) -> bytes:
    """The content at a URL.

    The scheme is https, or http on this machine (a cluster behind ``kubectl proxy``).
    A redirect must not lead from another machine to this one, or into its network.
    ``end`` is the time of the monotonic clock at which it must be complete; the default
    is in MAX_SECONDS.

    Raises SourceError without a network, after a time-out, for a response that is not
    200, too large or incomplete, and for a redirect that is not allowed; UsageError
    for another scheme.
    """
    check_scheme(url)
    seconds = MAX_SECONDS if end is None else end - time.monotonic()
    result: Queue[bytes | Exception] = Queue(1)
    is_over = Event()

    def run() -> None:
        try:
            result.put(_download(url, progress, is_over))
        except Exception as error:
            result.put(error)

    # A server can send a byte every now and then for ever, also in its headers, so that
    # no time-out of a socket comes. The thread does not keep the process from ending.
    Thread(target=run, daemon=True).start()
    try:
        data = result.get(timeout=max(0, seconds))
    except Empty:
        raise SourceError(
            f"takes longer than {MAX_SECONDS} seconds, the limit",
            where=shown_location(url),
        ) from None
    finally:
        is_over.set()
    if isinstance(data, Exception):
        raise data
    return data


def download_if_there(url: str) -> bytes | None:
    """The content at a URL, None where the server has none (404, 410); raises as
    ``download``."""
    try:
        return download(url)
    except MissingError:
        return None


def download_verified(
    url: str, sha256: str | None, progress: Progress = no_progress
) -> bytes:
    """The content at a URL, whose digest may be known; raises as ``download``, and
    SourceError where it has another digest."""
    data = download(url, progress)
    actual = hashlib.sha256(data).hexdigest()
    if sha256 not in (None, actual):
        raise SourceError(
            f"has the sha256 {actual}, not the recorded {sha256}",
            where=url,
            hint="it was not saved; the URL may serve another spec now",
        )
    return data


def _download(url: str, progress: Progress, is_over: Event) -> bytes:
    """The content at a URL; ends early once ``is_over`` is set."""
    peers = _Peers(url)
    location = url
    try:
        for _ in range(MAX_REDIRECTS + 1):
            with _request(location, peers, is_over) as response:
                target = response.get_redirect_location()
                if not target:
                    _check_status(response, location)
                    return _receive(response, url, progress, is_over)
                location = _redirected(location, target)
    except (urllib3.exceptions.HTTPError, HTTPException, ValueError) as error:
        # http.client and urllib3 read numbers of the response as int does.
        reason = getattr(error, "reason", None) or error
        raise SourceError(
            f"cannot be downloaded: {_message(reason, location)}",
            where=shown_location(url),
            hint="without a network, use the embedded specs, or name a file",
        ) from error
    raise SourceError(
        f"redirects more than {MAX_REDIRECTS} times", where=shown_location(url)
    )


class _Peers:
    """The servers that requests for a URL went to: whether one was on the internet."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_outside = False

    def check(self, address: str) -> None:
        """Note the address of a connection. Raises SourceError where it is one of this
        machine or its network, and a server on the internet led there: that server
        could otherwise read what only this machine can reach."""
        if not is_internal(address):
            self.is_outside = True
        elif self.is_outside:
            raise SourceError(
                f"leads to {address}, which is on this machine or in its network",
                where=shown_location(self.url),
            )


def _request(location: str, peers: _Peers, is_over: Event) -> BaseHTTPResponse:
    """The response for a URL, whose content is not read yet; a busy server is asked
    again.

    urllib3 asks for no other response: it would read the whole content of the first.
    """
    pool = _make_pool(peers.check)
    for attempt in range(RETRIES + 1):
        response = pool.request("GET", location, preload_content=False, redirect=False)
        if response.status not in _BUSY or attempt == RETRIES:
            break
        response.close()
        is_over.wait(_FIRST_PAUSE * 2**attempt)
    return response


def _make_pool(check: Callable[[str], None]) -> urllib3.PoolManager:
    """A pool of connections. ``check`` is called with the address of each before a
    request is sent, and raises an error where it must not be used."""

    class Connection(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            check(str(self.sock.getpeername()[0]))

    class SecureConnection(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            check(str(self.sock.getpeername()[0]))

    manager = urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=TIMEOUT[0], read=TIMEOUT[1]),
        retries=urllib3.Retry(
            RETRIES, redirect=False, status=0, respect_retry_after_header=False
        ),
    )
    manager.pool_classes_by_scheme = {
        "http": type("Pool", (HTTPConnectionPool,), {"ConnectionCls": Connection}),
        "https": type(
            "Pool", (HTTPSConnectionPool,), {"ConnectionCls": SecureConnection}
        ),
    }
    return manager


def is_internal(address: str) -> bool:
    """Whether an address is one of this machine or of its network: loopback,
    link-local, private, or one of IPv6 that stands for such an address of IPv4."""
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        embedded = _embedded(parsed)
        if embedded is None:
            return parsed not in _ROUTED or not parsed.is_global
        parsed = embedded
    return not parsed.is_global


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """The address of IPv4 that an address of IPv6 contains."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def download_listed(url: str) -> tuple[str, list[SourceFile]]:
    """The documents that an API server lists under /openapi/v3, and the URL of the list as
    it may be shown; raises as ``download``."""
    is_list = urlsplit(url).path.rstrip("/") == OPENAPI_V3
    index_url = url if is_list else urljoin(url, OPENAPI_V3)
    end = time.monotonic() + MAX_SECONDS
    index = decode(download(index_url, end=end), shown_location(index_url))
    paths = index.get("paths")
    if not isinstance(paths, dict):
        raise SourceError(
            "is not the index of an API server",
            where=f"{shown_location(index_url)}#/paths",
        )
    urls = [
        _server_url(index_url, str(entry.get("serverRelativeURL", "")))
        for entry in paths.values()
        if isinstance(entry, dict)
    ]
    return shown_location(index_url), _download_all(urls, index_url, end)


def _server_url(index_url: str, path: str) -> str:
    """The URL of a path of the server that has an index; raises SourceError where the
    path leads to another server, such as one that only this machine can reach."""
    try:
        url = urljoin(index_url, path)
        if urlsplit(url)[:2] == urlsplit(index_url)[:2]:
            return url
    except ValueError:
        pass
    raise SourceError(
        f"leads to another server: {path[:200]!a}", where=shown_location(index_url)
    )


def _download_all(urls: Iterable[str], index_url: str, end: float) -> list[SourceFile]:
    """What several URLs have: all together not larger than one document may be, and
    until ``end``, a time of the monotonic clock."""
    files: list[SourceFile] = []
    size = 0
    for url in urls:
        data = download(url, end=end)
        files.append(SourceFile(shown_location(url), data))
        size += len(files[-1].data)
        if size > max_bytes():
            raise too_large(shown_location(index_url), "more")
    return files


def fetch(
    release: ListedRelease,
    folder: Path,
    progress: Progress,
    check: Callable[[Source], object],
) -> Path:
    """Save the document of a release in ``folder`` and return its path.

    The file is written only after the digest was compared with the recorded one, and
    ``check`` has raised no error. Raises SourceError as ``download_verified`` does,
    OutputError as ``save``.
    """
    path = folder / f"{release.name}.json"
    real_path(path)  # Before a download that would be lost.
    data = download_verified(release.url, release.sha256, progress)
    check(Source(release.name, release.url, data))
    save(path, data)
    return path


def _receive(
    response: BaseHTTPResponse, url: str, progress: Progress, is_over: Event
) -> bytes:
    length = response.headers.get("content-length", "")
    is_number = length.isascii() and length.isdecimal() and len(length) < 1000
    expected = int(length) if is_number else 0
    limit = max_bytes()
    if expected > limit:
        raise too_large(shown_location(url), f"{expected:,}")
    received = bytearray()
    # Of content in chunks, ``stream`` reads lines of any length in some versions.
    while chunk := response.read(_CHUNK_BYTES):
        received += chunk
        if len(received) > limit:
            raise too_large(shown_location(url), "more")
        if is_over.is_set():
            break
        progress(len(received), expected)
    return bytes(received)


def _check_status(response: BaseHTTPResponse, url: str) -> None:
    if response.status != 200:
        is_missing = response.status in (404, 410)
        raise (MissingError if is_missing else SourceError)(
            f"the server responds {response.status} {response.reason or ''}".rstrip(),
            where=shown_location(url),
        )
    # None was asked for. A small response can be compressed several times over, and
    # then fills the memory before its size is known.
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.lower() not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise SourceError(
            f"has the content encoding {encoding[:80]!a}", where=shown_location(url)
        )


def check_scheme(url: str) -> None:
    try:
        parts = urlsplit(url)
        local = parts.hostname in _LOCAL_HOSTS
    except ValueError as error:
        raise UsageError(f"{shown_location(url)} is no URL: {error}") from error
    if _NOT_IN_URLS.search(url):
        raise UsageError(
            f"{shown_location(url)[:200]!a} is no URL: it has a space or backslash"
        )
    if parts.scheme == "https" or (parts.scheme == "http" and local):
        return
    raise UsageError(
        f"cannot read {shown_location(url)}",
        hint="give a file, an https URL, or an http URL on this machine",
    )


def _redirected(url: str, target: str) -> str:
    """The URL that a response for ``url`` leads to; raises SourceError for one with
    another scheme."""
    try:
        following = urljoin(url, target)
        check_scheme(following)
        if urlsplit(following).scheme == urlsplit(url).scheme:
            return following
    except (ValueError, UsageError):
        pass
    raise SourceError(
        f"redirects to {shown_location(target)[:200]!a}", where=shown_location(url)
    )


def _message(reason: object, url: str) -> str:
    """The message of an error of urllib3 about a URL, without the object representations
    and the secrets in it."""
    text = str(reason).replace(url, shown_location(url))
    return _CONNECTION.sub("", text) or text
