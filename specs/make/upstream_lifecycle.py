"""The releases that upstream's types state for themselves: ``APILifecycle…`` methods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kubestencil.schema.types import GroupVersionKind
from specs.make.checkouts import Checkout
from specs.make.go_types import group_of

_MODULES = ("api", "apiextensions-apiserver", "kube-aggregator")
_RELEASE = re.compile(
    r"func \(in \*(\w+)\) APILifecycle(Introduced|Deprecated|Removed)\(\).*\{"
    r"\s*return (\d+), (\d+)"
)
_REPLACEMENT = re.compile(
    r"func \(in \*(\w+)\) APILifecycleReplacement\(\).*\{"
    r'\s*return schema\.GroupVersionKind\{Group: "(.*)", Version: "(.*)", Kind: "(.*)"\}'
)


class UpstreamLifecycle(NamedTuple):
    """What the methods of one type return. A release, or the replacement, is None
    where there is no such method."""

    introduced: str | None = None
    deprecated: str | None = None
    removed: str | None = None
    replacement: GroupVersionKind | None = None


def upstream_lifecycles(
    checkout: Checkout,
) -> dict[GroupVersionKind, UpstreamLifecycle]:
    """The lifecycle of each kind that has one in the sources of the release.

    Sources before 1.19 have none.
    """
    lifecycles: dict[GroupVersionKind, UpstreamLifecycle] = {}
    for path in _files(checkout):
        group, version = _group(path.parent), path.parent.name
        source = path.read_text("utf-8")
        for name, event, major, minor in _RELEASE.findall(source):
            kind = GroupVersionKind(group, version, name)
            lifecycle = lifecycles.get(kind, UpstreamLifecycle())
            lifecycles[kind] = lifecycle._replace(
                **{event.lower(): f"{major}.{minor}"}  # type: ignore[arg-type]
            )
        for name, *replacement in _REPLACEMENT.findall(source):
            kind = GroupVersionKind(group, version, name)
            lifecycle = lifecycles.get(kind, UpstreamLifecycle())
            lifecycles[kind] = lifecycle._replace(
                replacement=GroupVersionKind(*replacement)
            )
    return lifecycles


def _files(checkout: Checkout) -> Iterator[Path]:
    for module in _MODULES:
        if checkout.has_module(module):
            yield from sorted(checkout.module(module).rglob("*lifecycle.go"))


def _group(folder: Path) -> str:
    """The group of the types in a folder, whose parent may name it."""
    group = group_of(folder)
    if group is None:
        group = group_of(folder.parent)
    return folder.parent.name if group is None else group
