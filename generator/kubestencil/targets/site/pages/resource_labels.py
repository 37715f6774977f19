"""What the page of a kind shows about how the API server serves it, and where
kubernetes.io explains it: ``specs/concepts.tsv``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema import GroupVersionKind
from kubestencil.schema.knowledge.kinds import concept_pages, known_kind
from kubestencil.schema.types import Resource
from kubestencil.targets.site.fields.schema_labels import Attribute


def resource_attributes(resource: Resource | None) -> Iterator[Attribute]:
    """The names and the scope of a resource, and what else a CRD says about it."""
    if resource is None:
        return
    yield Attribute("scope", ("Namespaced" if resource.namespaced else "Cluster",))
    yield Attribute("plural", (resource.plural,))
    for name, values in (
        ("short names", resource.short_names),
        ("categories", resource.categories),
        ("subresources", [subresource.name for subresource in resource.subresources]),
        ("selectable fields", resource.selectable_fields),
        ("served", () if resource.served else ("false",)),
        ("stored version", ("yes",) if resource.storage else ()),
        ("conversion", (resource.conversion,) if resource.conversion else ()),
    ):
        if values:
            yield Attribute(name, tuple(values))


def concept_page(kind: GroupVersionKind) -> str:
    """The address of the page about a kind, in any of its versions; empty for a kind
    without one."""
    page = concept_pages().get((kind.group, kind.kind))
    return f"https://kubernetes.io/docs/{page}" if page else ""


class DeprecationLabel(NamedTuple):
    """That a kind is deprecated: a sentence, and the kind to use instead."""

    text: str
    replacement: GroupVersionKind | None = None


NOT_DEPRECATED = DeprecationLabel("")


def deprecation_of(
    kind: GroupVersionKind, resource: Resource | None, release: str
) -> DeprecationLabel:
    """Whether a kind is deprecated in a release, and what to use instead.

    Source of the usual warning about a custom resource: apiextensions-apiserver,
    customresource_handler.go.
    """
    known = known_kind(kind, release)
    if known.is_deprecated:
        removal = f", not served from {known.removed} on" if known.removed else ""
        return DeprecationLabel(
            f"Deprecated since {known.deprecated}{removal}.", known.replacement
        )
    if resource is None or not resource.deprecated:
        return NOT_DEPRECATED
    usual = f"{kind.api_version} {kind.kind} is deprecated"
    return DeprecationLabel(f"Deprecated: {resource.deprecation_warning or usual}")
