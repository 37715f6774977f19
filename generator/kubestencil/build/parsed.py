"""The releases that this process has parsed.

Planning a target of scope ``releases`` parses all documents, and several processes
share those that more than one job needs. Worker processes are forked afterwards, and
inherit the result instead of parsing again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

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


def parse_shared(documents: Iterable[Sequence[Source]]) -> None:
    """Read what several jobs need, before their processes are forked.

    ``documents`` are the sources of each job. A release that several jobs have is
    parsed; of others, the CustomResourceDefinitions are decoded, which different
    releases have in common. Raises SpecError for a document that is not valid.
    """
    needed = [source for job in documents for source in job]
    counts = Counter(map(_key, needed))
    sources = {_key(source): source for source in needed}
    parse_all(source for key, source in sources.items() if counts[key] > 1)
    for source in sources.values():
        if source.crds is not None and _key(source) not in _releases:
            # Most runs have none.
            from kubestencil.schema.custom_resources.definitions import decode_crds

            decode_crds(source.crds)


def _key(source: Source) -> _Key:
    return source.release, source.sha256, source.selection
