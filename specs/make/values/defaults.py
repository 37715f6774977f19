"""Defaults: what the server fills in, and on which fields beside it that depends."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from kubestencil.checking.paths import Path, keys_of, value_at
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.conditions import parse_term
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from specs.make.asking.answers import stored
from specs.make.asking.objects import objects_in, positions, removed, replaced
from specs.make.asking.workers import in_parallel
from specs.make.progress import report
from specs.make.values.reviewed import MEANT, NO_DEFAULTS
from specs.make.values.rows import Found, Key

#: What a default cannot be: it is different for each object.
_PER_OBJECT = ("creationTimestamp", "uid", "generation", "managedFields")
# What fields of lists and objects have as good as nothing.
_EMPTY = ('""', "null", "{}", "[]")
# How often a field is removed at a place, and in all until once at each is enough.
_OBJECTS_OF_PLACE = 4
_OBJECTS_OF_FIELD = 16
_WORDS = ("other:1", "other")
# What Go writes for a field that was never set.
_ZEROS: tuple[Any, ...] = ("", 0, False, None, {}, [])


class Observation(NamedTuple):
    """A field that was absent in an object, and what the server filled in: JSON, empty
    for nothing. ``beside`` are the other fields of the object around it."""

    kind: GroupVersionKind
    path: str
    definition: str
    field: str
    value: str
    beside: Mapping[str, Any]


#: An object, and the path of what was removed of it.
_Case = tuple[Any, Path | None]


def observations(
    release: Release,
    validators: Sequence[Validator],
    objects: Mapping[GroupVersionKind, Sequence[Any]],
    enums: Mapping[tuple[str, str], Sequence[str]],
) -> list[Observation]:
    """What a server fills into objects of all kinds: as they are, with one field removed,
    and with another value of a field beside one that it fills in. ``enums`` has values to
    try by field."""
    names = definitions_of_kinds(release)
    removed_before: Counter[tuple[str, str]] = Counter()
    cases = [
        (kind, [*_removals(release, names[kind], values, removed_before)])
        for kind, values in objects.items()
    ]

    def observe(
        validator: Validator, case: tuple[GroupVersionKind, Sequence[_Case]]
    ) -> list[Observation]:
        kind, made = case
        name, whole = names[kind], [value for value, path in made if path is None]
        varied = _varied(release, validator, name, whole, enums)
        return [
            found
            for part in (made, [*varied])
            for found in _observed(release, validator, kind, name, part)
        ]

    return [*chain.from_iterable(in_parallel(validators, observe, cases))]


def _removals(
    release: Release,
    definition: str,
    objects: Sequence[Any],
    known: Counter[tuple[str, str]],
) -> Iterator[_Case]:
    """Objects of a kind: whole, and with one field removed. ``known`` counts how often
    fields were removed."""
    counts: Counter[str] = Counter()
    for value in sorted(objects, key=lambda value: len(str(value))):
        yield value, None
        for position in positions(release, definition, value):
            key = keys_of(position.path)
            field = position.definition, position.field
            most = _OBJECTS_OF_PLACE if known[field] < _OBJECTS_OF_FIELD else 1
            if not position.is_item and counts[key] < most:
                counts[key] += 1
                known[field] += 1
                yield removed(value, position.path), position.path


def _varied(
    release: Release,
    validator: Validator,
    definition: str,
    objects: Sequence[Any],
    enums: Mapping[tuple[str, str], Sequence[str]],
) -> Iterator[_Case]:
    """Objects in which a value beside one that is filled in is another."""
    counts: Counter[tuple[str, str]] = Counter()
    for value, answer in zip(objects, stored(validator, objects), strict=True):
        if answer.object is None:
            continue
        filled = {path[:-1] for _, path in _filled(release, definition, value, answer)}
        for position in positions(release, definition, value):
            parent = position.path[:-1]
            if position.is_item or parent not in filled:
                continue
            old = value_at(value, position.path)
            others = (*enums.get(position[1:3], ()), *_others(old))
            key = keys_of(position.path), json.dumps(sorted(value_at(value, parent)))
            counts[key] += 1
            if counts[key] == 1:
                for other in others:
                    yield replaced(value, position.path, other), None


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from _WORDS
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, dict):
        for key, inner in value.items():
            for other in _others(inner):
                yield {**value, key: other}


def _observed(
    release: Release,
    validator: Validator,
    kind: GroupVersionKind,
    definition: str,
    cases: Sequence[_Case],
) -> Iterator[Observation]:
    answers = stored(validator, (value for value, _ in cases))
    for (value, path), answer in zip(cases, answers, strict=True):
        if answer.code != 200 or answer.object is None:
            continue
        for owner, at in _filled(release, definition, value, answer):
            yield _observation(kind, owner, at, value, answer.object)
        if path is not None:
            yield from _unfilled(release, kind, definition, path, answer.object)


def _filled(
    release: Release, definition: str, before: Any, answer: Any
) -> Iterator[tuple[str, Path]]:
    """The definitions and paths of the outermost values that are new."""
    for position in positions(release, definition, answer.object):
        path = position.path
        old = value_at(before, path[:-1])
        is_new = isinstance(old, dict) and path[-1] not in (*old, *_PER_OBJECT)
        if is_new and not position.is_item:
            yield position.definition, path


def _unfilled(
    release: Release, kind: GroupVersionKind, definition: str, path: Any, after: Any
) -> Iterator[Observation]:
    parent = value_at(after, path[:-1])
    owner = dict(objects_in(release, definition, after)).get(path[:-1], "")
    if isinstance(parent, dict) and path[-1] not in parent:
        yield Observation(kind, keys_of(path), owner, path[-1], "", _scalars(parent))


def _observation(
    kind: GroupVersionKind, definition: str, path: Any, before: Any, after: Any
) -> Observation:
    given, parent = value_at(before, path[:-1]), value_at(after, path[:-1])
    # Of other fields that are filled in, only words can be what this one depends on.
    beside = {
        key: value
        for key, value in parent.items()
        if key != path[-1] and (key in given or isinstance(value, str))
    }
    value = _written(_without_zeros(parent[path[-1]]))
    return Observation(
        kind, keys_of(path), definition, path[-1], value, _scalars(beside)
    )


def _written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _without_zeros(value: Any) -> Any:
    """A value without the nulls that older releases write inside of objects."""
    if isinstance(value, dict):
        return {k: _without_zeros(v) for k, v in value.items() if v is not None}
    return value


def _scalars(value: Any) -> Mapping[str, Any]:
    """An object whose parts are only there or not."""
    if not isinstance(value, Mapping):
        return {}
    return {
        key: part if isinstance(part, str) or not part else True
        for key, part in value.items()
    }


def default_facts(
    release: Release, observed: Iterable[Observation], known: Mapping[Key, Found]
) -> dict[Key, Found]:
    """The defaults that explain all observations: under the conditions of those that are
    ``known`` of the release, or the one before, or under others. What is known of fields
    that no object shows is kept; what cannot be explained is reported."""
    by_field: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for item in observed:
        by_field[item.definition, item.field].append(item)
    facts: dict[Key, Found] = {
        key: (value, "kept")
        for key, (value, _) in known.items()
        if key[:2] not in by_field and _is_there(release, *key[:2])
    }
    for (definition, field), items in sorted(by_field.items()):
        name = definition.rpartition(".")[2], field
        is_left_out = name in NO_DEFAULTS or name[0] == "ObjectMeta"
        if is_left_out or not any(_is_meant(release, item) for item in items):
            continue
        before = [key for key in known if key[:2] == (definition, field)]
        conditions = [*dict.fromkeys(key[3] for key in before if key[3])]
        explained = _explained(items, conditions)
        groups: dict[str, list[Observation]] = {"": items}
        if explained is None or any(key[2] for key in before):
            groups = defaultdict(list)
            for item in items:
                kind = item.kind
                context = f"{kind.api_version}/{kind.kind}:{item.path}"
                groups[context].append(item)
        for context, group in sorted(groups.items()):
            explained = _explained(group, conditions)
            if explained is None:
                values = sorted({item.value[:60] for item in group})
                report(f"{definition}.{field} at {context} is not explained: {values}")
            for condition, value in explained or ():
                selects = value == "{}" and field.endswith("Selector")
                if value not in _EMPTY or name in MEANT or selects:
                    facts[definition, field, context, condition] = value, "asked"
    return facts


def _is_there(release: Release, definition: str, field: str) -> bool:
    found = release.definitions.get(definition)
    return found is not None and field in found.schema.field_names


def _is_meant(release: Release, item: Observation) -> bool:
    """Whether a value was filled in: Go writes zeros for fields without ``omitempty``,
    which documents mostly list as required, and for structures."""
    if not item.value:
        return False
    value = json.loads(item.value)
    name = item.definition.rpartition(".")[2], item.field
    selects = value == {} and item.field.endswith("Selector")
    if value not in _ZEROS or selects or name in MEANT:
        return True
    fields = release.definitions[item.definition].fields
    is_required = any(f.required for f in fields if f.name == item.field)
    return value in (0, False) and not is_required


def _explained(
    items: Sequence[Observation], conditions: Sequence[str]
) -> list[tuple[str, str]] | None:
    """Conditions and values that explain what was filled in; None where neither those
    that are given do, nor one of several terms for each value."""
    if conditions:
        found = _explained_by(items, conditions)
        if found is not None:
            return found
    values = sorted({item.value for item in items})
    if len(values) == 1:
        return [("", values[0])] if values[0] else []
    found = []
    for value in filter(None, values):
        having = [item.beside for item in items if item.value == value]
        others = [item.beside for item in items if item.value != value]
        terms = _terms(having, others)
        if not terms:
            return None
        found += [(term, value) for term in terms]
    return found


def _explained_by(
    items: Sequence[Observation], conditions: Sequence[str]
) -> list[tuple[str, str]] | None:
    found = []
    for condition in conditions:
        terms = [parse_term(term) for term in condition.split()]
        values = {
            item.value
            for item in items
            if all(term.holds(item.beside) for term in terms)
        }
        if len(values) > 1:
            return None
        found += [(condition, value) for value in values if value]
    return found


def _terms(
    having: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The fewest terms of which one holds of each of the first objects, and none of the
    others."""
    terms = [
        term
        for term in _possible_terms([*having, *others])
        if not any(parse_term(term).holds(beside) for beside in others)
    ]
    chosen: list[str] = []
    left = list(having)
    while left:
        holding = {
            term: sum(parse_term(term).holds(beside) for beside in left)
            for term in terms
        }
        best = max(terms, key=lambda term: holding[term], default="")
        # Terms that hold of some objects only say what these have in common.
        if not best or (holding[best] < len(having) and "=" not in best):
            return []
        if len(chosen) == 3 or not holding[best]:
            return []
        chosen.append(best)
        left = [beside for beside in left if not parse_term(best).holds(beside)]
    return sorted(chosen)


def _possible_terms(objects: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Terms about the fields of objects, those about words first."""
    names = sorted({name for beside in objects for name in beside})
    words: dict[str, set[str]] = defaultdict(set)
    for beside in objects:
        for name, value in beside.items():
            if isinstance(value, str) and value.isalnum() and value not in _WORDS:
                words[name].add(value)
    for name in names:
        if name in ("image", "reference"):
            yield from (f"{name}~latest", f"{name}!~latest")
        for operator in ("=", "!="):
            yield from (f"{name}{operator}{word}" for word in sorted(words[name]))
    for name in names:
        yield from (name, f"!{name}")
