"""Kinds and API versions: which are served, how stable they are, which are lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Literal, cast, get_args

from kubestencil.schema.types import Definition, GroupVersionKind, Release

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?\Z")
_LIST = "List"

#: The stability level of an API version.
Level = Literal["alpha", "beta", "stable"]

#: The levels, least stable first.
LEVELS: tuple[Level, ...] = get_args(Level)


def list_item(
    definition: Definition, definitions: Mapping[str, Definition]
) -> Definition | None:
    """The definition of which ``definition`` is a list kind; None if it is not one.

    A list kind is named like its item plus "List" and has the items in ``items``
    (Kubernetes API conventions, "Lists and Simple kinds"): PodList, but not
    NodeSelectorTermList without a NodeSelectorTerm in it.
    """
    if not definition.kind.endswith(_LIST):
        return None
    for field in definition.fields:
        items = field.schema.items
        if field.name == "items" and items is not None and items.ref is not None:
            item = definitions[items.ref]
            return item if f"{item.kind}{_LIST}" == definition.kind else None
    return None


def level(version: str) -> Level:
    """The stability of an API version, by its name.

    Types without a version (IntOrString, Quantity) are part of every stable kind.
    """
    match = _VERSION.match(version)
    return cast(Level, (match[2] if match else None) or "stable")


def precedence(version: str) -> tuple[int, int, int, str]:
    """A key that sorts v1alpha1, v1beta1, v1, v2: what Kubernetes prefers, last."""
    match = _VERSION.match(version)
    if match is None:
        return (-1, 0, 0, version)
    return (
        LEVELS.index(match[2] or "stable"),
        int(match[1]),
        int(match[3] or 0),
        version,
    )


def served_kinds(release: Release) -> Iterator[tuple[GroupVersionKind, Definition]]:
    """The kinds of a release, each with its definition.

    What every group serves (DeleteOptions, WatchEvent) is no kind of its own.
    """
    for definition in release.definitions.values():
        if len(definition.kinds) == 1:
            yield definition.kinds[0], definition


def non_list_kinds(release: Release) -> Iterator[GroupVersionKind]:
    """The kinds that are not lists of others, which come and go with those."""
    kinds = {kind for kind, each in served_kinds(release) if each.kind == kind.kind}
    for kind in sorted(kinds):
        item = replace(kind, kind=kind.kind.removesuffix("List"))
        if item == kind or item not in kinds:
            yield kind


def kind_definitions(release: Release) -> Mapping[str, GroupVersionKind]:
    """The definitions of the kinds that are their own, by full name."""
    kinds = set(non_list_kinds(release))
    return {each.name: kind for kind, each in served_kinds(release) if kind in kinds}


def group_names(release: Release) -> Mapping[str, str]:
    """What the API calls the group of each package: ``core``, ``resource.k8s.io``."""
    return {
        definition.name.rpartition(".")[0]: kind.group or "core"
        for kind, definition in served_kinds(release)
    }


def api_versions(release: Release) -> set[str]:
    """Every group and version that a release has kinds of: ``v1``, ``apps/v1``."""
    return {kind.api_version for kind, _ in served_kinds(release)}
