"""Reads values of objects by their paths, which are not trusted to have the types of a
manifest: what has another one is read as absent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

#: The steps from an object to a value inside of it: keys, and indexes of lists.
Path = tuple[str | int, ...]
#: The same as a linked list, innermost step first. The object itself has an empty step.
Link = tuple[str | int, "Link | None"]


def path_of(at: Link) -> Path:
    """The path of a value from the object."""
    steps: list[str | int] = []
    step, parent = at
    while parent is not None:
        steps.append(step)
        step, parent = parent
    return tuple(reversed(steps))


def link_of(path: Path) -> Link:
    """The reverse of ``path_of``."""
    link: Link = ("", None)
    for step in path:
        link = (step, link)
    return link


def field_path(path: Path) -> str:
    """A path as the API server writes it in errors of strict decoding
    (sigs.k8s.io/json, kubernetes_patch.go)."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def keys_of(path: Path) -> str:
    """A path without indexes, as tables write it."""
    return ".".join(step for step in path if isinstance(step, str))


def moved_path(path: Path, moves: Iterable[tuple[Path, Path]]) -> Path:
    """Where a value is after moves, each from a path to another one."""
    for old, new in moves:
        if path[: len(old)] == old:
            path = (*new, *path[len(old) :])
    return path


def value_at(value: Any, path: Path) -> Any:
    """The value at a path; None where there is none."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def text_at(value: Any, *path: str | int) -> str:
    """The text at a path; empty where there is none."""
    text = value_at(value, path)
    return text if isinstance(text, str) else ""


def object_at(value: Any, *path: str | int) -> dict[str, Any]:
    """The object at a path; an empty one where there is none."""
    inner = value_at(value, path)
    return inner if isinstance(inner, dict) else {}


def values_at(value: Any, steps: Sequence[str], at: Link) -> Iterator[tuple[Any, Link]]:
    """The values at the names of ``steps``, in all items of lists on the way, with their
    places; ``value`` is at ``at``."""
    if not steps:
        if value is not None:
            yield value, at
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from values_at(item, steps, (index, at))
    elif type(value) is dict and steps[0] in value:
        yield from values_at(value[steps[0]], steps[1:], (steps[0], at))


def items_at(value: Any, path: Path) -> list[tuple[Path, dict[str, Any]]]:
    """The objects in the list at a path, with their paths."""
    return [item for item in _list_at(value, path) if type(item[1]) is dict]


def texts_at(value: Any, path: Path) -> list[tuple[Path, str]]:
    """The texts in the list at a path, with their paths."""
    return [item for item in _list_at(value, path) if type(item[1]) is str]


def _list_at(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    items = value_at(value, path)
    for index, item in enumerate(items if isinstance(items, list) else ()):
        yield (*path, index), item


def parts_of(value: Any) -> Iterable[tuple[Any, Any]]:
    """The values in an object or a list, with their names or indexes."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def all_values(value: Any) -> Iterator[Any]:
    """A value and all that is in it, however deep that may be."""
    values = [value]
    for current in values:
        yield current
        values += (part for _, part in parts_of(current))
