"""kubestencil.lock: which documents a project is generated from."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil import regular_file
from kubestencil.errors import SourceError, UsageError
from kubestencil.output_paths import real_path, save
from kubestencil.source import Source
from kubestencil.source.pinned import PinnedDocument
from kubestencil.source.releases import listed_releases
from kubestencil.version import __version__

LOCK = "kubestencil.lock"
_MAX_BYTES = 16 << 20
_HEAD = """\
# What kubestencil.toml is generated from. Written by kubestencil; commit it, and run
# "kubestencil update" to change it.
"""
_UPDATE = "kubestencil update"
# The patch release in an address or a version, and in the beginning of a document.
_PATCH = re.compile(r"(?<![\w.])v(\d+\.\d+\.\d+)(?![\w.])")
_STATED_PATCH = re.compile(r'"version"\s*:\s*"v?(\d+\.\d+\.\d+)"')
_HEAD_BYTES = 2000


class LockedDocument(NamedTuple):
    """A document: where it is from, and the digest of its bytes. ``patch`` is the patch
    release that it states, ``url`` the address of a release's document; empty where they
    are not known."""

    origin: str
    sha256: str
    patch: str = ""
    url: str = ""


class Lock(NamedTuple):
    """The content of kubestencil.lock.

    ``releases`` has what the releases and ranges of a table stand for, by the text of
    that list, ``documents`` the documents by release, and files of
    CustomResourceDefinitions by path. ``version`` is that of kubestencil.
    """

    version: str = __version__
    releases: Mapping[str, tuple[str, ...]] = {}
    documents: Mapping[str, LockedDocument] = {}

    @classmethod
    def of(
        cls, sources: Sequence[Source], pinned: Mapping[str, PinnedDocument]
    ) -> Lock:
        """The lock of the documents that a table is generated from, some of which were
        ``pinned``. Raises UsageError where two have one name."""
        listed = listed_releases().values()
        urls = {release.sha256: release.url for release in listed}
        urls |= {document.sha256: document.url for document in pinned.values()}
        lock = cls()
        for source in sources:
            lock = lock.joined(cls(documents=dict(_documents(source, urls))))
        return lock

    def with_releases(
        self, requested: Iterable[str], sources: Iterable[Source]
    ) -> Lock:
        """The lock with what the releases and ranges of a table stand for."""
        names = tuple(source.release for source in sources)
        return self._replace(
            releases={**self.releases, json.dumps(list(requested)): names}
        )

    def joined(self, other: Lock) -> Lock:
        """The lock of what two were made of. Raises UsageError where two documents have
        one name."""
        for name in self.documents.keys() & other.documents.keys():
            document, another = self.documents[name], other.documents[name]
            if document != another:
                raise UsageError(
                    f"two specs are called {name}",
                    where=f"{document.origin}, {another.origin}",
                    hint="give them names of their own",
                )
        return self._replace(
            releases={**self.releases, **other.releases},
            documents={**self.documents, **other.documents},
        )

    def pinned(self) -> Mapping[str, PinnedDocument]:
        """The documents of releases that can be downloaded, by release."""
        return {
            name: PinnedDocument(name, document.origin, document.url, document.sha256)
            for name, document in self.documents.items()
            if document.url
        }

    def check_documents(self, locked: Lock) -> None:
        """Raise SourceError for a document that is not the one of the lock on the disk."""
        for name, document in self.documents.items():
            expected = locked.documents.get(name, document)
            if expected.sha256 != document.sha256:
                raise SourceError(
                    f"is not the spec of {LOCK}: that is {expected.origin}, sha256 "
                    f"{expected.sha256}",
                    where=f"{name}: {document.origin}, sha256 {document.sha256}",
                    hint=f"bring that spec, or run {_UPDATE}",
                )


def _documents(
    source: Source, urls: Mapping[str | None, str]
) -> Iterable[tuple[str, LockedDocument]]:
    # What CustomResourceDefinitions alone refer to comes with kubestencil.
    if not source.is_of_crds_alone:
        sha256 = _digest(source.data)
        url = urls.get(sha256, "")
        stated = _STATED_PATCH.search(source.data[:_HEAD_BYTES].decode("latin-1"))
        match = stated or _PATCH.search(url) or _PATCH.search(source.origin)
        patch = match[1] if match else ""
        yield source.release, LockedDocument(source.origin, sha256, patch, url)
    for file in source.crds.files if source.crds else ():
        yield file.origin, LockedDocument(file.origin, _digest(file.data))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_lock(folder: Path) -> Lock | None:
    """The lock of the project in ``folder``; None where there is none.

    Raises UsageError for a file that is no lock, OutputError for one that could not be
    written.
    """
    path = folder / LOCK
    real_path(path)
    if not path.exists():
        return None
    try:
        raw: Any = tomllib.loads(regular_file.read(path, _MAX_BYTES).decode())
        return Lock(
            str(raw["kubestencil"]),
            {key: tuple(map(str, names)) for key, names in raw["releases"].items()},
            {
                name: LockedDocument(
                    str(document["origin"]),
                    str(document["sha256"]),
                    str(document.get("patch", "")),
                    _checked_url(str(document.get("url", ""))),
                )
                for name, document in raw["documents"].items()
            },
        )
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        raise UsageError(
            "is damaged", where=str(path), hint=f"make it anew: {_UPDATE}"
        ) from error


def _checked_url(url: str) -> str:
    """The address in a lock, which may be that of a stranger's project; raises ValueError
    for one that a project file may not have."""
    if url and not url.startswith("https://"):
        raise ValueError(url)
    return url


def write_lock(folder: Path, lock: Lock) -> None:
    """Write the lock of the project in ``folder``; equal locks have equal bytes."""
    lines = [f"{_HEAD}kubestencil = {_text(lock.version)}\n\n[releases]\n"]
    for key, names in sorted(lock.releases.items()):
        lines.append(f"{_text(key)} = [{', '.join(map(_text, names))}]\n")
    for name, document in sorted(lock.documents.items()):
        lines.append(
            f"\n[documents.{_text(name)}]\norigin = {_text(document.origin)}\n"
            f"sha256 = {_text(document.sha256)}\n"
        )
        if document.patch:
            lines.append(f"patch = {_text(document.patch)}\n")
        if document.url:
            lines.append(f"url = {_text(document.url)}\n")
    save(folder / LOCK, "".join(lines).encode())


def _text(value: str) -> str:
    """A basic string of TOML, which escapes as JSON does, and has no surrogates: those of
    a path that is no text."""
    text = value.encode(errors="replace").decode()
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
