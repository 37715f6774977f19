"""What one value of a field needs, others may not: no check refuses a variant of an
accepted object that the API server accepts.

A variant has another allowed value of an enum, or none, without one or two of the fields
beside it, or all. So a fact that holds under a condition only cannot be stated of all.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice
from typing import Any

import pytest

from kubestencil.checking.judgement import kind_of
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.schema import Release, Schema
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.values.pool import accepted_objects as accepted_seeds
from specs.make.values.pool import seed_objects
from tests.conftest import load
from tests.validators import built_validator
from tests.value_mutations import accepted_objects, errors_of

# Of more fields, no pairs are left out.
_MOST_FIELDS = 5
#: Of this many variants, one is sent.
_EVERY = 3
#: The server drops a data source of a kind that it does not know before it looks at it.
_DROPPED = {"spec.dataSource.name"}

_Path = tuple[str | int, ...]


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


def _subsets(fields: Sequence[str]) -> Iterator[Sequence[str]]:
    pairs = combinations(fields, 2) if len(fields) <= _MOST_FIELDS else ()
    return chain([(), tuple(fields)], ((field,) for field in fields), pairs)


def _variants(release: Release, objects: Sequence[Any]) -> Iterator[Any]:
    """Each change of a type once."""
    facts = server_facts(release.name)
    names = definitions_of_kinds(release)
    seen = set()
    for root in objects:
        root_name = names[kind_of(root)]
        schema = release.definitions[root_name].schema
        for path, name in objects_in(root, schema, release, (), root_name):
            enums = {
                field.name: (*facts.of(name, field.name).enum, None)
                for field in release.definitions[name].fields
                if facts.of(name, field.name).enum and field.schema.type == "string"
            }
            given = value_at(root, path)
            for field, values in enums.items():
                others = [other for other in given if other != field]
                for value, absent in (
                    (value, absent) for value in values for absent in _subsets(others)
                ):
                    change = name, field, value, absent, frozenset(given)
                    if change not in seen:
                        seen.add(change)
                        yield changed(
                            root, path, {**dict.fromkeys(absent), field: value}
                        )


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


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize("name", ["1.35", "1.29"])
def test_nothing_is_refused_that_the_server_accepts(name: str) -> None:
    release = load(name)
    with Validator(built_validator(name)) as validator:
        objects = proof_objects(release, validator)
        variants = list(islice(_variants(release, objects), 0, None, _EVERY))
        answers = validator.ask([Request("create", value) for value in variants])
        accepted = [
            value
            for value, answer in zip(variants, answers, strict=True)
            if answer.accepted
        ]
    upgrade = Upgrade(None, prepare(release))
    assert len(accepted) > 2_000
    assert [
        (value["kind"], path)
        for value in accepted
        for _, path in errors_of(upgrade.start(value, kind_of(value), is_patch=False)())
        if path not in _DROPPED
    ] == []
