"""Kinds and API versions: which are served, how stable they are, which are lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, cast, get_args

from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.types import (
    Definition,
    GroupVersionKind,
    Release,
    Schema,
)

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?\Z")
_LIST = "List"
# Lists groups for discovery, in the field "groups": it is no list kind by the API
# conventions, but no kind of its own either (apimachinery, meta/v1/types.go).
_GROUP_LIST = GroupVersionKind("", "v1", "APIGroupList")

#: How stable an API version, a field or a feature gate is.
Stage = Literal["alpha", "beta", "stable"]

#: The stages, least stable first.
STAGES: tuple[Stage, ...] = get_args(Stage)

#: A stage as tables, JSON and the command line spell it. What is deprecated, which works
#: and is going away, is a stage of its own there.
StageSpelling = Literal["alpha", "beta", "ga", "deprecated"]


def list_item(
    definition: Definition, definitions: Mapping[str, Definition]
) -> Definition | None:
    """The definition of the items of a list kind; None where ``definition`` is not a
    list kind.

    A list kind has the name of its items plus "List", and the items in the field
    ``items`` (Kubernetes API conventions, "Types (Kinds)"). So PodList is one, and
    NodeSelectorTermList would only be one with items of the type NodeSelectorTerm.
    """
    if not definition.kind.endswith(_LIST):
        return None
    for field in definition.fields:
        items = field.schema.items
        if field.name == "items" and items is not None and items.ref is not None:
            item = definitions[items.ref]
            return item if f"{item.kind}{_LIST}" == definition.kind else None
    return None


def version_stage(version: str) -> Stage:
    """The stage of an API version, from its name.

    Types without a version (IntOrString, Quantity) count as stable, since they are
    part of stable kinds.
    """
    match = _VERSION.match(version)
    return cast(Stage, (match[2] if match else None) or "stable")


def stage_spelling(stage: Stage, is_deprecated: bool) -> StageSpelling:
    """A stage as it is published."""
    if is_deprecated:
        return "deprecated"
    return "ga" if stage == "stable" else stage


def precedence(version: str) -> tuple[int, int, int, str]:
    """A key that sorts API versions by the preference of Kubernetes, the preferred
    one last: v1alpha1, v1beta1, v1, v2 (apimachinery, pkg/version/helpers.go)."""
    match = _VERSION.match(version)
    if match is None:
        return (-1, 0, 0, version)
    return (
        STAGES.index(match[2] or "stable"),
        int(match[1]),
        int(match[3] or 0),
        version,
    )


def read_kind(value: object) -> GroupVersionKind | None:
    """The kind that an ``x-kubernetes-group-version-kind`` value names; None where
    it is not an object with the strings ``group``, ``version`` and ``kind``."""
    if not isinstance(value, Mapping):
        return None
    group, version = value.get("group"), value.get("version")
    kind = value.get("kind")
    if isinstance(group, str) and isinstance(version, str) and isinstance(kind, str):
        return GroupVersionKind(group, version, kind)
    return None


def stated_kinds(schema: Schema) -> tuple[GroupVersionKind, ...]:
    """The kinds that a definition with this schema is served as."""
    kinds = map(read_kind, schema.value_of(KINDS_KEYWORD) or ())
    return tuple(kind for kind in kinds if kind is not None)


def only_kind(schema: Schema) -> GroupVersionKind | None:
    """The kind that a definition with this schema is served as; None for one that is
    served as several, or as none."""
    kinds = stated_kinds(schema)
    return kinds[0] if len(kinds) == 1 else None


def served_kinds(release: Release) -> Iterator[tuple[GroupVersionKind, Definition]]:
    """The kinds of a release, each with its definition.

    Definitions that are served by every group (DeleteOptions, WatchEvent) are left
    out.
    """
    for definition in release.definitions.values():
        if len(definition.kinds) == 1:
            yield definition.kinds[0], definition


def non_list_kinds(release: Release) -> Iterator[GroupVersionKind]:
    """The served kinds without list kinds and APIGroupList, sorted.

    A kind counts if a definition has its name. Others are copies, such as
    DeleteOptions_v2, which kube-openapi adds where two types have one name.
    """
    kinds = {
        kind
        for kind, definition in served_kinds(release)
        if definition.kind == kind.kind
        and kind != _GROUP_LIST
        and list_item(definition, release.definitions) is None
    }
    yield from sorted(kinds)


def kind_definitions(release: Release) -> Mapping[str, GroupVersionKind]:
    """The full names of the definitions of the kinds that are not list kinds."""
    kinds = set(non_list_kinds(release))
    return {
        definition.name: kind
        for kind, definition in served_kinds(release)
        if kind in kinds
    }


def definitions_of_kinds(release: Release) -> Mapping[GroupVersionKind, str]:
    """The full name of the definition of each kind that is not a list kind."""
    return {kind: name for name, kind in kind_definitions(release).items()}


def group_names(release: Release) -> Mapping[str, str]:
    """The API groups by package: ``core`` for ``io.k8s.api.core.v1``,
    ``resource.k8s.io`` for ``io.k8s.api.resource.v1``."""
    return {
        definition.name.rpartition(".")[0]: kind.group or "core"
        for kind, definition in served_kinds(release)
    }


def api_versions(release: Release) -> set[str]:
    """The API versions that a release serves kinds of: ``v1``, ``apps/v1``."""
    return {kind.api_version for kind, _ in served_kinds(release)}


def shown_kind(release: Release, preferred: str) -> str | None:
    """The definition of the kind that the README of a package is about: ``preferred``, where
    the release has it, or the first one with metadata; None without such a kind."""
    kinds = kind_definitions(release)
    if preferred in kinds:
        return preferred
    return next(
        (name for name in kinds if release.definitions[name].schema.field("metadata")),
        None,
    )
