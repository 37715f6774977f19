"""The kinds that a document has operations for."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.schema.types import GroupVersionKind

_PATH = re.compile(
    r"/apis?/(?:(?P<group>[^/]+)/)?(?P<version>v[^/]+)/"
    r"(?:namespaces/\{namespace\}/)?(?P<plural>[^/{]+)"
    r"(?P<name>/\{name\})?(?:/(?P<subresource>[^/{]+))?(?:/|\Z)"
)
_METHODS = ("get", "post", "put", "patch", "delete")
_KIND = "x-kubernetes-group-version-kind"


class ResourceName(NamedTuple):
    """A resource, or subresource of it, by its name in paths."""

    group: str
    version: str
    plural: str
    subresource: str = ""


def operated_kinds(
    document: Mapping[str, Any],
) -> dict[GroupVersionKind, set[ResourceName]]:
    """The kinds that operations take or return, each with the resources of these.

    Options of connections (PodExecOptions) are parameters and no kinds of objects, and
    are left out, and so are kinds of subresources in documents before 1.9, which do not
    name them.
    """
    kinds = defaultdict(set)
    for path, methods in document["paths"].items():
        match = _PATH.match(path)
        if match is None or match["plural"] == "watch":
            continue
        resource = ResourceName(
            group=match["group"] or "",
            version=match["version"],
            plural=match["plural"],
            subresource=match["subresource"] or "",
        )
        for kind in _kinds(resource, methods, by_name=match["name"] is not None):
            if not kind.kind.endswith("Options"):
                kinds[kind].add(resource)
    return dict(kinds)


def _kinds(
    resource: ResourceName, methods: Mapping[str, Any], *, by_name: bool
) -> Iterator[GroupVersionKind]:
    for method in _METHODS:
        raw = methods.get(method, {}).get(_KIND)
        if raw:
            yield GroupVersionKind(raw["group"], raw["version"], raw["kind"])
    if resource.subresource or any(_KIND in methods.get(name, {}) for name in _METHODS):
        return
    if by_name:
        schema = methods.get("get", {}).get("responses", {}).get("200", {})
        yield from _kind_of_schema(resource, schema)
    else:
        for parameter in methods.get("post", {}).get("parameters", ()):
            yield from _kind_of_schema(resource, parameter)


def _kind_of_schema(
    resource: ResourceName, holder: Mapping[str, Any]
) -> Iterator[GroupVersionKind]:
    """The kind of a parameter or response that is an object of the resource."""
    reference = holder.get("schema", {}).get("$ref")
    if reference:
        kind = reference.rpartition(".")[2]
        yield GroupVersionKind(resource.group, resource.version, kind)
