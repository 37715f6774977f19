"""Hints what to do about a problem: where a field is instead, or what it is called."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kubestencil.check.findings import Path, Problem, field_path
from kubestencil.check.release import CheckedRelease
from kubestencil.schema.renamed_fields import renamed_field
from kubestencil.schema.types import Definition, GroupVersionKind, Release, Schema


def explained(
    problem: Problem, kind: GroupVersionKind, release: CheckedRelease
) -> Problem:
    """The problem with a hint, where it has none and there is one to give."""
    if problem.hint or problem.rule not in ("unknown-field", "dropped-field"):
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
    for version in release.versions(kind.group, kind.kind):
        other = GroupVersionKind(kind.group, version, kind.kind)
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


def _schema_at(release: Release, name: str, path: Path) -> Schema | None:
    """The schema of the value at a path of a kind; None where there is none."""
    definition: Definition = release.definitions[name]
    schema: Schema | None = definition.schema
    for step in path:
        if schema is None:
            return None
        schema = release.resolve(schema)
        if isinstance(step, int):
            schema = schema.items
        elif schema.values is not None:
            schema = schema.values
        else:
            schema = next(
                (field.schema for field in schema.fields if field.name == step), None
            )
    return None if schema is None else release.resolve(schema)
