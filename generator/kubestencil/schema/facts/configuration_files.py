"""The table of the kinds and fields of configuration files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import ReleaseRange


class ConfigurationRow(NamedTuple):
    """A field of a type; of a kind, ``field`` is empty and ``type`` its apiVersion and
    name, and of a type without fields ``object``.

    ``definition`` is without ``io.k8s.``; ``specs/configurations.tsv`` describes the other
    columns.
    """

    releases: ReleaseRange
    definition: str
    field: str
    type: str
    required: str
    values: tuple[str, ...]
    default: str

    @property
    def kind(self) -> GroupVersionKind | None:
        """The kind that the row is of; None for a field and a type without fields."""
        api_version, _, kind = self.type.rpartition(" ")
        is_kind = not self.field and bool(api_version)
        return group_version_kind(api_version, kind) if is_kind else None


@cache
def configuration_rows() -> tuple[ConfigurationRow, ...]:
    """The rows of ``specs/configurations.tsv``."""
    return tuple(rows("configurations", ConfigurationRow))


class ConfigurationKind(NamedTuple):
    """The releases that read a kind, and the one from which on it is deprecated."""

    releases: ReleaseRange
    deprecated: str | None


@cache
def configuration_kinds() -> Mapping[GroupVersionKind, ConfigurationKind]:
    """The kinds of configuration files."""
    kinds: dict[GroupVersionKind, ConfigurationKind] = {}
    for row in configuration_rows():
        if kind := row.kind:
            before = kinds.get(kind)
            first = before.releases.first if before else row.releases.first
            kinds[kind] = ConfigurationKind(
                ReleaseRange(first, row.releases.last),
                row.releases.first if row.required else None,
            )
    return kinds
