"""Objects that an API server accepts, with as many fields as possible.

It begins with examples, and adds each field of each definition in turn. What the server
says of an object that it refuses repairs it: supported values, required fields, what is
not allowed together.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from kubestencil.checking.verdicts.internal_paths import located
from kubestencil.schema.types import Release, Schema
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause, Request
from specs.make.values.objects import (
    Path,
    general,
    names_in,
    object_definition,
    positions,
    removed,
    replaced,
    value_at,
)

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

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[Any]] = {}
        self._kinds: dict[tuple[str, str], set[str]] = {}
        self._failures: Counter[tuple[str, str]] = Counter()
        #: The fields, with their definitions, of which no values are looked for.
        self.done: set[tuple[str, str]] = set()

    def of(self, definition: str, field: str) -> Sequence[Any]:
        """Some values that a field has in accepted objects."""
        return self._values.get((definition, field), ())

    def add(self, kind: str, definition: str, field: str, value: Any) -> None:
        """Remember a value of a field in an accepted object of a kind."""
        self._kinds.setdefault((definition, field), set()).add(kind)
        known = self._values.setdefault((definition, field), [])
        if len(known) < _SAMPLES and value not in known:
            known.append(value)

    def copy(self) -> Samples:
        """Samples that other ones are not added to."""
        copy = Samples()
        copy._values = {field: list(known) for field, known in self._values.items()}
        copy.done = self.done
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

    def _collect(self, value: Any) -> bool:
        """Keep an object that has a field that no other has."""
        paths = set()
        for position in positions(self._release, self._definition, value):
            paths.add(general(position.path))
            if not position.is_item:
                part = value_at(value, position.path)
                self._samples.add(
                    self._definition, position.definition, position.field, part
                )
        is_new = not paths <= self._covered
        if is_new:
            self._covered |= paths
            self.objects.append(value)
        return is_new

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
        try:
            beside = value_at(largest, parent)
            if isinstance(beside, dict) and parent:
                kept = {k: v for k, v in beside.items() if k in ("name", "key", "type")}
                yield replaced(largest, parent, kept)
        except LookupError:
            pass
        yield from (smallest, *self.objects[1:4])

    def _absent_fields(
        self, value: Any, within: Path = ()
    ) -> Iterator[tuple[Path, Schema, str]]:
        """The fields that objects in an object could have, and do not, with their
        definitions."""
        roots: list[tuple[Path, str]] = [] if within else [((), self._definition)]
        for position in positions(self._release, self._definition, value):
            if position.path[: len(within)] == within:
                target = object_definition(self._release, position.schema)
                if target and isinstance(value_at(value, position.path), dict):
                    roots.append((position.path, target))
        for path, name in roots:
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
        bases = [base for base in bases if _has(base, path[:-1])]
        if self._samples.is_hopeless(owner, field):
            return None
        candidates = [
            replaced(base, path, sample)
            for base, sample in product(bases[:2], self._samples.of(owner, field))
        ]
        answers = self._validator.ask(Request("create", value) for value in candidates)
        for candidate, answer in zip(candidates, [*answers], strict=True):
            if answer.accepted:
                return candidate
        for base in bases:
            candidate = replaced(base, path, self._sample(schema, 0))
            repaired = self._repaired(candidate, path)
            if repaired is not None:
                return repaired
        self._samples.fail(owner, field)
        return None

    def _sample(self, schema: Schema, depth: int) -> Any:
        """A value of a schema with the required fields."""
        if schema.ref is not None:
            definition = self._release.definitions[schema.ref]
            if definition.is_object:
                if depth > 6:
                    return {}
                return {
                    field.name: self._sample(field.schema, depth + 1)
                    for field in definition.fields
                    if field.required
                }
            if schema.ref.endswith(("Quantity", "IntOrString")):
                return "1" if schema.ref.endswith("Quantity") else 1
            schema = definition.schema
            if schema.ref is not None:
                return self._sample(schema, depth)
        if schema.type == "array" and schema.items is not None:
            return [self._sample(schema.items, depth + 1)]
        if schema.values is not None:
            return {"a": self._sample(schema.values, depth + 1)}
        if schema.enum:
            return schema.enum[0]
        return {
            "string": {
                "date-time": "2030-01-31T12:00:00.000000Z",
                "byte": "YQ==",
                "int-or-string": 1,
            }.get(schema.format or "", "a"),
            "integer": 1,
            "number": 1,
            "boolean": True,
        }.get(schema.type or "", {})

    def _repaired(self, value: Any, protected: Path) -> Any:
        """An object that the server accepts, with the value at ``protected``; None where
        it is not found."""
        seen: set[str] = set()
        for _ in range(_ROUNDS):
            answer = self._ask(value)
            if answer.accepted:
                try:
                    value_at(value, protected)
                except LookupError:
                    return None
                return value
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
        (answer,) = self._validator.ask([Request("create", value)])
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
        for name in (*names[:1], *chosen[:1]):
            schema = self._schema_at(value, path, name)
            if schema is not None:
                sample = self._sample(schema, 0)
                if listed:
                    sample = _QUOTED.findall(listed[1])[0]
                return replaced(value, (*path, name), sample)
        if path and not rest:
            for position in positions(self._release, self._definition, value):
                if position.path == path and value_at(value, path) in (
                    "",
                    [],
                    {},
                    None,
                ):
                    return replaced(value, path, self._sample(position.schema, 0))
        return value

    def _schema_at(self, value: Any, path: Path, name: str) -> Schema | None:
        definition = self._definition if not path else ""
        for position in positions(self._release, self._definition, value):
            if position.path == path:
                definition = object_definition(self._release, position.schema)
        if not definition:
            return None
        fields: Mapping[str, Schema] = {
            field.name: field.schema
            for field in self._release.definitions[definition].fields
        }
        return fields.get(name)

    def _other_scalar(self, value: Any, path: Path, old: Any) -> Any:
        """An object with another text or number at a path, about which nothing is said."""
        pool: Sequence[Any] = _NUMBERS
        if isinstance(old, str):
            pool = (*_TEXTS, *dict.fromkeys(names_in(value)))
        candidates = [replaced(value, path, new) for new in pool if new != old]
        requests = [Request("create", candidate) for candidate in candidates]
        for candidate, answer in zip(
            candidates, self._validator.ask(requests), strict=True
        ):
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


def _has(value: Any, path: Path) -> bool:
    try:
        value_at(value, path)
    except (LookupError, TypeError):
        return False
    return True
