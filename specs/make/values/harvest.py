"""What the programs of a release answer, as facts of its fields."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.facts.tables import group_version_kind
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.targets.examples.nodes import to_json
from kubestencil.targets.examples.trees import ExampleTrees
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.values.defaults import Observation, default_facts, observations
from specs.make.values.markers import MarkedEnum
from specs.make.values.objects import positions, value_at
from specs.make.values.questions import Fact, Questions, basic_facts, occurrences
from specs.make.values.rows import (
    CONSTANTS,
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
_GIVEN_TO_GROW = 40
# Follows the name of a map's field where its keys are meant.
_KEYS = "/keys"
Facts = Mapping[str, Mapping[Key, Found]]


def accepted_objects(
    release: Release,
    validator: Validator,
    folders: Sequence[Path],
    report: Callable[[str], None],
) -> dict[GroupVersionKind, list[Any]]:
    """Accepted objects of each kind of a release: examples and those of folders, with as
    many fields as possible."""
    given = given_objects(folders)
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
        seeds.find([*candidates, *given.get(kind, ())[:_GIVEN_TO_GROW]])
        report(f"{kind.api_version} {kind.kind}: {len(seeds.objects)} objects")
        if seeds.objects:
            objects[kind] = seeds.objects
    return objects


def facts_of_release(
    release: Release,
    validator: Validator,
    objects: Mapping[GroupVersionKind, Sequence[Any]],
    others: Mapping[GroupVersionKind, Sequence[Any]],
    marked: Sequence[MarkedEnum],
    report: Callable[[str], None],
) -> Facts:
    """The facts of a release by table. ``others`` are objects that may disprove some."""
    names = {kind: name for name, kind in kind_definitions(release).items()}
    questions = Questions(release, validator)
    constants: dict[tuple[str, str], Sequence[str]] = dict(CONSTANTS)
    constants.update(((enum.definition, enum.field), enum.values) for enum in marked)
    asked: list[Fact] = []
    observed: list[Observation] = []
    corpus: dict[str, list[Any]] = {}
    counts: Counter[tuple[str, str, bool, str]] = Counter()
    for kind, values in objects.items():
        name = names[kind]
        found = list(occurrences(release, kind, name, values, _OBJECTS_OF_KIND))
        asked += basic_facts(validator, found, constants)
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
        corpus[name] = [*values, *_accepted(validator, others.get(kind, ()))]
    problems: list[str] = []
    defaults = list(default_facts(observed, problems))
    for problem in problems:
        report(problem)
    return {
        "enums": enum_facts(
            asked, (enum for enum in marked if enum.definition in release.definitions)
        ),
        "defaults": default_rows_of(defaults),
        "limits": proven_limits(release, asked, corpus),
    }


def proven_limits(
    release: Release, asked: Sequence[Fact], corpus: Mapping[str, Sequence[Any]]
) -> Mapping[Key, Found]:
    """The limits that no accepted object disproves; ``corpus`` has accepted objects by
    their definitions."""
    accepted: dict[tuple[str, str], set[Any]] = defaultdict(set)
    absent = {
        (fact.definition, fact.field, "required")
        for fact in asked
        if fact.value == "?accepted"
    }
    for name, values in corpus.items():
        for value in values:
            absent.update(_contradictions(release, name, value))
            for position in positions(release, name, value):
                part = value_at(value, position.path)
                if type(part) in (str, int):
                    accepted[position.definition, position.field].add(part)
                elif isinstance(part, dict) and position.schema.values is not None:
                    keys = accepted[position.definition, f"{position.field}{_KEYS}"]
                    keys.update(part)
    limits = {
        key: found
        for key, found in limit_facts(asked).items()
        if key[2]
        or (
            (key[0], key[1], key[3]) not in absent
            and not _is_disproved(key, found[0], accepted)
        )
    }
    return {**limits, **dict(_not_required(release, absent))}


def _is_disproved(
    key: Key, limit: str, accepted: Mapping[tuple[str, str], set[Any]]
) -> bool:
    """Whether an accepted object has a value beyond a limit."""
    definition, field, _, rule = key
    if rule == "key_format":
        keys = accepted.get((definition, f"{field}{_KEYS}"), ())
        return not all(map(FORMATS[limit].accepts, filter(None, keys)))
    checks: Mapping[str, Callable[[Any], bool]] = {
        "minimum": lambda value: type(value) is int and value < int(limit),
        "maximum": lambda value: type(value) is int and value > int(limit),
        "max_length": lambda value: type(value) is str and len(value) > int(limit),
        "format": lambda value: (
            type(value) is str and value != "" and not FORMATS[limit].accepts(value)
        ),
    }
    check = checks.get(rule)
    return check is not None and any(map(check, accepted.get((definition, field), ())))


def _accepted(validator: Validator, values: Sequence[Any]) -> Iterator[Any]:
    requests = [Request("create", value) for value in values]
    for value, answer in zip(values, validator.ask(requests), strict=True):
        if answer.accepted:
            yield value


def _not_required(
    release: Release, absent: Iterable[tuple[str, str, str]]
) -> Iterator[tuple[Key, Found]]:
    """What documents list as required, and accepted objects do not have."""
    for definition, field, rule in absent:
        fields = release.definitions[definition].fields
        if rule == "required" and any(f.required and f.name == field for f in fields):
            yield (definition, field, "", rule), ("false", "asked")


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


def given_objects(folders: Sequence[Path]) -> dict[GroupVersionKind, list[Any]]:
    """The objects in the manifests of folders, by kind."""
    objects: dict[GroupVersionKind, list[Any]] = defaultdict(list)
    for file in find_files([str(folder) for folder in folders]) if folders else ():
        if not file.reason_to_skip:
            for item in read_manifests(file.read(), file.name):
                if isinstance(item, Manifest):
                    value = item.value
                    kind = group_version_kind(value["apiVersion"], value["kind"])
                    objects[kind].append(value)
    return objects
