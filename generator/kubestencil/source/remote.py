"""Documents from elsewhere: an address, standard input, any file; and ``fetch``."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from kubestencil import atomic as whole
from kubestencil.errors import SourceError, UsageError
from kubestencil.source.document import MAX_BYTES, Source
from kubestencil.source.folder import read_bytes
from kubestencil.source.releases import ListedRelease, label

#: Seconds to wait for a connection, and between two pieces of an answer.
TIMEOUT = (10.0, 30.0)
RETRIES = 3
_CHUNK = 64 * 1024

#: Called with the bytes that have arrived and those expected (0: unknown).
Progress = Callable[[int, int], None]


def address(release: str) -> str:
    """Where upstream publishes the document of a release that has no row."""
    return (
        "https://raw.githubusercontent.com/kubernetes/kubernetes/"
        f"release-{release}/api/openapi-spec/swagger.json"
    )


def read(place: str, name: str | None) -> Source:
    """The document at ``place``: a file, an https address, or ``-`` for stdin.

    ``name`` is what it is printed as; without it the file's own name is used.
    """
    if place == "-":
        if name is None:
            raise UsageError(
                "a document from standard input has no name",
                hint="give one: kubestencil render NAME --spec -",
            )
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise _too_large("standard input")
        return Source(name, "standard input", data)
    if "://" in place:
        stem = Path(urlsplit(place).path).stem
        release = name or label(stem)
        return Source(release, place, download(place, _silent))
    path = Path(place)
    return Source(name or label(path.stem), str(path), read_bytes(path))


def download(url: str, progress: Progress) -> bytes:
    """What an address serves.

    Only https, and http from this machine (a cluster behind ``kubectl proxy``).
    Raises SourceError without a network, after a time-out, for an answer that
    is not 200, is too long or breaks off; UsageError for another scheme.
    """
    import urllib3

    _check_scheme(url)
    retry = urllib3.Retry(
        total=RETRIES,
        backoff_factor=0.5,
        status_forcelist=(429, 500, 502, 503, 504),
        raise_on_status=False,
    )
    pool = urllib3.PoolManager(
        timeout=urllib3.Timeout(connect=TIMEOUT[0], read=TIMEOUT[1]), retries=retry
    )
    try:
        with pool.request("GET", url, preload_content=False) as answer:
            if answer.status != 200:
                raise SourceError(
                    f"the server answers {answer.status} {answer.reason or ''}".rstrip(),
                    where=url,
                )
            for step in answer.retries.history if answer.retries else ():
                _check_scheme(urljoin(url, step.redirect_location or url))
            return _receive(answer, url, progress)
    except urllib3.exceptions.HTTPError as error:
        reason = getattr(error, "reason", None) or error
        raise SourceError(
            f"cannot be downloaded: {_plain(reason)}",
            where=url,
            hint="without a network, the embedded specs and --specs DIR still work",
        ) from error


def fetch(
    row: ListedRelease,
    folder: Path,
    progress: Progress,
    check: Callable[[Source], object],
) -> Path:
    """Put the document of a release into ``folder`` and return its path.

    The digest is compared with the row's, ``check`` looks into the document
    (and raises what is wrong), and only then the file appears, whole.
    """
    data = download(row.url, progress)
    found = hashlib.sha256(data).hexdigest()
    if row.sha256 is not None and found != row.sha256:
        raise SourceError(
            f"has the sha256 {found}, but {row.sha256} is on record",
            where=row.url,
            hint="nothing was kept; the address may serve another document now",
        )
    check(Source(row.name, row.url, data))
    path = folder / f"{row.name}.json"
    try:
        whole.write(path, data)
    except OSError as error:
        raise SourceError(
            f"cannot be written: {error.strerror}", where=str(path)
        ) from error
    return path


def _receive(answer: object, url: str, progress: Progress) -> bytes:
    import urllib3

    assert isinstance(answer, urllib3.HTTPResponse)
    expected = int(answer.headers.get("content-length", "0") or 0)
    if expected > MAX_BYTES:
        raise _too_large(url)
    received = bytearray()
    for piece in answer.stream(_CHUNK):
        received += piece
        if len(received) > MAX_BYTES:
            raise _too_large(url)
        progress(len(received), expected)
    return bytes(received)


def _check_scheme(url: str) -> None:
    parts = urlsplit(url)
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if parts.scheme == "https" or (parts.scheme == "http" and local):
        return
    raise UsageError(
        f"cannot read {url}",
        hint="give a file, an https address, or http on this machine",
    )


def _too_large(where: str) -> SourceError:
    return SourceError(f"has more than {MAX_BYTES:,} bytes", where=where)


def _plain(reason: object) -> str:
    """The last part of urllib3's message, without its object representations."""
    return str(reason).rpartition("> : ")[2].rpartition(">: ")[2] or str(reason)


def _silent(received: int, expected: int) -> None:
    """No progress to show."""
