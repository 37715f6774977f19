"""Docstrings of custom classes: descriptions, and what the types do not say."""

from __future__ import annotations

import json
from collections.abc import Iterator

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.custom_resources.field_choices import FieldChoice, field_choices


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
    yield from map(_choice_note, field_choices(definition.schema.raw))


def _choice_note(choice: FieldChoice) -> str:
    alternatives = ", ".join(" and ".join(fields) for fields in choice.fields)
    verb = "allowed" if choice.kind == "at most one of" else "required"
    return f"{choice.kind.capitalize()} these is {verb}: {alternatives}."
