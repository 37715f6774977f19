"""The plural and the scope of kinds, from the resources of the release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.resource import Resource
from kubestencil.schema.well_known import META_V1

#: The scope of a kind: a type of the generated module ``resource``.
Scope = Literal[
    "ClusterResourceScope",
    "NamespaceResourceScope",
    "SubResourceScope",
    "UnknownResourceScope",
]


class Endpoint(NamedTuple):
    """Where the API server serves a kind: the last constant segment of its path, which
    is the plural (``pods``) or the name of a subresource, and the scope."""

    segment: str
    scope: Scope


# Kinds of responses, which are no resources, with the endpoints that k8s-openapi gives
# them.
_RESPONSES = {
    f"{META_V1}.APIGroup": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIGroupList": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIResourceList": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIVersions": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.Status": Endpoint("status", "SubResourceScope"),
}
# A kind of which the release does not say how it is served.
_UNKNOWN = Endpoint("", "UnknownResourceScope")


def endpoints(
    release: Release, definitions: Iterable[Definition]
) -> Mapping[str, Endpoint]:
    """The endpoint of each of ``definitions``, which have one kind each.

    A kind of which the release does not say how it is served has an empty plural and an
    unknown scope. Empty where this is true of all kinds: the trait ``Resource`` has
    neither plural nor scope then.
    """
    subresources = _subresources(release.resources.values())
    served: dict[str, Endpoint] = {}
    others: dict[str, Endpoint] = {}
    for definition in definitions:
        resource = release.resources.get(definition.kinds[0])
        subresource = subresources.get(definition.kinds[0])
        if resource is not None:
            served[definition.name] = _of_resource(resource)
        elif subresource is not None:
            served[definition.name] = Endpoint(subresource, "SubResourceScope")
        else:
            others[definition.name] = _RESPONSES.get(definition.name, _UNKNOWN)
    return served | others if served else {}


def _of_resource(resource: Resource) -> Endpoint:
    return Endpoint(
        resource.plural,
        "NamespaceResourceScope" if resource.namespaced else "ClusterResourceScope",
    )


def _subresources(resources: Iterable[Resource]) -> Mapping[GroupVersionKind, str]:
    """The kinds that subresources have, such as Eviction, each with the name of
    these; without those that have several."""
    names: dict[GroupVersionKind, set[str]] = {}
    for resource in resources:
        for subresource in resource.subresources:
            if subresource.kind is not None:
                names.setdefault(subresource.kind, set()).add(subresource.name)
    return {kind: min(unique) for kind, unique in names.items() if len(unique) == 1}
