"""The objects of each definition in accepted objects, with other values of their fields."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from kubestencil.checking.findings import Results
from kubestencil.checking.values.combinations import rule_of
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.conditions import Combination, is_set
from kubestencil.schema.knowledge.fields import server_values
from kubestencil.schema.knowledge.gates import gate_of
from kubestencil.schema.knowledge.places import is_unvalidated
from kubestencil.schema.types import Field, Release
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.fields import is_required
from kubestencil.targets.examples.values import Values
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer
from specs.make.asking.answers import created
from specs.make.asking.objects import (
    Path,
    all_steps,
    general,
    objects_in,
    replaced,
    value_at,
    written,
)
from specs.make.asking.pool import Objects

#: Other values of fields; None leaves a field out.
Changes = Mapping[str, Any]

# How many values of a field are tried alone, and beside others.
_SAMPLES = 4
_FEW_SAMPLES = 2
_NUMBERS = (0, 1, 3)


class Part(NamedTuple):
    """An object of a definition at a path of an accepted object, the root."""

    definition: str
    root: Any
    path: Path

    @property
    def value(self) -> Mapping[str, Any]:
        """Its fields."""
        value: Mapping[str, Any] = value_at(self.root, self.path)
        return value

    def changed(self, changes: Changes) -> Part:
        """The part with other values of fields, in a root of its own."""
        value = {**self.value, **changes}
        kept = {name: inner for name, inner in value.items() if inner is not None}
        return self._replace(root=replaced(self.root, self.path, kept))

    def is_refused(self, answer: Answer) -> bool:
        """Whether a server refuses the part, what is in it, or what it is in."""
        path = f"{written(self.path)}.".replace("[", ".[")
        fields = (f"{cause.field}.".replace("[", ".[") for cause in answer.causes)
        return answer.code == 422 and any(
            not self.path or field.startswith(path) or path.startswith(field)
            for field in fields
        )


class Corpus:
    """The parts of accepted objects by definition, the smallest first, and values of
    fields. Parts of ``others`` are not changed: they may disprove rules only."""

    def __init__(
        self,
        release: Release,
        validator: Validator,
        objects: Objects,
        others: Objects,
    ) -> None:
        self.release = release
        self._validator = validator
        self.parts: dict[str, list[Part]] = defaultdict(list)
        self._values = Values(release.definitions, AcceptedFields(release.name))
        self._samples: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
        self._others: dict[str, list[Part]] = defaultdict(list)
        for part in self._parts_in(objects):
            self._add(part)
        for part in self._parts_in(others):
            self._others[part.definition].append(part)

    def _parts_in(self, objects: Objects) -> Iterator[Part]:
        release, names = self.release, definitions_of_kinds(self.release)
        pairs = [(kind, value) for kind, values in objects.items() for value in values]
        for kind, root in sorted(pairs, key=lambda pair: len(str(pair[1]))):
            for path, definition in objects_in(release, names[kind], root, all_steps):
                part = Part(definition, root, path)
                is_off = any(self.is_off(part.definition, name) for name in part.value)
                is_left_out = (
                    definition == OBJECT_META
                    or "status" in path
                    or is_unvalidated(release.name, kind, general(path))
                )
                if not is_off and not is_left_out:
                    yield part

    def ask(self, parts: Sequence[Part]) -> list[Answer]:
        """What the server says of the objects of parts; accepted ones are remembered."""
        answers = created(self._validator, (part.root for part in parts))
        for part, answer in zip(parts, answers, strict=True):
            if answer.accepted:
                self._add(part)
        return answers

    def _add(self, part: Part) -> None:
        self.parts[part.definition].append(part)
        for name, value in part.value.items():
            samples = self._samples[part.definition, name]
            if is_set(value) and len(samples) < _SAMPLES:
                samples.setdefault(json.dumps(value, sort_keys=True), value)

    def enum(self, definition: str, field: str) -> Sequence[str]:
        """The values that a field may have, where there are few."""
        return server_values(self.release.name, definition, field).enum or ()

    def is_off(self, definition: str, field: str) -> bool:
        """Whether a gate is off that guards a field: a server may drop what has it."""
        gate = gate_of(definition, field, self.release.name)
        return gate is not None and not gate.enabled

    def values(self, definition: str, field: str) -> list[Any]:
        """Values of a field that are accepted somewhere, or should be."""
        fields = self.release.definitions[definition].fields
        schema = next((each.schema for each in fields if each.name == field), None)
        if schema is None or self.is_off(definition, field):
            return []
        found = [
            *self.enum(definition, field),
            *self._samples[definition, field].values(),
            *{"boolean": (True, False), "integer": _NUMBERS}.get(schema.type or "", ()),
        ]
        if not found:
            value = self._values.value(schema, is_required)
            found = [] if value is None else [value]
        return [value for at, value in enumerate(found) if value not in found[:at]]

    def changes(self, part: Part, field: Field) -> Iterator[Changes]:
        """Another value of a field: none, or others where there are few; some of those
        that it may have where it is absent."""
        name, old = field.name, part.value.get(field.name)
        if not is_set(old):
            # What is 0 is often as good as absent.
            values = [
                value
                for value in self.values(part.definition, name)
                if value or type(value) is bool
            ]
            yield from ({name: value} for value in values[:_FEW_SAMPLES])
            return
        yield {name: None}
        if isinstance(old, bool):
            yield {name: not old}
        for value in self.enum(part.definition, name):
            if isinstance(old, str) and value != old:
                yield {name: value}

    def is_optional(self, definition: str, field: str) -> bool:
        """Whether an accepted part lacks a field."""
        return any(not is_set(part.value.get(field)) for part in self.parts[definition])

    def disproof(self, rule: Combination) -> Part | None:
        """An accepted part that breaks a rule."""
        parts = chain(self.parts[rule.definition], self._others[rule.definition])
        return next((part for part in parts if breaks(rule, part.value)), None)

    def various(self, definition: str, most: int) -> list[Part]:
        """Parts with different fields, and then others at different paths."""
        chosen: dict[Any, Part] = {}
        for signature in (_form, lambda part: (part.root["kind"], general(part.path))):
            for part in self.parts[definition]:
                if len(chosen) < most:
                    chosen.setdefault(signature(part), part)
        parts = {(id(part.root), part.path): part for part in chosen.values()}
        return list(parts.values())


def _form(part: Part) -> Any:
    """Which fields are set, with their truth values and short texts."""
    return frozenset(
        (name, value if isinstance(value, bool) or _is_word(name, value) else None)
        for name, value in part.value.items()
        if is_set(value)
    )


def _is_word(name: str, value: Any) -> bool:
    return isinstance(value, str) and len(value) < 24 and name != "name"


def breaks(rule: Combination, value: Mapping[str, Any]) -> bool:
    """Whether the fields of an object break a rule."""
    results = Results()
    rule_of(rule)(value, ("", None), results)
    return bool(results.values)
