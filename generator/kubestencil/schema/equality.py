"""Compares JSON values, and schemas keyword by keyword, so that nothing in them is
ignored, unknown keywords included."""

from __future__ import annotations

from typing import Any

from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.types import JsonObject, Schema

#: The keywords that describe a schema without constraining its values.
DOCUMENTATION = frozenset({"description", "title", "example", "externalDocs"})


def json_equal(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal; unlike in Python, true is not 1."""
    if first != second:
        return False
    pending = [(first, second)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict):
            # Most values are texts, which are equal where Python says so.
            pending += [
                (value, right[key])
                for key, value in left.items()
                if not isinstance(value, str)
            ]
        elif isinstance(left, list):
            pending += zip(left, right, strict=True)
        elif isinstance(left, bool) is not isinstance(right, bool):
            return False
    return True


def differing_keywords(before: Schema, after: Schema) -> set[str]:
    """The keywords that only one of two schemas has, or whose values differ."""
    return _differing_keys(json_object(before), json_object(after))


def same_but_documentation(old: Any, new: Any) -> bool:
    """Whether two values of a keyword differ only in documentation, at any depth."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return bool(old == new)
    return all(
        key in DOCUMENTATION or same_but_documentation(old.get(key), new.get(key))
        for key in _differing_keys(old, new)
    )


def _differing_keys(before: JsonObject, after: JsonObject) -> set[str]:
    return {
        key
        for key in before.keys() | after.keys()
        if key not in before
        or key not in after
        or not json_equal(before[key], after[key])
    }
