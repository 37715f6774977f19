"""What only the description of a field states, as pages show it: values, a default, and
that a field is deprecated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kubestencil.schema import Field, Schema
from kubestencil.schema.facts.descriptions import (
    deprecation,
    stated_default,
    stated_replacement,
    stated_values,
)
from kubestencil.schema.facts.values import NO_FACTS, FieldFacts
from kubestencil.schema.well_known import INT_OR_STRING, QUANTITY
from kubestencil.targets.site.fields.schema_labels import Attribute

_NUMBER = re.compile(r"-?\d+(?: ?%| seconds?)?\Z")
_SECONDS = re.compile(r"\d+s\Z")
_UNIT = re.compile(r"[ %a-z]+\Z")
_TRUTH_VALUES = frozenset({"true", "false"})


def stated_attributes(
    field: Field, siblings: Iterable[str], facts: FieldFacts = NO_FACTS
) -> Iterator[Attribute]:
    """What the description of a field states, and neither its schema nor ``facts`` of
    the API server say; ``siblings`` are the names of the fields beside it."""
    description = field.schema.description
    containers, value = field.schema.unwrapped()
    if value.type == "string" and not value.enum and not facts.enum:
        values = stated_values(description)
        if values:
            yield Attribute("stated values", values)
    if not containers and not field.schema.has_default and not facts.defaults:
        default = stated_default(description)
        is_allowed = not facts.enum or default in facts.enum
        if default and is_allowed and _has_type(default, value):
            # What is written: 600 for the 600s of an integer.
            written = _UNIT.sub("", default) if value.type == "integer" else default
            yield Attribute("stated default", (written,))
    if deprecation(description):
        replacement = stated_replacement(description, siblings)
        yield Attribute("deprecated", (f"use {replacement}",) if replacement else ())


def _has_type(default: str, schema: Schema) -> bool:
    """Whether a stated default can be a value of a schema."""
    if schema.ref in (INT_OR_STRING, QUANTITY):
        return bool(_NUMBER.match(default))
    if schema.type == "boolean":
        # A boolean is false where it is absent: only the other default says something.
        return default == "true"
    is_number = bool(_NUMBER.match(default))
    if schema.type in ("integer", "number"):
        return is_number or bool(_SECONDS.match(default))
    return schema.type == "string" and not is_number and default not in _TRUTH_VALUES
