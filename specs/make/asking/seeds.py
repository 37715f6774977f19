"""Objects that an API server accepts, with as many fields as possible.

It begins with examples, and adds each field of each definition in turn. What the server
says of an object that it refuses repairs it: supported values, required fields, what is
not allowed together.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence, Set
from itertools import product
from typing import Any

from kubestencil.checking.paths import Path, keys_of, value_at
from kubestencil.schema.types import Release, Schema
from kubestencil.validator.process import Validator
from specs.make.asking.answers import accepted
from specs.make.asking.objects import objects_in, positions, replaced
from specs.make.asking.repairs import Repairs
from specs.make.asking.samples import sample

# How many values of a field are remembered, and how often one is looked for.
_SAMPLES = 4
_ATTEMPTS = 2
# A field of a definition that so many kinds have is not added to others.
_KINDS = 2
# Fields are added to objects with fewer characters: larger ones take longer to answer.
_LARGEST = 6_000


class Samples:
    """Values of fields in accepted objects, and how often none was found: what is true of
    a field of a definition in one kind or release is likely to be so in another."""

    def __init__(self, done: Set[tuple[str, str]] = frozenset()) -> None:
        self._values: dict[tuple[str, str], list[Any]] = {}
        self._kinds: dict[tuple[str, str], set[str]] = {}
        self._failures = Counter[tuple[str, str]]()
        #: The fields, with their definitions, of which no values are looked for.
        self.done = done

    def of(self, definition: str, field: str) -> Sequence[Any]:
        """Some values that a field has in accepted objects."""
        return self._values.get((definition, field), ())

    def remember(self, release: Release, kind: str, value: Any) -> None:
        """Remember some values of each field in an accepted object of a definition."""
        for position in positions(release, kind, value):
            if not position.is_item:
                field = position.definition, position.field
                self._kinds.setdefault(field, set()).add(kind)
                known = self._values.setdefault(field, [])
                part = value_at(value, position.path)
                if len(known) < _SAMPLES and part not in known:
                    known.append(part)

    def copy(self) -> Samples:
        """Samples that other ones are not added to."""
        copy = Samples(self.done)
        copy._values = {field: list(known) for field, known in self._values.items()}
        copy._kinds = {field: set(kinds) for field, kinds in self._kinds.items()}
        return copy

    def fail(self, definition: str, field: str) -> None:
        """Remember that no value of a field was accepted."""
        self._failures[definition, field] += 1

    def is_known(self, definition: str, field: str) -> bool:
        """Whether objects of enough kinds have a field, or no value is looked for."""
        kinds = self._kinds.get((definition, field), ())
        return len(kinds) >= _KINDS or (definition, field) in self.done

    def is_hopeless(self, definition: str, field: str) -> bool:
        """Whether looking for a value has failed often enough."""
        return self._failures[definition, field] >= _ATTEMPTS


class Seeds:
    """Accepted objects of one kind of a release, which grow field by field."""

    def __init__(
        self,
        release: Release,
        definition: str,
        validator: Validator,
        samples: Samples,
    ) -> None:
        self._release = release
        self._definition = definition
        self._validator = validator
        self._repairs = Repairs(release, definition, validator)
        self._samples = samples
        self.objects: list[Any] = []
        self._covered: set[str] = set()

    def find(self, candidates: Sequence[Any]) -> None:
        """Collect the accepted ones of candidates, repaired, and add fields to them."""
        for candidate in candidates:
            repaired = self._repairs.repaired(candidate, ())
            if repaired is not None:
                self._collect(repaired)
        if self.objects:
            self._grow()

    def _collect(self, value: Any) -> None:
        """Keep an object that has a field that no other has."""
        self._samples.remember(self._release, self._definition, value)
        found = positions(self._release, self._definition, value)
        paths = {keys_of(position.path) for position in found}
        if not paths <= self._covered:
            self._covered |= paths
            self.objects.append(value)

    def _grow(self) -> None:
        largest = max(self.objects, key=lambda value: len(str(value)))
        smallest = self.objects[0]
        tried: set[str] = set()
        pending = deque(self._absent_fields(largest))
        while pending:
            path, schema, owner = pending.popleft()
            name = keys_of(path)
            is_known = self._samples.is_known(owner, str(path[-1]))
            if name in self._covered or name in tried or is_known:
                continue
            tried.add(name)
            bases = (largest, *self._bases(path, largest, smallest))
            grown = self._with_field(bases, path, schema, owner)
            if grown is not None:
                self._collect(grown)
                if len(str(largest)) < len(str(grown)) < _LARGEST:
                    largest = grown
                pending.extend(self._absent_fields(grown, path))

    def _bases(self, path: Path, largest: Any, smallest: Any) -> Iterator[Any]:
        """Other objects to add a field to: without what is beside it, and small."""
        parent = path[:-1]
        beside = value_at(largest, parent)
        if isinstance(beside, dict) and parent:
            kept = {k: v for k, v in beside.items() if k in ("name", "key", "type")}
            yield replaced(largest, parent, kept)
        yield from (smallest, *self.objects[1:4])

    def _absent_fields(
        self, value: Any, within: Path = ()
    ) -> Iterator[tuple[Path, Schema, str]]:
        """The fields that objects in an object could have, and do not, with their
        definitions."""
        for path, name in objects_in(self._release, self._definition, value):
            if path[: len(within)] != within:
                continue
            present = value_at(value, path)
            chain = keys_of(path).split(".")
            for field, schema, _ in self._release.definitions[name].fields:
                if field in present or (not path and field == "status"):
                    continue
                if chain.count(field) < 2:
                    yield (*path, field), schema, name

    def _with_field(
        self, bases: Sequence[Any], path: Path, schema: Schema, owner: str
    ) -> Any:
        """One of some objects, with a field that it lacks; None where no value of it is
        accepted."""
        field = str(path[-1])
        bases = [base for base in bases if value_at(base, path[:-1]) is not None]
        if self._samples.is_hopeless(owner, field):
            return None
        candidates = [
            replaced(base, path, known)
            for base, known in product(bases[:2], self._samples.of(owner, field))
        ]
        for candidate in accepted(self._validator, candidates):
            return candidate
        new = sample(self._release, (owner, field), schema)
        for base in bases:
            repaired = self._repairs.repaired(replaced(base, path, new), path)
            if repaired is not None:
                return repaired
        self._samples.fail(owner, field)
        return None
