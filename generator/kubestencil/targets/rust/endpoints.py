"""The plural and the scope of kinds, read from the paths of the document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from kubestencil.schema import (
    Definition,
    GroupVersionKind,
    Operation,
    Release,
    operations,
)
from kubestencil.schema.well_known import META_V1

#: The scope of a kind: a type of the generated module ``resource``.
Scope = Literal["ClusterResourceScope", "NamespaceResourceScope", "SubResourceScope"]

# Actions on a single object. A list of all namespaces has a path without a namespace,
# though its kind is namespaced.
_OBJECT_ACTIONS = frozenset({"delete", "get", "post", "put"})


class Endpoint(NamedTuple):
    """Where the API server serves a kind: the last constant segment of its path, which
    is the plural (``pods``) or the name of a subresource, and the scope."""

    segment: str
    scope: Scope


# Kinds of responses, which have no paths, with the endpoints that k8s-openapi gives
# them.
_RESPONSES = {
    f"{META_V1}.APIGroup": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIGroupList": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIResourceList": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.APIVersions": Endpoint("", "ClusterResourceScope"),
    f"{META_V1}.Status": Endpoint("status", "SubResourceScope"),
}


def endpoints(
    release: Release, definitions: Iterable[Definition]
) -> Mapping[str, Endpoint]:
    """The endpoint of each of ``definitions``, which have one kind each.

    Empty where the paths do not determine all of them: the trait ``Resource`` has the
    plural and the scope for all kinds or for none. Embedded documents have no paths.
    """
    candidates = _endpoints_by_kind(release)
    result: dict[str, Endpoint] = {}
    for definition in definitions:
        endpoint = _choose(candidates.get(definition.kinds[0], {}))
        endpoint = endpoint or _RESPONSES.get(definition.name)
        if endpoint is None:
            return {}
        result[definition.name] = endpoint
    return result


def _endpoints_by_kind(
    release: Release,
) -> Mapping[GroupVersionKind, Mapping[Endpoint, None]]:
    """All endpoints at which single objects of a kind are served."""
    by_kind: dict[GroupVersionKind, dict[Endpoint, None]] = {}
    for operation in operations(release):
        if operation.kind is not None and operation.action in _OBJECT_ACTIONS:
            by_kind.setdefault(operation.kind, {})[_endpoint(operation)] = None
    return by_kind


def _endpoint(operation: Operation) -> Endpoint:
    segments = operation.path.strip("/").split("/")
    if segments[-1] == "{name}":
        segments.pop()
    elif len(segments) > 1 and segments[-2] == "{name}":
        return Endpoint(segments[-1], "SubResourceScope")
    if segments[-2:-1] == ["{namespace}"]:
        return Endpoint(segments[-1], "NamespaceResourceScope")
    return Endpoint(segments[-1], "ClusterResourceScope")


def _choose(candidates: Collection[Endpoint]) -> Endpoint | None:
    """The endpoint of a kind: its plural, or else its only subresource; None where
    there is none or several."""
    subresources = [
        endpoint for endpoint in candidates if endpoint.scope == "SubResourceScope"
    ]
    plurals = [endpoint for endpoint in candidates if endpoint not in subresources]
    preferred = plurals or subresources
    return preferred[0] if len(preferred) == 1 else None
