"""Names the two sides of a comparison, and says which documents they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.knowledge.coverage import Aspect, Coverage
from kubestencil.source.releases import (
    is_after,
    minor_of_patch,
    newest_release,
)

_PATCH = re.compile(
    r"(?<![\w.])v?(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+(?=\.json))?)(?![\w]|\.\d)"
)
_VERSION = re.compile(r"v?(\d++\.\d[0-9A-Za-z.+-]*+)\Z")
_MAX_TITLE = 40


class Place(NamedTuple):
    """Where something is written: a file, and a line of it; or an object of a cluster,
    whose name begins with ``<cluster>/``, and which has no lines."""

    file: str
    line: int

    def __str__(self) -> str:
        is_of_cluster = self.file.startswith("<cluster>/")
        return self.file if is_of_cluster else f"{self.file}:{self.line}"


def uses_json(uses: Iterable[Place]) -> dict[str, Any]:
    """The key ``uses`` of a JSON object; nothing where there are none."""
    places = [place._asdict() for place in uses]
    return {"uses": places} if places else {}


class DocumentInfo(NamedTuple):
    """One of the two documents that were compared.

    ``label`` is its name in reports (``1.35``, ``kubernetes 1.35.0``), ``source`` where
    it is from, ``patch`` the patch release that it states (``1.35.0``), None where it
    states none, and ``sha256`` the digest of its bytes.
    """

    label: str
    source: str
    patch: str | None
    sha256: str

    def to_dict(self) -> dict[str, str | None]:
        """The document as a JSON object; of a file only the name, since reports are
        shared."""
        source = self.source
        if "://" not in source and "/" in source:
            source = source.rpartition("/")[2]
        return {**self._asdict(), "source": source}


def document_info(release: Release, label: str) -> DocumentInfo:
    """What is known of the document of a release, which reports call ``label``."""
    return DocumentInfo(label, release.origin, _stated_patch(release), release.sha256)


def _stated_patch(release: Release) -> str | None:
    """The patch whose document it is (``1.35.0``), None where it does not state any."""
    texts = release.stated_version or "", release.origin
    return next((match[1] for match in map(_PATCH.search, texts) if match), None)


def coverage_of(releases: Iterable[Release], aspects: Collection[Aspect]) -> Coverage:
    """How far facts on some aspects of releases go; there are none of what is no release
    of Kubernetes."""
    named = {
        name: release
        for release in releases
        if (name := release.kubernetes) is not None
    }
    return Coverage(
        tuple(named),
        frozenset(aspects),
        frozenset(
            name
            for name, release in named.items()
            if minor_of_patch(name) != name and _stated_patch(release) != name
        ),
    )


def document_label(release: Release) -> str:
    """The title and version that a document states, such as ``kubernetes 1.35.0``; the
    name of the release where it states none."""
    title = release.stated_title
    match = _VERSION.match(release.stated_version or "")
    if match is None or title is None or not title.isprintable():
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


def kind_name(kind: GroupVersionKind) -> str:
    """The name of a kind in reports: ``v1/Pod``, ``apps/v1/Deployment``."""
    return f"{kind.api_version}/{kind.kind}"


def removal(release: str) -> str:
    """The words for a removal in a release: it is a plan where that is not out yet."""
    is_planned = is_after(release, newest_release())
    return f"{'removal planned for' if is_planned else 'removed in'} {release}"
