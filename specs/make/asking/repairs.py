"""Repairs of objects that a server refuses, by what it says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from kubestencil.checking.paths import Path, value_at
from kubestencil.checking.verdicts.internal_paths import located
from kubestencil.schema.types import Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause
from specs.make.asking.answers import created, listed_values
from specs.make.asking.objects import names_in, objects_in, positions, removed, replaced
from specs.make.asking.samples import sample

#: Texts that fields with a form of their own accept.
TEXTS = (
    "a", "example.com/a", "a.example.com", "10.0.0.1", "10.0.0.0/24", "/a", "1", "In",
    "Exists", "DoesNotExist", "https://a.example.com/a", "100m", "1Gi", "*/5 * * * *",
    "a/b", "a.b.example.com", "v1", "1.0.0", "UTC", "50%", "::1", "User", "Pod", "true",
    "Localhost", "NEVER", "p256", "a=b", "object == null", "device.driver == 'a'",
    "system:node:a", "Ready", "*", "metadata.name", "requests.cpu", "limits.cpu",
    "rbac.authorization.k8s.io", "2030-01-31T12:00:00Z", "Normal", "ReadWriteOncePod",
)  # fmt: skip
_NUMBERS = (1, 80, 1000, 30, 0, 10, 600, 3600, 30001, 100, -1, 65534)
_ROUNDS = 8
# What is said of a union without a member.
_CHOICE = "must specify one of"
_BACKTICKS = re.compile(r"`(\w+)`")


class Repairs:
    """Repairs of objects of one kind of a release; ``texts`` are tried in place of what is
    refused, the first ones first; ``gates`` are on or off."""

    def __init__(
        self,
        release: Release,
        definition: str,
        validator: Validator,
        texts: Sequence[str] = TEXTS,
        gates: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        self._release = release
        self._definition = definition
        self._validator = validator
        self._texts = texts
        self._gates = gates

    def repaired(self, value: Any, protected: Path) -> Any:
        """An object that the server accepts, with the value at ``protected``; None where
        it is not found."""
        seen: set[str] = set()
        for _ in range(_ROUNDS):
            answer = self._ask(value)
            if answer.accepted:
                return None if value_at(value, protected) is None else value
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
        (answer,) = created(self._validator, [value], self._gates)
        return answer

    def _remedied(self, value: Any, cause: Cause, protected: Path) -> Any:
        """An object without one of the causes why it is refused; as it is where nothing
        is known to help."""
        path, rest = located(cause.field, value)
        listed = listed_values(cause)
        if listed and not rest and path:
            old = value_at(value, path)
            new = listed[:1] if isinstance(old, list) else listed[0]
            return replaced(value, path, new)
        if cause.reason == "FieldValueRequired" or rest or _CHOICE in cause.message:
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
        self, value: Any, path: Path, rest: str, cause: Cause, listed: Sequence[str]
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
                field = owner, name
                new = listed[0] if listed else sample(self._release, field, schema)
                return replaced(value, (*path, name), new)
        for position in positions(self._release, self._definition, value):
            is_empty = value_at(value, position.path) in ("", [], {}, None)
            if position.path == path and not rest and is_empty:
                field = position.definition, position.field
                new = sample(self._release, field, position.schema)
                return replaced(value, path, new)
        return value

    def _other_scalar(self, value: Any, path: Path, old: Any) -> Any:
        """An object with another text or number at a path, about which nothing is said."""
        pool: Sequence[Any] = _NUMBERS
        if isinstance(old, str):
            pool = (*self._texts, *dict.fromkeys(names_in(value)))
        candidates = [replaced(value, path, new) for new in pool if new != old]
        answers = created(self._validator, candidates, self._gates)
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
