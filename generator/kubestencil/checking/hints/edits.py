"""Applies the edits of a fix to an object."""

from __future__ import annotations

import json
from typing import Any

from kubestencil.checking.findings import Edit, Fix, Move, Put
from kubestencil.checking.paths import Path


class EditError(ValueError):
    """An edit that does not fit the object: there is something, or nothing, at a path."""


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
    path = edit.path
    parent, step = existing_value(root, path[:-1]), path[-1]
    if not isinstance(parent, dict | list):
        raise EditError(edit)
    value = None
    if isinstance(parent, list) or not isinstance(edit, Put):
        value = existing_value(parent, (step,))
    if isinstance(edit, Put):
        parent[step] = _copied(edit.value)
        return
    if not isinstance(edit, Move):
        del parent[step]
        return
    target = edit.target
    if target[: len(path)] == path:
        parent[step] = _wrapped(value, target[len(path) :])
    elif path[: len(target)] == target:
        # What holds nothing but the value is replaced by it.
        if any(
            len(existing_value(root, path[:end])) > 1
            for end in range(len(target), len(path))
        ):
            raise EditError(edit)
        existing_value(root, target[:-1])[target[-1]] = value
    else:
        del parent[step]
        _insert(root, target, value)


def _copied(value: Any) -> Any:
    """A copy of a JSON value. What aliases stand for is one value in memory, and several
    in the object."""
    return json.loads(json.dumps(value))


def _wrapped(value: Any, steps: Path) -> Any:
    for step in reversed(steps):
        value = [value] if isinstance(step, int) else {step: value}
    return value


def _insert(container: Any, target: Path, value: Any) -> None:
    """Put a value at a path where there is none, with all that is missing on the way."""
    for index, step in enumerate(target):
        rest = target[index + 1 :]
        if isinstance(container, list) and step == len(container):
            container.append(_wrapped(value, rest))
            return
        if isinstance(container, dict) and container.get(str(step)) is None:
            container[str(step)] = _wrapped(value, rest)
            return
        container = existing_value(container, (step,))
    raise EditError(target)
