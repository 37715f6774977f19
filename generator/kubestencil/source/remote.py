"""Reads a document from a URL, standard input or any file; downloads releases."""

from __future__ import annotations

import hashlib
import ipaddress
import socket
from collections.abc import Callable
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from kubestencil import atomic
from kubestencil.errors import SourceError, UsageError
from kubestencil.source.document import Source, SourceFile
from kubestencil.source.folder import read_bytes, read_stdin
from kubestencil.source.limits import max_bytes, too_large
from kubestencil.source.releases import ListedRelease, release_name

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

#: Seconds to wait for a connection, and between two chunks of a response.
TIMEOUT = (10.0, 30.0)
RETRIES = 3
MAX_REDIRECTS = 5
#: Seconds after which a response must be complete.
MAX_SECONDS = 900
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
_CHUNK_BYTES = 64 * 1024

#: Called with the number of bytes received, and that of all bytes (0 if unknown).
Progress = Callable[[int, int], None]


def published_url(release: str) -> str:
    """The URL where Kubernetes publishes the document of a minor version."""
    return (
        "https://raw.githubusercontent.com/kubernetes/kubernetes/"
        f"release-{release}/api/openapi-spec/swagger.json"
    )


def read(location: str, name: str | None) -> Source:
    """The document at a path or an https URL, or on standard input (``-``).

    ``name`` is the name of the release; the default is the file's, without its
    suffix. Raises UsageError where that is no name for a release or the URL is not
    https, SourceError where the document cannot be read.
    """
    if location == "-":
        if name is None:
            raise UsageError(
                "a document from standard input needs a name",
                hint="give one: kubestencil render NAME --spec -",
            )
        file = read_file(location)
        return Source(name, file.origin, file.data)
    if "://" in location:
        _check_scheme(location)
        stem = Path(urlsplit(location).path).stem
    else:
        stem = Path(location).stem
    release = name or release_name(stem)
    file = read_file(location)
    return Source(release, file.origin, file.data)


def read_file(location: str) -> SourceFile:
    """The bytes at a path or a URL, or on standard input (``-``).

    Raises UsageError where the URL is not https, SourceError where it cannot be read.
    """
    if location == "-":
        data = read_stdin(max_bytes() + 1)
        if len(data) > max_bytes():
            raise too_large("standard input", "more")
        return SourceFile("standard input", data)
    if "://" in location:
        return SourceFile(location, download(location, no_progress))
    path = Path(location)
    return SourceFile(str(path), read_bytes(path))


def download(url: str, progress: Progress) -> bytes:
    """The content at a URL.

    The scheme is https, or http on this machine (a cluster behind ``kubectl proxy``).
    A redirect must not lead from another machine to this one, or into its network.
    Raises SourceError without a network, after a time-out, for a response that is not
    200, too large or incomplete, and for a redirect that is not allowed; UsageError
    for another scheme.
    """
    _check_scheme(url)
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
        data = result.get(timeout=MAX_SECONDS)
    except Empty:
        raise too_slow(url) from None
    finally:
        is_over.set()
    if isinstance(data, Exception):
        raise data
    return data


def too_slow(url: str) -> SourceError:
    """The error of a download that takes longer than MAX_SECONDS."""
    return SourceError(f"takes longer than {MAX_SECONDS} seconds, the limit", where=url)


def _download(url: str, progress: Progress, is_over: Event) -> bytes:
    """The content at a URL; ends early once ``is_over`` is set."""
    import urllib3

    # Each redirect is checked before it is followed.
    retry = urllib3.Retry(
        total=RETRIES,
        redirect=False,
        backoff_factor=0.5,
        status_forcelist=(429, 500, 502, 503, 504),
        raise_on_status=False,
    )
    pool = urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=TIMEOUT[0], read=TIMEOUT[1]), retries=retry
    )
    try:
        location = url
        for _ in range(MAX_REDIRECTS + 1):
            with pool.request(
                "GET", location, preload_content=False, redirect=False
            ) as response:
                target = response.get_redirect_location()
                if not target:
                    _check_status(response, location)
                    return _receive(response, url, progress, is_over)
                location = _redirected(location, target)
    except urllib3.exceptions.HTTPError as error:
        reason = getattr(error, "reason", None) or error
        raise SourceError(
            f"cannot be downloaded: {_message(reason)}",
            where=url,
            hint="without a network, use the embedded documents or --specs DIR",
        ) from error
    raise SourceError(f"redirects more than {MAX_REDIRECTS} times", where=url)


def fetch(
    release: ListedRelease,
    folder: Path,
    progress: Progress,
    check: Callable[[Source], object],
) -> Path:
    """Save the document of a release in ``folder`` and return its path.

    The file is written only after the digest was compared with the recorded one, and
    ``check`` has raised no error. Raises SourceError as ``download`` does, and where
    the digest differs or the file cannot be written.
    """
    data = download(release.url, progress)
    sha256 = hashlib.sha256(data).hexdigest()
    if release.sha256 is not None and sha256 != release.sha256:
        raise SourceError(
            f"has the sha256 {sha256}, not the recorded {release.sha256}",
            where=release.url,
            hint="the document was not saved; the URL may serve another one now",
        )
    check(Source(release.name, release.url, data))
    path = folder / f"{release.name}.json"
    try:
        atomic.write(path, data)
    except OSError as error:
        raise SourceError(
            f"cannot be written: {error.strerror}", where=str(path)
        ) from error
    return path


def _receive(
    response: BaseHTTPResponse, url: str, progress: Progress, is_over: Event
) -> bytes:
    length = response.headers.get("content-length", "")
    expected = int(length) if length.isascii() and length.isdecimal() else 0
    limit = max_bytes()
    if expected > limit:
        raise too_large(url, f"{expected:,}")
    received = bytearray()
    for chunk in response.stream(_CHUNK_BYTES):
        received += chunk
        if len(received) > limit:
            raise too_large(url, "more")
        if is_over.is_set():
            break
        progress(len(received), expected)
    return bytes(received)


def _check_status(response: BaseHTTPResponse, url: str) -> None:
    if response.status != 200:
        raise SourceError(
            f"the server responds {response.status} {response.reason or ''}".rstrip(),
            where=url,
        )
    # None was asked for. A small response can be compressed several times over, and
    # then fills the memory before its size is known.
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.lower() not in ("identity", "gzip", "x-gzip", "deflate", ""):
        raise SourceError(f"has the content encoding {encoding[:80]!a}", where=url)


def _check_scheme(url: str) -> None:
    try:
        parts = urlsplit(url)
        local = parts.hostname in _LOCAL_HOSTS
    except ValueError as error:
        raise UsageError(f"{url} is no URL: {error}") from error
    if parts.scheme == "https" or (parts.scheme == "http" and local):
        return
    raise UsageError(
        f"cannot read {url}",
        hint="give a file, an https URL, or an http URL on this machine",
    )


def _redirected(url: str, target: str) -> str:
    """The URL that a response for ``url`` leads to."""
    try:
        following = urljoin(url, target)
    except ValueError as error:
        raise SourceError(f"redirects to {target[:200]!a}", where=url) from error
    _check_redirect(url, following)
    return following


def _check_redirect(url: str, target: str) -> None:
    """Raise SourceError where a response must not lead from ``url`` to ``target``.

    A server on the internet could otherwise read from services that only this machine
    can reach.
    """
    try:
        _check_scheme(target)
    except UsageError as error:
        raise SourceError(f"redirects to {target}", where=url) from error
    if _is_internal(url) or not _is_internal(target):
        return
    raise SourceError(
        f"redirects to {target}, which is on this machine or in its network", where=url
    )


def _is_internal(url: str) -> bool:
    """Whether the host of a URL has a loopback, link-local or private address."""
    host = urlsplit(url).hostname or ""
    if host in _LOCAL_HOSTS:
        return True
    try:
        infos = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        # The request will say that the name is unknown.
        return False
    addresses = (ipaddress.ip_address(str(info[4][0]).split("%")[0]) for info in infos)
    return any(not address.is_global for address in addresses)


def _message(reason: object) -> str:
    """The message of an error of urllib3, without the object representations in it."""
    return str(reason).rpartition("> : ")[2].rpartition(">: ")[2] or str(reason)


def no_progress(received: int, expected: int) -> None:
    """Show no progress."""
