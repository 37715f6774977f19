"""Proofs of facts: an object that a server accepts, and one on the other side of a border
that it refuses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from kubestencil.checking.paths import keys_of, value_at
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.places import is_unvalidated
from kubestencil.schema.knowledge.values import FORMATS, FactRow
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer
from specs.make.asking.answers import Target, created, field_of
from specs.make.asking.objects import (
    objects_in,
    path_of_field,
    positions,
    removed,
    renamed,
    replaced,
)
from specs.make.progress import report
from specs.make.values.questions import BOGUS, PROBES, Occurrence

# In how many objects a proof is looked for, and after it what disproves the limit.
_MOST_OBJECTS = 24
_COMPARED = 6
# A field that is in so many objects is asked about once in every other place.
_ENOUGH = 12
# Texts of several formats, to tell items apart.
_TEXTS = ("memory", "b.example.com/b", "b", "10.0.0.2", "fd00::2", "Delete", "/b")


class Limit(NamedTuple):
    """What holds for a field: the columns of the table ``limits``. Of an enum, the rule is
    ``enum``, and the value does not matter."""

    definition: str
    field: str
    context: str = ""
    rule: str = ""
    value: str = ""

    @classmethod
    def of(cls, row: FactRow) -> Limit:
        """The limit of a row of a table."""
        value = str(row.value).lower() if row.name == "required" else str(row.value)
        if row.name == "unique":
            value = " ".join(key or '""' for key in row.value)
        return cls(row.definition, row.field, row.context, row.name, value)

    @property
    def is_absence(self) -> bool:
        """Whether it says that a field may be absent. An accepted object proves that, even
        where the server drops what the field is in, since a gate is off."""
        return (self.rule, self.value) == ("required", "false")


class Pair(NamedTuple):
    """Two objects on either side of a border, and what differs; ``outside`` is None where
    there is none: everything is accepted."""

    inside: Any
    outside: Any
    target: Target


class Proof(NamedTuple):
    """A pair that a server accepts and refuses, with the accepted object that it was made
    of, and the paths that the server names."""

    kind: GroupVersionKind
    object: Any
    pair: Pair
    fields: tuple[str, ...]


#: No proof: an accepted object is on the other side of the border.
DISPROVED = Proof(GroupVersionKind("", "", ""), None, Pair(None, None, Target(())), ())


class Occurrences:
    """The fields in accepted objects of all kinds of a release, the smallest first."""

    def __init__(
        self,
        release: Release,
        objects: Mapping[GroupVersionKind, Iterable[Any]],
    ) -> None:
        self._release = release
        self._fields: dict[tuple[str, str, bool], list[Occurrence]] = defaultdict(list)
        #: The fields, with their definitions, that objects of it do not have.
        self.absent: set[tuple[str, str]] = set()
        names = definitions_of_kinds(release)
        pairs = ((kind, value) for kind, values in objects.items() for value in values)
        for kind, value in sorted(pairs, key=lambda pair: len(str(pair[1]))):
            self._add(kind, names[kind], value)

    def _add(self, kind: GroupVersionKind, name: str, value: Any) -> None:
        release = self._release
        for position in positions(release, name, value):
            path = path_of_field(position)
            if not is_unvalidated(release.name, kind, keys_of(path)):
                found = Occurrence(kind, position, value)
                self._fields[*found.field, position.is_item].append(found)
        for path, definition in objects_in(release, name, value):
            part = value_at(value, path)
            for field in release.definitions[definition].schema.field_names:
                at = keys_of((*path, field))
                if field not in part and not is_unvalidated(release.name, kind, at):
                    self.absent.add((definition, field))

    def of(self, limit: Limit, *, items: bool) -> Iterator[Occurrence]:
        """Those of a field, or of the items of its lists, of all kinds in turn."""
        by_place: dict[str, list[Occurrence]] = defaultdict(list)
        for found in self._fields.get((limit.definition, limit.field, items), ()):
            if limit.context in ("", found.context):
                by_place[found.context].append(found)
        for rank in range(_MOST_OBJECTS):
            for group in by_place.values():
                yield from group[rank : rank + 1]

    def sample(self) -> Iterator[Sequence[Occurrence]]:
        """Of each field, and of the items of each, some in every place that has it, the
        fewer the more places there are."""
        for found in self._fields.values():
            by_place: dict[str, list[Occurrence]] = defaultdict(list)
            count = 0
            for occurrence in found:
                place = by_place[occurrence.context]
                if len(place) < (2 if count < _ENOUGH else 1):
                    place.append(occurrence)
                    count += 1
            yield [*chain.from_iterable(by_place.values())]

    def disprove(self, limit: Limit) -> bool:
        """Whether an accepted object has a value beyond a limit, or lacks what it requires."""
        rule, value = limit.rule, limit.value
        if rule == "required" and value == "true":
            return (limit.definition, limit.field) in self.absent
        values = [
            found.value
            for items in (False, True)
            for found in self._fields.get((limit.definition, limit.field, items), ())
        ]
        if rule == "key_format":
            values = [key for part in values if isinstance(part, dict) for key in part]
        texts = [part for part in values if isinstance(part, str)]
        numbers = [part for part in values if type(part) is int]
        beyond: Mapping[str, Callable[[], bool]] = {
            "minimum": lambda: min(numbers, default=int(value)) < int(value),
            "maximum": lambda: max(numbers, default=int(value)) > int(value),
            "min_length": lambda: "" in texts,
            "max_length": lambda: any(len(text) > int(value) for text in texts),
        }
        if rule in ("format", "key_format"):
            return not all(map(FORMATS[value].accepts, filter(None, texts)))
        return rule in beyond and beyond[rule]()


def proof_of_limit(
    validator: Validator, occurrences: Occurrences, limit: Limit
) -> Proof | None:
    """The proof of an enum or a limit; None where none is found, or where one of some
    objects is accepted with a value on the other side."""
    of_items = limit.rule not in ("unique", "max_items", "required", "key_format")
    found = (
        *(occurrences.of(limit, items=True) if of_items else ()),
        *occurrences.of(limit, items=False),
    )
    proof = None
    for count, occurrence in enumerate(found[:_MOST_OBJECTS]):
        if proof is not None and count >= _COMPARED:
            break
        evidence = _evidence(validator, occurrence, limit.rule, limit.value)
        if evidence is DISPROVED:
            report(f"{limit}: disproved in {occurrence.kind.kind}")
            return None
        proof = proof or evidence
    return proof


def _evidence(
    validator: Validator, occurrence: Occurrence, rule: str, value: str
) -> Proof | None:
    """What one object says of a limit: a proof, DISPROVED, or nothing."""
    old = occurrence.value
    texts = [*old] if isinstance(old, dict) and rule == "key_format" else [old]
    if rule.endswith("format") and not all(
        FORMATS[value].accepts(text) for text in texts if isinstance(text, str) and text
    ):
        return DISPROVED
    pairs = [*_pairs(occurrence, rule, value)]
    accepted = created(validator, (pair.inside for pair in pairs))
    outsides = (pair.outside for pair in pairs if pair.outside is not None)
    refused = created(validator, outsides)
    if any(answer.accepted for answer in refused):
        return DISPROVED
    proof = None
    for index, (pair, inside) in enumerate(zip(pairs, accepted, strict=True)):
        fields = _refused_fields(refused[index], pair.target) if refused else ()
        if proof is None and inside.accepted and (fields or not refused):
            proof = Proof(occurrence.kind, occurrence.object, pair, fields)
    return proof


def _refused_fields(answer: Answer, target: Target) -> tuple[str, ...]:
    """The paths that a server names, where one is that of a value, or inside of it."""
    is_refused = target.is_refused(answer)
    return tuple(map(field_of, answer.causes)) if is_refused else ()


def _pairs(occurrence: Occurrence, rule: str, value: str) -> Iterator[Pair]:
    whole, path, old = occurrence.object, occurrence.position.path, occurrence.value
    is_item = occurrence.position.is_item

    def pairs(inside: Any, outside: Any, *, is_part: bool = is_item) -> Iterator[Pair]:
        """With other values in place of the old one, there alone, and wherever a text is
        the same; and with other items beside an old one."""
        accepted, refused = map(occurrence.changed, (inside, outside))
        target = Target(path, is_part)
        yield Pair(accepted, refused, target)
        if isinstance(old, str) and inside != old:
            yield Pair(renamed(whole, old, inside), refused, target)
        if is_item and isinstance(path[-1], int):
            items = value_at(whole, path[:-1])
            added = (*path[:-1], len(items))
            accepted, refused = (
                replaced(whole, path[:-1], [*items, new]) for new in (inside, outside)
            )
            yield Pair(accepted, refused, Target(added, is_part))

    if rule == "required":
        absent = removed(whole, path)
        if value == "true":
            yield Pair(whole, absent, Target(path))
        else:
            yield Pair(absent, None, Target(path))
    elif rule == "enum" and isinstance(old, str):
        yield from pairs(old, BOGUS, is_part=True)
    elif rule in ("minimum", "maximum") and type(old) is int:
        step = -1 if rule == "minimum" else 1
        yield from pairs(int(value), int(value) + step)
    elif rule == "min_length" and isinstance(old, str) and old:
        yield from pairs(old, "")
    elif rule == "max_length" and isinstance(old, str):
        for text in _texts(old, int(value) + 1):
            yield from pairs(text[:-1], text)
    elif rule == "format" and isinstance(old, str) and FORMATS[value].accepts(old):
        for probe in outside_of(value):
            yield from pairs(old, probe)
    elif rule == "key_format" and isinstance(old, dict) and old:
        part = next(iter(old.values()))
        for probe in outside_of(value):
            yield Pair(whole, occurrence.changed({probe: part}), Target(path))
    elif rule == "unique" and isinstance(old, list) and old:
        for other in _other_items(old[0], value.replace('""', "").split()):
            both = ([old[0], item] for item in (other, old[0]))
            inside, outside = map(occurrence.changed, both)
            yield Pair(inside, outside, Target((*path, 1)))
        if not isinstance(old[0], dict):
            both = (old[:1] * count for count in (1, 2))
            inside, outside = map(occurrence.changed, both)
            yield Pair(inside, outside, Target((*path, 1)))
    elif rule == "max_items" and isinstance(old, list) and old:
        for made in _distinct_items(old[0], int(value) + 1):
            yield from pairs(made[:-1], made)


def _texts(old: str, length: int) -> Iterator[str]:
    """Texts of a length that may be of the same form as one: repeated, with letters
    after a prefix, which may have to be there, with spaces, and with parts."""
    for text in (old or "a", "a", f"{old}a", f"a.{old}"):
        yield (text * (length // len(text) + 1))[:length]
    yield ("example.com/" + "a" * length)[:length]
    yield old + "a" * (length - len(old))
    yield old + " " * (length - len(old))
    if len(old) < length:
        yield ("a" * (length - len(old)) + old)[:length]


def outside_of(format_name: str) -> Iterator[str]:
    """Texts that do not have a format."""
    for probe in PROBES:
        if probe and not FORMATS[format_name].accepts(probe):
            yield probe


def _other_items(item: Any, keys: Sequence[str]) -> Iterator[Any]:
    """Items that differ from one, at first in their keys only."""
    if isinstance(item, dict):
        for key in keys or item:
            for other in _other_scalars(item.get(key)):
                yield {**item, key: other}
                changed = {
                    name: next(_other_scalars(inner))
                    for name, inner in item.items()
                    if name not in keys and type(inner) in (str, int)
                }
                yield from (
                    {**item, key: other, name: changed[name]} for name in changed
                )
                yield {**item, **changed, key: other}
    else:
        yield from _other_scalars(item)


def _other_scalars(value: Any) -> Iterator[Any]:
    if type(value) is int:
        yield value + 1
    elif isinstance(value, str):
        yield from (f"{value}2", f"2{value}", f"{value}b")
        if value and value[-1].isdigit():
            yield f"{value[:-1]}9"
        yield from _TEXTS


def _distinct_items(item: Any, count: int) -> Iterator[list[Any]]:
    """Lists of items that differ in all texts, in one of them, or not at all."""
    fields = item if isinstance(item, dict) else {}
    texts = [name for name in fields if isinstance(item[name], str)]
    for names in (texts, *([name] for name in texts)):
        yield [_numbered(item, names, index) for index in range(count)]
    yield [item] * count


def _numbered(item: Any, names: Sequence[str], index: int) -> Any:
    if not index:
        return item
    if isinstance(item, dict):
        return {**item, **{name: f"{item[name]}{index}" for name in names}}
    if isinstance(item, str):
        prefix, dot, rest = item.partition(".")
        return f"{prefix}{index}{dot}{rest}"
    return item + index if type(item) is int else item
