"""Which kind a definition belongs to, and paths of fields as users write them, from that
kind: ``Node.status.declaredFeatures``."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from functools import cache

from kubestencil.schema import GroupVersionKind, Release, Schema
from kubestencil.schema.kinds import served_kinds


class UserPaths:
    """The paths from the kinds of a release to its definitions.

    A path has the JSON names of fields, as ``kubectl explain`` takes them: neither
    indexes of lists, nor keys of maps.
    """

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        self._kinds = {kind: item.name for kind, item in served_kinds(release)}
        self._paths_from = cache(self._search)
        self._fields = cache(self._referring_fields)

    def path(
        self, owner: GroupVersionKind | None, definition: str, field: str | None
    ) -> str:
        """The path of a field of a definition that is part of the kind ``owner``; of
        the definition itself where ``field`` is None.

        It begins with the definition's own name where there is no owner.
        """
        start = self._paths_from(owner).get(definition) if owner else None
        start = start or definition.rpartition(".")[2]
        return start if field is None else f"{start}.{field}"

    def _search(self, kind: GroupVersionKind) -> Mapping[str, str]:
        """The shortest path to each definition that is reachable from a kind."""
        root = self._kinds.get(kind)
        if root is None:
            return {}
        paths = {root: kind.kind}
        pending = deque([root])
        while pending:
            referrer = pending.popleft()
            for name, field in self._fields(referrer).items():
                if name not in paths:
                    paths[name] = ".".join(filter(None, (paths[referrer], field)))
                    pending.append(name)
        return paths

    def _referring_fields(self, definition: str) -> Mapping[str, str]:
        """The first field of a definition that refers to each other one; empty where the
        definition itself is a reference, or a list or map of them."""
        fields: dict[str, str] = {}
        for field, target in _references(self._definitions[definition].schema, ""):
            fields.setdefault(target, field)
        return fields


def _references(schema: Schema, path: str) -> Iterator[tuple[str, str]]:
    """The references of a schema, each with the path of the field that has it."""
    if schema.ref is not None:
        yield path, schema.ref
    for inner in (schema.items, schema.values):
        if inner is not None:
            yield from _references(inner, path)
    for field in schema.fields:
        inner_path = f"{path}.{field.name}" if path else field.name
        yield from _references(field.schema, inner_path)


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
