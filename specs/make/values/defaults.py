"""Defaults: what the server fills in, and on which fields beside it that depends."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema.types import GroupVersionKind, Release
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Request
from specs.make.values.objects import general, positions, removed, value_at

#: What a default cannot be: it is different for each object.
_PER_OBJECT = ("creationTimestamp", "uid", "generation", "managedFields")


class Observation(NamedTuple):
    """A field that was absent in an object, and what the server filled in: JSON, empty
    for nothing. ``beside`` are the other fields of the object around it."""

    kind: GroupVersionKind
    path: str
    definition: str
    field: str
    value: str
    beside: Mapping[str, Any]


def observations(
    release: Release,
    validator: Validator,
    kind: GroupVersionKind,
    definition: str,
    objects: Sequence[Any],
) -> Iterator[Observation]:
    """What a server fills into objects of a kind, whole and with one field removed."""
    seen: set[tuple[str, str]] = set()
    cases: list[tuple[Any, tuple[str | int, ...] | None]] = []
    for value in sorted(objects, key=lambda value: len(str(value))):
        cases.append((value, None))
        for position in positions(release, definition, value):
            beside = json.dumps(_scalars(value_at(value, position.path[:-1])))
            key = general(position.path), beside
            if not position.is_item and key not in seen and len(cases) < 1_500:
                seen.add(key)
                cases.append((removed(value, position.path), position.path))
    requests = [Request("default", value) for value, _ in cases]
    for (value, path), answer in zip(cases, validator.ask(requests), strict=True):
        if answer.code != 200 or answer.object is None:
            continue
        yield from _differences(release, kind, definition, value, answer.object)
        if path is not None:
            yield from _unfilled(release, kind, definition, path, answer.object)


def _differences(
    release: Release, kind: GroupVersionKind, definition: str, before: Any, after: Any
) -> Iterator[Observation]:
    """The outermost values that are new, with those that are not filled in."""
    for position in positions(release, definition, after):
        path = position.path
        try:
            value_at(before, path[:-1])
        except (LookupError, TypeError):
            continue
        field = path[-1]
        if position.is_item or field in _PER_OBJECT:
            continue
        if field not in value_at(before, path[:-1]):
            yield _observation(kind, position.definition, path, after)


def _unfilled(
    release: Release, kind: GroupVersionKind, definition: str, path: Any, after: Any
) -> Iterator[Observation]:
    try:
        parent = value_at(after, path[:-1])
    except LookupError:
        return
    if path[-1] in parent:
        return
    owner = definition
    for position in positions(release, definition, after):
        if position.path == path[:-1]:
            schema = position.schema
            while schema.ref and not release.definitions[schema.ref].is_object:
                schema = release.definitions[schema.ref].schema
            owner = schema.ref or ""
    yield Observation(kind, general(path), owner, path[-1], "", _scalars(parent))


def _observation(
    kind: GroupVersionKind, definition: str, path: Any, after: Any
) -> Observation:
    parent = value_at(after, path[:-1])
    beside = {key: value for key, value in parent.items() if key != path[-1]}
    value = json.dumps(parent[path[-1]], separators=(",", ":"), sort_keys=True)
    return Observation(
        kind, general(path), definition, path[-1], value, _scalars(beside)
    )


def _scalars(value: Any) -> Mapping[str, Any]:
    """An object whose parts are only there or not."""
    if not isinstance(value, Mapping):
        return {}
    return {
        key: part if isinstance(part, str | int) else True
        for key, part in value.items()
    }


class DefaultFact(NamedTuple):
    """A default, with a context (a kind and a path) or a condition or neither."""

    definition: str
    field: str
    context: str
    condition: str
    value: str


def default_facts(
    observed: Sequence[Observation], problems: list[str]
) -> Iterator[DefaultFact]:
    """The defaults that explain all observations; what they cannot explain is added to
    ``problems``."""
    by_field: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for item in observed:
        by_field[item.definition, item.field].append(item)
    for (definition, field), items in sorted(by_field.items()):
        if not any(item.value for item in items):
            continue
        found = _explained(items)
        if found is not None:
            for condition, value in found:
                yield DefaultFact(definition, field, "", condition, value)
            continue
        by_place: dict[tuple[GroupVersionKind, str], list[Observation]] = defaultdict(
            list
        )
        for item in items:
            by_place[item.kind, item.path].append(item)
        for (kind, path), group in sorted(by_place.items()):
            explained = _explained(group)
            where = f"{kind.api_version}/{kind.kind}:{path}"
            if explained is None:
                values = sorted({item.value[:60] for item in group})
                problems.append(f"default of {definition}.{field} at {where}: {values}")
                continue
            for condition, value in explained:
                yield DefaultFact(definition, field, where, condition, value)


def _explained(items: Sequence[Observation]) -> list[tuple[str, str]] | None:
    """Conditions and values that explain what was filled in; None where one term for
    each value does not."""
    values = sorted({item.value for item in items})
    if len(values) == 1:
        return [("", values[0])] if values[0] else []
    found = []
    for value in filter(None, values):
        condition = next(_conditions(items, value), None)
        if condition is None:
            return None
        found.append((condition, value))
    return found


def _conditions(items: Sequence[Observation], value: str) -> Iterator[str]:
    """The terms that hold for the observations with a value, and for no others."""
    having = [item.beside for item in items if item.value == value]
    others = [item.beside for item in items if item.value != value]
    names = sorted({name for beside in having + others for name in beside})
    for name in names:
        texts = {beside.get(name) for beside in having}
        others_texts = {beside.get(name) for beside in others}
        if _is_word(texts) and texts.isdisjoint(others_texts):
            yield f"{name}={texts.pop()}"
        if _is_word(others_texts) and others_texts.isdisjoint(texts):
            yield f"{name}!={others_texts.pop()}"
    for name in names:
        if all(name in b for b in having) and all(name not in b for b in others):
            yield name
        if all(name not in b for b in having) and all(name in b for b in others):
            yield f"!{name}"


def _is_word(values: set[Any]) -> bool:
    """Whether values are one and the same word."""
    return len(values) == 1 and all(
        isinstance(value, str) and value and " " not in value for value in values
    )
