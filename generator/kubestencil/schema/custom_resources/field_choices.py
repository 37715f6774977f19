"""Reads from ``oneOf`` and ``anyOf`` which fields of an object exclude each other.

Custom resources have no other way to say that exactly one of some fields is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from kubestencil.schema.types import JsonObject

ChoiceKind = Literal["exactly one of", "at most one of", "at least one of"]


class FieldChoice(NamedTuple):
    """How many of some sets of fields an object has; the fields of a set are there
    together."""

    kind: ChoiceKind
    fields: tuple[tuple[str, ...], ...]


def field_choices(schema: JsonObject) -> Iterator[FieldChoice]:
    """The choices of fields in a schema, and in the schemas of its ``allOf``.

    ``oneOf`` and ``anyOf`` that say anything else are left out.
    """
    for choice in (
        one_of_choice(schema.get("oneOf", ())),
        any_of_choice(schema.get("anyOf", ())),
    ):
        if choice is not None:
            yield choice
    for branch in schema.get("allOf", ()):
        yield from field_choices(branch)


def one_of_choice(branches: Sequence[JsonObject]) -> FieldChoice | None:
    """The choice of fields that a ``oneOf`` is; None where it is anything else."""
    names = [required_fields(branch) for branch in branches]
    fields = tuple(filter(None, names))
    if len(fields) == len(branches) > 1:
        return FieldChoice("exactly one of", fields)
    others = [
        branch for branch, required in zip(branches, names, strict=True) if not required
    ]
    # At most one is written as one of them, or none.
    if fields and len(others) == 1:
        excluded = {(name,) for name in excluded_fields(others[0])}
        if excluded == set(fields):
            return FieldChoice("at most one of", fields)
    return None


def any_of_choice(branches: Sequence[JsonObject]) -> FieldChoice | None:
    """The choice of fields that an ``anyOf`` is; None where it is anything else."""
    names = [required_fields(branch) for branch in branches]
    if names and all(names):
        return FieldChoice("at least one of", tuple(names))
    return None


def required_fields(branch: JsonObject) -> tuple[str, ...]:
    """The fields that a branch requires; empty where it says anything else."""
    says_more = without_empty_properties(branch).keys() - {"required"}
    return () if says_more else tuple(branch.get("required", ()))


def excluded_fields(branch: JsonObject) -> tuple[str, ...]:
    """The fields of which a branch allows none: ``not: anyOf: [{required: [a]}]``."""
    if branch.keys() != {"not"}:
        return ()
    excluded = branch["not"]
    branches = excluded["anyOf"] if excluded.keys() == {"anyOf"} else [excluded]
    names = [required_fields(inner) for inner in branches]
    if not all(len(required) == 1 for required in names):
        return ()
    return tuple(name for (name,) in names)


def without_empty_properties(schema: JsonObject) -> Mapping[str, Any]:
    """A schema without ``properties`` that allow any value."""
    if any(schema.get("properties", {}).values()):
        return schema
    return {key: value for key, value in schema.items() if key != "properties"}
