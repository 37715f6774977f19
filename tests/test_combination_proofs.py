"""Combinations of fields are proven: the API server's code accepts an object that obeys a
rule of ``specs/combinations.tsv``, and refuses it once it does not, at the path that
``check`` prints without a validator; what it accepts nevertheless is no error."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pytest

from kubestencil.checking.judgement import kind_of
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.schema import Release, Schema
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.conditions import (
    Combination,
    combinations,
    is_set,
    parse_term,
)
from kubestencil.targets.examples.accepted import AcceptedFields
from kubestencil.targets.examples.fields import is_required
from kubestencil.targets.examples.nodes import to_json
from kubestencil.targets.examples.values import Values
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from specs.make.values.pool import accepted_objects as accepted_seeds
from specs.make.values.pool import seed_objects
from tests.conftest import load
from tests.validators import PROVEN_RELEASES, built_validator
from tests.value_mutations import accepted_objects, errors_of

_MOST_OBJECTS = 40
_Path = tuple[str | int, ...]
#: Rules that the server names at the path of another field, or that no object breaks that
#: can be created: one with ephemeral containers, and a toleration of everything.
_NAMED_OTHERWISE = {
    ("EphemeralContainer", "forbids"),
    ("PolicyRule", "forbids"),
    ("Toleration", "forbids"),
    ("Toleration", "needs"),
}
#: Rules of what a release drops, as its feature gate is off.
_DROPPED = {
    "1.25": {
        ("ContainerResourceMetricSource", "at-least-one-of"),
        ("MetricSpec", "needs"),
    }
}


def objects_in(
    value: Any, schema: Schema, release: Release, path: _Path = (), name: str = ""
) -> Iterator[tuple[_Path, str]]:
    """The paths of the objects in a value, and the names of their definitions."""
    if schema.ref is not None:
        definition = release.definitions[schema.ref]
        yield from objects_in(value, definition.schema, release, path, schema.ref)
    elif isinstance(value, list) and schema.items is not None:
        for index, item in enumerate(value):
            yield from objects_in(item, schema.items, release, (*path, index))
    elif isinstance(value, dict) and name:
        yield path, name
        for field in schema.fields:
            if field.name in value and field.name != "status":
                inner = value[field.name], field.schema
                yield from objects_in(*inner, release, (*path, field.name))


def value_at(value: Any, path: _Path) -> Any:
    for step in path:
        value = value[step]
    return value


def changed(root: Any, path: _Path, changes: dict[str, Any]) -> Any:
    """A copy with other values of the fields at a path; None leaves a field out."""
    changed = copy.deepcopy(root)
    target = value_at(changed, path)
    for field, value in changes.items():
        target.pop(field, None)
        if value is not None:
            target[field] = value
    return changed


def proof_objects(release: Release, validator: Validator) -> list[Any]:
    """Accepted objects of many types: manifests, starters and those of proofs."""
    accepted = accepted_seeds(release, validator, seed_objects())
    return [*accepted_objects(release, validator), *chain(*accepted.values())]


class _Breaks:
    """Changes of the fields of an object that break a rule."""

    def __init__(self, release: Release) -> None:
        self._definitions = release.definitions
        self._values = Values(release.definitions, AcceptedFields(release.name))

    def of(
        self, rule: Combination, given: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """The changes by field; None leaves a field out."""
        present = [name for name in rule.fields if is_set(given.get(name))]
        if "." in rule.fields[0]:
            yield from self._inside(rule, given)
        elif rule.rule == "needs":
            yield from ({name: None} for name in present)
        elif rule.rule in ("at-most", "at-least"):
            yield from self._beyond(rule, given)
        else:
            if rule.rule == "forbids" or (
                present and rule.rule.endswith("most-one-of")
            ):
                yield from self._added(rule, present)
            if rule.rule == "exactly-one-of":
                yield from self._added(rule, present)
            if rule.rule in ("exactly-one-of", "at-least-one-of") and present:
                yield dict.fromkeys(present)

    def _added(self, rule: Combination, present: list[str]) -> Iterator[dict[str, Any]]:
        for field in self._definitions[rule.definition].fields:
            if field.name in rule.fields and field.name not in present:
                node = self._values.value(field.schema, is_required)
                if node is not None:
                    yield {field.name: to_json(node)}

    def _inside(
        self, rule: Combination, given: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        """The change of fields inside of another one."""
        outer = rule.fields[0].partition(".")[0]
        names = [name.partition(".")[2] for name in rule.fields]
        if part := given.get(outer):
            rest = {name: value for name, value in part.items() if name not in names}
            beyond = {names[0]: int(rule.fields[1]) + 1} if not names[-1] else {}
            yield {outer: {**rest, **beyond}}

    def _beyond(
        self, rule: Combination, given: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        first, second = (given.get(name) for name in rule.fields)
        if rule.fields[1].isdigit():
            second = int(rule.fields[1])
        if isinstance(first, int) and isinstance(second, int):
            step = 1 if rule.rule == "at-most" else -1
            yield {rule.fields[0]: second + step}
        elif isinstance(first, dict) and isinstance(second, dict):
            yield {rule.fields[0]: dict.fromkeys(second, "1000000Gi")}


def _broken(release: Release, objects: list[Any]) -> Mapping[Combination, list[Any]]:
    """Objects that break a rule, each made of an accepted one."""
    names = definitions_of_kinds(release)
    rules, breaks = combinations(release.name), _Breaks(release)
    found: dict[Combination, list[Any]] = defaultdict(list)
    for root in sorted(objects, key=lambda value: len(str(value))):
        name = names[kind_of(root)]
        schema = release.definitions[name].schema
        for path, definition in objects_in(root, schema, release, (), name):
            given = value_at(root, path)
            for rule in rules.get(definition, ()):
                if all(parse_term(term).holds(given) for term in rule.condition):
                    for change in breaks.of(rule, given):
                        found[rule].append(changed(root, path, change))
    return found


def _is_named(errors: frozenset[tuple[str, str]], answer: Answer) -> bool:
    """Whether an error is at a path of the server, or next to it."""
    return any(
        cause.field.startswith(path) or path.startswith(cause.field)
        for cause in answer.causes
        for _, path in errors
    )


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("name", PROVEN_RELEASES)
def test_combinations_are_proven_by_the_servers_code(name: str) -> None:
    release = load(name)
    upgrade = Upgrade(None, prepare(release))
    rules = [
        rule
        for definition, found in combinations(name).items()
        for rule in found
        if definition in release.definitions
    ]
    unproven = []
    with Validator(built_validator(name)) as validator:
        broken = _broken(release, proof_objects(release, validator))
        for rule in rules:
            values = broken.get(rule, [])[:_MOST_OBJECTS]
            answers = validator.ask([Request("create", value) for value in values])
            is_proven = False
            for value, answer in zip(values, answers, strict=True):
                result = upgrade.start(value, kind_of(value), is_patch=False)()
                errors = errors_of(result)
                assert not (answer.accepted and errors), (value, errors)
                is_proven = is_proven or _is_named(errors, answer)
            if not is_proven:
                unproven.append((rule.definition.rpartition(".")[2], rule.rule))
    assert len(rules) > 60
    assert set(unproven) <= _NAMED_OTHERWISE | _DROPPED.get(name, set())
