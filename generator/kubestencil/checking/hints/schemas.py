"""Finds the schemas of the values of an object, and the places that a kind has for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kubestencil.checking.paths import Path, parts_of
from kubestencil.schema.knowledge.places import known_place
from kubestencil.schema.types import GroupVersionKind, Release, Schema

# How many objects inside of one are looked at, and how deep absent ones are.
_MAX_OBJECTS = 2_000
_ABSENT_DEPTH = 2
# What servers and controllers write.
_OF_SERVER = ("status", "managedFields", "ownerReferences")


@dataclass(frozen=True, slots=True)
class KindSchemas:
    """The schemas of a kind: ``definition`` is its full name in the release."""

    release: Release
    definition: str
    _absent: dict[tuple[str, str, int], tuple[Path, ...]] = field(default_factory=dict)

    def unresolved_at(self, path: Path) -> Schema | None:
        """The schema at a path, which may be a reference; None where there is none."""
        schema: Schema | None = self.release.definitions[self.definition].schema
        for step in path:
            schema = None if schema is None else self._inner(schema, step)
        return schema

    def at(self, path: Path) -> Schema | None:
        """The same without references."""
        schema = self.unresolved_at(path)
        return None if schema is None else self.release.resolve(schema)

    def type_at(self, path: Path) -> str:
        """The full name of the type of an object; empty where it has none."""
        schema = self.unresolved_at(path) if path else None
        return self.definition if not path else (schema and schema.ref) or ""

    def allowed_texts(self, path: Path, kind: GroupVersionKind) -> Sequence[str]:
        """The values that a text may have; empty where they are not known."""
        steps = [step for step in path if isinstance(step, str)]
        known = known_place(self.release, self.definition, kind, steps)
        schema = self.at(path)
        own = [text for text in schema.enum if isinstance(text, str)] if schema else ()
        return (known.server.enforced.enum if known else ()) or own

    def objects_in(
        self, value: Any, without: Path
    ) -> Iterator[tuple[Path, Schema, Mapping[str, Any]]]:
        """The objects in an object, outer ones first, but for what is at ``without``
        and the status, which servers fill in."""
        queue: list[tuple[Path, Schema, Any]] = [((), self._root, value)]
        for count, (path, schema, part) in enumerate(queue):
            if count == _MAX_OBJECTS:
                return
            if isinstance(part, dict):
                yield path, schema, part
            for step, inner in parts_of(part):
                inner_schema = self._inner(schema, step)
                inner_path = (*path, step)
                if inner_schema and inner_path not in (without, ("status",)):
                    queue.append(
                        (inner_path, self.release.resolve(inner_schema), inner)
                    )

    def absent_places(
        self, schema: Schema, value: Mapping[str, Any], name: str
    ) -> Iterator[Path]:
        """Where fields called ``name`` would be in an object: in itself, and in objects
        that it lacks."""
        for member in schema.fields:
            if value.get(member.name) is None and member.name not in _OF_SERVER:
                if member.name == name:
                    yield (name,)
                for steps in self._absent_in(member.schema, name, _ABSENT_DEPTH):
                    yield (member.name, *steps)

    def has_field(self, name: str) -> bool:
        """Whether any object that a kind can have in it has a field of this name."""
        seen: set[str] = set()
        pending = [self._root]
        while pending:
            schema = pending.pop()
            if name in schema.field_names:
                return True
            pending += [part for _, _, part in schema.parts()]
            if schema.ref is not None and schema.ref not in seen:
                seen.add(schema.ref)
                pending.append(self.release.definitions[schema.ref].schema)
        return False

    @property
    def _root(self) -> Schema:
        return self.release.definitions[self.definition].schema

    def _absent_in(self, schema: Schema, name: str, depth: int) -> tuple[Path, ...]:
        if schema.ref is None and schema.items is None and not schema.fields:
            return ()
        key = schema.ref or "", name, depth
        places = self._absent.get(key) if schema.ref else None
        if places is None:
            places = tuple(self._new_places(self.release.resolve(schema), name, depth))
            if schema.ref:
                self._absent[key] = places
        return places

    def _new_places(self, schema: Schema, name: str, depth: int) -> Iterator[Path]:
        if schema.items is not None:
            for steps in self._absent_in(schema.items, name, depth):
                yield (0, *steps)
        for member in schema.fields:
            if member.name == name:
                yield (name,)
            if depth > 1:
                for steps in self._absent_in(member.schema, name, depth - 1):
                    yield (member.name, *steps)

    def _inner(self, schema: Schema, step: str | int) -> Schema | None:
        """The schema of an item, of a field, or of a value of a map."""
        package, is_union, _ = (schema.ref or "").partition("JSONSchemaPropsOr")
        if is_union:
            # A JSON schema or something else, for which documents state nothing.
            schema = self.release.definitions[f"{package}JSONSchemaProps"].schema
            return schema if isinstance(step, int) else schema.field(step)
        schema = self.release.resolve(schema)
        if isinstance(step, int):
            return schema.items
        return schema.field(step) or schema.values
