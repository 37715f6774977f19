"""Puts examples of fields to a validator, and asks whether it accepts and keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema.field_paths import field_paths
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import Release
from kubestencil.targets.field_examples.changes import field_values
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
