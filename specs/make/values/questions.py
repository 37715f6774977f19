"""What answers say of a value when it is changed.

Each question is an accepted object with one other value. A value counts as refused where
the server names its path; an answer that names other paths says nothing about it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from specs.make.values.objects import (
    Position,
    general,
    path_of_field,
    positions,
    removed,
    replaced,
    value_at,
    written,
)

Verdict = Literal["accepted", "refused", "unknown"]

#: Texts that tell formats from each other.
PROBES = (
    "", "a", "A", "a-b", "a.b", "a_b", "-a", "a-", "a..b", "a/b", "A_b.c/d", "a b", "1",
    "1a", "a1", "é", "a" * 63, "a" * 64, "a." * 126 + "a", "a" * 253, "a" * 254,
    "10.0.0.1", "10.0.0.300", "::1", "10.0.0.0/8", "10.0.0.1/8", "010.0.0.1", "::ffff:10.0.0.1", " 10.0.0.0/8", "/a", "/a/../b", "../a",
    "a/../b", "..", ".", "http", "80", "https://a.example.com/a", "*/5 * * * *", "a.example.com/B_c",
    "example.com/", "/b", "*.example.com", "$(A)", "a=b", "a:b", "_a", "A_B", "a%",
    "10%", "1.0.0", "v1", "Bogus!", "a" * 15, "a" * 16, "a-1-b", "123",
)  # fmt: skip
_SUPPORTED = re.compile(r"supported values: (.*)\Z", re.S)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
BOGUS = "Bogus!"
INT32 = 2**31 - 1
_LENGTHS = (1, 65, 260, 1_100, 5_000, 40_000)
_MOST_ITEMS = 130
# How many numbers are asked about at once where a border is looked for.
_AT_ONCE = 12
# A field is asked about in some objects of each kind, and in one where it is known well.
_OBJECTS = 2
_ENOUGH = 12


class Fact(NamedTuple):
    """What answers say of a field in an occurrence of it: ``rule`` is ``enum``,
    ``default``, or a column of limits, ``value`` a text."""

    definition: str
    field: str
    kind: GroupVersionKind
    path: str
    rule: str
    value: str

    @property
    def context(self) -> str:
        """Its place, as tables write it."""
        return f"{self.kind.api_version}/{self.kind.kind}:{self.path}"


class Occurrence(NamedTuple):
    """A field in an accepted object of a kind."""

    kind: GroupVersionKind
    definition: str
    position: Position
    object: Any

    @property
    def definition_of_field(self) -> str:
        """The definition that has the field."""
        return self.position.definition

    @property
    def value(self) -> Any:
        return value_at(self.object, self.position.path)

    def fact(self, rule: str, value: str) -> Fact:
        _, definition, field, *_ = self.position
        path = general(path_of_field(self.position))
        return Fact(definition, field, self.kind, path, rule, value)


class Questions:
    """Asks a server about occurrences of fields."""

    def __init__(self, release: Release, validator: Validator) -> None:
        self._release = release
        self._validator = validator

    def facts(self, occurrence: Occurrence) -> Iterator[Fact]:
        """What the server says of the values of a field in one object."""
        value = occurrence.value
        if isinstance(value, list) and not occurrence.position.is_item:
            yield from self._unique(occurrence)
            yield from self._max_items(occurrence)
        if isinstance(value, dict) and occurrence.position.schema.values is not None:
            yield from self._keys(occurrence)
        leaf = self._release.resolve(occurrence.position.schema)
        if isinstance(value, str):
            name = occurrence.position.schema.ref or ""
            if not leaf.format and name not in (QUANTITY, INT_OR_STRING):
                yield from self._text(occurrence)
        elif type(value) is int and leaf.type == "integer":
            yield from self._number(occurrence)

    def format_of(self, occurrence: Occurrence, rule: str) -> str:
        """The format of a text or of keys; empty where nothing says one."""
        asked = self._keys if rule == "key_format" else self._probed
        return next((f.value for f in asked(occurrence) if f.rule == rule), "")

    def _ask(self, objects: Sequence[Any]) -> list[Answer]:
        return list(self._validator.ask([Request("create", o) for o in objects]))

    def _verdicts(
        self, occurrence: Occurrence, values: Sequence[Any]
    ) -> list[tuple[Verdict, Answer]]:
        path = occurrence.position.path
        objects = [replaced(occurrence.object, path, value) for value in values]
        answers = self._ask(objects)
        return [(_verdict(answer, occurrence.position), answer) for answer in answers]

    def _unique(self, occurrence: Occurrence) -> Iterator[Fact]:
        items = occurrence.value
        path = occurrence.position.path
        if not items:
            return
        twice = replaced(occurrence.object, path, [items[0], items[0], *items[1:]])
        (answer,) = self._ask([twice])
        start = f"{written(path)}[1]"
        keys = set()
        for cause in answer.causes:
            is_duplicate = cause.reason == "FieldValueDuplicate" or (
                "must be unique" in cause.message
            )
            if is_duplicate and cause.field.startswith(start):
                key = cause.field.removeprefix(start).removeprefix(".")
                # Ports of a Service are the same by several of their fields.
                value = items[0]
                has_key = isinstance(value, dict) and key in value
                keys.add(key if has_key else "")
        if keys and isinstance(items[0], dict) and keys == {""}:
            keys = self._identifying(occurrence, items)
        if len(keys) == 1:
            yield occurrence.fact("unique", min(keys) or '""')
        elif keys:
            yield occurrence.fact("unique", " ".join(sorted(keys - {""})))

    def _identifying(self, occurrence: Occurrence, items: list[Any]) -> set[str]:
        """The fields of an item whose change makes it another one."""
        path = occurrence.position.path
        found = set()
        for name, value in items[0].items():
            if isinstance(value, str | int) and not isinstance(value, bool):
                other: Any = value + 1 if isinstance(value, int) else f"{value}2"
                changed = {**items[0], name: other}
                (answer,) = self._ask(
                    [replaced(occurrence.object, path, [items[0], changed])]
                )
                if not any(
                    cause.reason == "FieldValueDuplicate"
                    and cause.field.startswith(f"{written(path)}[1]")
                    for cause in answer.causes
                ):
                    found.add(name)
        return found or {""}

    def _max_items(self, occurrence: Occurrence) -> Iterator[Fact]:
        path, items = occurrence.position.path, occurrence.value
        if not items:
            return

        def are_refused(counts: Sequence[int]) -> list[bool]:
            answers = self._ask(
                [
                    replaced(occurrence.object, path, items[:1] * count)
                    for count in counts
                ]
            )
            return [
                any(
                    cause.field == written(path)
                    and cause.reason in ("FieldValueTooMany", "FieldValueTooLong")
                    for cause in answer.causes
                )
                for answer in answers
            ]

        if are_refused([_MOST_ITEMS])[0]:
            border = _search(are_refused, 1, _MOST_ITEMS)
            yield occurrence.fact("max_items", str(border - 1))

    def _number(self, occurrence: Occurrence) -> Iterator[Fact]:
        for rule, sign in (("minimum", -1), ("maximum", 1)):
            limit = self._limit(occurrence, sign)
            if limit is not None:
                yield occurrence.fact(rule, str(limit))

    def _limit(self, occurrence: Occurrence, sign: int) -> int | None:
        """The least or the largest number that is accepted; None where all are."""

        def verdicts(numbers: Sequence[int]) -> list[Verdict]:
            values = [sign * number for number in numbers]
            return [verdict for verdict, _ in self._verdicts(occurrence, values)]

        def are_refused(numbers: Sequence[int]) -> list[bool]:
            return [verdict == "refused" for verdict in verdicts(numbers)]

        if not are_refused([INT32])[0]:
            return None
        border = _search(are_refused, sign * occurrence.value, INT32)
        is_border = verdicts([border, border - 1]) == ["refused", "accepted"]
        return sign * (border - 1) if is_border else None

    def _text(self, occurrence: Occurrence) -> Iterator[Fact]:
        ((verdict, answer),) = self._verdicts(occurrence, [BOGUS])
        supported = _supported(answer, occurrence.position)
        if verdict != "refused" or supported is None:
            yield from self._length(occurrence)
            yield from self._probed(occurrence)

    def _probed(self, occurrence: Occurrence) -> Iterator[Fact]:
        verdicts = {
            text: verdict
            for text, (verdict, _) in zip(
                PROBES, self._verdicts(occurrence, PROBES), strict=True
            )
        }
        if verdicts[""] == "refused":
            yield occurrence.fact("min_length", "1")
        refused = {text for text in PROBES if verdicts[text] == "refused"}
        known = {text for text in PROBES if verdicts[text] != "unknown"}
        yield from self._format(occurrence, "format", known - refused, refused)

    def _keys(self, occurrence: Occurrence) -> Iterator[Fact]:
        """The format of the keys of a map."""
        value, *_ = occurrence.value.values() or ("",)
        path = occurrence.position.path
        answers = self._ask(
            [replaced(occurrence.object, path, {text: value}) for text in PROBES]
        )
        field = written(path)
        accepted, refused = set(), set()
        for text, answer in zip(PROBES, answers, strict=True):
            if answer.accepted:
                accepted.add(text)
            elif any(cause.field.startswith(field) for cause in answer.causes):
                refused.add(text)
        yield from self._format(occurrence, "key_format", accepted, refused)

    def _format(
        self, occurrence: Occurrence, rule: str, accepted: set[str], refused: set[str]
    ) -> Iterator[Fact]:
        known = accepted | refused
        if len(known) < 20 or not accepted:
            return
        if refused - {""} and not _is_about_length(refused):
            matching = [
                name
                for name, format_ in FORMATS.items()
                if all(
                    format_.accepts(text) == (text in accepted)
                    for text in known
                    if text
                )
            ]
            name = (
                matching[0]
                if matching
                else "?" + ",".join(sorted(text[:20] for text in accepted))
            )
            yield occurrence.fact(rule, name)

    def _length(self, occurrence: Occurrence) -> Iterator[Fact]:
        value = occurrence.value or "a"

        def are_refused(lengths: Sequence[int]) -> list[bool]:
            texts = [
                (value * (length // len(value) + 1))[:length] for length in lengths
            ]
            return [
                verdict == "refused"
                and any(
                    cause.reason == "FieldValueTooLong"
                    or "must be no more than" in cause.message
                    for cause in answer.causes
                    if _names(cause.field, occurrence.position)
                )
                for verdict, answer in self._verdicts(occurrence, texts)
            ]

        refused = are_refused(_LENGTHS[1:])
        for (low, high), is_refused in zip(pairwise(_LENGTHS), refused, strict=True):
            if is_refused:
                border = _search(are_refused, low, high)
                yield occurrence.fact("max_length", str(border - 1))
                return


class Sampling:
    """Chooses in which objects a field is asked about: some of each kind where it is new,
    fewer the more often it was there."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._counts: Counter[tuple[str, str, bool]] = Counter()

    def occurrences(
        self, kind: GroupVersionKind, definition: str, objects: Sequence[Any]
    ) -> Iterator[Occurrence]:
        """The fields of a kind, each in the smallest objects that have it."""
        counts: Counter[tuple[str, bool]] = Counter()
        for value in sorted(objects, key=lambda value: len(str(value))):
            for position in positions(self._release, definition, value):
                field = (*position[1:3], position.is_item)
                place = general(path_of_field(position)), position.is_item
                most = _OBJECTS if self._counts[field] < _ENOUGH else 1
                if counts[place] < most:
                    counts[place] += 1
                    self._counts[field] += 1
                    yield Occurrence(kind, definition, position, value)


def basic_facts(
    validator: Validator,
    found: Sequence[Occurrence],
    constants: Mapping[tuple[str, str], Sequence[str]],
) -> Iterator[Fact]:
    """The enums and required fields: few questions about each occurrence.

    ``constants`` are values of fields whose refusals may not name the others.
    """
    leaves = [
        (entry, BOGUS if isinstance(entry.value, str) else -INT32)
        for entry in found
        if type(entry.value) in (str, int)
    ]
    requests = (
        Request("create", replaced(entry.object, entry.position.path, value))
        for entry, value in leaves
    )
    for (entry, value), answer in zip(leaves, [*validator.ask(requests)], strict=True):
        verdict = _verdict(answer, entry.position)
        yield entry.fact(f"probe {value}", verdict)
        names: Sequence[str] | None = _supported(answer, entry.position)
        if names is None and verdict == "refused" and value == BOGUS:
            names = constants.get((entry.definition_of_field, entry.position.field))
        if names:
            yield from _enum(validator, entry, names)
    fields = [entry for entry in found if not entry.position.is_item]
    requests = (
        Request("create", removed(entry.object, entry.position.path))
        for entry in fields
    )
    for entry, answer in zip(fields, validator.ask(requests), strict=True):
        yield entry.fact("required", _required(answer, entry.position))


def _enum(
    validator: Validator, entry: Occurrence, names: Sequence[str]
) -> Iterator[Fact]:
    """An enum of an occurrence: the values that are not refused there, and, as
    ``enum-here``, those that no second look refuses."""
    path = entry.position.path
    requests = [Request("create", replaced(entry.object, path, name)) for name in names]
    here = set(names)
    for name, answer in zip(names, validator.ask(requests), strict=True):
        if _verdict(answer, entry.position) == "refused":
            here.discard(name)
    if here:
        yield entry.fact("enum", "\n".join(names))
        yield entry.fact("enum-here", "\n".join(sorted(here)))


def _required(answer: Answer, position: Position) -> str:
    """Whether the server refuses an object for the absence of a field, or of what the
    field has: ``true``, else why not."""
    if answer.accepted:
        return "?accepted"
    field = written(position.path)
    if answer.code != 422 or not answer.causes:
        return "?undecoded"
    if all(
        _names(cause.field, position)
        or cause.field.startswith((f"{field}.", f"{field}["))
        for cause in answer.causes
    ):
        return "true"
    return "?others"


def _verdict(answer: Answer, position: Position) -> Verdict:
    if answer.accepted:
        return "accepted"
    if answer.code == 422 and any(
        _names(cause.field, position) for cause in answer.causes
    ):
        return "refused"
    return "unknown"


def _names(field: str, position: Position) -> bool:
    """Whether a path of the server is a value's: of an item, its list may be named."""
    path = position.path
    parent = written(path[:-1])
    return (
        field == written(path)
        or field == f"{parent}[{path[-1]}]"
        or (position.is_item and field == parent)
    )


def _supported(answer: Answer, position: Position) -> list[str] | None:
    for cause in answer.causes:
        # Of a strategy, the field itself is not named.
        is_of_type = position.field == "type" and cause.field == written(
            position.path[:-1]
        )
        if cause.reason == "FieldValueNotSupported" and (
            is_of_type or _names(cause.field, position)
        ):
            listed = _SUPPORTED.search(cause.message)
            if listed:
                return sorted(set(_QUOTED.findall(listed[1])))
    return None


def _is_about_length(refused: set[str]) -> bool:
    """Whether only long texts are refused."""
    return all(len(text) > 60 or not text for text in refused)


def _search(
    are_refused: Callable[[Sequence[int]], Sequence[bool]], low: int, high: int
) -> int:
    """The first number that is refused, where ``high`` is and ``low`` is not. Some
    numbers are asked about at once."""
    while high - low > 1:
        numbers = range(low, high, max(1, (high - low) // _AT_ONCE))[1:]
        for number, is_refused in zip(numbers, are_refused(numbers), strict=True):
            if is_refused:
                high = number
                break
            low = number
    return high
