"""Finds the document that a user names: a release, or the location of any document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kubestencil.errors import UsageError, nearest
from kubestencil.source.document import CrdSet, Selection, Source
from kubestencil.source.locate import available, locate

_RELEASE = re.compile(r"v?\d+\.\d+\Z")


@dataclass(frozen=True, slots=True)
class DocumentOptions:
    """How documents are found and read.

    ``specs`` is a folder that is searched before ``./specs`` and the embedded documents.
    ``crds`` are the locations of CustomResourceDefinitions to add; with ``unserved``,
    their versions that are not served are read as well. ``groups`` and ``kinds`` limit
    a document to these and what they refer to.
    """

    specs: Path | None = None
    crds: tuple[str, ...] = ()
    unserved: bool = False
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()

    def read_crds(self) -> CrdSet | None:
        """The files at ``crds``, which standard input gives only once; None where there
        are none."""
        if not self.crds:
            return None
        # Imported here and below, since most runs read releases only.
        from kubestencil.source.inputs import read_crds

        return read_crds(self.crds, unserved=self.unserved)

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
    release = name.removeprefix("v")
    releases = available(options.specs)
    is_location = name == "-" or "://" in name or Path(name).exists()
    # A release that no source has is reported as such, not as a missing file.
    if release in releases or (_RELEASE.match(name) and not is_location):
        source = locate(release, options.specs)
        return source if label is None else replace(source, release=label)
    if not is_location:
        raise UsageError(
            f"{name!r} is neither a release nor an existing file",
            hint=nearest(name, releases),
        )
    from kubestencil.source.inputs import read_location

    return read_location(name, label, unserved=options.unserved)
