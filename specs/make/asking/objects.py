"""Objects as JSON values, and the fields of definitions that their values belong to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.checking.paths import Path, value_at
from kubestencil.schema.types import Release, Schema

# A Secret's, which is stored as its data, and what names the object.
_WRITE_ONLY = ("stringData", "apiVersion", "kind", "generateName")


class Position(NamedTuple):
    """A value in an object, and the field that it is a value of.

    ``is_item`` says that it is an item of the field's list, or a value of its map.
    """

    path: Path
    definition: str
    field: str
    schema: Schema
    is_item: bool = False


#: Which items of a list, or keys of a map, are looked at.
Steps = Callable[[list[Any] | dict[str, Any]], Iterable[Any]]


def new_steps(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    """The first item, and those that have a field which no item before them has."""
    names: set[str] = set()
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    for index, (step, item) in enumerate(pairs):
        fields = item.keys() if isinstance(item, dict) else set()
        if not index or fields - names:
            yield step
        names |= fields


def all_steps(value: list[Any] | dict[str, Any]) -> Iterable[Any]:
    """Every item."""
    return range(len(value)) if isinstance(value, list) else value


def positions(
    release: Release, name: str, value: Any, steps: Steps = new_steps
) -> Iterator[Position]:
    """The values of an object of a definition, outermost first, without its status."""
    yield from _positions(release, name, value, (), (name,), steps)


def status_positions(release: Release, name: str, value: Any) -> Iterator[Position]:
    """The status of an object of a definition, and the values in it."""
    schema = release.definitions[name].schema.field("status")
    if schema is not None:
        position = Position(("status",), name, "status", schema)
        yield from _with_parts(release, position, value["status"], (name,), new_steps)


def objects_in(
    release: Release, name: str, value: Any, steps: Steps = new_steps
) -> Iterator[tuple[Path, str]]:
    """The objects in an object of a definition, itself first: their paths and
    definitions."""
    yield (), name
    yield from objects_at(release, value, positions(release, name, value, steps))


def objects_at(
    release: Release, value: Any, places: Iterable[Position]
) -> Iterator[tuple[Path, str]]:
    """Those of the values of an object that are objects: their paths and definitions."""
    for position in places:
        inner = object_definition(release, position.schema)
        if inner and isinstance(value_at(value, position.path), dict):
            yield position.path, inner


def _positions(
    release: Release,
    name: str,
    value: Any,
    path: Path,
    chain: tuple[str, ...],
    steps: Steps,
) -> Iterator[Position]:
    definition = release.definitions[name]
    for field, schema, _ in definition.fields:
        if isinstance(value, dict) and field in value and not _is_skipped(path, field):
            position = Position((*path, field), name, field, schema)
            yield from _with_parts(release, position, value[field], chain, steps)


def _with_parts(
    release: Release,
    position: Position,
    value: Any,
    chain: tuple[str, ...],
    steps: Steps,
) -> Iterator[Position]:
    yield position
    path, schema = position.path, position.schema
    while schema.ref is not None:
        target = release.definitions[schema.ref]
        if target.is_object:
            # A schema of a schema says nothing new.
            if chain.count(target.name) < 2:
                inside = (*chain, target.name)
                yield from _positions(release, target.name, value, path, inside, steps)
            return
        schema = target.schema
    inner = schema.content
    if inner is None or not value or not isinstance(value, list | dict):
        return
    for step in steps(value):
        item = position._replace(path=(*path, step), schema=inner, is_item=True)
        yield from _with_parts(release, item, value[step], chain, steps)


def _is_skipped(path: Path, field: str) -> bool:
    """Whether only the server writes the field, or it says what the object is."""
    return not path and field in ("apiVersion", "kind", "status")


def replaced(value: Any, path: Path, new: Any) -> Any:
    """An object with another value at a path; it shares its other parts."""
    if not path:
        return new
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    step = path[0]
    old = copy[step] if isinstance(step, int) else copy.get(step, {})
    copy[step] = replaced(old, path[1:], new)
    return copy


def renamed(value: Any, old: str, new: str) -> Any:
    """An object with another text in place of one, wherever that is, also as a part of
    a name: ``backups.example.com``."""
    if isinstance(value, str):
        parts = re.split(rf"(?<![\w-]){re.escape(old)}(?![\w-])", value)
        return new.join(parts) if old else value
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    if isinstance(value, dict):
        return {
            key: part if key in ("apiVersion", "kind") else renamed(part, old, new)
            for key, part in value.items()
        }
    return value


def removed(value: Any, path: Path) -> Any:
    """An object without the value at a path; it shares its other parts."""
    copy: Any = list(value) if isinstance(value, list) else dict(value)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = removed(copy[path[0]], path[1:])
    return copy


def without_unknown(release: Release, schema: Schema, value: Any) -> Any:
    """A value without the fields that a release lacks."""
    while schema.ref is not None:
        schema = release.definitions[schema.ref].schema
    if isinstance(value, Mapping) and schema.fields:
        return {
            field.name: without_unknown(release, field.schema, value[field.name])
            for field in schema.fields
            if field.name in value
        }
    inner = schema.content
    if inner is not None and isinstance(value, list):
        return [without_unknown(release, inner, item) for item in value]
    if inner is not None and isinstance(value, Mapping):
        return {
            key: without_unknown(release, inner, item) for key, item in value.items()
        }
    return value


def without_dropped(value: Any, stored: Any) -> Any:
    """A value without the fields that are not stored, but for those that only write
    others, and for zeros, which Go leaves out."""
    if isinstance(value, dict) and isinstance(stored, dict):
        return {
            key: without_dropped(part, stored.get(key))
            for key, part in value.items()
            if key in stored or key in _WRITE_ONLY or not part
        }
    is_list = isinstance(value, list) and isinstance(stored, list)
    if is_list and len(value) == len(stored):
        return [*map(without_dropped, value, stored)]
    return value


def path_of_field(position: Position) -> Path:
    """The path of the field of a position, which may be of an item of it."""
    if not position.is_item:
        return position.path
    path = position.path
    while path and path[-1] != position.field:
        path = path[:-1]
    return path


def object_definition(release: Release, schema: Schema) -> str:
    """The definition of objects that a schema is a reference to; empty for none."""
    while schema.ref is not None:
        definition = release.definitions[schema.ref]
        if definition.is_object:
            return definition.name
        schema = definition.schema
    return ""


def names_in(value: Any) -> Iterator[str]:
    """The texts that are called a name in an object."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "name" and isinstance(inner, str):
                yield inner
            else:
                yield from names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names_in(inner)
