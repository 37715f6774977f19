"""Proofs of facts: an object that a server accepts, and one on the other side of a border
that it refuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from specs.make.values.objects import (
    Path,
    general,
    path_of_field,
    positions,
    removed,
    replaced,
    written,
)
from specs.make.values.questions import (
    BOGUS,
    PROBES,
    Occurrence,
)

# In how many objects a proof is looked for.
_MOST_OBJECTS = 24


class Limit(NamedTuple):
    """What holds for a field: the columns of ``specs/limits.tsv``. Of an enum, the rule is
    ``enum``, and the value does not matter."""

    definition: str
    field: str
    context: str = ""
    rule: str = ""
    value: str = ""


class Pair(NamedTuple):
    """Two objects on either side of a border, and the path of what differs; ``outside``
    is None where there is none: everything is accepted."""

    inside: Any
    outside: Any
    path: Path


class Proof(NamedTuple):
    """A pair that a server accepts and refuses, with the accepted object that it was made
    of, and the paths that the server names."""

    kind: GroupVersionKind
    object: Any
    pair: Pair
    fields: tuple[str, ...]


class Occurrences:
    """The fields in accepted objects of all kinds of a release, the smallest first."""

    def __init__(
        self,
        release: Release,
        objects: Iterable[tuple[GroupVersionKind, str, Any]],
        is_ignored: Callable[[GroupVersionKind, str], bool],
    ) -> None:
        self._fields: dict[tuple[str, str, bool], list[Occurrence]] = defaultdict(list)
        for kind, definition, value in sorted(objects, key=lambda o: len(str(o[2]))):
            for position in positions(release, definition, value):
                if is_ignored(kind, general(path_of_field(position))):
                    continue
                found = Occurrence(kind, definition, position, value)
                self._fields[*position[1:3], position.is_item].append(found)

    def of(self, limit: Limit, *, items: bool) -> Iterator[Occurrence]:
        """Those of a field, or of the items of its lists, of all kinds in turn."""
        by_kind: dict[tuple[str, str], list[Occurrence]] = defaultdict(list)
        for found in self._fields.get((limit.definition, limit.field, items), ()):
            place = (
                f"{found.kind.api_version}/{found.kind.kind}",
                general(path_of_field(found.position)),
            )
            if limit.context in ("", ":".join(place)):
                by_kind[place].append(found)
        for rank in range(_MOST_OBJECTS):
            for group in by_kind.values():
                yield from group[rank : rank + 1]


def proof_of_limit(
    validator: Validator, occurrences: Occurrences, limit: Limit
) -> Proof | None:
    """The proof of an enum or a limit; None where none is found."""
    found = [*occurrences.of(limit, items=False)]
    if limit.rule not in ("unique", "max_items", "required", "key_format"):
        found += occurrences.of(limit, items=True)
    for occurrence in islice(found, _MOST_OBJECTS):
        kind, whole = occurrence.kind, occurrence.object
        pairs = _pairs(occurrence, limit.rule, limit.value)
        if proof := _proof(validator, kind, whole, pairs):
            return proof
    return None


def holds(validator: Validator, occurrence: Occurrence, rule: str, value: str) -> bool:
    """Whether one object proves a limit other than a format."""
    kind, whole = occurrence.kind, occurrence.object
    return _proof(validator, kind, whole, _pairs(occurrence, rule, value)) is not None


def _proof(
    validator: Validator, kind: GroupVersionKind, whole: Any, pairs: Iterable[Pair]
) -> Proof | None:
    for pair in pairs:
        values = [pair.inside, *([] if pair.outside is None else [pair.outside])]
        inside, *outside = validator.ask(Request("create", value) for value in values)
        if inside.accepted:
            fields = _refused_fields(outside[0], pair.path) if outside else ()
            if fields or not outside:
                return Proof(kind, whole, pair, fields)
    return None


def _refused_fields(answer: Answer, path: Path) -> tuple[str, ...]:
    """The paths that a server names, where one is a certain one, or is inside of it, or
    is its list or map."""
    if answer.code != 422:
        return ()
    field, parent = written(path), written(path[:-1])
    names = [cause.field for cause in answer.causes]
    is_named = any(
        name == field
        or name.startswith((f"{field}.", f"{field}["))
        or (not isinstance(path[-1], str) and name == parent)
        or name == f"{parent}[{path[-1]}]"
        for name in names
    )
    return tuple(names) if is_named else ()


def _pairs(occurrence: Occurrence, rule: str, value: str) -> Iterator[Pair]:
    path, old = occurrence.position.path, occurrence.value

    def pair(inside: Any, outside: Any) -> Pair:
        whole = occurrence.object
        return Pair(replaced(whole, path, inside), replaced(whole, path, outside), path)

    if rule == "required":
        absent = removed(occurrence.object, path)
        if value == "true":
            yield Pair(occurrence.object, absent, path)
        else:
            yield Pair(absent, None, path)
    elif rule == "enum" and isinstance(old, str):
        yield pair(old, BOGUS)
    elif rule in ("minimum", "maximum") and type(old) is int:
        step = -1 if rule == "minimum" else 1
        yield pair(int(value), int(value) + step)
    elif rule == "min_length" and isinstance(old, str) and old:
        yield pair(old, "")
    elif rule == "max_length" and isinstance(old, str):
        for text in (old or "a", "a", f"{old}a", f"a.{old}"):
            longer = text * (int(value) // len(text) + 2)
            yield pair(longer[: int(value)], longer[: int(value) + 1])
            # A prefix that has to be there, and letters.
            longer = old + "a" * (int(value) + 1 - len(old))
            yield pair(longer[:-1], longer)
    elif rule == "format" and isinstance(old, str) and FORMATS[value].accepts(old):
        for probe in _outside_of(value):
            yield pair(old, probe)
    elif rule == "key_format" and isinstance(old, dict) and old:
        part = next(iter(old.values()))
        for probe in _outside_of(value):
            yield Pair(
                occurrence.object,
                replaced(occurrence.object, path, {probe: part}),
                path,
            )
    elif rule == "unique" and isinstance(old, list) and old:
        for other in _other_items(old[0], value.replace('""', "").split()):
            inside, outside = (
                replaced(occurrence.object, path, [old[0], item])
                for item in (other, old[0])
            )
            yield Pair(inside, outside, (*path, 1))
    elif rule == "max_items" and isinstance(old, list) and old:
        items = list(_distinct_items(old[0], int(value) + 1))
        for made in (items, old[:1] * len(items)):
            yield pair(made[:-1], made)


def _outside_of(format_name: str) -> Iterator[str]:
    for probe in PROBES:
        if probe and not FORMATS[format_name].accepts(probe):
            yield probe


def _other_items(item: Any, keys: Sequence[str]) -> Iterator[Any]:
    """Items that differ from one, at first in their keys only."""
    if isinstance(item, dict):
        for key in keys or item:
            for other in _other_scalars(item.get(key)):
                yield {**item, key: other}
                for name, inner in item.items():
                    if name not in keys and isinstance(inner, str):
                        yield {**item, key: other, name: f"{inner}2"}
    else:
        yield from _other_scalars(item)


def _other_scalars(value: Any) -> Iterator[Any]:
    if type(value) is int:
        yield value + 1
    elif isinstance(value, str):
        yield from (f"{value}2", f"2{value}", f"{value}b")
        if value and value[-1].isdigit():
            yield f"{value[:-1]}9"
        yield from ("b.example.com/b", "b", "10.0.0.2", "fd00::2", "Delete", "/b")


def _distinct_items(item: Any, count: int) -> Iterator[Any]:
    for index in range(count):
        if isinstance(item, dict):
            yield {
                name: f"{part}{index}" if isinstance(part, str) and index else part
                for name, part in item.items()
            }
        elif isinstance(item, str) and index:
            prefix, dot, rest = item.partition(".")
            yield f"{prefix}{index}{dot}{rest}"
        else:
            yield item
