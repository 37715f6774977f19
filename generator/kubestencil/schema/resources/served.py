"""The resources of a release, read when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from kubestencil.schema.types import Definition, GroupVersionKind, JsonObject
from kubestencil.source import Source

if TYPE_CHECKING:
    from kubestencil.schema.types import Resource


class ServedResources(Mapping[GroupVersionKind, "Resource"]):
    """How the API server serves the kinds of a document, and ``custom`` ones beside
    them; read at the first access."""

    def __init__(
        self,
        source: Source,
        document: JsonObject,
        definitions: Mapping[str, Definition],
        custom: Mapping[GroupVersionKind, Resource] | None = None,
    ) -> None:
        self._release, self._origin = source.release, source.origin
        self._document = document
        self._definitions = definitions
        self._custom = custom or {}

    @cached_property
    def _resources(self) -> Mapping[GroupVersionKind, Resource]:
        # Imported here, since most runs need no resources.
        from kubestencil.schema.resources.read import read_resources

        resources = read_resources(
            self._release, self._document, self._definitions, self._origin
        )
        return {**resources, **self._custom}

    def __getitem__(self, kind: GroupVersionKind) -> Resource:
        return self._resources[kind]

    def __iter__(self) -> Iterator[GroupVersionKind]:
        return iter(self._resources)

    def __len__(self) -> int:
        return len(self._resources)
