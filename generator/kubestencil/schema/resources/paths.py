"""Resources in the paths of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from kubestencil.schema.resources.operation import VERBS, Operation, discovery_verb
from kubestencil.schema.types import GroupVersionKind, Resource, Subresource

# Older paths of watches are /api/v1/watch/namespaces/{namespace}/pods. The version of a
# custom resource may be any label.
_PATH = re.compile(
    r"/(?:api|apis/(?P<group>[^/{}]+))/(?P<version>[^/{}]+)/(?:watch/)?"
    r"(?P<namespace>namespaces/\{namespace\}/)?(?P<plural>[^/{}]+)"
    r"(?P<name>/\{name\}(?:/(?P<subresource>[^/{}]+))?)?(?:/|\Z)"
)


class ResourcePath(NamedTuple):
    """A path of a resource, or of a subresource of it.

    ``namespaced`` says that the path has a namespace in it. That of a list of all
    namespaces has none.
    """

    group: str
    version: str
    plural: str
    subresource: str
    namespaced: bool


def resource_path(path: str) -> ResourcePath | None:
    """The resource of a path; None for a path of something else: ``/version/``."""
    match = _PATH.match(path)
    if match is None:
        return None
    return ResourcePath(
        group=match["group"] or "",
        version=match["version"],
        plural=match["plural"],
        subresource=match["subresource"] or "",
        namespaced=match["namespace"] is not None,
    )


def resources_in_paths(operations: Iterator[Operation]) -> Iterator[Resource]:
    """The resources that operations are about, in their order.

    Paths have no other names of a resource: ``singular`` is that which the API server
    makes of the kind.
    """
    resources: dict[tuple[str, str, str], dict[str, _Endpoint]] = {}
    for location, of_path in groupby(operations, attrgetter("path")):
        path = resource_path(location)
        if path is None:
            continue
        for operation in of_path:
            verb = _verb(operation)
            if operation.kind is None or verb is None:
                continue
            key = path.group, path.version, path.plural
            endpoints = resources.setdefault(key, {})
            endpoint = endpoints.setdefault(path.subresource, _Endpoint(operation.kind))
            endpoint.verbs.add(verb)
            endpoint.namespaced |= path.namespaced
    for (_, _, plural), endpoints in resources.items():
        if "" in endpoints:
            yield _resource(plural, endpoints)


@dataclass
class _Endpoint:
    """What the operations of one path and those with its name have in common."""

    kind: GroupVersionKind
    namespaced: bool = False
    verbs: set[str] = field(default_factory=set)


def _verb(operation: Operation) -> str | None:
    """The verb of an operation in discovery and RBAC; None for an operation without an
    action. A connection has the verb of its method."""
    is_connection = operation.action == "connect"
    verb = discovery_verb(operation.method) if is_connection else operation.verb
    return verb if verb in VERBS else None


def _resource(plural: str, endpoints: Mapping[str, _Endpoint]) -> Resource:
    main = endpoints[""]
    return Resource(
        kind=main.kind,
        plural=plural,
        singular=main.kind.kind.lower(),
        namespaced=main.namespaced,
        verbs=tuple(sorted(main.verbs)),
        subresources=tuple(
            Subresource(
                name=name,
                verbs=tuple(sorted(endpoint.verbs)),
                kind=None if endpoint.kind == main.kind else endpoint.kind,
            )
            for name, endpoint in sorted(endpoints.items())
            if name
        ),
    )
