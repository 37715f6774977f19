"""The definitions that the document describes incompletely, so that their Rust types are
written by hand, as templates in ``templates/rust/forms``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kubestencil.schema import Definition
from kubestencil.schema.graph import references

#: The templates of hand-written types.
HandWrittenForm = Literal[
    "int_or_string", "micro_time", "patch", "props_or_array", "props_or_bool",
    "props_or_string_array", "quantity", "time", "watch_event",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class HandWrittenType:
    """A type whose Rust code is a template.

    ``form`` names the template, ``derives`` has the traits that it derives.
    ``uses`` maps the names that the template has for other types to their
    definitions. ``has_default`` says whether the type implements ``Default``,
    ``is_field_type`` whether a field may have it, which an enum with a type parameter
    or without ``Deserialize`` cannot be. ``documented_field`` is the field
    whose description is appended to that of the definition.
    """

    form: HandWrittenForm
    derives: str
    uses: Mapping[str, str] = field(default_factory=dict)
    has_default: bool = False
    is_field_type: bool = True
    documented_field: str | None = None


_HAND_WRITTEN: Mapping[str, HandWrittenType] = {
    name: HandWrittenType(**row)
    for name, row in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text("utf-8")
    ).items()
}


def hand_written_types(
    definitions: Mapping[str, Definition],
) -> dict[str, HandWrittenType]:
    """The hand-written types of a document, by definition.

    A document without the definitions that such a type uses, or in which a field has
    a type that no field can have, gets the type that the document describes.
    """
    referenced = {
        name
        for definition in definitions.values()
        for name in references(definition.schema)
    }
    return {
        name: hand_written
        for name, hand_written in _HAND_WRITTEN.items()
        if name in definitions
        and all(used in definitions for used in hand_written.uses.values())
        and (hand_written.is_field_type or name not in referenced)
    }
