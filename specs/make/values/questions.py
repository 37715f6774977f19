"""What could hold for a field: an accepted object is asked about with other values of it.

What is found here are candidates: ``proofs`` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from kubestencil.checking.paths import field_path, keys_of, value_at
from kubestencil.schema.knowledge.values import FORMATS
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer
from specs.make.asking.answers import Target, Verdict, created, listed_values
from specs.make.asking.objects import Position, path_of_field, removed, replaced

#: A rule and its value, as the table ``limits`` writes them; ``enum`` is a rule, too.
Candidate = tuple[str, str]

#: Texts that tell formats from each other.
PROBES = (
    "", "a", "A", "a-b", "a.b", "a_b", "-a", "a-", "a..b", "a/b", "A_b.c/d", "a b", "1",
    "1a", "a1", "é", "a" * 63, "a" * 64, "a." * 126 + "a", "a" * 253, "a" * 254,
    "10.0.0.1", "10.0.0.300", "::1", "0::1", "10.0.0.0/8", "10.0.0.1/8", "010.0.0.1", "::ffff:10.0.0.1", " 10.0.0.0/8", "/a", "/a/../b", "../a",
    "a/../b", "..", ".", "http", "80", "https://a.example.com/a", "*/5 * * * *", "a.example.com/B_c",
    "example.com/", "/b", "*.example.com", "$(A)", "a=b", "a:b", "_a", "A_B", "a%",
    "10%", "1.0.0", "v1", "Bogus!", "a" * 15, "a" * 16, "a-1-b", "123",
)  # fmt: skip
BOGUS = "Bogus!"
_INT32 = 2**31 - 1
_LENGTHS = (1, 65, 260, 1_100, 5_000, 40_000)
_MOST_ITEMS = 130
# How many numbers are asked about at once where a border is looked for.
_AT_ONCE = 12
# A format is told from others by so many answers.
_MOST_UNKNOWN = len(PROBES) - 20


class Occurrence(NamedTuple):
    """A field in an accepted object of a kind."""

    kind: GroupVersionKind
    position: Position
    object: Any

    @property
    def field(self) -> tuple[str, str]:
        """The definition that has the field, and its name."""
        return self.position.definition, self.position.field

    @property
    def value(self) -> Any:
        return value_at(self.object, self.position.path)

    @property
    def context(self) -> str:
        """Its place, as tables write it."""
        path = keys_of(path_of_field(self.position))
        return f"{self.kind.api_version}/{self.kind.kind}:{path}"

    @property
    def target(self) -> Target:
        """The value, as a server may refuse it."""
        return Target.of(self.position)

    def changed(self, value: Any) -> Any:
        """The object with another value of the field."""
        return replaced(self.object, self.position.path, value)


def basic_candidates(
    validator: Validator,
    group: Sequence[Occurrence],
    constants: Mapping[tuple[str, str], Sequence[str]],
) -> Iterator[tuple[Occurrence, Candidate]]:
    """What two questions about each occurrence say: an ``enum`` of the names in an answer,
    one of a line each, that a field is ``required``, or that an odd value is ``refused``.

    ``constants`` are values of fields whose refusals may not name the others.
    """
    leaves = [found for found in group if type(found.value) in (str, int)]
    fields = [found for found in group if not found.position.is_item]
    odd = [found.changed(_odd(found.value)) for found in leaves]
    absent = [removed(found.object, found.position.path) for found in fields]
    answers = created(validator, [*odd, *absent])
    for found, answer in zip(leaves, answers, strict=False):
        names: Sequence[str] | None = _supported(answer, found.position)
        if found.target.verdict(answer) == "refused":
            yield found, ("refused", "")
            if isinstance(found.value, str):
                names = names or constants.get(found.field)
        if names:
            yield found, ("enum", "\n".join(sorted(set(names))))
    for found, answer in zip(fields, answers[len(leaves) :], strict=True):
        if _is_required(answer, found.target):
            yield found, ("required", "true")


def _odd(value: Any) -> Any:
    return BOGUS if isinstance(value, str) else -_INT32


def accepted_names(
    validator: Validator, found: Occurrence, names: Sequence[str]
) -> list[str]:
    """Those of the values of an enum that one object can have."""
    answers = created(validator, map(found.changed, names))
    return [
        name
        for name, answer in zip(names, answers, strict=True)
        if found.target.verdict(answer) != "refused"
    ]


def mutations(
    release: Release, validator: Validator, found: Occurrence
) -> Iterator[Candidate]:
    """The limits that the values of a field seem to have in one object."""
    asked = _Questions(validator, found)
    value, schema = found.value, found.position.schema
    leaf = release.resolve(schema)
    if isinstance(value, list) and value and not found.position.is_item:
        yield from asked.unique()
        yield from asked.max_items()
    elif isinstance(value, dict) and value and schema.values is not None:
        yield from asked.key_format()
    elif isinstance(value, str):
        is_text = not leaf.format and schema.ref not in (QUANTITY, INT_OR_STRING)
        if is_text and asked.is_open():
            yield from asked.max_length()
            yield from asked.format()
    elif type(value) is int and leaf.type == "integer":
        yield from asked.border("minimum", -1)
        yield from asked.border("maximum", 1)


class _Questions:
    """Questions about one occurrence of a field."""

    def __init__(self, validator: Validator, found: Occurrence) -> None:
        self._validator = validator
        self._found = found
        self._path = found.position.path

    def _answers(self, values: Sequence[Any]) -> list[Answer]:
        return created(self._validator, map(self._found.changed, values))

    def _verdicts(self, values: Sequence[Any]) -> list[Verdict]:
        return [*map(self._found.target.verdict, self._answers(values))]

    def is_open(self) -> bool:
        """Whether no list of values is all that the field accepts."""
        (answer,) = self._answers([BOGUS])
        return _supported(answer, self._found.position) is None

    def unique(self) -> Iterator[Candidate]:
        first, *others = self._found.value
        keys = self._duplicates([first, first, *others])
        if keys == {""} and isinstance(first, dict):
            keys = {
                name
                for name, value in first.items()
                if type(value) in (str, int)
                and not self._duplicates([first, {**first, name: _other(value)}])
            } or {""}
        if keys:
            yield "unique", " ".join(sorted(keys - {""})) or '""'

    def _duplicates(self, items: Sequence[Any]) -> set[str]:
        """The fields of the second item that the server names as the same as those of the
        first one; empty for the item itself."""
        start = f"{field_path(self._path)}[1]"
        (answer,) = self._answers([items])
        fields = {
            cause.field.removeprefix(start).removeprefix(".")
            for cause in answer.causes
            if cause.field.startswith(start)
            and (
                cause.reason == "FieldValueDuplicate"
                or "must be unique" in cause.message
            )
        }
        # Ports of a Service are the same by several of their fields.
        item = items[1] if isinstance(items[1], dict) else ()
        return {field if field in item else "" for field in fields}

    def max_items(self) -> Iterator[Candidate]:
        first, target = self._found.value[0], self._found.target
        reasons = ("FieldValueTooMany", "FieldValueTooLong")

        def are_refused(counts: Sequence[int]) -> list[bool]:
            return [
                any(cause.reason in reasons for cause in target.causes(answer))
                for answer in self._answers([[first] * count for count in counts])
            ]

        if are_refused([_MOST_ITEMS])[0]:
            yield "max_items", str(_search(are_refused, 1, _MOST_ITEMS) - 1)

    def border(self, rule: str, sign: int) -> Iterator[Candidate]:
        """The least or the largest number that is accepted."""

        def are_refused(numbers: Sequence[int]) -> list[bool]:
            verdicts = self._verdicts([sign * number for number in numbers])
            return [verdict == "refused" for verdict in verdicts]

        if are_refused([_INT32])[0]:
            border = _search(are_refused, sign * self._found.value, _INT32)
            yield rule, str(sign * (border - 1))

    def max_length(self) -> Iterator[Candidate]:
        value, target = self._found.value or "a", self._found.target

        def are_refused(lengths: Sequence[int]) -> list[bool]:
            texts = [(value * (count // len(value) + 1))[:count] for count in lengths]
            return [
                any(
                    cause.reason == "FieldValueTooLong"
                    or "must be no more than" in cause.message
                    for cause in target.causes(answer)
                )
                for answer in self._answers(texts)
            ]

        refused = are_refused(_LENGTHS[1:])
        for (low, high), is_refused in zip(pairwise(_LENGTHS), refused, strict=True):
            if is_refused:
                yield "max_length", str(_search(are_refused, low, high) - 1)
                return

    def format(self) -> Iterator[Candidate]:
        verdicts = dict(zip(PROBES, self._verdicts(PROBES), strict=True))
        if verdicts[""] == "refused":
            yield "min_length", "1"
        yield from _formats("format", verdicts)

    def key_format(self) -> Iterator[Candidate]:
        value, target = next(iter(self._found.value.values())), self._found.target
        answers = self._answers([{text: value} for text in PROBES])
        verdicts: dict[str, Verdict] = {
            text: "refused" if target.is_refused(answer) else target.verdict(answer)
            for text, answer in zip(PROBES, answers, strict=True)
        }
        yield from _formats("key_format", verdicts)


def _formats(rule: str, verdicts: Mapping[str, Verdict]) -> Iterator[Candidate]:
    """The first format that has just the texts that were accepted."""
    known = {text for text in verdicts if text and verdicts[text] != "unknown"}
    refused = {text for text in known if verdicts[text] == "refused"}
    is_about_length = all(len(text) > 60 for text in refused)
    if len(verdicts) - len(known) < _MOST_UNKNOWN and known > refused:
        for name, format_ in {} if is_about_length else FORMATS.items():
            if all(format_.accepts(text) != (text in refused) for text in known):
                yield rule, name
                return


def _other(value: Any) -> Any:
    return value + 1 if isinstance(value, int) else f"{value}2"


def _is_required(answer: Answer, target: Target) -> bool:
    """Whether a server refuses an object for nothing but the absence of a value, or of
    what it has."""
    about = (*target.causes(answer), *target.causes_inside(answer))
    return answer.code == 422 and len(about) == len(answer.causes) > 0


def _supported(answer: Answer, position: Position) -> list[str] | None:
    # Of a strategy, the field itself is not named.
    is_part = position.is_item or position.field == "type"
    for cause in Target(position.path, is_part).causes(answer):
        if cause.reason == "FieldValueNotSupported" and (names := listed_values(cause)):
            return sorted({*names})
    return None


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
