"""Reads from ``oneOf`` and ``anyOf`` which fields of an object exclude each other.

Custom resources have no other way to say that exactly one of some fields is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Literal, NamedTuple

from kubestencil.schema.types import Schema

ChoiceKind = Literal["exactly one of", "at most one of", "at least one of"]


class FieldChoice(NamedTuple):
    """How many of some sets of fields an object has; the fields of a set are there
    together."""

    kind: ChoiceKind
    fields: tuple[tuple[str, ...], ...]


def field_choices(schema: Schema) -> Iterator[FieldChoice]:
    """The choices of fields in a schema, and in the schemas of its ``allOf``.

    ``oneOf`` and ``anyOf`` that say anything else are left out.
    """
    for choice in (one_of_choice(schema.one_of), any_of_choice(schema.any_of)):
        if choice is not None:
            yield choice
    for branch in schema.all_of:
        yield from field_choices(branch)


def one_of_choice(branches: Sequence[Schema]) -> FieldChoice | None:
    """The choice of fields that a ``oneOf`` is; None where it is anything else."""
    names = [required_fields(branch) for branch in branches]
    fields = tuple(filter(None, names))
    if len(fields) == len(branches) > 1:
        return FieldChoice("exactly one of", fields)
    others = [
        branch for branch, required in zip(branches, names, strict=True) if not required
    ]
    # At most one is written as one of them, or none.
    negated = others[0].negated if len(others) == 1 else None
    if fields and negated is not None and others[0].keywords == {"not"}:
        excluded = {(name,) for name in excluded_fields(negated)}
        if excluded == set(fields):
            return FieldChoice("at most one of", fields)
    return None


def any_of_choice(branches: Sequence[Schema]) -> FieldChoice | None:
    """The choice of fields that an ``anyOf`` is; None where it is anything else."""
    names = [required_fields(branch) for branch in branches]
    if names and all(names):
        return FieldChoice("at least one of", tuple(names))
    return None


def required_fields(branch: Schema) -> tuple[str, ...]:
    """The fields that a branch requires; empty where it says anything else."""
    says_more = meaningful_keywords(branch) - {"required"}
    return () if says_more else branch.required


def excluded_fields(negated: Schema) -> tuple[str, ...]:
    """The fields of which a ``not`` allows none: ``anyOf: [{required: [a]}]``."""
    branches = negated.any_of if negated.keywords == {"anyOf"} else (negated,)
    names = [required_fields(inner) for inner in branches]
    if not all(len(required) == 1 for required in names):
        return ()
    return tuple(name for (name,) in names)


def meaningful_keywords(schema: Schema) -> Set[str]:
    """The keywords of a schema, without ``properties`` that allow any value."""
    if any(field.schema.keywords for field in schema.fields):
        return schema.keywords
    return schema.keywords - {"properties"}
