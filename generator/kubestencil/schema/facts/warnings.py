"""Keys of annotations and labels that an API server warns of (``specs/warnings.tsv``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows, rows_of_release
from kubestencil.source.releases import ReleaseRange


class WarnedKey(NamedTuple):
    """A key that servers of ``releases`` warn of.

    ``place`` is ``pod-annotation``, ``node-label`` or a kind, whose objects have the
    annotation. A ``key`` that ends in a slash is the beginning of keys, whose rest is the
    name of a container. ``unless`` is the field of a securityContext that makes the key
    superfluous, ``since`` a release, ``instead`` what to use; each may be empty.
    """

    releases: ReleaseRange
    place: str
    key: str
    unless: str
    since: str
    instead: str


def warned_key_rows() -> Iterator[WarnedKey]:
    """The rows of ``specs/warnings.tsv``."""
    return rows("warnings", WarnedKey)


@cache
def warned_keys(release: str) -> Mapping[str, Sequence[WarnedKey]]:
    """The keys that a server of a release warns of, by place."""
    return rows_of_release(warned_key_rows(), release, lambda row: row.place)
