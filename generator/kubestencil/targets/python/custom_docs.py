"""Docstrings of custom classes: descriptions, and what the types do not say."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.types import JsonObject


def class_description(definition: Definition, release: Release) -> str:
    """The docstring of a class: its description, deprecation and alternatives."""
    text = definition.description.rstrip() or definition.name
    return "\n\n".join([text, *_class_notes(definition, release)])


def field_description(field: Field) -> str:
    """The docstring of an attribute: its description and default."""
    text = field.schema.description.rstrip()
    if not field.schema.has_default:
        return text
    default = json.dumps(field.schema.default, ensure_ascii=False)
    return f"{text}\n\nDefault: {default}".lstrip()


def _class_notes(definition: Definition, release: Release) -> Iterator[str]:
    for kind in definition.kinds:
        resource = release.resources.get(kind)
        if resource and resource.deprecated:
            warning = resource.deprecation_warning or f"{kind.api_version} {kind.kind}"
            yield f"Deprecated: {warning}"
    yield from _alternatives(definition.schema)


def _alternatives(schema: Schema) -> Iterator[str]:
    """Which of the fields have to be given, where that is all that oneOf and anyOf
    say."""
    for words, branches in (
        ("Exactly one of these is required", schema.one_of),
        ("At least one of these is required", schema.any_of),
    ):
        alternatives = [_only_required(branch.raw) for branch in branches]
        if alternatives and all(alternatives):
            fields = (" and ".join(alternative) for alternative in alternatives)
            yield f"{words}: {', '.join(fields)}."


def _only_required(branch: JsonObject) -> list[str]:
    """The fields that a schema requires; none where it says anything else."""
    fields = branch.get("required")
    if branch.keys() != {"required"} or not isinstance(fields, list):
        return []
    return [field for field in fields if isinstance(field, str)]
