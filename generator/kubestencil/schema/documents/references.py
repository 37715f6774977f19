"""Gives the references of schemas other names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kubestencil.schema.types import Schema, schema_of


def rename_references(schema: Schema, new_refs: Mapping[str, str]) -> Schema:
    """A schema with references (``#/definitions/…``) replaced as ``new_refs`` says."""
    return schema_of(_renamed(schema.raw, new_refs))


def _renamed(value: Any, new_refs: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: (
                new_refs.get(inner, inner)
                if key == "$ref" and isinstance(inner, str)
                else _renamed(inner, new_refs)
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [_renamed(inner, new_refs) for inner in value]
    return value
