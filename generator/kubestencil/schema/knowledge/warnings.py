"""What is known of what goes away: volume plugins, when they were deprecated, handed over to
CSI drivers and ended, and the keys of annotations and labels that an API server warns of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.knowledge.tables import newest_rows, rows, rows_of_release
from kubestencil.source.releases import ReleaseRange, is_between

#: The definitions that have a field for each volume plugin.
VOLUMES = ("io.k8s.api.core.v1.Volume", "io.k8s.api.core.v1.PersistentVolumeSpec")


class VolumePlugin(NamedTuple):
    """What became of a volume plugin, the JSON name of whose ``field`` in ``VOLUMES``.

    It is ``deprecated`` from a release on; a CSI driver serves its volumes from
    ``migrated`` on, and from ``ended`` on they do not work, or not by default. Each is
    None where there is none, or no source names it. ``source`` says where it is from.
    """

    field: str
    deprecated: str | None
    migrated: str | None
    ended: str | None
    source: str


def volume_plugin(definition: str, field: str) -> VolumePlugin | None:
    """The plugin of a field of ``VOLUMES``; None for any other field, and for a plugin
    that nothing became of."""
    return volume_plugins().get(field) if definition in VOLUMES else None


@cache
def volume_plugins() -> Mapping[str, VolumePlugin]:
    """The rows of the table ``volume-plugins``, by their fields."""
    return {row.field: row for row in newest_rows("volume-plugins", VolumePlugin)}


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


def newly_warned(before: str, after: str) -> Iterator[WarnedKey]:
    """The keys that are deprecated in a release, and were not in an older one."""
    return (row for row in warned_key_rows() if is_between(row.since, before, after))


@cache
def warned_keys(release: str) -> Mapping[str, Sequence[WarnedKey]]:
    """The keys that a server of a release warns of, by place."""
    return rows_of_release(warned_key_rows(), release, lambda row: row.place)
