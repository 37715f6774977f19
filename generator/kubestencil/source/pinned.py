"""Documents that are pinned by a digest: read from the cache of the account, or downloaded."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import NamedTuple

from kubestencil import atomic, regular_file
from kubestencil.source.document import Source
from kubestencil.source.limits import max_bytes


class PinnedDocument(NamedTuple):
    """The document of a release at an address, of which the digest is known. ``origin`` is
    where it was from when it was pinned."""

    release: str
    origin: str
    url: str
    sha256: str


def read_pinned(pinned: PinnedDocument) -> Source:
    """The document, from the cache or else from its address.

    Raises SourceError where it cannot be downloaded, and where the address has another
    one now.
    """
    with contextlib.suppress(OSError):
        data = regular_file.read(_cached(pinned.sha256), max_bytes())
        if hashlib.sha256(data).hexdigest() == pinned.sha256:
            return Source(pinned.release, pinned.origin, data)
    from kubestencil.source import remote

    data = remote.download_verified(pinned.url, pinned.sha256)
    keep(data)
    return Source(pinned.release, pinned.origin, data)


def keep(data: bytes) -> str:
    """Keep a document in the cache, where that can be written; its digest."""
    sha256 = hashlib.sha256(data).hexdigest()
    with contextlib.suppress(OSError):
        atomic.write(_cached(sha256), data)
    return sha256


def _cached(sha256: str) -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("kubestencil") / "documents" / f"{sha256}.json"
