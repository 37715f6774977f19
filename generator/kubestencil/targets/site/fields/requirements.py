"""States what ``oneOf``, ``anyOf``, ``allOf`` and ``not`` of a schema require.

Most of them say which fields an object has: exactly one of ``a`` and ``b``, at most one
of them. Others are shown as they are in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.schema.custom_resources.field_choices import (
    FieldChoice,
    any_of_choice,
    excluded_fields,
    meaningful_keywords,
    one_of_choice,
    required_fields,
)
from kubestencil.schema.keywords import LOGIC
from kubestencil.schema.knowledge.words import shortened, value_in_words


class Requirement(NamedTuple):
    """A condition, such as ``exactly one of``, and the fields or schemas of it."""

    name: str
    values: tuple[str, ...]


def requirements_of(schema: Schema) -> Iterator[Requirement]:
    """What a schema requires besides the keywords that stand alone."""
    # That a value is an integer or a string is said by its type.
    if schema.one_of and not schema.int_or_string:
        yield from _one_of(schema.one_of)
    if schema.any_of and not schema.int_or_string:
        yield from _any_of(schema.any_of)
    if schema.negated is not None:
        yield _not(schema.negated)
    for branch in schema.all_of:
        plain = branch.without(*LOGIC)
        if plain.keywords:
            yield Requirement("all of", (_schema_text(plain),))
        yield from requirements_of(branch)


def _one_of(branches: Sequence[Schema]) -> Iterator[Requirement]:
    choice = one_of_choice(branches)
    if choice is not None:
        if choice.kind != "at most one of" or len(choice.fields) > 1:
            yield _choice(choice)
    elif len(branches) > 1:
        yield Requirement("exactly one of", tuple(map(_schema_text, branches)))
    elif meaningful_keywords(branches[0]):
        yield Requirement("all of", (_schema_text(branches[0]),))


def _any_of(branches: Sequence[Schema]) -> Iterator[Requirement]:
    choice = any_of_choice(branches)
    if choice is not None:
        yield _choice(choice)
    elif all(map(meaningful_keywords, branches)):
        texts = (
            " and ".join(required_fields(branch)) or _schema_text(branch)
            for branch in branches
        )
        yield Requirement("at least one of", tuple(map(shortened, texts)))


def _choice(choice: FieldChoice) -> Requirement:
    texts = tuple(shortened(" and ".join(names)) for names in choice.fields)
    return Requirement(choice.kind, texts)


def _not(schema: Schema) -> Requirement:
    excluded = excluded_fields(schema)
    if excluded:
        return Requirement("none of", excluded)
    if schema.keywords == {"required"} and schema.required:
        return Requirement("not together", schema.required)
    if schema.keywords == {"enum"}:
        return Requirement("not", tuple(map(value_in_words, schema.enum)))
    return Requirement("not", (_schema_text(schema),))


def _schema_text(schema: Schema) -> str:
    """A schema in one line: ``format: ipv4``, ``properties: {…}``."""
    return shortened(
        ", ".join(
            f"{keyword}: {value_in_words(schema.value_of(keyword))}"
            for keyword in schema.keywords
        )
    )
