"""Objects of a folder, and seeded mutations of them about which releases may disagree."""

from __future__ import annotations

import copy
import json
import random
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kubestencil.checking.files.find import find_files
from kubestencil.checking.files.manifests import Manifest, read_manifests
from kubestencil.checking.files.placeholders import reason_unknown
from kubestencil.checking.judgement import kind_of
from kubestencil.checking.paths import Path as Steps
from kubestencil.checking.paths import all_values, field_path, text_at, value_at
from kubestencil.schema.kinds import definitions_of_kinds
from kubestencil.schema.knowledge.gates import gated_fields
from kubestencil.schema.knowledge.kinds import lifecycles
from kubestencil.schema.knowledge.values import server_facts
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from tests.examples import examples
from tests.kind_examples import KIND_EXAMPLES
from tests.value_mutations import mistakes

_ARCHIVE = "manifests.tar.xz"
_NUMBERS = (-1, 0, 1, 65535, 65536, 2**31 - 1)
_TEXTS = (
    "", "UPPER", "a_b", "1abc", "-a", "a.b", "a b", "a/b", "*", "é", "a..b",
    "10.0.0.1", "010.0.0.1", "10.0.0.0/8", "10.0.0.5/24", "10.0.0.0/08", "::ffff:1.2.3.4",
    "2001:DB8::1", " 10.0.0.1", "101%", "-1%", "a" * 64, "a" * 254,
)  # fmt: skip

#: A definition and a field of it.
_Key = tuple[str, str]


class Case(NamedTuple):
    """An object to ask about; ``name`` says where it is from, and what was changed."""

    name: str
    value: Mapping[str, Any]

    @property
    def kind(self) -> GroupVersionKind:
        """The kind that the object says it is."""
        return kind_of(self.value)


class _Place(NamedTuple):
    """A field in an object: ``container[key]``, or an object that may have more fields,
    where ``key`` is None. ``schema`` is that of the value."""

    definition: str
    field: str
    schema: Schema
    container: Any
    key: Any
    path: Steps

    @property
    def is_whole(self) -> bool:
        """Whether it is all of a field, and not what is in its list or map."""
        return bool(self.field) and self.path[-1] == self.field


def read_objects(folder: str) -> list[Case]:
    """The objects in the files of a folder, or in its archive of manifests, each once, and
    not those in which something is filled in later."""
    if not Path(folder, _ARCHIVE).is_file():
        return list(_unique(_objects_in(Path(folder))))
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(Path(folder, _ARCHIVE)) as archive:
            archive.extractall(name, filter="data")
        return list(_unique(_objects_in(Path(name))))


def _objects_in(folder: Path) -> Iterator[Case]:
    for file in find_files([str(folder)]):
        if file.reason_to_skip:
            continue
        for item in read_manifests(file.read(), file.name):
            if isinstance(item, Manifest) and not item.is_patch:
                where = Path(file.path).relative_to(folder).as_posix()
                position = f"{item.subject.document}.{item.subject.item}"
                yield Case(f"{where}#{position}", item.value)


def _unique(cases: Iterable[Case]) -> Iterator[Case]:
    seen: set[str] = set()
    for case in cases:
        text = json.dumps(case.value, sort_keys=True, default=str)
        if text not in seen and not any(map(reason_unknown, all_values(case.value))):
            seen.add(text)
            yield case


def example_objects(releases: Sequence[Release]) -> list[Case]:
    """Examples of all kinds of releases."""
    cases = [Case(f"example {name}", value) for name, value in KIND_EXAMPLES.items()]
    for release in releases:
        for name, value in examples(release, "starter").items():
            cases.append(Case(f"starter {name} of {release.name}", value))
    return list(_unique(cases))


class Mutator:
    """Makes mutations of objects about which two releases may disagree: each field of each
    type is as likely as others, however many objects have it."""

    def __init__(self, releases: Sequence[Release], cases: Sequence[Case]) -> None:
        self._releases = releases
        self._kinds = [definitions_of_kinds(release) for release in releases]
        self._facts = [server_facts(release.name) for release in releases]
        self._cases: dict[GroupVersionKind, list[Case]] = defaultdict(list)
        # Where objects have a field, and a type, whose field has no name.
        self._hosts: dict[_Key, list[tuple[Case, Steps]]] = defaultdict(list)
        served = {row.kind for row in lifecycles()}
        for case in cases:
            if case.kind.kind in served:
                self._cases[case.kind].append(case)
            for place in self._places(case.value):
                self._hosts[place.definition, place.field].append((case, place.path))
        self._examples: dict[_Key, Any] = {}
        # The fields that a gate guards, or that one of the releases does not have.
        self._optional = {key for r in releases for key in gated_fields(r.name)}
        for release in releases:
            for value in examples(release, "all_fields").values():
                for place in self._places(value):
                    key = place.definition, place.field
                    if place.is_whole:
                        self._examples.setdefault(key, place.container[place.key])
                        self._optional |= {key} if self._is_new(key) else set()
        known = {
            key for facts in self._facts for key in (*facts.fields, *facts.by_kind)
        }
        reached = [key for key in sorted(known) if self._hosts.get((key[0], ""))]
        differing = [
            key
            for key in reached
            if all(key[0] in release.definitions for release in releases)
            and self._values(key, 0) != self._values(key, 1)
        ]
        self._known = reached, differing or reached
        self._added = [
            key for key in sorted(self._optional & self._examples.keys())
            if self._hosts.get((key[0], ""))
        ]  # fmt: skip

    def _is_new(self, key: _Key) -> bool:
        definitions = [release.definitions.get(key[0]) for release in self._releases]
        has = [d.schema.field(key[1]) is not None for d in definitions if d]
        return len({*has}) > 1

    def mutants(self, count: int, seed: int) -> Iterator[Case]:
        """``count`` mutations of the objects: two of three by what the releases know of
        the values, the others the mistakes of people."""
        kinds = sorted(self._cases)
        for index in range(count):
            source = random.Random(f"{seed}/{index}")
            mutant = None
            while mutant is None:
                case = source.choice(self._cases[source.choice(kinds)])
                if index % 3 == 0 and text_at(case.value, "metadata", "name"):
                    mutant = _mistake(case, source)
                else:
                    mutant = source.choice(_CHANGES)(self, case, source)
            yield mutant

    def _places(self, value: Any) -> list[_Place]:
        """The fields of an object in the newest release that has its kind."""
        pairs = zip(self._releases, self._kinds, strict=True)
        for release, kinds in reversed([*pairs]):
            name = kinds.get(kind_of(value))
            if name is not None:
                schema = release.definitions[name].schema
                return list(_places_in(release, name, schema, value, ()))
        return []

    def change_value(self, case: Case, source: random.Random) -> Case | None:
        """Put a value at a border of what a release accepts where a scalar is."""
        key = source.choice(source.choice(self._known))
        hosts = self._hosts.get(key)
        case, path = source.choice(hosts or self._hosts[key[0], ""])
        value = copy.deepcopy(case.value)
        if not hosts:
            if key not in self._examples or key[1] in value_at(value, path):
                return None
            value_at(value, path)[key[1]] = copy.deepcopy(self._examples[key])
            path = (*path, key[1])
        container, step = value_at(value, path[:-1]), path[-1]
        if isinstance(container[step], list) and container[step]:
            container, step = container[step], 0
        elif isinstance(container[step], dict) and container[step]:
            container, step = container[step], next(iter(container[step]))
        if type(container[step]) not in (str, int):
            return None
        is_text = isinstance(container[step], str)
        values = [*self._values(key, 0), *self._values(key, 1)]
        fitting = [one for one in values if isinstance(one, str) == is_text]
        container[step] = source.choice(fitting or (_TEXTS if is_text else _NUMBERS))
        text = json.dumps(container[step])[:60]
        return Case(f"{case.name}: {field_path(path)} = {text}", value)

    def _values(self, key: _Key, release: int) -> list[Any]:
        """Values on both sides of what a release accepts of a field."""
        facts = self._facts[release]
        values: list[Any] = []
        for known in (facts.of(*key), *facts.by_kind.get(key, {}).values()):
            values += [*known.enum, *(word.lower() for word in known.enum[:1])]
            for limit in (known.minimum, known.maximum):
                values += [] if limit is None else [limit - 1, limit, limit + 1]
            for length in (known.min_length, known.max_length):
                values += [] if length is None else ["a" * length, "a" * (length + 1)]
            values += [""] if known.min_length or known.required else []
            values += _TEXTS if known.format else []
        return values

    def add_field(self, case: Case, source: random.Random) -> Case | None:
        """Write a field that a gate guards, or that one of the releases does not have."""
        if not self._added:
            return None
        key = source.choice(self._added)
        case, path = source.choice(self._hosts[key[0], ""])
        value = copy.deepcopy(case.value)
        value_at(value, path)[key[1]] = copy.deepcopy(self._examples[key])
        return Case(f"{case.name}: {field_path((*path, key[1]))} added", value)

    def remove_field(self, case: Case, source: random.Random) -> Case | None:
        """Leave out a field that a release requires."""
        key = source.choice(self._known[0])
        if not any(facts.of(*key).required for facts in self._facts):
            return None
        case, path = source.choice(self._hosts.get(key) or [(case, ())])
        if len(path) < 2 or path[-1] != key[1]:
            return None
        value = copy.deepcopy(case.value)
        del value_at(value, path[:-1])[path[-1]]
        return Case(f"{case.name}: {field_path(path)} removed", value)

    def change_version(self, case: Case, source: random.Random) -> Case | None:
        """Write another version that the kind has or had."""
        kind = case.kind.kind
        versions = {row.api_version for row in lifecycles() if row.kind == kind}
        others = sorted(versions - {case.kind.api_version})
        if not others:
            return None
        version = source.choice(others)
        value = {**case.value, "apiVersion": version}
        return Case(f"{case.name}: apiVersion = {version}", value)

    def add_unknown(self, case: Case, source: random.Random) -> Case | None:
        """Write a field that no release has."""
        value = copy.deepcopy(case.value)
        objects = [place.path for place in self._places(value) if not place.field]
        if not objects:
            return None
        path = source.choice(objects)
        value_at(value, path)["bogusField"] = 1
        return Case(f"{case.name}: {field_path((*path, 'bogusField'))} added", value)


def _mistake(case: Case, source: random.Random) -> Case | None:
    ((value, label),) = mistakes([case.value], 1, source.randrange(2**32))
    has_kind = all(isinstance(value.get(name), str) for name in ("apiVersion", "kind"))
    is_other = has_kind and label != "nothing"
    return Case(f"{case.name}: {label}", value) if is_other else None


_CHANGES: tuple[Callable[[Mutator, Case, random.Random], Case | None], ...] = (
    *[Mutator.change_value] * 6,
    *[Mutator.add_field] * 2,
    Mutator.remove_field,
    Mutator.change_version,
    Mutator.add_unknown,
)


def _places_in(
    release: Release, owner: str, schema: Schema, value: Any, path: Steps
) -> Iterator[_Place]:
    """The fields in an object, and the objects themselves."""
    if not isinstance(value, dict):
        return
    yield _Place(owner, "", schema, value, None, path)
    for field in schema.fields:
        if field.name in value and (*path, field.name) != ("status",):
            at = (*path, field.name)
            yield from _inside(
                release, (owner, field.name), field.schema, value, field.name, at
            )


def _inside(
    release: Release,
    name: tuple[str, str],
    schema: Schema,
    container: Any,
    key: Any,
    path: Steps,
) -> Iterator[_Place]:
    value = container[key]
    inner = schema.items if isinstance(value, list) else schema.values
    if inner is not None and isinstance(value, list | dict):
        for step in [*(range(len(value)) if isinstance(value, list) else value)]:
            yield from _inside(release, name, inner, value, step, (*path, step))
    else:
        yield _Place(*name, schema, container, key, path)
    target = release.definitions.get(schema.ref) if schema.ref else None
    if target is not None:
        yield from _places_in(release, target.name, target.schema, value, path)


class FieldPlace(NamedTuple):
    """A field in an object: its path, and the ``names`` in it, with dots between them."""

    path: Steps
    names: str


def fields_of(release: Release, case: Case) -> Iterator[FieldPlace]:
    """The fields of an object that a release has, each once."""
    name = definitions_of_kinds(release).get(case.kind)
    if name is None:
        return
    schema = release.definitions[name].schema
    seen: set[str] = set()
    for place in _places_in(release, name, schema, case.value, ()):
        path = place.path
        while path and path[-1] != place.field:
            path = path[:-1]
        names = ".".join(step for step in path if isinstance(step, str))
        if path and names not in seen:
            seen.add(names)
            yield FieldPlace(path, names)
