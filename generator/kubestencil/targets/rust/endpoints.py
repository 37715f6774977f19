"""The plural and the scope of kinds, which only the document's paths tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kubestencil.schema import (
    Definition,
    GroupVersionKind,
    Operation,
    Release,
    operations,
)

_VERBS = frozenset({"delete", "get", "post", "put"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a kind is served.

    ``segment`` is the plural in the path (``pods``), or the name of a
    subresource; ``scope`` is cluster, namespace or sub.
    """

    segment: str
    scope: str


# Answers of the API server that no path is about.
_ANSWERS = {
    "APIGroup": Endpoint("", "cluster"),
    "APIGroupList": Endpoint("", "cluster"),
    "APIResourceList": Endpoint("", "cluster"),
    "APIVersions": Endpoint("", "cluster"),
    "Status": Endpoint("status", "sub"),
}
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."


def endpoints(
    release: Release, definitions: Iterable[Definition]
) -> Mapping[str, Endpoint]:
    """The endpoint of each of the ``definitions``, which must be of one kind.

    Empty where the paths do not tell that of every one, as those of the embedded
    specs, which have none.
    """
    found: dict[GroupVersionKind, dict[Endpoint, None]] = {}
    for operation in operations(release):
        if operation.kind is not None and operation.action in _VERBS:
            found.setdefault(operation.kind, {})[_endpoint(operation)] = None
    result: dict[str, Endpoint] = {}
    for definition in definitions:
        known = _only(found.get(definition.kinds[0], {}))
        if known is None and definition.name == _META + definition.kind:
            known = _ANSWERS.get(definition.kind)
        if known is None:
            return {}
        result[definition.name] = known
    return result


def _endpoint(operation: Operation) -> Endpoint:
    parts = operation.path.strip("/").split("/")
    if parts[-1] == "{name}":
        parts.pop()
    elif len(parts) > 1 and parts[-2] == "{name}":
        return Endpoint(parts[-1], "sub")
    scope = "namespace" if parts[-2:-1] == ["{namespace}"] else "cluster"
    return Endpoint(parts[-1], scope)


def _only(found: Iterable[Endpoint]) -> Endpoint | None:
    """The one that is meant: a kind's own before its subresources."""
    for own in (
        [each for each in found if each.scope != "sub"],
        [each for each in found if each.scope == "sub"],
    ):
        if own:
            return own[0] if len(own) == 1 else None
    return None
