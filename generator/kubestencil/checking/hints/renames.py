"""Finds where later versions of a kind have what an object has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubestencil.checking.edits import (
    Edit,
    EditError,
    Fix,
    Move,
    Put,
    Remove,
    existing_value,
)
from kubestencil.checking.files.placeholders import has_placeholder
from kubestencil.checking.paths import Path, keys_of, parts_of, value_at
from kubestencil.schema.knowledge.fields import renamed_field
from kubestencil.schema.types import GroupVersionKind


def renaming(value: Any, kind: GroupVersionKind, path: Path) -> Fix | None:
    """The fix of a field of an object that later versions of its kind have elsewhere, or
    all that is in it; None where that is not clear."""
    try:
        fix = tuple(_renamings(value, kind, path, path))
        if renamed_field(kind, keys_of(path)) is None:
            inside = existing_value(value, path)
            inside = inside if isinstance(inside, dict) else {"": inside}
            names = (keys_of((*path, name)) for name in inside)
            if not all(renamed_field(kind, name) for name in names):
                return None
            fix = (*fix, Remove(path))
    except EditError:
        return None
    return fix


def _renamings(
    value: Any, kind: GroupVersionKind, path: Path, at: Path
) -> Iterator[Edit]:
    """The edits for what an object has at a path, which those before put to ``at``.
    Raises EditError where they are not clear."""
    content = existing_value(value, path)
    renamed = renamed_field(kind, keys_of(path)) if isinstance(path[-1], str) else None
    if renamed is not None:
        target = _renamed_path(value, path, renamed.path)
        beside = {
            _renamed_path(value, path, place): wanted
            for place, wanted in renamed.beside.items()
        }
        for place, wanted in beside.items():
            if value_at(value, place) not in (None, wanted):
                raise EditError(place)
        if value_at(value, target) == content:
            yield Remove(at)
            return
        yield Move(at, target)
        yield from map(Put, beside, beside.values())
        at = target
    for step, _ in parts_of(content):
        yield from _renamings(value, kind, (*path, step), (*at, step))


def _renamed_path(value: Any, path: Path, renamed: str) -> Path:
    """The path of a field of ``renamed-fields.tsv`` in an object: indexes are those of
    the old path, and a port is a number or a name."""
    first, _, other = renamed.partition(" or .")
    names = first.split(".")
    content = existing_value(value, path)
    if other and isinstance(content, str) and not has_placeholder(content):
        names[-1] = other
    indexes = [step for step in path if isinstance(step, int)]
    missing = first.count("[]") - len(indexes)
    is_unclear = isinstance(content, str) and names[-1] != other
    if missing < 0 or (other and (is_unclear or names[-1] not in ("number", "name"))):
        raise EditError(path)
    indexes = [*[0] * missing, *indexes]
    target: list[str | int] = []
    for name in names:
        target.append(name.removesuffix("[]"))
        if name.endswith("[]"):
            items = value_at(value, tuple(target))
            if len(indexes) > first.count("[]") - missing and len(items or ()) > 1:
                raise EditError(path)
            target.append(indexes.pop(0))
    return tuple(target)
