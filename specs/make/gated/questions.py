"""The questions by whose answers feature gates are found: about the fields of objects, about
fields that are added to them, about other values and changes."""

from __future__ import annotations

import ipaddress
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kubestencil.checking.paths import Path, value_at
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.types import Release
from kubestencil.validator.protocol import Answer, Request
from specs.make.asking.objects import (
    Position,
    objects_at,
    positions,
    replaced,
    status_positions,
)
from specs.make.asking.pool import Objects
from specs.make.asking.samples import sample

Field = tuple[str, str]

# Values on which validation has changed: names, addresses, ranges, keys of variables.
_TEXTS = ("", "x_y.z", "*", "a b", "1a", "010.0.0.1", "10.0.0.1/8")
_NUMBERS = (-1, 0)
# What a value that was dropped can be; an object stays without the fields in it.
_EMPTY: Sequence[Any] = ("", 0, False, None, [])
_NAME = "metadata", "name"
# How many changes of a value are asked about.
_CHANGES = 1
#: In how many objects a field is tried, and how many fields inside of each other.
TRIES = 3
DEPTH = 3
# Only the server writes them, or they have the same rules in all kinds.
_NOT_ASKED = ("apiVersion", "kind", "metadata", "status")


class Question(NamedTuple):
    """A request, and the place in its object whose value is asked about.

    ``aspect`` says what the answer tells: whether the value is ``kept``, or whether the
    whole is accepted (``values``, ``changes``). ``outer`` are the places that this one is
    inside of, with their fields; ``origin`` is the same for questions of which one says
    as much as all.
    """

    place: Field
    aspect: Literal["kept", "values", "changes"]
    request: Request
    path: Path
    origin: Any
    outer: tuple[tuple[Path, Field], ...] = ()

    def state(self, answer: Answer) -> bool:
        """Whether the value is accepted, and not dropped."""
        if not answer.accepted or self.aspect != "kept":
            return answer.accepted
        return is_there(answer.object, self.path)


class Subject(NamedTuple):
    """An object of a definition that is accepted with all gates on; ``refused`` is the path
    of the one value that is refused with all off, None where nothing is."""

    definition: str
    value: Any
    refused: Path | None = None


def with_statuses(objects: Objects) -> Objects:
    """Objects without a status, and the smallest of each kind with an empty one: what is
    written to the subresource is asked about by itself."""
    return {
        kind: [
            *values,
            *({**value, "status": {}} for value in sorted(values, key=_size)[:1]),
        ]
        for kind, values in objects.items()
    }


def _size(value: Any) -> int:
    return len(str(value))


def written(value: Any) -> Request:
    """Whether an object can be created, or its status written."""
    return Request("status" if "status" in value else "create", value)


def stored(value: Any) -> Request:
    """What is stored of an object that is created, or whose status is written."""
    return Request("status" if "status" in value else "default", value)


def places_in(release: Release, name: str, value: Any) -> Iterator[Position]:
    """The values of an object that are asked about: of one with a status nothing else."""
    find_places = status_positions if "status" in value else positions
    return find_places(release, name, value)


def with_absent_fields(
    release: Release, subject: Subject, seen: Counter[Field]
) -> Iterator[Subject]:
    """An object with each field that it lacks, and that was not tried often enough."""
    name, value, within = subject
    facts = server_facts(release.name).fields
    owners = objects_at(release, value, places_in(release, name, value))
    for path, definition in owners if "status" in value else [((), name), *owners]:
        is_asked = path[:1] != ("metadata",) and (
            within is None or path[: len(within)] == within
        )
        for field in release.definitions[definition].fields if is_asked else ():
            key = definition, field.name
            is_own = not path and field.name in _NOT_ASKED
            is_there_already = field.name in value_at(value, path)
            if not is_there_already and not is_own and seen[key] < TRIES:
                seen[key] += 1
                at = (*path, field.name)
                new = sample(release, key, field.schema, facts)
                yield Subject(name, replaced(value, at, new), at)


def values_of(
    release: Release, name: str, value: Any, refused: Path | None
) -> Iterator[Question]:
    """Whether each value of an object is kept, or those of the one that is refused."""
    request = stored(value)
    outer: list[tuple[Path, Field]] = []
    for place in places_in(release, name, value):
        path, field = place.path, (place.definition, place.field)
        around = tuple(each for each in outer if each[0] == path[: len(each[0])])
        if not place.is_item and value_at(value, path) not in _EMPTY:
            # What is refused can be inside of what needs other gates.
            outer.append((path, field))
            if refused is None or path[: len(refused)] == refused:
                origin = around[-1][1] if around else name, refused is None
                yield Question(field, "kept", request, path, origin, around)


def other_values(
    release: Release, name: str, value: Any, constants: Mapping[Field, Sequence[str]]
) -> Iterator[Question]:
    """Whether other values than those of an object are accepted, its name among them."""
    if "status" not in value:
        for new in _TEXTS:
            changed = replaced(value, _NAME, new)
            field = name, ".".join(_NAME)
            yield Question(field, "values", written(changed), _NAME, (id(value), _NAME))
    outer: list[tuple[Path, Field]] = []
    for place in places_in(release, name, value):
        path, field = place.path, (place.definition, place.field)
        around = tuple(each for each in outer if each[0] == path[: len(each[0])])
        outer.append((path, field))
        origin = id(value), path
        others = _others(
            release, place, value_at(value, path), constants.get(field, ())
        )
        for index, new in enumerate(others):
            changed = replaced(value, path, new)
            yield Question(field, "values", written(changed), path, origin, around)
            # A status has no former one.
            if index < _CHANGES and "status" not in value:
                updated = Request("update", changed, old=value)
                yield Question(field, "changes", updated, path, origin, around)


def other_spellings(release: Release, name: str, value: Any) -> Iterator[Question]:
    """Whether addresses and ranges are accepted in another form."""
    for place in places_in(release, name, value):
        path, field = place.path, (place.definition, place.field)
        current = value_at(value, path)
        for new in _spelled_otherwise(current) if isinstance(current, str) else ():
            changed = written(replaced(value, path, new))
            yield Question(field, "values", changed, path, (id(value), path))


def _others(
    release: Release, place: Position, value: Any, constants: Sequence[str]
) -> list[Any]:
    """Other values of the same type."""
    others: list[Any] = []
    if isinstance(value, bool):
        others = [not value]
    elif isinstance(value, int):
        others = [value + 1, *_NUMBERS]
    elif isinstance(value, str):
        facts = server_facts(release.name).of(place.definition, place.field)
        others = [*constants, *facts.enum]
        if facts.format:
            others.extend(_TEXTS)
        # Any other text, to ask about changes.
        others = others or [f"{value}a"]
    return [new for new in dict.fromkeys(others) if new != value]


def _spelled_otherwise(value: str) -> Iterator[str]:
    """The same address or range in another form, where a text is one."""
    try:
        address = ipaddress.ip_interface(value).ip
    except ValueError:
        return
    _, slash, prefix = value.partition("/")
    is_v4 = address.version == 4
    yield f"0{value}" if is_v4 else f"{address.exploded}{slash}{prefix}"


def spread(questions: Iterable[Question], places: int) -> list[Question]:
    """The questions about each field in some places, each once."""
    origins: dict[Any, dict[Any, Path]] = defaultdict(dict)
    found = []
    for question in questions:
        known = origins[question.place, question.aspect]
        if question.aspect == "kept":
            is_asked = question.origin not in known and len(known) < places
        else:
            is_asked = question.origin in known or len(known) < places
        if is_asked:
            known[question.origin] = question.path
            found.append(question)
    return found


def is_there(value: Any, path: Path) -> bool:
    """Whether there is a value at a path that is not empty."""
    return value_at(value, path) not in _EMPTY
