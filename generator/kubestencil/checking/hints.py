"""Hints what to do about a problem: where a field is instead, or what it is called."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kubestencil.checking.findings import Path, Problem, field_path
from kubestencil.checking.release import CheckedRelease
from kubestencil.checking.rules import RULES
from kubestencil.schema.facts.fields import changed_field, renamed_field
from kubestencil.schema.types import GroupVersionKind, Release, Schema
from kubestencil.source.releases import minor_version_in, release_order


def explained(
    problem: Problem, kind: GroupVersionKind, release: CheckedRelease
) -> Problem:
    """The problem with a hint, where it has none and there is one to give."""
    if problem.hint or not RULES[problem.rule].suggests_field:
        return problem
    definition = release.kinds.get(kind)
    if definition is None:
        return problem
    hint = next(_field_hints(problem.path, kind, release, definition), "")
    return problem._replace(hint=hint or "remove it")


def _field_hints(
    path: Path, kind: GroupVersionKind, release: CheckedRelease, definition: str
) -> Iterator[str]:
    """Hints about an unknown field, the best one first."""
    name = str(path[-1])
    keys = ".".join(step for step in path if isinstance(step, str))
    renamed = renamed_field(kind, keys)
    if renamed is not None:
        yield f"{kind.api_version} has {renamed} instead"
    holder = _unresolved_at(release.release, definition, path[:-1])
    type_name = definition if len(path) == 1 else holder and holder.ref
    yield from _release_hint(name, type_name or "", release)
    for version in release.versions(kind.group, kind.kind):
        other = kind._replace(version=version)
        if other != kind and _schema_at(release.release, release.kinds[other], path):
            yield f"it is a field of {other.api_version}"
    around = _schema_at(release.release, definition, path[:-1])
    fields = around.fields if around else ()
    similar = get_close_matches(name, [field.name for field in fields], 1, 0.7)
    if similar:
        yield f"did you mean {similar[0]}?"
    for length in range(len(path) - 2, -1, -1):
        above = _schema_at(release.release, definition, path[:length])
        if above and any(field.name == name for field in above.fields):
            yield f"it belongs to {field_path(path[:length]) or kind.kind}"
    for field in fields:
        inner = release.release.resolve(field.schema)
        if any(nested.name == name for nested in inner.fields):
            yield f"it belongs into {field_path((*path[:-1], field.name))}"
    yield from _sibling_hints(path, release.release, definition)


def _release_hint(name: str, definition: str, release: CheckedRelease) -> Iterator[str]:
    """A hint about a field that other releases have."""
    changed = changed_field(definition, name)
    minor = minor_version_in(release.name)
    if changed is None or minor is None:
        return
    order = release_order(minor)
    if changed.removed and release_order(changed.removed) <= order:
        yield f"{name} was removed in {changed.removed}: remove it"
    elif changed.added and release_order(changed.added) > order:
        yield f"{name} was added in {changed.added}: remove it for {release.name}"


def _sibling_hints(path: Path, release: Release, definition: str) -> Iterator[str]:
    """Hints about a field of an object that has the same name in a part next to it:
    ``securityContext.privileged`` of a Pod, which its containers have."""
    if len(path) < 2:
        return
    *above, part, name = path
    around = _schema_at(release, definition, tuple(above)) if above else None
    for field in around.fields if around else ():
        sibling = release.resolve(field.schema)
        items = "" if sibling.items is None else "[]"
        inner = release.resolve(sibling.items or sibling)
        for nested in inner.fields:
            if nested.name == part:
                fields = release.resolve(nested.schema).fields
                if any(candidate.name == name for candidate in fields):
                    parent = field_path((*above, field.name))
                    yield f"it belongs into {parent}{items}.{part}"


def _inner_schema(release: Release, schema: Schema, step: str | int) -> Schema | None:
    """The schema of an item, of a value of a map, or of a field; None where there is
    none."""
    schema = release.resolve(schema)
    if isinstance(step, int):
        return schema.items
    if schema.values is not None:
        return schema.values
    return next((field.schema for field in schema.fields if field.name == step), None)


def _schema_at(release: Release, name: str, path: Path) -> Schema | None:
    """The schema of the value at a path of a kind; None where there is none."""
    schema = _unresolved_at(release, name, path)
    return None if schema is None else release.resolve(schema)


def _unresolved_at(release: Release, name: str, path: Path) -> Schema | None:
    """The same, which may be a reference."""
    schema: Schema | None = release.definitions[name].schema
    for step in path:
        schema = None if schema is None else _inner_schema(release, schema, step)
    return schema
