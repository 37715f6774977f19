"""States what ``oneOf``, ``anyOf``, ``allOf`` and ``not`` of a schema require.

Most of them say which fields an object has: exactly one of ``a`` and ``b``, at most one
of them. Others are shown as they are in the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kubestencil.schema import Schema
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
    if len(branches) == 1:
        if not _is_always_true(branches[0]):
            yield Requirement("all of", (_schema_text(branches[0]),))
        return
    names = [_field_names(branch) for branch in branches]
    texts = tuple(name for name in names if name)
    if len(texts) == len(branches):
        yield Requirement("exactly one of", texts)
        return
    others = [
        branch for branch, name in zip(branches, names, strict=True) if name is None
    ]
    # Or none of them, which is how at most one is written.
    if len(others) == 1 and set(_excluded_fields(others[0])) == set(texts):
        if len(texts) > 1:
            yield Requirement("at most one of", texts)
    else:
        yield Requirement("exactly one of", tuple(map(_schema_text, branches)))


def _any_of(branches: Sequence[JsonObject]) -> Iterator[Requirement]:
    if not any(map(_is_always_true, branches)):
        texts = (_field_names(branch) or _schema_text(branch) for branch in branches)
        yield Requirement("at least one of", tuple(texts))


def _not(schema: JsonObject) -> Requirement:
    excluded = _excluded_fields({"not": schema})
    if excluded:
        return Requirement("none of", excluded)
    if schema.keys() == {"required"} and schema["required"]:
        return Requirement("not together", tuple(schema["required"]))
    if schema.keys() == {"enum"}:
        return Requirement("not", tuple(map(_text, schema["enum"])))
    return Requirement("not", (_schema_text(schema),))


def _field_names(branch: JsonObject) -> str | None:
    """The fields that a branch requires, None where it says anything else."""
    says_more = _without_empty_properties(branch).keys() - {"required"}
    names = branch.get("required", ())
    return None if says_more or not names else _shortened(" and ".join(names))


def _excluded_fields(branch: JsonObject) -> tuple[str, ...]:
    """The fields of which a branch allows none: ``not: anyOf: [{required: [a]}]``."""
    if branch.keys() != {"not"}:
        return ()
    excluded = branch["not"]
    branches = excluded["anyOf"] if excluded.keys() == {"anyOf"} else [excluded]
    names = [_field_names(inner) for inner in branches]
    if not all(len(inner.get("required", ())) == 1 for inner in branches):
        return ()
    return tuple(name for name in names if name) if all(names) else ()


def _is_always_true(schema: JsonObject) -> bool:
    return not _without_empty_properties(schema)


def _without_empty_properties(schema: JsonObject) -> Mapping[str, Any]:
    """A schema without ``properties`` that allow any value."""
    if any(schema.get("properties", {}).values()):
        return schema
    return {key: value for key, value in schema.items() if key != "properties"}


def _schema_text(schema: JsonObject) -> str:
    """A schema in one line: ``format: ipv4``, ``properties: {…}``."""
    return _shortened(
        ", ".join(f"{keyword}: {_text(value)}" for keyword, value in schema.items())
    )


def _text(value: Any) -> str:
    if isinstance(value, str) and value:
        return _shortened(value)
    return _shortened(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"
