"""The kinds of the crate: the values with which they implement the traits ``Resource``,
``ListableResource`` and ``Metadata``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from kubestencil.schema import Definition, GroupVersionKind, Release
from kubestencil.schema.types import Resource
from kubestencil.schema.well_known import META_V1
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.crate import Crate
from kubestencil.targets.languages.rust.lists import has_one_kind
from kubestencil.targets.languages.rust.value_types import value_type

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


# By whether a resource is in namespaces.
_SCOPES: Mapping[bool, Scope] = {
    True: "NamespaceResourceScope",
    False: "ClusterResourceScope",
}
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
    served = {
        **{
            kind: Endpoint(name, "SubResourceScope")
            for kind, name in _subresources(release.resources.values()).items()
        },
        **{
            kind: Endpoint(resource.plural, _SCOPES[resource.namespaced])
            for kind, resource in release.resources.items()
        },
    }
    names = {definition.name: definition.kinds[0] for definition in definitions}
    if served.keys().isdisjoint(names.values()):
        return {}
    return {
        name: served.get(kind) or _RESPONSES.get(name, _UNKNOWN)
        for name, kind in names.items()
    }


def _subresources(resources: Iterable[Resource]) -> Mapping[GroupVersionKind, str]:
    """The kinds that subresources have, such as Eviction, each with the name of
    these; without those that have several."""
    names: dict[GroupVersionKind, set[str]] = {}
    for resource in resources:
        for subresource in resource.subresources:
            if subresource.kind is not None:
                names.setdefault(subresource.kind, set()).add(subresource.name)
    return {kind: min(unique) for kind, unique in names.items() if len(unique) == 1}


class CrateResource(NamedTuple):
    """The constants and types with which a kind implements the trait ``Resource``.

    ``api_version``, ``group``, ``kind``, ``version`` and ``list_kind`` are string
    literals; ``list_kind`` is None for a kind without lists. ``url_segment``, a string
    literal, and ``scope`` are None where the release has no resources. ``metadata`` is the
    type of the metadata, None for a kind without.
    """

    api_version: str
    group: str
    kind: str
    version: str
    url_segment: str | None
    scope: Scope | None
    list_kind: str | None
    metadata: str | None


def make_resources(crate: Crate) -> dict[str, CrateResource]:
    """The kinds of the crate, by definition."""
    kinds = list(filter(has_one_kind, crate.definitions.values()))
    served = endpoints(crate.release, kinds)
    list_kinds = {
        item: crate.release.definitions[name].kinds[0].kind
        for name, item in crate.list_items.items()
    }
    return {
        definition.name: _resource(
            definition,
            crate,
            served.get(definition.name),
            list_kinds.get(definition.name),
        )
        for definition in kinds
    }


def _resource(
    definition: Definition,
    crate: Crate,
    endpoint: Endpoint | None,
    list_kind: str | None,
) -> CrateResource:
    kind = definition.kinds[0]
    return CrateResource(
        api_version=spelling.string_literal(kind.api_version),
        group=spelling.string_literal(kind.group),
        kind=spelling.string_literal(kind.kind),
        version=spelling.string_literal(kind.version),
        url_segment=endpoint and spelling.string_literal(endpoint.segment),
        scope=endpoint and endpoint.scope,
        list_kind=list_kind and spelling.string_literal(list_kind),
        metadata=_metadata_type(definition, crate),
    )


def _metadata_type(definition: Definition, crate: Crate) -> str | None:
    """The type of the field ``metadata``; None where it is absent or may be."""
    metadata = crate.fields.get(definition.name, {}).get("metadata")
    if metadata is None or metadata.is_option:
        return None
    return value_type(metadata.field.schema, crate, crate.paths[definition.name].module)
