"""What is known of the fields of one object together: which need or exclude each other,
the conditions of facts, terms about other fields of the object, and what the example of a
field needs beside it (the table ``examples``)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from kubestencil.schema.knowledge.tables import ranged_rows, rows, rows_of_release
from kubestencil.source.releases import ReleaseRange


class Combination(NamedTuple):
    """A rule about the fields of a definition.

    ``condition`` has the terms of ``facts.values.Default``, all of which hold; empty for
    always. ``rule`` is ``needs``, ``forbids``, ``exactly-one-of``, ``at-most-one-of``,
    ``at-least-one-of``, ``at-most`` and ``at-least``, which compare the first field
    with the second one, or ``format``, of the texts of the first field; ``fields`` are
    JSON names, the second one of ``format`` that of a format. A field counts as set where
    it is neither null, nor an empty text or list; ``needs`` accepts an empty text, too.
    ``found`` is ``asked``, or ``reviewed`` for what no object can prove.
    """

    releases: ReleaseRange
    definition: str
    condition: tuple[str, ...]
    rule: str
    fields: tuple[str, ...]
    found: str = "asked"

    @property
    def names(self) -> frozenset[str]:
        """The fields of the definition that it is about."""
        terms = (parse_term(term).field for term in self.condition)
        fields = self.fields[:1] if self.rule == "format" else self.fields
        paths = (name for name in (*fields, *terms) if not name.isdigit())
        return frozenset(path.partition(".")[0] for path in paths)

    @property
    def in_words(self) -> str:
        """The rule in words: ``needs labelSelector where matchLabelKeys is set``."""
        separator = " as " if self.rule == "format" else ", "
        fields = separator.join(self.fields[:_MAX_FIELDS])
        others = len(self.fields) - _MAX_FIELDS
        more = f" and {others} others" if others > 0 else ""
        words = _RULES[self.rule].format(f"{fields}{more}")
        terms = " and ".join(str(parse_term(term)) for term in self.condition)
        return f"{words} where {terms}" if terms else words


_MAX_FIELDS = 6
_RULES = {
    "needs": "needs {}",
    "forbids": "without {}",
    "exactly-one-of": "exactly one of {}",
    "at-most-one-of": "at most one of {}",
    "at-least-one-of": "at least one of {}",
    "at-most": "in ascending order: {}",
    "at-least": "in descending order: {}",
    "format": "{}",
}


def combination_rows() -> Iterator[Combination]:
    """The rows of ``combinations`` in ``specs/facts/``."""
    return ranged_rows("combinations", Combination, 4)


Operator = Literal["=", "!=", "~", "!~", "set", "absent"]

_OPERATORS: tuple[Operator, ...] = ("!=", "=", "!~", "~")
_WORDS: Mapping[Operator, str] = {
    "!=": "{} is not {}",
    "=": "{} is {}",
    "!~": "{} has another tag than {}, or a digest",
    "~": "{} has the tag {}, or neither tag nor digest",
    "set": "{} is set",
    "absent": "{} is not set",
}
# A registry may have a port. A digest stands in for a tag.
_IMAGE = re.compile(r"(?:[^/]*/)*[^/:@]+(?::([^/:@]+))?(@.*)?\Z", re.DOTALL)


class Term(NamedTuple):
    """A term: ``type=Recreate``, ``type!=Recreate``, ``image~latest`` (the tag of an
    image, latest where it has neither tag nor digest), ``image!~latest``, ``secret``
    (set), ``!secret`` (absent)."""

    field: str
    operator: Operator
    value: str

    def given(self, value: Mapping[str, Any]) -> Any:
        """The value of its field, which may be one of an object inside: ``target.kind``."""
        part: Any = value
        for name in self.field.split("."):
            part = part.get(name) if isinstance(part, Mapping) else None
        return part

    def holds(self, value: Mapping[str, Any]) -> bool:
        """Whether the term holds for an object."""
        part = self.given(value)
        if self.operator in ("=", "!="):
            text = str(part).lower() if type(part) in (bool, int) else part
            return bool(text == self.value) == (self.operator == "=")
        if self.operator in ("~", "!~"):
            if not isinstance(part, str) or not part:
                return False
            return (_tag(part) == self.value) == (self.operator == "~")
        return is_set(part) == (self.operator == "set")

    def __str__(self) -> str:
        """The term in words."""
        return _WORDS[self.operator].format(self.field, self.value)


@cache
def parse_term(text: str) -> Term:
    """The term that a cell of a table has."""
    for operator in _OPERATORS:
        field, found, value = text.partition(operator)
        if found:
            return Term(field, operator, value)
    return Term(text.lstrip("!"), "absent" if text.startswith("!") else "set", "")


def is_set(value: Any) -> bool:
    """Whether the server takes a field as set."""
    return value is not None and value != "" and value != []


def _tag(image: str) -> str | None:
    match = _IMAGE.match(image)
    if match is None:
        return None
    return match[1] or (None if match[2] else "latest")


@cache
def refused_fields(release: str) -> frozenset[tuple[str, str]]:
    """The fields, with their definitions, without which every object has to be."""
    return frozenset(
        (definition, field)
        for definition, found in combinations(release).items()
        for row in found
        if row.rule == "forbids" and not row.condition
        for field in row.fields
    )


@cache
def combinations(release: str) -> Mapping[str, Sequence[Combination]]:
    """The combinations of a release by definition."""
    return rows_of_release(combination_rows(), release, lambda row: row.definition)


def alternatives_of(
    definition: str, field: str, release: str | None = None
) -> tuple[str, ...]:
    """The fields, with this one, of which an object always needs one; empty where that
    is not known of a release, or, without one, of any."""
    of_release = combinations(release).get(definition, ()) if release else None
    known = combination_rows() if of_release is None else of_release
    for row in known:
        if (
            row.definition == definition
            and field in row.fields
            and row.rule in ("exactly-one-of", "at-least-one-of")
            and not row.condition
        ):
            return row.fields
    return ()


class ExampleChange(NamedTuple):
    """A change of an object of ``definition`` in which there is a value at ``path``.

    ``path`` has JSON names without the indexes of lists. ``change`` is JSON that is merged
    into the object: null removes a field; what is merged into a list is either an object
    with its indexes, or a list, whose items are added. ``found`` is ``asked``, or
    ``reviewed`` for what was written by hand.
    """

    releases: ReleaseRange
    definition: str
    path: str
    change: str
    found: str

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the path."""
        return tuple(self.path.split("."))

    @property
    def value(self) -> Mapping[str, Any]:
        """The change."""
        change: Mapping[str, Any] = json.loads(self.change)
        return change


def example_change_rows() -> Iterator[ExampleChange]:
    """The rows of the table ``examples``."""
    return ranged_rows("examples", ExampleChange, 3)


@cache
def example_changes(release: str) -> Mapping[str, Sequence[ExampleChange]]:
    """The changes of a release by definition, those of shorter paths first."""
    changes = sorted(example_change_rows(), key=change_order)
    return rows_of_release(changes, release, lambda row: row.definition)


def change_order(row: ExampleChange) -> tuple[int, str]:
    """A key that sorts the changes of a definition as they are made: what is about more
    fields first."""
    return len(row.steps), row.path


class RefusedPlace(NamedTuple):
    """Fields of definitions, or at paths in them, that no new object keeps, and why
    (``specs/refused-places.tsv``)."""

    releases: ReleaseRange
    definitions: tuple[str, ...]
    paths: tuple[str, ...]
    reason: str


@cache
def refused_places(release: str) -> Mapping[tuple[str, str], str]:
    """The reasons in a release by definition and path."""
    return {
        (definition, path): row.reason
        for row in rows("refused-places", RefusedPlace)
        if row.releases.includes(release)
        for definition in row.definitions
        for path in row.paths
    }
