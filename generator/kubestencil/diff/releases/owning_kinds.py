"""Decides which kind a definition belongs to."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kubestencil.schema import GroupVersionKind


def owner_of(
    definition: str,
    distances: Mapping[GroupVersionKind, int],
    non_lists: Collection[GroupVersionKind],
) -> GroupVersionKind | None:
    """The kind that a definition belongs to: the nearest one of its own API version, or
    else the only one that leads to it. A list kind counts as the kind of its items.

    ``distances`` are the numbers of references between each kind and the definition.
    """
    group, version = definition.split(".")[-3:-2], definition.split(".")[-2:-1]
    same_version = [
        kind
        for kind in distances
        if [kind.version] == version
        and [kind.group.partition(".")[0] or "core"] == group
    ]
    if not same_version and len(distances) != 1:
        return None
    owner = min(same_version or distances, key=lambda kind: (distances[kind], kind))
    item = owner._replace(kind=owner.kind.removesuffix("List"))
    return item if item in non_lists else owner
