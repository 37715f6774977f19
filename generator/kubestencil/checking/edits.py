"""Edits of an object: what hints suggest, editors offer and ``--fix`` makes in texts."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from kubestencil.checking.paths import Path
from kubestencil.schema.pointer import json_pointer


class EditError(ValueError):
    """An edit that does not fit the object: there is something, or nothing, at a path."""


class Move(NamedTuple):
    """A value goes from ``path`` to ``target``, where nothing is.

    A target below the path puts an object or a list around the value; one above it
    replaces what holds nothing but the value. An index that is the length of a list
    appends.
    """

    path: Path
    target: Path


class Put(NamedTuple):
    """``value`` goes to ``path``, in the place of what is there."""

    path: Path
    value: Any


class Remove(NamedTuple):
    """The value at ``path`` goes."""

    path: Path


Edit = Move | Put | Remove
#: Edits of an object that fix a problem together. Paths are those of the object as the
#: edits before have made it.
Fix = tuple[Edit, ...]


def edit_json(edit: Edit) -> dict[str, Any]:
    """An edit in the words of JSON Patch (RFC 6902), but that ``move`` may put an object
    or list around a value, and ``put`` is ``add`` or ``replace``."""
    pointer = json_pointer(map(str, edit.path))
    match edit:
        case Move():
            target = json_pointer(map(str, edit.target))
            return {"op": "move", "from": pointer, "path": target}
        case Put():
            return {"op": "put", "path": pointer, "value": edit.value}
        case Remove():
            return {"op": "remove", "path": pointer}


def applied(value: Any, fix: Fix) -> Any:
    """A copy of an object with the edits of a fix. Raises EditError where one does not
    fit."""
    root = {"": _copied(value)}
    for edit in fix:
        apply_edit(root, below(("",), edit))
    return root[""]


def below(path: Path, edit: Edit) -> Edit:
    """An edit of an object as one of the document that has the object at a path."""
    if isinstance(edit, Move):
        return Move((*path, *edit.path), (*path, *edit.target))
    return edit._replace(path=(*path, *edit.path))


def existing_value(value: Any, path: Path) -> Any:
    """The value at a path. Raises EditError where there is none."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError) as error:
            raise EditError(path) from error
    return value


def apply_edit(root: Any, edit: Edit) -> None:
    """Edit what is in ``root``. Raises EditError where the edit does not fit."""
    if isinstance(edit, Remove):
        existing_value(root, edit.path)
        del _container(root, edit.path)[edit.path[-1]]
        return
    place, value = new_value(root, edit)
    container, step = _container(root, place), place[-1]
    if isinstance(edit, Move) and edit.path[: len(place)] != place:
        apply_edit(root, Remove(edit.path))
    if isinstance(container, list) and step == len(container):
        container.append(value)
    else:
        container[step] = value


def new_value(root: Any, edit: Move | Put) -> tuple[Path, Any]:
    """The outermost place whose value an edit replaces or adds, and that value, with all
    that is missing on the way to a target. Raises EditError where the edit does not fit.
    """
    path = edit.path
    if isinstance(edit, Put):
        if isinstance(_container(root, path), list):
            existing_value(root, path)
        return path, _copied(edit.value)
    value, target = existing_value(root, path), edit.target
    if target[: len(path)] == path:
        return path, _wrapped(value, target[len(path) :])
    if path[: len(target)] == target:
        # What holds nothing but the value is replaced by it.
        between = range(len(target), len(path))
        if any(len(existing_value(root, path[:end])) > 1 for end in between):
            raise EditError(edit)
        return target, value
    for end in range(len(target)):
        container, step = _container(root, target[: end + 1]), target[end]
        is_list = isinstance(container, list)
        if step == len(container) if is_list else container.get(step) is None:
            return target[: end + 1], _wrapped(value, target[end + 1 :])
    raise EditError(edit)


def _container(root: Any, path: Path) -> Any:
    """The object or list that has the value at a path."""
    container = existing_value(root, path[:-1])
    if not isinstance(container, dict | list):
        raise EditError(path)
    return container


def _copied(value: Any) -> Any:
    """A copy of a JSON value. What aliases stand for is one value in memory, and several
    in the object."""
    return json.loads(json.dumps(value))


def _wrapped(value: Any, steps: Path) -> Any:
    for step in reversed(steps):
        value = [value] if isinstance(step, int) else {step: value}
    return value
