"""The document of a release, and the kinds that it has operations for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
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


def listed_release(name: str) -> Release | None:
    """A release as its spec has it; None where that is not there."""
    return parse(locate(name, None)) if name in available(None) else None


def known_release(checkout: Checkout) -> Release:
    """A release that is supported, or that is about to be: modules have its document."""
    return listed_release(checkout.release) or parsed_document(checkout)


def operated_kinds(
    document: Mapping[str, Any],
) -> dict[GroupVersionKind, set[ResourceName]]:
    """The kinds that operations take or return, each with the resources of these.

    Options of connections (PodExecOptions) are parameters and no kinds of objects, and
    are left out.
    """
    kinds = defaultdict(set)
    for path, methods in document["paths"].items():
        location = resource_path(path)
        if location is None or "/watch/" in path:
            continue
        resource = ResourceName(
            location.group, location.version, location.plural, location.subresource
        )
        for method in _METHODS:
            raw = methods.get(method, {}).get(_KIND)
            if raw and not raw["kind"].endswith("Options"):
                kind = GroupVersionKind(raw["group"], raw["version"], raw["kind"])
                kinds[kind].add(resource)
    return dict(kinds)
