"""Objects that an API server accepts, with as many fields as possible.

It begins with examples, and adds each field of each definition in turn. What the server
says of an object that it refuses repairs it: supported values, required fields, what is
not allowed together.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubestencil.checking.verdicts import located
from kubestencil.schema.types import Release, Schema
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause, Request
from specs.make.values.objects import (
    Path,
    general,
    names_in,
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
_SUPPORTED = re.compile(r'supported values: ((?:"[^"]*"(?:, )?)+)')
_VALID = re.compile(r'valid values: ((?:"[^"]*"(?:, )?)+)')
_QUOTED = re.compile(r'"([^"]*)"')
_BACKTICKS = re.compile(r"`(\w+)`")


class Seeds:
    """Accepted objects of one kind of a release, which grow field by field."""

    def __init__(self, release: Release, definition: str, validator: Validator) -> None:
        self._release = release
        self._definition = definition
        self._validator = validator
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
        paths = {
            general(position.path)
            for position in positions(self._release, self._definition, value)
        }
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
            path, schema = pending.popleft()
            name = general(path)
            if name in self._covered or name in tried or len(tried) > 6_000:
                continue
            tried.add(name)
            for base in (largest, *self._bases(path, largest, smallest)):
                grown = self._with_field(base, path, schema)
                if grown is not None:
                    self._collect(grown)
                    if base is largest and len(str(grown)) < 40_000:
                        largest = grown
                    pending.extend(self._absent_fields(grown, path))
                    break

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
        for value in (smallest, *self.objects[1:4]):
            try:
                value_at(value, parent)
            except (LookupError, TypeError):
                continue
            yield value

    def _absent_fields(
        self, value: Any, within: Path = ()
    ) -> Iterator[tuple[Path, Schema]]:
        """The fields that objects in an object could have, and do not."""
        roots: list[tuple[Path, str]] = [] if within else [((), self._definition)]
        for position in positions(self._release, self._definition, value):
            if position.path[: len(within)] == within:
                target = self._object_of(position.schema)
                if target and isinstance(value_at(value, position.path), dict):
                    roots.append((position.path, target))
        for path, name in roots:
            present = value_at(value, path)
            chain = general(path).split(".")
            for field, schema, _ in self._release.definitions[name].fields:
                if field in present or (not path and field == "status"):
                    continue
                if chain.count(field) < 2:
                    yield (*path, field), schema

    def _object_of(self, schema: Schema) -> str:
        while schema.ref is not None:
            definition = self._release.definitions[schema.ref]
            if definition.is_object:
                return definition.name
            schema = definition.schema
        return ""

    def _with_field(self, base: Any, path: Path, schema: Schema) -> Any:
        try:
            value_at(base, path[:-1])
        except LookupError:
            return None
        return self._repaired(replaced(base, path, self._sample(schema, 0)), path)

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
                definition = self._object_of(position.schema)
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
