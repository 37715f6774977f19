"""Limits a release to some kinds and to what these refer to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from kubestencil.schema.frozen import FrozenObject, frozen
from kubestencil.schema.graph import reachable, reference_graph
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.kinds import group_names, list_item, read_kind
from kubestencil.schema.lookup import TypeMatch, find_kinds, type_group
from kubestencil.schema.types import Definition, GroupVersionKind, Release
from kubestencil.source.document import Selection

_Value = TypeVar("_Value")


def select(release: Release, selection: Selection) -> Release:
    """``release`` with the kinds of ``selection``, their list kinds, all that these
    refer to, and their paths.

    ``selection.kinds`` may name other types, too. Raises UsageError for a group or kind
    that the release does not have.
    """
    types = find_kinds(selection.kinds, selection.groups, [release])
    packages = group_names(release)
    chosen = {
        definition.name
        for definition in release.definitions.values()
        if _is_selected(definition, types, release, packages)
        and (
            not selection.groups or type_group(definition, packages) in selection.groups
        )
    }
    reached = reachable(reference_graph(release.definitions), chosen)
    kinds = {kind for name in chosen for kind in release.definitions[name].kinds}
    included = {
        name: definition
        for name, definition in release.definitions.items()
        if name in reached
    }
    limited = release.with_definitions(included)
    paths = _paths(release.document.get("paths", {}), kinds)
    return replace(
        limited,
        is_limited=True,
        unlimited=release.unlimited or release.definitions,
        custom_kinds=_of_kinds(release.custom_kinds, kinds),
        resources=_of_kinds(release.resources, kinds),
        document=frozen({**limited.document, "paths": paths}),
    )


def _of_kinds(
    values: Mapping[GroupVersionKind, _Value], kinds: Collection[GroupVersionKind]
) -> Mapping[GroupVersionKind, _Value]:
    return FrozenObject(
        {kind: value for kind, value in values.items() if kind in kinds}
    )


def _is_selected(
    definition: Definition,
    types: Collection[TypeMatch],
    release: Release,
    packages: Mapping[str, str],
) -> bool:
    """Whether a definition is one of ``types``, or the list kind of one; any kind where
    there are none. Kinds that every group has (DeleteOptions) are part of others."""
    if not types:
        return len(definition.kinds) == 1
    group, version = type_group(definition, packages), definition.version
    item = list_item(definition, release.definitions)
    names = {definition.kind, definition.kind if item is None else item.kind}
    return any(
        match.includes(name, group, version) for match in types for name in names
    )


def _paths(
    paths: Mapping[str, Any], kinds: Collection[GroupVersionKind]
) -> Mapping[str, Any]:
    return {
        path: operations
        for path, operations in paths.items()
        if isinstance(operations, Mapping)
        and any(
            isinstance(operation, Mapping)
            and read_kind(operation.get(KINDS_KEYWORD)) in kinds
            for operation in operations.values()
        )
    }
