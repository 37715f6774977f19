"""What the programs of a release answer, as facts of its fields."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.targets.examples.nodes import to_json
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.validator.process import Validator
from specs.make.values.defaults import Observation, default_facts, observations
from specs.make.values.markers import MarkedEnum
from specs.make.values.objects import positions, value_at
from specs.make.values.questions import Fact, Questions, basic_facts, occurrences
from specs.make.values.rows import (
    Found,
    Key,
    default_rows_of,
    enum_facts,
    limit_facts,
)
from specs.make.values.seeds import Seeds

# A field is asked about in some objects of each kind, and at length in some of all.
_OBJECTS_OF_KIND = 3
_OBJECTS_OF_FIELD = 3
Facts = Mapping[str, Mapping[Key, Found]]


def accepted_objects(
    release: Release,
    validator: Validator,
    folders: Sequence[Path],
    report: Callable[[str], None],
) -> dict[GroupVersionKind, list[Any]]:
    """Accepted objects of each kind of a release: examples and those of folders, with as
    many fields as possible."""
    given: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for value in _manifests(folders):
        if len(given[value["apiVersion"], value["kind"]]) < 40:
            given[value["apiVersion"], value["kind"]].append(value)
    trees = ExampleTrees(release)
    objects = {}
    for name, kind in kind_definitions(release).items():
        definition = release.definitions[name]
        examples = (
            trees.starter(definition),
            trees.required(definition),
            trees.all_fields(definition),
        )
        seeds = Seeds(release, name, validator)
        candidates = [to_json(tree) for tree in examples if tree is not None]
        seeds.find([*candidates, *given[kind.api_version, kind.kind]])
        report(f"{kind.api_version} {kind.kind}: {len(seeds.objects)} objects")
        if seeds.objects:
            objects[kind] = seeds.objects
    return objects


def facts_of_release(
    release: Release,
    validator: Validator,
    objects: Mapping[GroupVersionKind, Sequence[Any]],
    marked: Sequence[MarkedEnum],
    report: Callable[[str], None],
) -> Facts:
    """The facts of a release by table."""
    names = {kind: name for name, kind in kind_definitions(release).items()}
    questions = Questions(release, validator)
    asked: list[Fact] = []
    observed: list[Observation] = []
    contradictions: set[tuple[str, str, str]] = set()
    counts: Counter[tuple[str, str, bool, str]] = Counter()
    for kind, values in objects.items():
        name = names[kind]
        found = list(occurrences(release, kind, name, values, _OBJECTS_OF_KIND))
        asked += basic_facts(validator, found)
        observed += observations(release, validator, kind, name, values)
        for entry in found:
            position = entry.position
            # Names of objects depend on the kind.
            place = kind.kind if position.path == ("metadata", "name") else ""
            key = position.definition, position.field, position.is_item, place
            if counts[key] < _OBJECTS_OF_FIELD:
                counts[key] += 1
                asked += questions.facts(entry)
        report(f"{kind.api_version} {kind.kind}: {len(found)} fields")
        for value in values:
            contradictions.update(_contradictions(release, name, value))
    problems: list[str] = []
    defaults = list(default_facts(observed, problems))
    for problem in problems:
        report(problem)
    return {
        "enums": enum_facts(
            asked, (enum for enum in marked if enum.definition in release.definitions)
        ),
        "defaults": default_rows_of(defaults),
        "limits": {
            key: found
            for key, found in limit_facts(asked).items()
            if (key[0], key[1], key[3]) not in contradictions
        },
    }


def _contradictions(
    release: Release, name: str, value: Any
) -> Iterator[tuple[str, str, str]]:
    """The limits that an accepted object disproves: fields that it does not have, and
    empty texts, are not required."""
    objects = [(name, value)]
    for position in positions(release, name, value):
        part = value_at(value, position.path)
        if part == "":
            yield position.definition, position.field, "min_length"
        schema = release.resolve(position.schema)
        ref = position.schema.ref
        while ref and not release.definitions[ref].is_object:
            ref = release.definitions[ref].schema.ref
        if ref and schema.is_object and isinstance(part, dict):
            objects.append((ref, part))
    for definition, part in objects:
        for field in release.definitions[definition].fields:
            if field.name not in part:
                yield definition, field.name, "required"


def _manifests(folders: Sequence[Path]) -> Iterator[Any]:
    for file in find_files([str(folder) for folder in folders]) if folders else ():
        if not file.reason_to_skip:
            for item in read_manifests(file.read(), file.name):
                if isinstance(item, Manifest):
                    yield item.value
