"""How the kinds of a document are served: by its paths, and by the facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from kubestencil.schema.knowledge.kinds import lifecycle
from kubestencil.schema.knowledge.resources import resource_in
from kubestencil.schema.resources.operation import document_operations
from kubestencil.schema.resources.paths import resources_in_paths
from kubestencil.schema.types import Definition, GroupVersionKind, JsonObject, Resource
from kubestencil.source import Source
from kubestencil.source.releases import has_reached


class ServedResources(Mapping[GroupVersionKind, Resource]):
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


def read_resources(
    release: str,
    document: JsonObject,
    definitions: Mapping[str, Definition],
    origin: str,
) -> Mapping[GroupVersionKind, Resource]:
    """The resources of a document by kind; ``release`` is the name of its release.

    Those of a document with paths are in its paths; short names, categories and
    columns, which are in no document, come from the table of facts. For a document
    without paths, such as the embedded ones, everything comes from the table, which has
    no custom resources. A release that the table does not have counts as the nearest one that it
    has, and a name that is no version as the newest.
    """
    if document.get("paths"):
        resources = [
            _with_names(resource, resource_in(resource.kind, release))
            for resource in resources_in_paths(document_operations(document, origin))
        ]
    else:
        kinds = (definition.kinds for definition in definitions.values())
        facts = (resource_in(*kind, release) for kind in kinds if len(kind) == 1)
        resources = [resource for resource in facts if resource is not None]
    return {
        resource.kind: replace(resource, deprecated=_is_deprecated(resource, release))
        for resource in resources
    }


def _with_names(resource: Resource, facts: Resource | None) -> Resource:
    if facts is None or facts.plural != resource.plural:
        return resource
    return replace(
        resource,
        short_names=facts.short_names,
        categories=facts.categories,
        printer_columns=facts.printer_columns,
    )


def _is_deprecated(resource: Resource, release: str) -> bool:
    """Whether the API server of the release warns of the kind."""
    facts = lifecycle(resource.kind)
    return (
        facts is not None
        and facts.deprecated is not None
        and has_reached(release, facts.deprecated)
    )
