"""What the page of a kind shows about how the API server serves it."""

from __future__ import annotations

from collections.abc import Iterator

from kubestencil.schema.resources import Resource
from kubestencil.targets.site.schema_labels import Attribute


def resource_attributes(resource: Resource | None) -> Iterator[Attribute]:
    """The names and the scope of a resource, and what else a CRD says about it."""
    if resource is None:
        return
    yield Attribute("scope", ("Namespaced" if resource.namespaced else "Cluster",))
    yield Attribute("plural", (resource.plural,))
    if resource.short_names:
        yield Attribute("short names", resource.short_names)
    if resource.categories:
        yield Attribute("categories", resource.categories)
    if resource.subresources:
        names = (subresource.name for subresource in resource.subresources)
        yield Attribute("subresources", tuple(names))
    if resource.selectable_fields:
        yield Attribute("selectable fields", resource.selectable_fields)
    if not resource.served:
        yield Attribute("served", ("false",))


def deprecation_warning(resource: Resource | None) -> str:
    """The warning of the API server about a deprecated version; empty without one.

    Source of the usual one: apiextensions-apiserver, customresource_handler.go.
    """
    if resource is None or not resource.deprecated:
        return ""
    kind = resource.kind
    return (
        resource.deprecation_warning or f"{kind.api_version} {kind.kind} is deprecated"
    )
