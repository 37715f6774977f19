"""Puts examples of fields to a validator, and asks whether it accepts and keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema.field_paths import FieldPath, field_paths, fields_along
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import Definition, Release
from kubestencil.targets.field_examples.explanations import (
    explanation,
    is_request,
    needed_gates,
)
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request

Gates = Mapping[str, bool]


class Question(NamedTuple):
    """A field of a kind, which is called by the full name of its definition, and the gates
    that it needs."""

    definition: str
    path: str
    gates: tuple[str, ...]

    @property
    def steps(self) -> Sequence[str]:
        """The names of the path."""
        return self.path.split(".")

    @property
    def switches(self) -> Gates:
        """The gates, switched on."""
        return dict.fromkeys(self.gates, True)


def questions(release: Release) -> Iterator[Question]:
    """The fields of all kinds that can have an example, but for their status, and those of
    requests, of which nothing can be read again."""
    for name in kind_definitions(release):
        definition = release.definitions[name]
        if is_request(release, definition):
            continue
        for path, _, _ in field_paths(definition, release):
            is_status = path.partition(".")[0] == "status"
            if not is_status and not explanation(release, definition, path):
                gates = needed_gates(release, definition, path)
                yield Question(name, path, tuple(gates))


def kept(
    release: Release, validator: Validator, items: Iterable[tuple[Question, Any]]
) -> list[bool]:
    """Whether a server accepts objects, and each still has its field then."""
    items = list(items)
    created = validator.ask(_request("create", *item) for item in items)
    accepted = [
        index
        for index, answer in enumerate(created)
        if items[index][1] is not None and answer.accepted
    ]
    stored = validator.ask(_request("default", *items[index]) for index in accepted)
    good = set()
    for index, answer in zip(accepted, stored, strict=True):
        name, path, _ = items[index][0]
        if field_values(release, release.definitions[name], answer.object, path):
            good.add(index)
    return [index in good for index in range(len(items))]


def _request(operation: Any, question: Question, value: Any) -> Request:
    return Request(operation, value, feature_gates=question.switches)


def field_values(
    release: Release, definition: Definition, value: Any, path: str
) -> list[Any]:
    """The values of a field in an object of a definition: in all items of lists and values
    of maps on the way."""
    found = [value]
    for step in fields_along(definition, release, path):
        name = step.field.name
        found = [
            part[name] for part in found if isinstance(part, dict) and name in part
        ]
        if step.path != path:
            found = [inner for part in found for inner in _content(release, step, part)]
    return found


def _content(release: Release, step: FieldPath, value: Any) -> list[Any]:
    """A value, or what is in the lists and maps of its field."""
    values, schema = [value], step.field.schema
    while True:
        while schema.ref is not None and not release.definitions[schema.ref].is_object:
            schema = release.definitions[schema.ref].schema
        inner = schema.content
        if inner is None:
            return values
        values = [
            item
            for part in values
            if isinstance(part, list | dict)
            for item in (part.values() if isinstance(part, dict) else part)
        ]
        schema = inner
