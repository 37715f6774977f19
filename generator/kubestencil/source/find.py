"""Finds the document that a user names: a release, or the location of any document."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kubestencil.errors import UsageError, nearest
from kubestencil.source.document import CrdSet, Selection, Source
from kubestencil.source.locate import EMBEDDED, available, locate
from kubestencil.source.pinned import PinnedDocument, read_pinned
from kubestencil.source.releases import available_release, document_name, is_version


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """How documents are found and read.

    ``specs`` is a folder that is searched before ``./specs`` and the embedded documents.
    ``crds`` are the locations of CustomResourceDefinitions to add, but for those that are
    ``refused``; with ``unserved``, their versions that are not served are read as well.
    ``groups`` and ``kinds`` limit a document to these and what they refer to. ``pinned``
    are documents of a lock, by release: they are used where no folder has the release.
    """

    specs: Path | None = None
    crds: tuple[str, ...] = ()
    unserved: bool = False
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    pinned: Mapping[str, PinnedDocument] = field(default_factory=dict, compare=False)
    refused: frozenset[str] = frozenset()

    def available(self) -> Collection[str]:
        """The releases that ``locate`` finds."""
        return {**available(self.specs), **self.pinned}

    def locate(self, release: str) -> Source:
        """The document of a release; raises as ``locate`` and ``read_pinned``."""
        known = self.available()
        document = document_name(release, known) or release
        pinned = self.pinned.get(document)
        origin = available(self.specs).get(document)
        if pinned is None or origin not in (None, EMBEDDED):
            return locate(release, self.specs)
        if origin is not None:
            source = locate(release, self.specs)
            if hashlib.sha256(source.data).hexdigest() == pinned.sha256:
                return source
        return replace(read_pinned(pinned), release=release)

    def read_crds(self) -> CrdSet | None:
        """The files at ``crds``, which standard input gives only once; None where there
        are none."""
        if not self.crds:
            return None
        # Imported here and below, since most runs read releases only.
        from kubestencil.source.inputs import read_crds

        crds = read_crds(self.crds, unserved=self.unserved)
        return replace(crds, refused=self.refused)

    def complete(self, sources: Iterable[Source]) -> list[Source]:
        """``sources`` with the CustomResourceDefinitions and limits of the options."""
        crds = self.read_crds()
        if crds is not None:
            from kubestencil.source.inputs import add_crds

            sources = (add_crds(source, crds) for source in sources)
        if self.groups or self.kinds:
            limits = Selection(self.groups, self.kinds)
            sources = (replace(source, selection=limits) for source in sources)
        return list(sources)


def find_document(name: str, options: DocumentOptions, label: str | None) -> Source:
    """The document of a release (``1.35``, ``v1.35``), or the one at a location.

    ``label`` is what the release is called; by default its own name, or that of the
    file. Raises UsageError for what is neither a release nor a file, and as
    ``read_location``.
    """
    releases = available(options.specs)
    release = available_release(name, releases) or name.removeprefix("v")
    is_location = name == "-" or "://" in name or Path(name).exists()
    # A release that no source has is reported as such, not as a missing file.
    if document_name(release, releases) or (is_version(name) and not is_location):
        source = locate(release, options.specs)
        return source if label is None else replace(source, release=label)
    if not is_location:
        raise UsageError(
            f"{name!r} is neither a release nor an existing file",
            hint=nearest(name, releases),
        )
    from kubestencil.source.inputs import read_location

    return read_location(name, label, unserved=options.unserved)
