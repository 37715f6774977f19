"""States what ``oneOf``, ``anyOf``, ``allOf`` and ``not`` of a schema require.

Most of them say which fields an object has: exactly one of ``a`` and ``b``, at most one
of them. Others are shown as they are in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.schema.custom_resources.field_choices import (
    FieldChoice,
    any_of_choice,
    excluded_fields,
    one_of_choice,
    required_fields,
    without_empty_properties,
)
from kubestencil.schema.types import JsonObject

_MAX_LENGTH = 300


class Requirement(NamedTuple):
    """A condition, such as ``exactly one of``, and the fields or schemas of it."""

    name: str
    values: tuple[str, ...]


def requirements_of(schema: Schema) -> Iterator[Requirement]:
    """What a schema requires besides the keywords that stand alone."""
    raw = schema.raw
    if schema.int_or_string:
        # That the value is an integer or a string is said by its type.
        raw = {
            keyword: value
            for keyword, value in raw.items()
            if keyword not in ("anyOf", "oneOf")
        }
    yield from _requirements(raw)


def _requirements(schema: JsonObject) -> Iterator[Requirement]:
    if schema.get("oneOf"):
        yield from _one_of(schema["oneOf"])
    if schema.get("anyOf"):
        yield from _any_of(schema["anyOf"])
    if "not" in schema:
        yield _not(schema["not"])
    for branch in schema.get("allOf", ()):
        plain = {
            keyword: value
            for keyword, value in branch.items()
            if keyword not in ("oneOf", "anyOf", "allOf", "not")
        }
        if plain:
            yield Requirement("all of", (_schema_text(plain),))
        yield from _requirements(branch)


def _one_of(branches: Sequence[JsonObject]) -> Iterator[Requirement]:
    choice = one_of_choice(branches)
    if choice is not None:
        if choice.kind != "at most one of" or len(choice.fields) > 1:
            yield _choice(choice)
    elif len(branches) > 1:
        yield Requirement("exactly one of", tuple(map(_schema_text, branches)))
    elif without_empty_properties(branches[0]):
        yield Requirement("all of", (_schema_text(branches[0]),))


def _any_of(branches: Sequence[JsonObject]) -> Iterator[Requirement]:
    choice = any_of_choice(branches)
    if choice is not None:
        yield _choice(choice)
    elif all(map(without_empty_properties, branches)):
        texts = (
            " and ".join(required_fields(branch)) or _schema_text(branch)
            for branch in branches
        )
        yield Requirement("at least one of", tuple(map(_shortened, texts)))


def _choice(choice: FieldChoice) -> Requirement:
    texts = tuple(_shortened(" and ".join(names)) for names in choice.fields)
    return Requirement(choice.kind, texts)


def _not(schema: JsonObject) -> Requirement:
    excluded = excluded_fields({"not": schema})
    if excluded:
        return Requirement("none of", excluded)
    if schema.keys() == {"required"} and schema["required"]:
        return Requirement("not together", tuple(schema["required"]))
    if schema.keys() == {"enum"}:
        return Requirement("not", tuple(map(value_text, schema["enum"])))
    return Requirement("not", (_schema_text(schema),))


def _schema_text(schema: JsonObject) -> str:
    """A schema in one line: ``format: ipv4``, ``properties: {…}``."""
    return _shortened(
        ", ".join(
            f"{keyword}: {value_text(value)}" for keyword, value in schema.items()
        )
    )


def value_text(value: object) -> str:
    """A value as JSON, a non-empty string without quotes; long ones are shortened."""
    if isinstance(value, str) and value:
        return _shortened(value)
    return _shortened(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
