"""Finds where a value belongs whose key does not fit: in another object, or under a
similar name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from typing import Any

from kubestencil.checking.edits import Move, existing_value
from kubestencil.checking.hints.schemas import KindSchemas
from kubestencil.checking.paths import Path, field_path
from kubestencil.schema.types import Schema

# How many places are tried, and how much nearer one must be than the others.
_MAX_TRIED = 8
_MARGIN = 1.25
_MARGIN_OF_NAMES = 0.15
_MARGIN_OF_PARTS = 0.7
_MARGIN_OF_OTHERS = 3.0
_MAX_LISTED = 3
# The least similarity of names, and what a difference counts beside a step up or down.
_SIMILARITY = 0.6
_COST_OF_DIFFERENCE = 2.0
# What the key before a value says about an object that it may have slipped out of.
_FOLLOWS = 1.5
# What each step counts that the object does not have yet.
_COST_OF_ABSENCE = 0.25
_COST_OF_ITEM = 3.0
# Any key fits into a map.
_COST_OF_MAP = 2.6


#: How far it is to where a value belongs, and the path.
_Place = tuple[float, Path]


def belongs_to(
    path: Path,
    whole: Any,
    schemas: KindSchemas,
    errors_with: Callable[[Move], int | None],
) -> tuple[Path, ...]:
    """The paths at which the value at a path of an object is accepted: one where that is
    clear, otherwise up to three, the most likely first. ``errors_with`` counts what is
    wrong with the value where a move brings it, None where it does not belong."""
    value = existing_value(whole, path)
    places = [
        place
        for place in {
            *_elsewhere(path, whole, schemas),
            *_similar(path, whole, schemas),
        }
        if _has_shape(value, schemas, place[1])
    ]
    # Sets have no order of their own.
    places.sort(key=lambda place: (place[0], field_path(place[1])))
    tried = [
        ((errors, cost), place)
        for cost, place in places[:_MAX_TRIED]
        for errors in [errors_with(Move(path, place))]
        if errors is not None
    ]
    tried.sort(key=lambda entry: entry[0])
    if not tried:
        return ()
    (fewest, nearest), _ = tried[0]
    nearest_object = tried[0][1][:-1]
    if nearest_object == path[:-1]:
        margin = _MARGIN_OF_NAMES
    elif nearest < 1 or _is_above(nearest_object, path):
        # The indentation is wrong: the value slipped out of an object, or into one.
        margin = _MARGIN
    elif nearest_object[:-1] == path[:-1]:
        margin = _MARGIN_OF_PARTS
    else:
        margin = _MARGIN_OF_OTHERS
    likely = [
        target
        for (errors, cost), target in tried
        if errors == fewest and cost < nearest + margin
    ]
    return tuple(likely[:_MAX_LISTED])


def _elsewhere(path: Path, whole: Any, schemas: KindSchemas) -> Iterator[_Place]:
    """The places in the object, and in what it lacks, that have the name of a field."""
    *above, last = path
    parent, name = tuple(above), str(last)
    siblings = list(existing_value(whole, parent))
    before = siblings[siblings.index(name) - 1] if siblings.index(name) else None
    holder = schemas.at(parent)
    is_in_map = (
        holder is not None and name not in holder.field_names and bool(holder.values)
    )
    for at, schema, value in schemas.objects_in(whole, path):
        for place in schemas.absent_places(schema, value, name):
            target = (*at, *place)
            follows = before is not None and _is_in_last(
                target, (*parent, before), whole
            )
            # A map has any key: what is a field of another object is rarely meant.
            if is_in_map and not (len(place) == 1 and (follows or _is_above(at, path))):
                continue
            cost = _distance(parent, target[:-1]) + len(place) * _COST_OF_ABSENCE
            cost += _COST_OF_ITEM * (0 in place)
            yield cost - _FOLLOWS * follows, target
        if at == parent and value[name] is not None:
            maps = list(_in_maps(schema, value, name, schemas))
            is_of_map = not value.keys() & schema.field_names
            if is_of_map or before in [step[0] for step in maps]:
                for steps in maps:
                    yield _COST_OF_MAP, (*at, *steps)


def _in_maps(
    schema: Schema, value: Any, name: str, schemas: KindSchemas
) -> Iterator[Path]:
    """The maps of an object: labels that are written beside ``matchLabels``."""
    for member in schema.fields:
        content = value.get(member.name) or {}
        is_map = schemas.release.resolve(member.schema).values is not None
        if is_map and isinstance(content, dict) and name not in content:
            yield member.name, name


def _similar(path: Path, whole: Any, schemas: KindSchemas) -> Iterator[_Place]:
    """The fields of the same object with similar names."""
    parent, name = path[:-1], str(path[-1])
    schema = schemas.at(parent)
    present = existing_value(whole, parent)
    matcher = SequenceMatcher(b=_plain(name), autojunk=False)
    for field in schema.fields if schema else ():
        if present.get(field.name) is None:
            matcher.set_seq1(_plain(field.name))
            if matcher.quick_ratio() >= _SIMILARITY:
                ratio = matcher.ratio()
                if ratio >= _SIMILARITY:
                    cost = (1 - ratio) * _COST_OF_DIFFERENCE
                    yield cost, (*parent, field.name)


def _plain(name: str) -> str:
    """A name without what people write in different ways."""
    return name[:100].replace("_", "").replace("-", "").lower()


def _is_in_last(target: Path, before: Path, value: Any) -> bool:
    """Whether a path leads into a value, or into the last item of it."""
    if target[: len(before)] != before:
        return False
    holder = existing_value(value, before)
    step = target[len(before)]
    return not isinstance(holder, list) or step == len(holder) - 1


def _is_above(path: Path, other: Path) -> bool:
    """Whether a path is the beginning of another one."""
    return other[: len(path)] == path


def _distance(start: Path, end: Path) -> float:
    """The number of steps from one object to another one."""
    common = 0
    while start[common : common + 1] == end[common : common + 1] != ():
        common += 1
    rest = (*start[common:], *end[common:])
    return sum(isinstance(step, str) for step in rest) + 0.5 * bool(
        start[common:] and isinstance(start[common], int)
    )


def _has_shape(value: Any, schemas: KindSchemas, path: Path) -> bool:
    """Whether a value could be of the type at a path."""
    schema = schemas.at(path)
    if schema is None:
        return False
    if isinstance(value, dict | list):
        return schema.type in (None, "object" if isinstance(value, dict) else "array")
    return schema.type not in ("object", "array")
