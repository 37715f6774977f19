"""Makes the table ``examples`` of a release."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from kubestencil.schema.field_paths import fields_along
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.knowledge.conditions import (
    ExampleChange,
    change_order,
    example_change_rows,
)
from kubestencil.schema.types import Release
from kubestencil.source.releases import ReleaseRange
from kubestencil.targets.field_examples.objects import FieldExamples
from kubestencil.validator.binaries import require_binary
from kubestencil.validator.process import Validator
from specs.make.asking.pool import accepted_objects, examples, seed_objects
from specs.make.checkouts import Checkout
from specs.make.documents import known_release
from specs.make.examples.questions import Question, kept, questions
from specs.make.examples.search import Needed, Pool, Search
from specs.make.progress import report

_VERSION = re.compile(r"\.v\d\w*\.")
# How many other fields a change may concern are asked about before it is believed.
_ASKED = 30
# How often the search fails for a field in a place before it is left.
_ATTEMPTS = 2
# In how many kinds a field is asked about first.
_KINDS = 2


def ask_tables(checkout: Checkout) -> dict[str, list[tuple[str, ...]]]:
    """The rows of a release, by asking its program which examples it refuses, and what
    they lack. What is known of other releases is tried first."""
    release = known_release(checkout)
    with Validator(require_binary(checkout.release)) as validator:
        names = kind_definitions(release)
        objects = accepted_objects(release, validator, seed_objects())
        pool = Pool(
            release,
            {
                name: [*objects.get(kind, ()), *examples(release, name)]
                for name, kind in names.items()
            },
        )
        made = Examples(release, validator)
        made.grow(Search(release, validator, pool))
        made.prune()
    return {"examples": [*made.rows()]}


class Examples:
    """The examples of a release, and the changes that they need, as many as are known."""

    def __init__(self, release: Release, validator: Validator) -> None:
        self._release = release
        self._validator = validator
        self._changes: dict[str, list[ExampleChange]] = defaultdict(list)
        #: What examples need in any release, by definition, of any version: it is tried
        #: first.
        self._known: dict[str, list[Needed]] = defaultdict(list)
        for row in example_change_rows():
            needed = Needed(row.definition, row.path, row.value)
            self._known[_of_any_version(row.definition)].append(needed)
            if row.releases.includes(release.name):
                self._add(needed)
        self._examples = FieldExamples(release, self._changes)
        self._questions = [*questions(release)]
        self._by_field: dict[tuple[str, str], list[Question]] = defaultdict(list)
        for question in self._questions:
            definition = release.definitions[question.definition]
            for _, field, owner in fields_along(definition, release, question.path):
                self._by_field[owner, field.name].append(question)

    def rows(self) -> Iterable[tuple[str, ...]]:
        """The rows of the table."""
        for changes in self._changes.values():
            for row in changes:
                yield row.definition, row.path, row.change, "asked"

    def grow(self, search: Search) -> None:
        """Look for what refused examples lack, until nothing more is found."""
        good: set[Question] = set()
        for asked in (self._some(), self._questions):
            good |= self._kept(asked)
            refused = sorted((each for each in asked if each not in good), key=_depth)
            report(f"{self._release.name}: {len(refused)} examples are refused")
            failures: Counter[tuple[str, ...]] = Counter()
            for question in refused:
                field = self._field(question)
                if failures[field] < _ATTEMPTS and not self._is_helped(
                    search, question, good
                ):
                    failures[field] += 1

    def _some(self) -> list[Question]:
        """Fields of each definition in two kinds."""
        found: Counter[tuple[str, ...]] = Counter()
        some = []
        for question in self._questions:
            field = self._field(question)
            found[field] += 1
            if found[field] <= _KINDS:
                some.append(question)
        return some

    def prune(self) -> None:
        """Remove changes that no example needs."""
        good = self._kept(self._questions)
        for changes in [*self._changes.values()]:
            for row in [*changes]:
                index = changes.index(row)
                changes.remove(row)
                concerned = self._concerned(row.definition, row.path)
                asked = [question for question in concerned if question in good]
                if self._kept(asked) != set(asked):
                    changes.insert(index, row)

    def _is_helped(
        self, search: Search, question: Question, good: set[Question]
    ) -> bool:
        """Whether an example is kept with what is known, or with what is found."""
        if self._kept([question]):
            return True
        example = self._example(question)
        if example is None:
            return False
        for proposal in chain(self._proposed(question), search.find(question, example)):
            before = {name: [*rows] for name, rows in self._changes.items()}
            for needed in proposal:
                self._add(needed)
            others = [
                other
                for needed in proposal
                for other in self._concerned(needed.definition, needed.path)
                if other in good
            ]
            asked = {question, *_sample(others)}
            if self._kept([*asked]) == asked:
                good.add(question)
                return True
            self._changes.clear()
            self._changes.update(before)
        return False

    def _proposed(self, question: Question) -> Iterator[list[Needed]]:
        """What examples need in any release, about a field and what it is in, each and
        together."""
        definition = self._release.definitions[question.definition]
        along = [*fields_along(definition, self._release, question.path)]
        inner: list[Needed] = []
        for index in range(len(along) - 1, -1, -1):
            rest = ".".join(step.field.name for step in along[index:])
            owner = along[index].definition
            together = [
                needed._replace(definition=owner)
                for needed in self._known[_of_any_version(owner)]
                if needed.path.split(".")[0] == along[index].field.name
            ]
            for needed in together:
                if f"{rest}.".startswith(f"{needed.path}."):
                    yield [needed]
            # What one of them changes for the worse, another one may mend.
            if len(together) > 1:
                yield together
            inner += together
            if len(inner) > len(together) > 0:
                yield [*inner]

    def _add(self, needed: Needed) -> None:
        """Add a change to those that are known of its definition and path."""
        rows = self._changes.setdefault(needed.definition, [])
        old = next((row for row in rows if row.path == needed.path), None)
        change = _both(old.value, needed.change) if old else needed.change
        row = ExampleChange(
            ReleaseRange(self._release.name),
            needed.definition,
            needed.path,
            json.dumps(change, sort_keys=True),
            "asked",
        )
        if old:
            rows[rows.index(old)] = row
        else:
            rows.append(row)
            rows.sort(key=change_order)

    def _concerned(self, definition: str, path: str) -> list[Question]:
        """The fields whose examples a change may concern."""
        first = path.split(".")[0]
        for length in range(len(path), 0, -1):
            if (definition, path[:length]) in self._by_field:
                first = path[:length]
                break
        rest = path
        return [
            question
            for question in self._by_field.get((definition, first), ())
            if f".{rest}." in f".{question.path}."
        ]

    def _kept(self, asked: Sequence[Question]) -> set[Question]:
        answers = kept(
            self._release,
            self._validator,
            [(each, self._example(each)) for each in asked],
        )
        return {each for each, is_kept in zip(asked, answers, strict=True) if is_kept}

    def _example(self, question: Question) -> Any:
        definition = self._release.definitions[question.definition]
        return self._examples.example(definition, question.path)

    def _field(self, question: Question) -> tuple[str, ...]:
        """The definition and name of a field, and the field that its object is in."""
        definition = self._release.definitions[question.definition]
        *_, last = fields_along(definition, self._release, question.path)
        return last.definition, last.field.name, *question.steps[-2:-1]


def _both(first: Any, second: Any) -> Any:
    """The change that makes one change, and then another one."""
    if not (isinstance(first, Mapping) and isinstance(second, Mapping)):
        return second
    names = dict.fromkeys((*first, *second))
    return {
        n: _both(first.get(n), second[n]) if n in second else first[n] for n in names
    }


def _depth(question: Question) -> tuple[int, str, str]:
    return len(question.steps), question.path, question.definition


def _sample(values: Sequence[Question]) -> Sequence[Question]:
    """Some values, from the whole list."""
    return values[:: max(1, len(values) // _ASKED)]


def _of_any_version(definition: str) -> str:
    """The name of a definition without its version."""
    return _VERSION.sub(".", definition)
