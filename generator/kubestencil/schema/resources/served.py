"""The resources of a release, read when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from kubestencil.schema.types import GroupVersionKind, Release

if TYPE_CHECKING:
    from kubestencil.schema.resource import Resource


class ServedResources(Mapping[GroupVersionKind, "Resource"]):
    """How the API server serves the kinds of a release, and ``custom`` ones beside
    them; read at the first access."""

    def __init__(
        self,
        release: Release,
        custom: Mapping[GroupVersionKind, Resource] | None = None,
    ) -> None:
        self._release = release
        self._custom = custom or {}

    @cached_property
    def _resources(self) -> Mapping[GroupVersionKind, Resource]:
        # Imported here, since most runs need no resources.
        from kubestencil.schema.resources.read import read_resources

        return {**read_resources(self._release), **self._custom}

    def __getitem__(self, kind: GroupVersionKind) -> Resource:
        return self._resources[kind]

    def __iter__(self) -> Iterator[GroupVersionKind]:
        return iter(self._resources)

    def __len__(self) -> int:
        return len(self._resources)
