"""Names the two sides of a comparison, so that a reader can tell them apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from kubestencil.schema import Release

_VERSION = re.compile(r"v?(\d+\.\d+[0-9A-Za-z.+-]*)\Z")
_MAX_TITLE = 40


def document_label(release: Release) -> str:
    """The title and version that a document states, such as ``kubernetes 1.35.0``; the
    name of the release where it states none."""
    info = release.document.get("info")
    title, version = (
        (info.get("title"), info.get("version"))
        if isinstance(info, Mapping)
        else ("", "")
    )
    match = _VERSION.match(version) if isinstance(version, str) else None
    if match is None or not isinstance(title, str) or not title.isprintable():
        return release.name
    return f"{title[:_MAX_TITLE].lower()} {match[1]}".strip()


def distinct_labels(before: Release, after: Release) -> tuple[str, str]:
    """The names of two releases; with the folders in which they differ where two
    documents have one name (``v1/crds``, ``v2/crds``)."""
    if before.name != after.name or before.origin == after.origin:
        return before.name, after.name
    old, new = (PurePosixPath(release.origin).parts for release in (before, after))
    # The parts that are equal from the end on say nothing but the name.
    equal = 0
    while equal < min(len(old), len(new)) and old[-1 - equal] == new[-1 - equal]:
        equal += 1
    return _label(before, old, equal), _label(after, new, equal)


def _label(release: Release, parts: tuple[str, ...], equal: int) -> str:
    """The name of a release, behind the last folder of ``parts`` that differs."""
    if equal >= len(parts):
        return f"{release.origin} {release.name}"
    if equal == 0:
        return f"{release.name} ({parts[-1]})"
    return "/".join((*parts[-1 - equal : -1], release.name))
