"""Seeded mistakes of people in accepted objects, mended by obeying the hints of a check."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kubestencil.checking.edits import applied, existing_value
from kubestencil.checking.findings import Problem
from kubestencil.checking.hints.schemas import KindSchemas
from kubestencil.checking.judgement import kind_of
from kubestencil.checking.paths import Path as FieldPath
from kubestencil.checking.paths import field_path
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES
from kubestencil.checking.upgrade import Upgrade
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request

SEED = 29
_MAX_STEPS = 4
# How far away people write what belongs elsewhere.
_MAX_STEPS_AWAY = 3

#: What obeying a hint leads to. A choice is a hint that names several places, of which
#: one is right.
Outcome = Literal["right", "choice", "no hint", "refused", "other meaning"]


class HintedMistake(NamedTuple):
    """An accepted object, the same with a mistake, and what the mistake is."""

    original: Mapping[str, Any]
    value: Mapping[str, Any]
    mistake_class: str
    label: str


class _Field(NamedTuple):
    """A field of an object in it; ``names`` are the fields that the object can have."""

    path: FieldPath
    value: Any
    names: frozenset[str]


class _Subject(NamedTuple):
    """An object to make a mistake in: a copy, its fields, and its schemas."""

    value: Any
    fields: Sequence[_Field]
    objects: Sequence[tuple[FieldPath, frozenset[str]]]
    schemas: KindSchemas
    source: random.Random


def _fields(value: Any, schemas: KindSchemas) -> Iterator[_Field]:
    for path, schema, part in schemas.objects_in(value, ("status",)):
        names = frozenset(schema.field_names)
        for name in () if "managedFields" in path else part:
            if name in names and (*path, name) not in (("apiVersion",), ("kind",)):
                yield _Field((*path, name), part[name], names)


def _typo(subject: _Subject) -> str:
    """Misspell the name of a field."""
    source = subject.source
    field = source.choice(subject.fields)
    name = str(field.path[-1])
    index = source.randrange(len(name))
    after = min(index + 1, len(name) - 1)
    new = source.choice(
        [
            name[:index] + name[index + 1 :],
            name[:index] + name[index] + name[index:],
            name[:index] + name[after] + name[index] + name[after + 1 :],
            name[:index] + name[index].swapcase() + name[index + 1 :],
            f"{name}s",
            name.removesuffix("s"),
            "".join(f"_{c.lower()}" if c.isupper() else c for c in name),
        ]
    )
    if new in field.names or not new:
        return ""
    _rename(existing_value(subject.value, field.path[:-1]), name, new)
    return f"{field_path(field.path)} -> {new}"


def _rename(holder: dict[str, Any], name: str, new: str) -> None:
    items = [(new if key == name else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(items)


def _level_too_high(subject: _Subject) -> str:
    """Indent a field too little: it stands behind the object or the list that it was
    in. Only what is last in a list can be written there."""
    field = subject.source.choice(subject.fields)
    above, index = _object_above(field.path)
    if above is None:
        return ""
    holder, outer = existing_value(subject.value, field.path[:-1]), above[:-1]
    siblings = existing_value(subject.value, above)
    if index is not None and index != len(siblings) - 1:
        return ""
    name = field.path[-1]
    target = existing_value(subject.value, outer)
    if name in target or not isinstance(target, dict):
        return ""
    value = holder.pop(name)
    items = list(target.items())
    position = list(target).index(above[-1]) + 1
    target.clear()
    target.update([*items[:position], (name, value), *items[position:]])
    if not holder:
        return ""
    return f"{field_path(field.path)} -> {field_path(outer)}"


def _object_above(path: FieldPath) -> tuple[FieldPath | None, int | None]:
    """The field that holds the object or list which a field is in."""
    *above, _ = path
    if above and isinstance(above[-1], int):
        return (tuple(above[:-1]) or None), above[-1]
    return (tuple(above) or None), None


def _level_too_low(subject: _Subject) -> str:
    """Indent a field too much: it stands in the object or item before it."""
    field = subject.source.choice(subject.fields)
    parent, name = existing_value(subject.value, field.path[:-1]), field.path[-1]
    keys = list(parent)
    index = keys.index(name)
    target = parent[keys[index - 1]] if index else None
    if isinstance(target, list) and target:
        target = target[-1]
    if not isinstance(target, dict) or name in target:
        return ""
    target[name] = parent.pop(name)
    return f"{field_path(field.path)} -> {keys[index - 1]}"


def _wrong_parent(subject: _Subject) -> str:
    """Write a field into another object."""
    field = subject.source.choice(subject.fields)
    path, names = subject.source.choice(subject.objects)
    if path[: len(field.path)] == field.path or path == field.path[:-1]:
        return ""
    old = field.path[:-1]
    common = next(
        i for i in range(99) if old[: i + 1] != path[: i + 1] or i >= len(old)
    )
    steps = (*old[common:], *path[common:])
    if sum(isinstance(step, str) for step in steps) > _MAX_STEPS_AWAY:
        return ""
    target = existing_value(subject.value, path)
    if field.path[-1] in names or field.path[-1] in target:
        return ""
    del existing_value(subject.value, field.path[:-1])[field.path[-1]]
    target[field.path[-1]] = field.value
    return f"{field_path(field.path)} -> {field_path(path)}"


def _list_for_object(subject: _Subject) -> str:
    """Write '- ' before an object, or leave it out before the only item of a list."""
    fields = [
        field
        for field in subject.fields
        if (isinstance(field.value, dict) and field.value)
        or (_is_single(field.value) and isinstance(field.value[0], dict))
    ]
    if not fields:
        return ""
    field = subject.source.choice(fields)
    new = [field.value] if isinstance(field.value, dict) else field.value[0]
    existing_value(subject.value, field.path[:-1])[field.path[-1]] = new
    return field_path(field.path)


def _scalar_for_list(subject: _Subject) -> str:
    """Leave out the brackets of a list of one scalar, or put them around a scalar."""
    fields = [
        field
        for field in subject.fields
        if not isinstance(field.value, dict | list)
        or (_is_single(field.value) and not isinstance(field.value[0], dict | list))
    ]
    if not fields:
        return ""
    lists = [field for field in fields if isinstance(field.value, list)]
    field = subject.source.choice(lists or fields)
    new = field.value[0] if lists else [field.value]
    existing_value(subject.value, field.path[:-1])[field.path[-1]] = new
    return field_path(field.path)


def _is_single(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


def _wrong_type(subject: _Subject) -> str:
    """Quote a number or boolean, or leave out the quotes of a text that reads as one."""
    scalars = [
        (path, part)
        for path, part in _scalars(subject.value)
        if type(part) in (int, bool)
        or (isinstance(part, str) and (part.isdecimal() or part in ("true", "false")))
    ]
    if not scalars:
        return ""
    path, part = subject.source.choice(scalars)
    if isinstance(part, str):
        new: Any = int(part) if part.isdecimal() else part == "true"
        if str(new).lower() != part:
            return ""
    else:
        new = str(part).lower() if isinstance(part, bool) else str(part)
    existing_value(subject.value, path[:-1])[path[-1]] = new
    return f"{field_path(path)}: {new!r}"


def _scalars(value: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _scalars(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _scalars(part, (*path, index))
    else:
        yield path, value


def _wrong_version(subject: _Subject) -> str:
    """Name another version or group, or misspell it."""
    value, source = subject.value, subject.source
    group, _, version = value["apiVersion"].rpartition("/")
    new = source.choice(
        [
            f"{group}/v1beta1".lstrip("/"),
            f"{group}/v1beta2".lstrip("/"),
            f"{group}/v2".lstrip("/"),
            "extensions/v1beta1",
            "apps/v1",
            "v1",
            f"{group[:-1]}/{version}" if group else "core/v1",
            f"{group}.k8s.io/{version}",
            group.replace("k8s.io", "k8.io") + f"/{version}",
        ]
    )
    if new == value["apiVersion"]:
        return ""
    value["apiVersion"] = new
    return str(new)


MISTAKES: Mapping[str, Callable[[_Subject], str]] = {
    "typo": _typo,
    "level too high": _level_too_high,
    "level too low": _level_too_low,
    "wrong parent": _wrong_parent,
    "list for object": _list_for_object,
    "scalar for list": _scalar_for_list,
    "wrong type": _wrong_type,
    "wrong version": _wrong_version,
}


def hinted_mistakes(
    objects: Sequence[Any], release: CheckedRelease, count: int, seed: int = SEED
) -> Iterator[HintedMistake]:
    """Mistakes that a check finds, ``count`` tries of each class."""
    for name, mistake in MISTAKES.items():
        for index in range(count):
            source = random.Random(f"{seed}/{name}/{index}")
            original = source.choice(objects)
            kind = kind_of(original)
            definition = release.kinds.get(kind)
            if definition is None:
                continue
            schemas = KindSchemas(release.release, definition)
            value = copy.deepcopy(original)
            fields = list(_fields(value, schemas))
            holders = [
                (path, frozenset(schema.field_names))
                for path, schema, _ in schemas.objects_in(value, ("status",))
                if schema.fields
            ]
            if not fields:
                continue
            label = mistake(_Subject(value, fields, holders, schemas, source))
            if label and value != original:
                yield HintedMistake(original, value, name, label)


def outcome(
    mistake: HintedMistake, upgrade: Upgrade, validator: Validator | None
) -> tuple[Outcome | None, list[Problem]]:
    """What obeying the hints leads to, and the first errors; no outcome where no check
    finds the mistake, which is then none."""
    value: Any = mistake.value
    first: list[Problem] = []
    is_choice = False
    for _ in range(_MAX_STEPS):
        errors = _errors(value, upgrade)
        first = first or errors
        if not errors:
            break
        hinted = [error for error in errors if error.fixes]
        if not hinted:
            removable = [error for error in errors if error.hint.endswith("remove it")]
            if not removable:
                return ("no hint" if value == mistake.value else "refused"), first
            value = copy.deepcopy(value)
            path = removable[0].path
            del existing_value(value, path[:-1])[path[-1]]
            continue
        fixes = hinted[0].fixes
        results = [applied(value, fix) for fix in fixes]
        right = [result for result in results if result == mistake.original]
        is_choice = is_choice or len(fixes) > 1
        value = right[0] if right else results[0]
    if not first:
        return None, first
    if value == mistake.original or (
        validator is not None and _means(validator, value, mistake.original)
    ):
        return ("choice" if is_choice else "right"), first
    if _errors(value, upgrade) or (
        validator is not None
        and not next(iter(validator.ask([Request("create", value)]))).accepted
    ):
        return "refused", first
    return "other meaning", first


def _means(validator: Validator, value: Any, original: Any) -> bool:
    """Whether a server accepts an object and stores the same for both."""
    to = original["apiVersion"]
    created, *stored = validator.ask(
        [
            Request("create", value),
            Request("convert", value, to=to),
            Request("convert", original, to=to),
        ]
    )
    return created.accepted and stored[0].object == stored[1].object


def _errors(value: Any, upgrade: Upgrade) -> list[Problem]:
    result = upgrade.start(value, kind_of(value), is_patch=False)()
    problems = (difference.problem for difference in result.differences)
    return [p for p in problems if RULES[p.rule].severity == "error"]
