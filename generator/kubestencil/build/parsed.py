"""The releases that this process has parsed.

Planning a target of scope ``releases`` parses all documents. Worker processes are
forked afterwards, and inherit the result instead of parsing again.
"""

from __future__ import annotations

from collections.abc import Iterable

from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.source import Source
from kubestencil.source.document import Selection

_Key = tuple[str, str, Selection | None]

_releases: dict[_Key, Release] = {}


def parsed_release(source: Source) -> Release:
    """The release in ``source``, parsed now unless ``parse_all`` has done so.

    Raises SpecError for a document that is not valid.
    """
    return _releases.get(_key(source)) or load_release(source)


def parse_all(sources: Iterable[Source]) -> list[Release]:
    """The releases in ``sources``, which are kept for ``parsed_release``."""
    releases: list[Release] = []
    for source in sources:
        release = _releases[_key(source)] = parsed_release(source)
        releases.append(release)
    return releases


def _key(source: Source) -> _Key:
    return source.release, source.sha256, source.selection
