"""Seeded mistakes in the values of accepted objects: those that people make."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from kubestencil.checking.findings import Problem
from kubestencil.checking.judgement import kind_of
from kubestencil.checking.paths import field_path
from kubestencil.checking.release import prepare
from kubestencil.checking.rules import RULES
from kubestencil.checking.upgrade import ObjectResult, Upgrade
from kubestencil.schema import Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.examples import examples
from tests.manifests import manifests
from tests.mutations import Position, positions

SEED = 28
_NUMBERS = (-1, 0, 65536, 10**7, 101, 70000)
_NAMES = (
    "Upper", "under_score", "-dash", "dash-", "a..b", "with space", "a/b", "x" * 64,
    "x" * 254, "ä", "!", "10.0.0.300", "a.b", "http://a", "../a", "*",
)  # fmt: skip


class Mistake(NamedTuple):
    """An object with a mistake; ``label`` says which."""

    value: Any
    label: str


class Judged(NamedTuple):
    """A mistake, what the server says of it, and the errors of a check."""

    mistake: Mistake
    answer: Answer
    errors: Sequence[Problem]


def mistakes(objects: Sequence[Any], count: int, seed: int = SEED) -> Iterator[Mistake]:
    """``count`` mistakes in ``objects``, one in each."""
    for index in range(count):
        source = random.Random(f"{seed}/{index}")
        root = {"": copy.deepcopy(source.choice(objects))}
        places = [
            place
            for place in positions(root[""])
            if place.path not in ("apiVersion", "kind") and "status" not in place.path
        ]
        change = source.choice(_CHANGES)
        label = change(source.choice(places), source, places)
        yield Mistake(root[""], label)


def _wrong_case(place: Position, source: random.Random, places: Any) -> str:
    """Write a word with other letters: ``always``, ``TCp``."""
    words = [p for p in places if isinstance(p.value, str) and p.value[:1].isupper()]
    if not words:
        return "nothing"
    place = source.choice(words)
    text = place.value
    return place.replace(
        source.choice([text.lower(), text.upper(), text[:-1], f"{text}s"])
    )


def _wrong_number(place: Position, source: random.Random, places: Any) -> str:
    """Put a number where a number is."""
    numbers = [p for p in places if type(p.value) is int]
    if not numbers:
        return "nothing"
    return str(source.choice(numbers).replace(source.choice(_NUMBERS)))


def _wrong_name(place: Position, source: random.Random, places: Any) -> str:
    """Put a text that is no name where a text is."""
    texts = [p for p in places if isinstance(p.value, str)]
    return str(source.choice(texts).replace(source.choice(_NAMES)))


def _wrong_key(place: Position, source: random.Random, places: Any) -> str:
    """Put a key that is no name into labels, annotations, selectors and data."""
    maps = [
        p
        for p in places
        if isinstance(p.value, dict)
        and re.search(r"(labels|annotations|atchLabels|data|odeSelector)\Z", p.path)
    ]
    if not maps:
        return "nothing"
    place = source.choice(maps)
    key = source.choice(_NAMES)
    place.value[key] = "a"
    return f"{place.path}: {key[:20]}"


def _removed(place: Position, source: random.Random, places: Any) -> str:
    """Leave a value out."""
    del place.container[place.key]
    return place.path


def _emptied(place: Position, source: random.Random, places: Any) -> str:
    """Leave the content of a value out."""
    if isinstance(place.value, dict | list | str):
        return place.replace(type(place.value)())
    return "nothing"


def _repeated(place: Position, source: random.Random, places: Any) -> str:
    """Write an item twice."""
    lists = [p for p in places if isinstance(p.value, list) and p.value]
    if not lists:
        return "nothing"
    place = source.choice(lists)
    place.value.append(copy.deepcopy(source.choice(place.value)))
    return place.path


def _moved(place: Position, source: random.Random, places: Any) -> str:
    """Put a field of one object into another one of the same place in another item, as
    a second member of a union."""
    similar = [
        p
        for p in places
        if isinstance(p.container, dict)
        and re.sub(r"\d+", "", p.path.rpartition(".")[0])
        == re.sub(r"\d+", "", place.path.rpartition(".")[0])
        and isinstance(place.container, dict)
        and p.key not in place.container
    ]
    if not similar:
        return "nothing"
    other = source.choice(similar)
    place.container[other.key] = copy.deepcopy(other.value)
    return f"{other.path} into {place.path}"


_CHANGES: tuple[Callable[[Position, random.Random, Any], str], ...] = (
    _wrong_case, _wrong_case, _wrong_number, _wrong_number, _wrong_name, _wrong_key,
    _removed, _removed, _emptied, _repeated, _moved,
)  # fmt: skip


class Compared(NamedTuple):
    """The errors of an object by rule and path, without and with a validator."""

    value: Any
    without: frozenset[tuple[str, str]]
    verdict: frozenset[tuple[str, str]]

    @property
    def contradicts(self) -> bool:
        """Whether one of two checks finds an error that the other one excludes: in an
        accepted object, or with another rule in the same place."""
        rules = {path: rule for rule, path in self.without - self.verdict}
        is_other = any(path in rules for _, path in self.verdict - self.without)
        return is_other or bool(self.without and not self.verdict)


def compared(
    release: Release, validator: Validator, objects: Iterable[Any]
) -> Iterator[Compared]:
    """Objects with what a check finds without and with a validator."""
    alone = Upgrade(None, prepare(release))
    asking = Upgrade(None, prepare(release, validator=validator))
    remaining = iter(objects)
    while values := list(islice(remaining, 500)):
        started = [
            (value, asking.start(value, kind_of(value), is_patch=False))
            for value in values
        ]
        for value, finish in started:
            result = alone.start(value, kind_of(value), is_patch=False)()
            yield Compared(value, errors_of(result), errors_of(finish()))


def errors_of(result: ObjectResult) -> frozenset[tuple[str, str]]:
    """The errors of an object by rule and path."""
    problems = (difference.problem for difference in result.differences)
    return frozenset(
        (problem.rule, field_path(problem.path))
        for problem in problems
        if RULES[problem.rule].severity == "error"
    )


def accepted_objects(
    release: Release, validator: Validator, others: Iterable[Any] = ()
) -> list[Any]:
    """Manifests, starters and other objects that a server accepts."""
    candidates = [*manifests(), *others, *examples(release, "starter").values()]
    answers = validator.ask([Request("create", value) for value in candidates])
    return [
        value
        for value, answer in zip(candidates, answers, strict=True)
        if answer.accepted
    ]


def judged(release: Release, validator: Validator, count: int) -> Iterator[Judged]:
    """Mistakes in accepted objects of a release, judged by its server and a check."""
    cases = list(mistakes(accepted_objects(release, validator), count))
    upgrade = Upgrade(None, prepare(release))
    answers = list(validator.ask([Request("create", case.value) for case in cases]))
    for case, answer in zip(cases, answers, strict=True):
        if answer.code in (201, 422):
            result = upgrade.start(case.value, kind_of(case.value), is_patch=False)()
            problems = (difference.problem for difference in result.differences)
            errors = [p for p in problems if RULES[p.rule].severity == "error"]
            yield Judged(case, answer, errors)


def is_at_path(case: Judged) -> bool:
    """Whether an error is at the path of one of the server's causes, or next to it."""
    paths = [field_path(error.path) for error in case.errors]
    return any(
        cause.field.startswith(path) or path.startswith(cause.field)
        for cause in case.answer.causes
        for path in paths
    )
