"""The objects that releases are asked about: those that any of them accepts."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kubestencil import atomic
from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.checking.judgement import kind_of
from kubestencil.schema.kinds import definitions_of_kinds, kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release, group_version_kind
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.validator.process import Validator
from specs.make.asking.answers import accepted, stored
from specs.make.asking.objects import without_dropped, without_unknown
from specs.make.asking.seeds import Samples, Seeds
from specs.make.asking.workers import in_parallel

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
    """Accepted objects of each kind of a release: those of ``given``, or its examples,
    with as many fields as possible.

    What is found is added to ``samples``, of whose ``done`` fields no values are looked
    for. Some kinds grow at a time, which use the values of earlier ones: pods are in many. The order of
    answers never changes what is found.
    """
    names = definitions_of_kinds(release)
    first = [[kind] for kind in _FIRST if kind in names]
    rest = [kind for kind in names if kind not in _FIRST]
    known = accepted_objects(release, validators[0], given)
    objects: Objects = {}

    def grow(validator: Validator, kind: GroupVersionKind) -> list[Any]:
        seeds = Seeds(release, names[kind], validator, samples.copy())
        seeds.find(known[kind] or examples(release, names[kind]))
        # What the given ones do not have can matter, too.
        return [*known[kind], *(v for v in seeds.objects if v not in known[kind])]

    for kinds in (*first, rest):
        found = dict(zip(kinds, in_parallel(validators, grow, kinds), strict=True))
        for kind, values in found.items():
            for value in values:
                samples.remember(release, names[kind], value)
        objects.update(found)
    return {kind: objects[kind] for kind in names}


def examples(release: Release, name: str) -> list[Any]:
    """The examples of a kind: its starter, with what is required, and with all fields."""
    trees, definition = ExampleTrees(release), release.definitions[name]
    examples = (
        trees.starter(definition),
        trees.required(definition),
        trees.all_fields(definition),
    )
    return [value for value in examples if value is not None]


def seed_objects(
    folders: Sequence[Path] = (), proofs: Sequence[Path] = (PROOFS,)
) -> Objects:
    """The objects that the tables begin with: what proved facts when they were made last,
    and manifests, those of folders included."""
    objects = given_objects((*SEEDS, *folders))
    for file in proofs:
        for line in file.read_text("utf-8").splitlines():
            value = json.loads(line)
            objects.setdefault(kind_of(value), []).append(value)
    return objects


def add_proofs(file: Path, proofs: Iterable[Any]) -> None:
    """Save objects that prove facts, for the tests and for other releases."""
    lines = {*file.read_text("utf-8").splitlines()}
    lines |= {json.dumps(value, sort_keys=True) for value in proofs}
    atomic.write(file, "\n".join([*sorted(lines), ""]).encode())


def accepted_objects(
    release: Release, validator: Validator, objects: Objects
) -> Objects:
    """Those of some objects that a release accepts, without the fields that it lacks, and
    without their status, which a creation ignores."""
    found: Objects = {}
    for name, kind in kind_definitions(release).items():
        schema = release.definitions[name].schema
        values = [
            without_unknown(release, schema, each) for each in objects.get(kind, ())
        ]
        for value in values:
            value.pop("status", None)
        found[kind] = accepted(validator, values)
    return found


def stored_objects(release: Release, validator: Validator, objects: Objects) -> Objects:
    """Accepted objects as ``accepted_objects`` has them, without what the server drops,
    since a gate is off: whatever is in there is accepted."""
    return {
        kind: [
            without_dropped(value, answer.object) if answer.object else value
            for value, answer in zip(values, stored(validator, values), strict=True)
        ]
        for kind, values in accepted_objects(release, validator, objects).items()
    }


def given_objects(folders: Sequence[Path]) -> Objects:
    """The objects in the manifests of folders, by kind."""
    objects: Objects = defaultdict(list)
    for file in find_files([str(folder) for folder in folders]) if folders else ():
        if not file.reason_to_skip:
            for item in read_manifests(file.read(), file.name):
                if isinstance(item, Manifest):
                    objects[kind_of(item.value)].append(item.value)
    return objects
