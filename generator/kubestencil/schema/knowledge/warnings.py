"""What is known of what goes away: volume plugins, when they were deprecated, handed over to
CSI drivers and ended, and the keys of annotations and labels that an API server warns of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.knowledge.snapshots import differences
from kubestencil.schema.knowledge.tables import (
    newest_rows,
    ranged_rows,
    rows_of_release,
)
from kubestencil.source.releases import (
    ReleaseRange,
    has_reached,
    is_between,
    version_in,
)

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

    def deprecation_in(self, release: str) -> str:
        """Since when it is deprecated or handed over in a release; empty where it is not."""
        if _has_happened(self.deprecated, release):
            return f"the volume plugin is deprecated since {self.deprecated}"
        if _has_happened(self.migrated, release):
            return f"a CSI driver serves such volumes since {self.migrated}"
        return ""

    def end_in(self, release: str) -> str:
        """Since when it does not work in a release; empty where it does."""
        if _has_happened(self.ended, release):
            return f"such volumes do not work, or not by default, since {self.ended}"
        return ""


def _has_happened(event: str | None, release: str) -> bool:
    """Whether something has happened in a release; a name that is no version is that of
    the newest one."""
    version = version_in(release)
    return event is not None and (version is None or has_reached(version, event))


def volume_plugin(definition: str, field: str) -> VolumePlugin | None:
    """The plugin of a field of ``VOLUMES``; None for any other field, and for a plugin
    that nothing became of."""
    return volume_plugins().get(field) if definition in VOLUMES else None


@cache
def volume_plugins() -> Mapping[str, VolumePlugin]:
    """The rows of the table ``volume-plugins``, by their fields."""
    return {row.field: row for row in newest_rows("volume-plugins", VolumePlugin)}


#: The definitions of ``Warned.definition`` whose keys are those of other places, too: the
#: annotations of pods and of templates of pods, and what selects nodes by their labels.
POD_ANNOTATIONS = "io.k8s.api.core.v1.PodTemplateSpec"
NODE_LABELS = "io.k8s.api.core.v1.PodSpec"


class Warned(NamedTuple):
    """What servers of ``releases`` accept and warn of, at a ``field`` of a definition.

    ``annotations`` are those of the metadata of a kind, or of pods; ``nodeSelector`` stands
    for all that selects nodes. Of these ``key`` is a key, or the beginning of keys whose
    rest is the name of a container; of a field the value that is meant, empty for any.
    ``unless`` is the field of a securityContext that makes the key superfluous, ``stated``
    the release that a server names for it, ``instead`` what to use; each may be empty.
    """

    releases: ReleaseRange
    definition: str
    field: str
    key: str
    unless: str
    stated: str
    instead: str

    @property
    def since(self) -> str:
        """The release that deprecated it, or in which it lost its effect; empty where the
        oldest known one warns already, and names none."""
        first = self.releases.first
        return self.stated or ("" if first == _oldest() else first)

    @property
    def is_key_of_metadata(self) -> bool:
        """Whether a key of annotations or labels is meant, and not a field."""
        return bool(self.key) and self.field in ("annotations", "nodeSelector")


def warned_rows() -> Iterator[Warned]:
    """The rows of the table ``warnings``."""
    return ranged_rows("warnings", Warned, 3)


def newly_warned(before: str, after: str) -> Iterator[Warned]:
    """What is deprecated in a release, and was not in an older one."""
    return (row for row in warned_rows() if is_between(row.since, before, after))


@cache
def warned(release: str) -> Mapping[str, Sequence[Warned]]:
    """What a server of a release warns of, by definition."""
    return rows_of_release(warned_rows(), release, lambda row: row.definition)


@cache
def warned_annotations(kind: str, release: str) -> Sequence[Warned]:
    """The annotations of objects of a kind that a server of a release warns of."""
    return [
        row
        for definition, rows_of_definition in warned(release).items()
        for row in rows_of_definition
        if row.is_key_of_metadata and definition.rpartition(".")[2] == kind
    ]


@cache
def warned_fields(release: str) -> Mapping[tuple[str, str], Warned]:
    """The fields that a server of a release warns of, whatever their value is."""
    return {
        (row.definition, row.field): row
        for rows_of_definition in warned(release).values()
        for row in rows_of_definition
        if not row.key
    }


@cache
def _oldest() -> str:
    """The oldest release of the table."""
    return next(iter(differences("warnings")))
