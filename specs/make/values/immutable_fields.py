"""What cannot change, found by trying: for accepted objects of each kind, a value is
replaced with others, or left out. Where the API server's code accepts the new object by
itself, and never in the place of the old one, the field cannot change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any, NamedTuple

from kubestencil.schema.facts.values import server_facts
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.values.objects import (
    Position,
    general,
    positions,
    removed,
    replaced,
    value_at,
    without_unknown,
)
from specs.make.values.workers import in_parallel

# How often a field is changed, and in one object.
_CHANGES = 8
_CHANGES_OF_OBJECT = 2
_METADATA = ("name", "namespace", "labels", "annotations")


class Change(NamedTuple):
    """An accepted object, and another one that differs at a path and is accepted, too."""

    kind: GroupVersionKind
    path: str
    old: Any
    new: Any
    #: Whether it lacks the value: a server may keep the old one then, and accept that.
    is_removal: bool = False


def all_changes(
    release: Release,
    validators: Sequence[Validator],
    objects: Mapping[GroupVersionKind, Sequence[Any]],
) -> list[Change]:
    """The changes of one field each that could be made to objects."""
    names = {kind: name for name, kind in kind_definitions(release).items()}

    def ask(
        validator: Validator, pool: tuple[GroupVersionKind, Sequence[Any]]
    ) -> list[Change]:
        return _changes(release, validator, names[pool[0]], *pool)

    return [*chain.from_iterable(in_parallel(validators, ask, objects.items()))]


def _changes(
    release: Release,
    validator: Validator,
    name: str,
    kind: GroupVersionKind,
    objects: Sequence[Any],
) -> list[Change]:
    plain = [_plain(value) for value in objects if not _is_special(kind, value)]
    same = validator.ask(Request("update", value, old=value) for value in plain)
    kept = [value for value, answer in zip(plain, same, strict=True) if answer.accepted]
    tried = list(possible_changes(release, name, kind, kept))
    return list(accepted_changes(tried, validator))


def _plain(value: Any) -> Any:
    """An object without generated metadata, with which it cannot be applied again, and
    without empty items of lists, which have no merge key."""
    metadata = {
        name: part
        for name, part in value.get("metadata", {}).items()
        if name in _METADATA
    }
    return {**_without_empty_items(value), "metadata": metadata}


def _without_empty_items(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_empty_items(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_empty_items(item) for item in value if item != {}]
    return value


def _is_special(kind: GroupVersionKind, value: Any) -> bool:
    """Whether more can change in an object than in others of its kind."""
    return kind.kind == "Job" and "suspend" in value.get("spec", {})


def possible_changes(
    release: Release, name: str, kind: GroupVersionKind, values: Sequence[Any]
) -> Iterator[Change]:
    """Changes of one field each of objects of a definition, accepted or not."""
    counts: Counter[str] = Counter()
    for old in values:
        maps = set()
        for position in positions(release, name, old):
            path = general(position.path)
            if position.is_item and isinstance(position.path[-1], str):
                maps.add(position.path)
            # The keys of maps are no fields.
            is_named = not any(position.path[: len(key)] == key for key in maps)
            is_asked = is_named and position.path[0] != "metadata"
            if is_asked and counts[path] < _CHANGES:
                if not position.is_item:
                    counts[path] += 1
                    new = removed(old, position.path)
                    yield Change(kind, path, old, new, is_removal=True)
                made = _changed(release, position, old, values)
                for new in islice(made, _CHANGES_OF_OBJECT):
                    counts[path] += 1
                    yield Change(kind, path, old, new)


def accepted_changes(
    changes: Iterable[Change], validator: Validator
) -> Iterator[Change]:
    """The changes whose new objects a release accepts."""
    tried = list(changes)
    answers = validator.ask(Request("create", change.new) for change in tried)
    for change, answer in zip(tried, answers, strict=True):
        if answer.accepted:
            yield change


def changes_in(release: Release, changes: Iterable[Change]) -> Iterator[Change]:
    """Changes of objects of any release, without the fields that this one lacks."""
    names = {kind: name for name, kind in kind_definitions(release).items()}
    for change in changes:
        if change.kind in names:
            schema = release.definitions[names[change.kind]].schema
            old = without_unknown(release, schema, change.old)
            new = without_unknown(release, schema, change.new)
            if old != new:
                yield change._replace(old=old, new=new)


def immutable_fields(
    changes: Sequence[Change],
    validator: Validator,
    known: Iterable[tuple[GroupVersionKind, str]],
) -> set[tuple[GroupVersionKind, str]]:
    """The kinds and paths of what a server never lets change. Each release is asked about
    the changes of all, so that their answers differ because of the releases. What is
    ``known`` counts, too, unless a change of it is accepted."""
    mutable: set[tuple[GroupVersionKind, str]] = set()
    refused: dict[tuple[GroupVersionKind, str], str] = dict.fromkeys(known, "")
    answers = validator.ask(
        Request("update", change.new, old=change.old) for change in changes
    )
    for (kind, path, *_, is_removal), answer in zip(changes, answers, strict=True):
        if answer.accepted:
            if not is_removal:
                mutable.update((kind, outer) for outer in outer_paths(path))
        elif answer.code == 422 and answer.causes and not answer.old_refused:
            refused.setdefault((kind, path), _general(answer.causes[0].field))
    found = set(_outermost(refused, mutable))
    return {
        (kind, path)
        for kind, path in found
        if not any((kind, outer) in found for outer in outer_paths(path)[:-1])
    }


def _outermost(
    refused: Mapping[tuple[GroupVersionKind, str], str],
    mutable: Set[tuple[GroupVersionKind, str]],
) -> Iterator[tuple[GroupVersionKind, str]]:
    """What cannot change, without what is inside of it: the server reports the change
    of a field as one of the outermost field that cannot change."""
    for (kind, path), field in refused.items():
        if (kind, path) not in mutable:
            is_outer = field in outer_paths(path) and (kind, field) not in mutable
            yield kind, field if is_outer else path


def outer_paths(path: str) -> list[str]:
    """A path, and those of the fields that it is inside of."""
    parts = path.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]


def _changed(
    release: Release, position: Position, old: Any, others: Sequence[Any]
) -> Iterator[Any]:
    """Objects with another value at a position: without one, a default could be equal."""
    value = value_at(old, position.path)
    seen = [value]
    for new in _values(release, position, value, others):
        if new not in seen:
            seen.append(new)
            yield replaced(old, position.path, new)


def _values(
    release: Release, position: Position, value: Any, others: Sequence[Any]
) -> Iterator[Any]:
    for other in others:
        try:
            new = value_at(other, position.path)
        except (LookupError, TypeError):
            continue
        if isinstance(new, list) and isinstance(value, list):
            yield [*value, *new]
        yield new
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, value * 2)
    elif isinstance(value, str):
        yield from server_facts(release.name).of(
            position.definition, position.field
        ).enum
        yield from (f"{value}x", f"x{value}", f"{value}2", f"2{value}", "a", "a.b/c")
    elif isinstance(value, list):
        yield value[:-1]
    elif position.schema.values is not None:
        yield {**value, "a": "1"}


def _general(field: str) -> str:
    """A path of a server without indexes and keys."""
    text = ""
    for part in field.split("["):
        text += part.rpartition("]")[2] if "]" in part else part
    return text
