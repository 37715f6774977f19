"""Finds what a value of a wrong type was meant to be."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from kubestencil.checking.edits import Move, Put
from kubestencil.checking.hints.schemas import KindSchemas
from kubestencil.checking.paths import Path
from kubestencil.checking.values.scalars import base64_error
from kubestencil.errors import is_one_edit
from kubestencil.schema.types import Schema

_SIMILAR = 0.8
# What no alphabet of base64 has, nor how it is broken into lines.
_LEFT_OPEN = re.compile(r"\.\.\.|…|<|base64", re.IGNORECASE)
# Base64 is broken into lines that are longer than words.
_LONGEST_WORD = 15
_NOT_BASE64 = re.compile(r"[^\w+/=\s-]")
# In characters; Python refuses to read a number of thousands of digits.
_INT64_LENGTH = 20
_BOOLEANS = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}
#: What to do about a value, in words and as an edit.
Suggestion = tuple[str, Move | Put]


def suggestions(value: Any, path: Path, schemas: KindSchemas) -> Iterator[Suggestion]:
    """What can be meant by a value that is not of the type at a path."""
    schema = schemas.at(path)
    if schema is None:
        return
    if schema.items is not None:
        yield from _as_list(value, path, schemas.release.resolve(schema.items))
    elif isinstance(value, list):
        yield from _out_of_list(value, path, schema)
    elif schema.type == "string" and isinstance(value, bool | int | float):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield "quote it", Put(path, text)
    if isinstance(value, str):
        yield from _without_quotes(value, path, schema)


def _as_list(value: Any, path: Path, items: Schema) -> Iterator[Suggestion]:
    into_list = Move(path, (*path, 0))
    if not isinstance(value, dict):
        if isinstance(value, str):
            yield f"write it as a list: [{value[:60]}]", into_list
        else:
            yield "write it as a list, in brackets", into_list
        return
    yield "put '- ' before it: it is an item of a list", into_list
    if {"name", "value"} <= items.field_names and _is_flat(value):
        pairs = [{"name": name, "value": text} for name, text in value.items()]
        yield "write it as a list of name and value", Put(path, pairs)


def _out_of_list(value: list[Any], path: Path, schema: Schema) -> Iterator[Suggestion]:
    if len(value) == 1:
        what = "'- '" if isinstance(value[0], dict) else "the brackets or '- '"
        yield f"remove {what} before it: it is no list", Move((*path, 0), path)
    elif schema.values is not None and all(map(_is_flat, value)):
        merged = {key: text for item in value for key, text in item.items()}
        if len(merged) == sum(map(len, value)):
            yield "remove each '- ': it is no list", Put(path, merged)


def _without_quotes(value: str, path: Path, schema: Schema) -> Iterator[Suggestion]:
    if schema.type == "boolean" and value.lower() in _BOOLEANS:
        meant: bool | int = _BOOLEANS[value.lower()]
    elif (
        schema.type in ("integer", "number")
        and len(value) <= _INT64_LENGTH
        and value.removeprefix("-").isdecimal()
    ):
        meant = int(value)
    else:
        return
    plain = "true" if meant is True else "false" if meant is False else value
    hint = "remove the quotes" if plain == value else f"write {plain}"
    yield hint, Put(path, meant)


def _is_flat(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(item, str) for item in value.values()
    )


def nearest_text(value: str, allowed: Sequence[str]) -> str | None:
    """The one text of an enum that is meant; None where there are none or several."""
    same = [text for text in allowed if text.lower() == value.lower()]
    similar = (
        same
        or get_close_matches(value, allowed, n=2, cutoff=_SIMILAR)
        or [text for text in allowed if is_one_edit(value, text)]
    )
    return similar[0] if len(similar) == 1 else None


def encoded_text(value: str) -> str | None:
    """A text in base64; None of one that may be meant as base64 already, or that people
    have yet to fill in."""
    plain = _NOT_BASE64.sub("", value)
    words = plain.split()
    is_text = len(words) > 1 and max(map(len, words)) <= _LONGEST_WORD
    is_base64 = (plain == value and not is_text) or base64_error("".join(words)) is None
    if is_base64 or _LEFT_OPEN.search(value):
        return None
    return b64encode(value.encode("utf-8", "replace")).decode()
