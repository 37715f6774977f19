"""Paths of fields as users write them, from a kind: ``Node.status.declaredFeatures``."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping

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
        self._paths: dict[GroupVersionKind, Mapping[str, str]] = {}
        self._fields_by_name: dict[str, dict[str, str]] = {}

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

    def _paths_from(self, kind: GroupVersionKind) -> Mapping[str, str]:
        if kind not in self._paths:
            self._paths[kind] = self._search(kind)
        return self._paths[kind]

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

    def _fields(self, definition: str) -> Mapping[str, str]:
        """The first field of a definition that refers to each other one; empty where the
        definition itself is a reference, or a list or map of them."""
        fields = self._fields_by_name.get(definition)
        if fields is None:
            fields = {}
            for field, target in _references(self._definitions[definition].schema, ""):
                fields.setdefault(target, field)
            self._fields_by_name[definition] = fields
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
