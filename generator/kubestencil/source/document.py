"""Documents: their bytes and where they are from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from kubestencil.source.decoding import decode
from kubestencil.source.releases import full_version, minor_of_patch

#: Where an API server lists its documents of OpenAPI 3.0.
OPENAPI_V3 = "/openapi/v3"


# User information, and a query or a fragment.
_SECRETS = re.compile(r"(?<=://)[^/?#]*@|[?#].*", re.DOTALL)


def shown_location(location: str) -> str:
    """A path, or a URL without user information, query and fragment: what may be printed
    and written. These can have passwords and tokens."""
    return _SECRETS.sub("", location) if "://" in location else location


class SourceFile(NamedTuple):
    """A file as it was read: its origin, for messages, and its bytes."""

    origin: str
    data: bytes


@dataclass(frozen=True)
class CrdSet:
    """CustomResourceDefinitions that are added to a document.

    ``locations`` are where the files are from, as they may be shown. With ``alone``,
    the release has only these and what they refer to. ``unserved`` includes the
    versions that are not served. ``refused`` are files and objects to leave out: their
    origins, as errors have them.
    """

    locations: tuple[str, ...]
    files: tuple[SourceFile, ...]
    alone: bool = False
    unserved: bool = False
    refused: frozenset[str] = frozenset()

    @cached_property
    def sha256(self) -> str:
        """The digest of the files and of how they are read, as lower-case hex."""
        digest = hashlib.sha256(
            repr((self.alone, self.unserved, *sorted(self.refused))).encode()
        )
        for file in self.files:
            digest.update(hashlib.sha256(file.data).digest())
            digest.update(self.project(file.origin).encode())
        return digest.hexdigest()

    def project(self, origin: str) -> str:
        """The project that a file is from: the folder inside of its location, empty
        where it has none."""
        for location in self.locations:
            folder = f"{location.rstrip('/')}/"
            if origin.startswith(folder):
                return origin.removeprefix(folder).rpartition("/")[0].partition("/")[0]
        return ""


class Selection(NamedTuple):
    """What is used of a document: the kinds of ``groups`` (``core`` for the core group)
    that are called like one of ``kinds``, or all where one of these is empty."""

    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """The bytes of one document.

    ``release`` is the name of the release in the output. ``origin`` says where the
    bytes are from (a path, a URL, a package with its version), for messages.
    ``is_embedded`` is whether kubestencil came with them, so that they are valid.
    ``crds`` are added to what the document describes, and ``selection`` limits it.
    ``definition_origins`` are the files of the definitions, for a
    document that was merged of several.
    """

    release: str
    origin: str
    data: bytes
    is_embedded: bool = False
    crds: CrdSet | None = None
    selection: Selection | None = None
    definition_origins: Mapping[str, str] = field(
        default_factory=dict, compare=False, repr=False
    )

    @cached_property
    def sha256(self) -> str:
        """The digest of ``data`` and of the CRDs, as lower-case hex."""
        digest = hashlib.sha256(self.data)
        if self.crds is not None:
            digest.update(self.crds.sha256.encode())
        return digest.hexdigest()

    @property
    def is_of_crds_alone(self) -> bool:
        """Whether it has CRDs only: ``data`` are the types that they refer to."""
        return self.crds is not None and self.crds.alone

    @property
    def size(self) -> int:
        """The bytes of ``data`` and of the CRDs."""
        files = self.crds.files if self.crds is not None else ()
        return len(self.data) + sum(len(file.data) for file in files)

    @property
    def notes(self) -> tuple[str, ...]:
        """What people should know of a patch for which the embedded document stands."""
        minor = minor_of_patch(self.release)
        if not self.is_embedded or minor == self.release:
            return ()
        return (
            f"{self.release}: the embedded spec is that of {full_version(minor)}; "
            f"kubestencil fetch {self.release} downloads its own",
        )

    def document(self) -> Mapping[str, Any]:
        """The OpenAPI document.

        Raises SpecError where the bytes are neither JSON nor YAML, or are not an
        object.
        """
        return decode(self.data, self.origin)
