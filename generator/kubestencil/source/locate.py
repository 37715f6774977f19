"""Finds the source of a release.

The first source that has the release is used: the folder given by the user, then
``specs/`` in the current folder (where ``kubestencil fetch`` saves documents), then
the embedded documents.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kubestencil.errors import UsageError
from kubestencil.output_paths import working_folder
from kubestencil.source import embedded, folder
from kubestencil.source.document import Source
from kubestencil.source.releases import (
    document_name,
    release_order,
    unknown_release,
)

#: Where ``kubestencil fetch`` saves documents, relative to the current folder.
FETCHED = Path("specs")
#: The origin of the embedded documents.
EMBEDDED = "embedded"


def available(specs: Path | None) -> dict[str, str]:
    """The releases that can be read without a network, oldest first, and the origin
    of each: the path of its file, or "embedded".

    ``specs`` is the folder given by the user, if any. Raises UsageError where it is
    not a folder.
    """
    origins = dict.fromkeys(embedded.releases(), EMBEDDED)
    for specs_folder in reversed(_folders(specs)):
        for release, path in folder.releases(specs_folder).items():
            origins[release] = str(path)
    return dict(sorted(origins.items(), key=lambda item: release_order(item[0])))


def locate(release: str, specs: Path | None) -> Source:
    """The document of ``release``, which for a patch without one of its own (``1.35.2``)
    is that of the minor version.

    ``specs`` is the folder given by the user, if any. Raises UsageError where no
    source has the release, ``specs`` is not a folder, or a link leads to a document that
    nobody named, SourceError where its file cannot be read.
    """
    known = available(specs)
    document = document_name(release, known)
    if document is None:
        raise unknown_release(release, known)
    for specs_folder in _folders(specs):
        path = folder.releases(specs_folder).get(document)
        if path is not None:
            if specs_folder is FETCHED:
                _refuse_link_out(path)
            return Source(release, str(path), folder.read_bytes(path))
    return replace(embedded.read(document), release=release)


def _refuse_link_out(path: Path) -> None:
    """Raise UsageError for a file that a link has elsewhere: ``specs/`` can be part of a
    stranger's repository, and nobody named it."""
    if not Path(os.path.realpath(path)).is_relative_to(working_folder()):
        raise UsageError(
            "is elsewhere, and a symbolic link leads there",
            where=str(path),
            hint=f"if you trust the link: --spec-dir {FETCHED}, or of a project --trust",
        )


def _folders(specs: Path | None) -> list[Path]:
    """The folders with specs, in order of precedence."""
    if specs is None:
        return [FETCHED]
    if not specs.is_dir():
        raise UsageError(
            "is not a folder",
            where=f"--spec-dir {specs}",
            hint="name an existing folder",
        )
    return [specs, FETCHED]
