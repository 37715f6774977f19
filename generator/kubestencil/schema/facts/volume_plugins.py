"""Volume plugins: when they were deprecated, handed over to CSI drivers, and ended."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows

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
    """The rows of ``specs/volume-plugins.tsv``, by their fields."""
    return {row.field: row for row in rows("volume-plugins", VolumePlugin)}
