"""What cannot change, found by trying: for accepted objects of each kind, a value is
replaced with others, or left out. Where the API server's code accepts the new object by
itself, and never in the place of the old one, the field cannot change.

``python -m specs.make.values.immutable_fields 1.37=PROGRAM 1.29=PROGRAM`` makes the table.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.schema import parse
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gate_of
from kubestencil.schema.knowledge.places import field_at
from kubestencil.schema.knowledge.places import immutable_fields as known_fields
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from kubestencil.source import locate
from kubestencil.source.releases import release_order
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.facts import write_facts
from specs.make.tables import report
from specs.make.values.objects import (
    Position,
    general,
    positions,
    removed,
    replaced,
    value_at,
    without_unknown,
)
from specs.make.values.pool import accepted_objects, seed_objects
from specs.make.values.rows import joined
from specs.make.values.workers import WORKERS, in_parallel

# How often a field is changed, and in one object.
_CHANGES = 8
_CHANGES_OF_OBJECT = 2
_METADATA = ("name", "namespace", "labels", "annotations")
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
    #: The same in all releases that it is tried in.
    number: int = 0

    @property
    def is_removal(self) -> bool:
        """Whether the new object only lacks something: a server may keep that, and accept
        the change without making it."""
        return _is_part(self.new, self.old)


class Reply(NamedTuple):
    """What a release says of the change with a number: ``refused`` is the field that it
    names, empty where it accepts the change."""

    place: Place
    number: int
    refused: str = ""


class _Period(NamedTuple):
    """Releases that do not contradict each other about changes at a place, and what they
    say of these, by their numbers."""

    releases: list[str]
    refused: dict[int, str]

    def contradicts(self, refused: Mapping[int, str]) -> bool:
        """Whether a change was accepted in one and refused in the other."""
        return any(
            bool(field) != bool(self.refused.get(number, field))
            for number, field in refused.items()
        )


def _is_part(new: Any, old: Any) -> bool:
    """Whether a value has nothing that another one lacks."""
    if isinstance(new, dict) and isinstance(old, dict):
        return all(
            name in old and _is_part(part, old[name]) for name, part in new.items()
        )
    if isinstance(new, list) and isinstance(old, list):
        return all(any(_is_part(item, other) for other in old) for item in new)
    return bool(new == old)


def all_changes(
    release: Release,
    validators: Sequence[Validator],
    objects: Mapping[GroupVersionKind, Sequence[Any]],
) -> list[Change]:
    """The changes of one field each that could be made to objects."""
    names = definitions_of_kinds(release)

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
    plain = [_plain(kind, value) for value in objects]
    same = validator.ask(Request("update", value, old=value) for value in plain)
    kept = [value for value, answer in zip(plain, same, strict=True) if answer.accepted]
    tried = list(possible_changes(release, name, kind, kept))
    return list(accepted_changes(tried, validator))


def _plain(kind: GroupVersionKind, value: Any) -> Any:
    """An object without generated metadata, with which it cannot be applied again, without
    empty items of lists, which have no merge key, and without what makes it special."""
    metadata = {
        name: part
        for name, part in value.get("metadata", {}).items()
        if name in _METADATA
    }
    plain = {**_without_empty_items(value), "metadata": metadata}
    try:
        return removed(plain, _SPECIAL[kind.kind])
    except LookupError:
        return plain


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
                    yield Change(kind, path, old, new)
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
    names = definitions_of_kinds(release)
    for change in changes:
        if change.kind in names:
            schema = release.definitions[names[change.kind]].schema
            old = without_unknown(release, schema, change.old)
            new = without_unknown(release, schema, change.new)
            if old != new:
                yield change._replace(old=old, new=new)


def with_effect(changes: Iterable[Change], validator: Validator) -> Iterator[Change]:
    """The changes of what a release stores, of objects that it lets be applied again:
    others say nothing of the field."""
    tried = list(changes)
    olds = {json.dumps(change.old): change.old for change in tried}
    same = validator.ask(Request("update", old, old=old) for old in olds.values())
    before = validator.ask(Request("default", old) for old in olds.values())
    stored = {
        text: answer.object
        for text, kept, answer in zip(olds, same, before, strict=True)
        if kept.accepted
    }
    after = validator.ask(Request("default", change.new) for change in tried)
    for change, answer in zip(tried, after, strict=True):
        old, new = stored.get(json.dumps(change.old)), answer.object
        if old and new and {**old, "metadata": {}} != {**new, "metadata": {}}:
            yield change


def replies(
    release: Release, validator: Validator, changes: Iterable[Change]
) -> Iterator[Reply]:
    """What a release says of the changes that can be made and seen in it."""
    names = definitions_of_kinds(release)
    possible = accepted_changes(changes_in(release, changes), validator)
    tried = list(with_effect(possible, validator))
    answers = validator.ask(
        Request("update", change.new, old=change.old) for change in tried
    )
    for change, answer in zip(tried, answers, strict=True):
        place = change.kind, change.path
        if answer.accepted:
            if not change.is_removal and not _is_dropped(release, names, place):
                yield Reply(place, change.number)
        elif answer.code == 422 and answer.causes and not answer.old_refused:
            field = _general(answer.causes[0].field) or change.path
            yield Reply(place, change.number, field)


def _is_dropped(
    release: Release, names: Mapping[GroupVersionKind, str], place: Place
) -> bool:
    """Whether a release drops the value of a field, since its gate is off: the change is
    accepted without effect. ``names`` are those of the definitions of kinds."""
    field = field_at(release, names[place[0]], place[1])
    gate = gate_of(*field, release.name) if field else None
    return gate is not None and not gate.enabled


def immutable_fields(
    releases: Mapping[str, Release],
    given: Mapping[str, Sequence[Reply]],
    known: Mapping[str, Set[Place]],
) -> dict[str, set[Place]]:
    """The places of what never changes in ``releases``, the oldest of which comes first.

    Releases differ where a change that both were asked about is refused by one of them:
    without such a change, what any of them accepts or refuses holds in all that have the
    field. What is ``known`` of a release counts, too, unless it accepts a change itself.
    """
    periods = _periods(given)
    found = {}
    for name, release in releases.items():
        refused = dict.fromkeys(_existing(release, known[name]), "")
        mutable = set[Place]()
        for place in _existing(release, periods):
            fields = _at(periods[place], name).values()
            if "" in fields:
                mutable.update(outer_places([place]))
            elif fields:
                refused.setdefault(place, next(iter(fields)))
        accepted = (reply.place for reply in given[name] if not reply.refused)
        mutable -= known[name] - outer_places(accepted)
        found[name] = _without_inner(_outermost(refused, mutable))
    return found


def _periods(given: Mapping[str, Sequence[Reply]]) -> Mapping[Place, list[_Period]]:
    periods: dict[Place, list[_Period]] = defaultdict(list)
    for name, replies_of_release in given.items():
        by_place: dict[Place, dict[int, str]] = defaultdict(dict)
        for place, number, field in replies_of_release:
            by_place[place][number] = field
        for place, refused in by_place.items():
            if not periods[place] or periods[place][-1].contradicts(refused):
                periods[place].append(_Period([], {}))
            periods[place][-1].releases.append(name)
            periods[place][-1].refused.update(refused)
    return periods


def _at(periods: Sequence[_Period], release: str) -> Mapping[int, str]:
    """What holds in a release; nothing for one between two periods, which is in neither."""
    order = release_order(release)
    begun = [p for p in periods if release_order(p.releases[0]) <= order]
    current = begun[-1] if begun else periods[0]
    is_over = release_order(current.releases[-1]) < order and current != periods[-1]
    return {} if is_over else current.refused


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
        try:
            new = value_at(other, position.path)
        except (LookupError, TypeError):
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


def _general(field: str) -> str:
    """A path of a server without indexes and keys."""
    text = ""
    for part in field.split("["):
        text += part.rpartition("]")[2] if "]" in part else part
    return text


def main(arguments: Sequence[str]) -> None:
    """Make the table by asking the programs of releases."""
    programs = dict(text.split("=", 1) for text in arguments)
    names = sorted(programs, key=release_order)
    releases = {name: parse(locate(name, None)) for name in names}
    seeds, made = seed_objects(), dict[str, Change]()
    with ExitStack() as stack:
        validators = {
            name: [
                stack.enter_context(Validator(Path(programs[name])))
                for _ in range(WORKERS)
            ]
            for name in names
        }
        for name, release in releases.items():
            objects = accepted_objects(release, validators[name][0], seeds)
            for change in all_changes(release, validators[name], objects):
                numbered = change._replace(number=len(made))
                made.setdefault(json.dumps([change.old, change.new]), numbered)
            report(f"{name}: {len(made)} changes")
        given = {
            name: list(replies(releases[name], validators[name][0], made.values()))
            for name in names
        }
    known = {name: _known(name) for name in names}
    _write(immutable_fields(releases, given, known))


def _known(release: str) -> Set[Place]:
    """What the present table says of a release."""
    kinds = known_fields(release).items()
    return {(kind, path) for kind, paths in kinds for path in paths}


def _write(found: Mapping[str, Iterable[Place]]) -> None:
    def table(release: str) -> dict[Place, bool]:
        return dict.fromkeys(_known(release), True)

    def is_inside(place: Any, _: bool, others: Mapping[Any, bool]) -> bool:
        return any((place[0], outer) in others for outer in outer_paths(place[1]))

    places = {name: dict.fromkeys(fields, True) for name, fields in found.items()}
    rows = {
        name: [(kind.api_version, kind.kind, path) for kind, path in fields]
        for name, fields in joined(places, table, is_inside).items()
    }
    write_facts("immutable-fields", rows)


if __name__ == "__main__":
    main(sys.argv[1:])
