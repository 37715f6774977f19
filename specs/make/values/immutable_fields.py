"""What cannot change, found by trying: for accepted objects of each kind, a value is
replaced with others, or left out. Where the API server's code accepts the new object by
itself, and never in the place of the old one, the field cannot change.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import Any, NamedTuple

from kubestencil.checking.paths import keys_of, value_at
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gate_of
from kubestencil.schema.knowledge.places import field_at
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.types import (
    GroupVersionKind,
    Release,
    Schema,
    group_version_kind,
)
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.asking.answers import created, reapplied, stored
from specs.make.asking.objects import Position, positions, removed, replaced
from specs.make.asking.workers import in_parallel
from specs.make.values.rows import rows_of

# How often a field is changed, and in one object.
_CHANGES = 8
_CHANGES_OF_OBJECT = 2
_METADATA = ("name", "namespace", "labels", "annotations")
# An index or a key in a path of a server.
_STEP = re.compile(r"\[[^\]]*\]")
# Fields with which more, or less, can change in an object than in others of its kind.
_SPECIAL: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": ("immutable",),
    "Job": ("spec", "suspend"),
    "Pod": ("spec", "schedulingGates"),
    "Secret": ("immutable",),
}

#: A kind, and the path of a field in it.
Place = tuple[GroupVersionKind, str]


class Change(NamedTuple):
    """An accepted object, and another one that differs at a path and is accepted, too."""

    kind: GroupVersionKind
    path: str
    old: Any
    new: Any

    @property
    def is_removal(self) -> bool:
        """Whether the new object only lacks something: a server may keep that, and accept
        the change without making it."""
        return _is_part(self.new, self.old)


class Reply(NamedTuple):
    """What a release says of a change: ``refused`` is the field that it names, empty where
    it accepts the change."""

    place: Place
    refused: str = ""


def _is_part(new: Any, old: Any) -> bool:
    """Whether a value has nothing that another one lacks."""
    if isinstance(new, dict) and isinstance(old, dict):
        return all(
            name in old and _is_part(part, old[name]) for name, part in new.items()
        )
    if isinstance(new, list) and isinstance(old, list):
        return all(any(_is_part(item, other) for other in old) for item in new)
    return bool(new == old)


def accepted_changes(
    release: Release,
    validator: Validator,
    kind: GroupVersionKind,
    objects: Sequence[Any],
) -> list[Change]:
    """The changes of one field each that could be made to objects of a kind."""
    name = definitions_of_kinds(release)[kind]
    kept = reapplied(validator, [_plain(kind, value) for value in objects])
    tried = list(possible_changes(release, name, kind, kept))
    answers = created(validator, (change.new for change in tried))
    return [
        change for change, answer in zip(tried, answers, strict=True) if answer.accepted
    ]


def _plain(kind: GroupVersionKind, value: Any) -> Any:
    """An object without generated metadata, with which it cannot be applied again, without
    empty items of lists, which have no merge key, and without what makes it special."""
    metadata = {
        name: part
        for name, part in value.get("metadata", {}).items()
        if name in _METADATA
    }
    plain = {**_without_empty_items(value), "metadata": metadata}
    special = _SPECIAL.get(kind.kind)
    if special is None or value_at(plain, special) is None:
        return plain
    return removed(plain, special)


def _without_empty_items(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_empty_items(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_empty_items(item) for item in value if item != {}]
    return value


def possible_changes(
    release: Release, name: str, kind: GroupVersionKind, values: Sequence[Any]
) -> Iterator[Change]:
    """Changes of one field each of objects of a definition, accepted or not."""
    counts: Counter[str] = Counter()
    for old in values:
        maps = set()
        for position in positions(release, name, old):
            path = keys_of(position.path)
            if position.is_item and isinstance(position.path[-1], str):
                maps.add(position.path)
            # The keys of maps are no fields.
            is_named = not any(position.path[: len(key)] == key for key in maps)
            is_asked = is_named and position.path[0] != "metadata"
            if is_asked and counts[path] < _CHANGES:
                if not position.is_item:
                    counts[path] += 1
                    new = removed(old, position.path)
                    yield Change(kind, path, old, new)
                made = _changed(release, position, old, values)
                for new in islice(made, _CHANGES_OF_OBJECT):
                    counts[path] += 1
                    yield Change(kind, path, old, new)


def _with_effect(changes: Iterable[Change], validator: Validator) -> Iterator[Change]:
    """The changes of what a release stores, of objects that it lets be applied again:
    others say nothing of the field."""
    tried = list(changes)
    olds = {json.dumps(change.old): change.old for change in tried}
    kept = reapplied(validator, [*olds.values()])
    before = {
        json.dumps(old): answer.object
        for old, answer in zip(kept, stored(validator, kept), strict=True)
    }
    after = stored(validator, (change.new for change in tried))
    for change, answer in zip(tried, after, strict=True):
        old, new = before.get(json.dumps(change.old)), answer.object
        if old and new and {**old, "metadata": {}} != {**new, "metadata": {}}:
            yield change


def replies(
    release: Release, validator: Validator, changes: Iterable[Change]
) -> Iterator[Reply]:
    """What a release says of the changes of ``accepted_changes`` that can be seen in it."""
    names = definitions_of_kinds(release)
    tried = list(_with_effect(changes, validator))
    answers = validator.ask(
        Request("update", change.new, old=change.old) for change in tried
    )
    for change, answer in zip(tried, answers, strict=True):
        place = change.kind, change.path
        if answer.accepted:
            if not change.is_removal and not _is_dropped(release, names, place):
                yield Reply(place)
        elif answer.code == 422 and answer.causes and not answer.old_refused:
            yield Reply(place, _STEP.sub("", answer.causes[0].field) or change.path)


def _is_dropped(
    release: Release, names: Mapping[GroupVersionKind, str], place: Place
) -> bool:
    """Whether a release drops the value of a field, since its gate is off: the change is
    accepted without effect. ``names`` are those of the definitions of kinds."""
    field = field_at(release, names[place[0]], place[1])
    gate = gate_of(*field, release.name) if field else None
    return gate is not None and not gate.enabled


def immutable_places(
    release: Release,
    validators: Sequence[Validator],
    objects: Mapping[GroupVersionKind, Sequence[Any]],
) -> dict[Place, str]:
    """The places of what never changes in a release, and how that was found: ``asked``, or
    ``kept`` of what is known of it, or of its base, where no change says otherwise."""

    def ask(
        validator: Validator, pool: tuple[GroupVersionKind, Sequence[Any]]
    ) -> list[Reply]:
        changes = accepted_changes(release, validator, *pool)
        return [*replies(release, validator, changes)]

    given = chain.from_iterable(in_parallel(validators, ask, objects.items()))
    known = (
        (group_version_kind(api_version, kind), path)
        for api_version, kind, path, *_ in rows_of(release.name, "immutable-fields", 3)
    )
    return immutable_fields([*given], {*_existing(release, known)})


def immutable_fields(given: Sequence[Reply], known: Set[Place]) -> dict[Place, str]:
    """What never changes, by the replies to changes, and what is ``known``."""
    refused = {
        **dict.fromkeys(known, ""),
        **{r.place: r.refused for r in given if r.refused},
    }
    mutable = outer_places(reply.place for reply in given if not reply.refused)
    asked = outer_places(reply.place for reply in given if reply.refused)
    return {
        place: "asked" if place in asked else "kept"
        for place in _without_inner(_outermost(refused, mutable))
    }


def _existing(release: Release, places: Iterable[Place]) -> Iterator[Place]:
    """The places that a release has."""
    names = definitions_of_kinds(release)
    for kind, path in places:
        field = field_at(release, names[kind], path) if kind in names else None
        if field and field[1] in release.definitions[field[0]].schema.field_names:
            yield kind, path


def outer_places(places: Iterable[Place]) -> set[Place]:
    """Places, and those of the fields that they are inside of."""
    return {(kind, outer) for kind, path in places for outer in outer_paths(path)}


def _without_inner(places: Iterable[Place]) -> set[Place]:
    found = set(places)
    return {
        (kind, path)
        for kind, path in found
        if not any((kind, outer) in found for outer in outer_paths(path)[:-1])
    }


def _outermost(refused: Mapping[Place, str], mutable: Set[Place]) -> Iterator[Place]:
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
        new = value_at(other, position.path)
        if new is None:
            continue
        if isinstance(new, list) and isinstance(value, list):
            both = [*value, *new]
            if _is_kept(position.schema, both):
                yield both
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
        # What is neither a quantity nor in Base64 is refused by itself.
        yield from ({**value, "a": "1"}, {**value, "a": "aaaa"})


def _is_kept(schema: Schema, items: Sequence[Any]) -> bool:
    """Whether each item stays when a list is applied: those that share a merge key become
    one."""
    key = schema.patch_merge_key
    keys = [item.get(key) for item in items] if key else []
    return len(set(keys)) == len(keys)
