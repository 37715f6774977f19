"""The document of a release, and the kinds that it has operations for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.schema import parse
from kubestencil.schema.resources.paths import resource_path
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.source import Source, available, locate
from specs.make.checkouts import DOCUMENT, Checkout

_METHODS = ("get", "post", "put", "patch", "delete")
_KIND = "x-kubernetes-group-version-kind"


class ResourceName(NamedTuple):
    """A resource, or subresource of it, by its name in paths."""

    group: str
    version: str
    plural: str
    subresource: str = ""


def parsed_document(checkout: Checkout) -> Release:
    """The release as its own document has it."""
    path = checkout.module("kubernetes") / DOCUMENT
    return parse(Source(checkout.release, str(path), path.read_bytes()))


def known_release(checkout: Checkout) -> Release:
    """A release that is supported, or that is about to be: modules have its document."""
    if checkout.release in available(None):
        return parse(locate(checkout.release, None))
    return parsed_document(checkout)


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
        location = resource_path(path)
        if location is None or "/watch/" in path:
            continue
        resource = ResourceName(
            location.group, location.version, location.plural, location.subresource
        )
        for kind in _kinds(resource, methods, by_name="/{name}" in path):
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
