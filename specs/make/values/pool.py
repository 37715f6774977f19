"""The objects that releases are asked about: those that any of them accepts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.schema.kinds import definitions_of_kinds, kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release, group_version_kind
from kubestencil.targets.examples.nodes import to_json
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.tables import report
from specs.make.values.objects import general, positions, value_at, without_unknown
from specs.make.values.seeds import Samples, Seeds
from specs.make.values.workers import in_parallel

Objects = dict[GroupVersionKind, list[Any]]

_TESTS = Path(__file__).parents[3] / "tests"
#: The objects of proofs, one a line: the tables begin with them, and tests.
PROOFS = _TESTS / "value_proofs.jsonl"
#: Manifests that the tables begin with, too.
SEEDS = (_TESTS / "value_seeds.yaml", _TESTS / "manifests")

# They have what many kinds have: pods, and templates of pods.
_FIRST = (group_version_kind("v1", "Pod"), group_version_kind("apps/v1", "Deployment"))


def grown_objects(
    release: Release,
    validators: Sequence[Validator],
    given: Objects,
    samples: Samples,
) -> Objects:
    """Accepted objects of each kind of a release: its examples and those of ``given``,
    with as many fields as possible.

    ``samples`` are those of other releases; what is found is added to them. Some kinds
    grow at a time, which use the values of earlier ones: pods are in many. The order of
    answers never changes what is found.
    """
    names = definitions_of_kinds(release)
    first = [[kind] for kind in _FIRST if kind in names]
    rest = [kind for kind in names if kind not in _FIRST]
    accepted = accepted_objects(release, validators[0], given)
    objects: Objects = {}

    def grow(validator: Validator, kind: GroupVersionKind) -> list[Any]:
        definition = release.definitions[names[kind]]
        trees = ExampleTrees(release)
        examples = (
            trees.starter(definition),
            trees.required(definition),
            trees.all_fields(definition),
        )
        seeds = Seeds(release, definition.name, validator, samples.copy())
        starts = [to_json(tree) for tree in examples if tree is not None]
        seeds.find([*accepted[kind], *starts])
        # What the given ones do not have can matter, too.
        new = [value for value in seeds.objects if value not in accepted[kind]]
        report(f"{release.name} {kind.api_version} {kind.kind}: {len(new)} new")
        return [*accepted[kind], *new]

    for kinds in (*first, rest):
        found = dict(zip(kinds, in_parallel(validators, grow, kinds), strict=True))
        _remember(release, found, samples)
        objects.update(found)
    samples.done |= {
        (definition.name, field.name)
        for definition in release.definitions.values()
        for field in definition.fields
    }
    return {kind: objects[kind] for kind in names}


def _remember(release: Release, objects: Objects, samples: Samples) -> None:
    names = definitions_of_kinds(release)
    for kind, values in objects.items():
        for value in values:
            for position in positions(release, names[kind], value):
                if not position.is_item:
                    part = value_at(value, position.path)
                    samples.add(names[kind], position.definition, position.field, part)


def seed_objects() -> Objects:
    """The objects that the tables begin with: what proved facts when they were made last,
    and manifests."""
    objects = given_objects(SEEDS)
    for line in PROOFS.read_text("utf-8").splitlines():
        value = json.loads(line)
        kind = group_version_kind(value["apiVersion"], value["kind"])
        objects.setdefault(kind, []).append(value)
    return objects


def accepted_objects(
    release: Release, validator: Validator, objects: Objects
) -> Objects:
    """Those of some objects that a release accepts, without the fields that it lacks."""
    accepted: Objects = {}
    for name, kind in kind_definitions(release).items():
        schema = release.definitions[name].schema
        values = [
            without_unknown(release, schema, value) for value in objects.get(kind, ())
        ]
        answers = validator.ask(Request("create", value) for value in values)
        accepted[kind] = [
            value
            for value, answer in zip(values, answers, strict=True)
            if answer.accepted
        ]
    return accepted


def with_others(
    release: Release, validator: Validator, pools: Sequence[Objects]
) -> Objects:
    """The accepted objects of a release, the first pool, and those of other releases that
    it accepts and that have fields which no other object has."""
    objects: Objects = {kind: list(values) for kind, values in pools[0].items()}
    names = definitions_of_kinds(release)
    covered = {
        kind: set().union(*(_fields(release, names[kind], value) for value in values))
        for kind, values in objects.items()
    }
    for pool in pools[1:]:
        for kind, values in accepted_objects(release, validator, pool).items():
            for value in values:
                fields = _fields(release, names[kind], value)
                if not fields <= covered.setdefault(kind, set()):
                    covered[kind] |= fields
                    objects.setdefault(kind, []).append(value)
    return objects


def _fields(release: Release, definition: str, value: Any) -> set[str]:
    return {general(place.path) for place in positions(release, definition, value)}


def given_objects(folders: Sequence[Path]) -> Objects:
    """The objects in the manifests of folders, by kind."""
    objects: Objects = defaultdict(list)
    for file in find_files([str(folder) for folder in folders]) if folders else ():
        if not file.reason_to_skip:
            for item in read_manifests(file.read(), file.name):
                if isinstance(item, Manifest):
                    value = item.value
                    kind = group_version_kind(value["apiVersion"], value["kind"])
                    objects[kind].append(value)
    return objects
