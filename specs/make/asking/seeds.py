"""Objects that an API server accepts, with as many fields as possible.

It begins with examples, and adds each field of each definition in turn. What the server
says of an object that it refuses repairs it: supported values, required fields, what is
not allowed together.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence, Set
from itertools import product
from typing import Any

from kubestencil.checking.verdicts.internal_paths import located
from kubestencil.schema.types import Release, Schema
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause
from specs.make.asking.answers import accepted, created
from specs.make.asking.objects import (
    Path,
    find,
    general,
    names_in,
    objects_in,
    positions,
    removed,
    replaced,
    value_at,
)
from specs.make.asking.samples import sample

_TEXTS = (
    "a", "example.com/a", "a.example.com", "10.0.0.1", "10.0.0.0/24", "/a", "1", "In",
    "Exists", "DoesNotExist", "https://a.example.com/a", "100m", "1Gi", "*/5 * * * *",
    "a/b", "a.b.example.com", "v1", "1.0.0", "UTC", "50%", "::1", "User", "Pod", "true",
    "Localhost", "NEVER", "p256", "a=b", "object == null", "device.driver == 'a'",
    "system:node:a", "Ready", "*", "metadata.name", "requests.cpu", "limits.cpu",
    "rbac.authorization.k8s.io", "2030-01-31T12:00:00Z", "Normal", "ReadWriteOncePod",
)  # fmt: skip
_NUMBERS = (1, 80, 1000, 30, 0, 10, 600, 3600, 30001, 100, -1, 65534)
_ROUNDS = 8
# How many values of a field are remembered, and how often one is looked for.
_SAMPLES = 4
_ATTEMPTS = 2
# A field of a definition that so many kinds have is not added to others.
_KINDS = 2
# Fields are added to objects with fewer characters: larger ones take longer to answer.
_LARGEST = 6_000
_SUPPORTED = re.compile(r'supported values: ((?:"[^"]*"(?:, )?)+)')
_VALID = re.compile(r'valid values: ((?:"[^"]*"(?:, )?)+)')
_QUOTED = re.compile(r'"([^"]*)"')
_BACKTICKS = re.compile(r"`(\w+)`")


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
        self._samples = samples
        self.objects: list[Any] = []
        self._covered: set[str] = set()

    def find(self, candidates: Sequence[Any]) -> None:
        """Collect the accepted ones of candidates, repaired, and add fields to them."""
        for candidate in candidates:
            repaired = self._repaired(candidate, ())
            if repaired is not None:
                self._collect(repaired)
        if self.objects:
            self._grow()

    def _collect(self, value: Any) -> None:
        """Keep an object that has a field that no other has."""
        self._samples.remember(self._release, self._definition, value)
        found = positions(self._release, self._definition, value)
        paths = {general(position.path) for position in found}
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
            name = general(path)
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
        beside = find(largest, parent)
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
            chain = general(path).split(".")
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
        bases = [base for base in bases if find(base, path[:-1]) is not None]
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
            repaired = self._repaired(replaced(base, path, new), path)
            if repaired is not None:
                return repaired
        self._samples.fail(owner, field)
        return None

    def _repaired(self, value: Any, protected: Path) -> Any:
        """An object that the server accepts, with the value at ``protected``; None where
        it is not found."""
        seen: set[str] = set()
        for _ in range(_ROUNDS):
            answer = self._ask(value)
            if answer.accepted:
                return None if find(value, protected) is None else value
            if answer.code != 422 or not answer.causes:
                return None
            before = value
            for cause in answer.causes[:6]:
                value = self._remedied(value, cause, protected)
            text = str(value)
            if value is before or text in seen:
                return None
            seen.add(text)
        return None

    def _ask(self, value: Any) -> Answer:
        (answer,) = created(self._validator, [value])
        return answer

    def _remedied(self, value: Any, cause: Cause, protected: Path) -> Any:
        """An object without one of the causes why it is refused; as it is where nothing
        is known to help."""
        path, rest = located(cause.field, value)
        listed = _SUPPORTED.search(cause.message) or _VALID.search(cause.message)
        if listed and not rest and path:
            supported = _QUOTED.findall(listed[1])
            old = value_at(value, path)
            new = [supported[0]] if isinstance(old, list) else supported[0]
            return replaced(value, path, new)
        if cause.reason == "FieldValueRequired" or rest:
            return self._with_required(value, path, rest, cause, listed)
        old = value_at(value, path)
        is_own = protected[: len(path)] == path
        if isinstance(old, str | int) and not isinstance(old, bool):
            better = self._other_scalar(value, path, old)
            if better is not None:
                return better
        if not path or is_own:
            return self._without_siblings(value, path, cause, protected)
        return removed(value, path)

    def _with_required(
        self, value: Any, path: Path, rest: str, cause: Cause, listed: Any
    ) -> Any:
        names = [
            name for name in re.split(r"[.\[\]]+", rest) if name and not name.isdigit()
        ]
        chosen = _BACKTICKS.findall(cause.message) if "one of" in cause.message else []
        owner = dict(objects_in(self._release, self._definition, value)).get(path)
        schema_of = self._release.definitions[owner].schema.field if owner else None
        for name in (*names[:1], *chosen[:1]):
            schema = schema_of and schema_of(name)
            if owner and schema:
                new = sample(self._release, (owner, name), schema)
                if listed:
                    new = _QUOTED.findall(listed[1])[0]
                return replaced(value, (*path, name), new)
        for position in positions(self._release, self._definition, value):
            is_empty = find(value, position.path) in ("", [], {}, None)
            if position.path == path and not rest and is_empty:
                field = position.definition, position.field
                new = sample(self._release, field, position.schema)
                return replaced(value, path, new)
        return value

    def _other_scalar(self, value: Any, path: Path, old: Any) -> Any:
        """An object with another text or number at a path, about which nothing is said."""
        pool: Sequence[Any] = _NUMBERS
        if isinstance(old, str):
            pool = (*_TEXTS, *dict.fromkeys(names_in(value)))
        candidates = [replaced(value, path, new) for new in pool if new != old]
        answers = created(self._validator, candidates)
        for candidate, answer in zip(candidates, answers, strict=True):
            if answer.accepted:
                return candidate
            if answer.code == 422 and not any(
                located(cause.field, candidate) == (path, "") for cause in answer.causes
            ):
                return candidate
        return None

    def _without_siblings(
        self, value: Any, path: Path, cause: Cause, protected: Path
    ) -> Any:
        """An object whose field is alone: others exclude it."""
        for length in range(len(protected) - 1, 0, -1):
            parent, kept = protected[:length], protected[length]
            beside = value_at(value, parent)
            if isinstance(beside, dict) and path in (parent, (*parent, kept)):
                for name in beside:
                    if name not in (kept, "name", "key"):
                        candidate = removed(value, (*parent, name))
                        answer = self._ask(candidate)
                        if answer.accepted or (
                            answer.code == 422 and cause not in answer.causes
                        ):
                            return candidate
                if len(beside) > 2:
                    keep = {k: v for k, v in beside.items() if k in (kept, "name")}
                    return replaced(value, parent, keep)
        return value
