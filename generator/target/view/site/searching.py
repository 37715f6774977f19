"""What the search of the site looks through: one list a release, and one of what is
not in every release."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from generator.model import Definition, Field, Release
from generator.target.view.site.fields import fields_of, type_label
from generator.target.view.site.place import Place

#: A type: its name, address, whether it is a kind (1 or 0), how many kinds lead to it,
#: and its description; then, in the list of what is elsewhere, a release.
Entry = list[Any]
#: What is kept of a description.
Tell = Callable[[str], str]


def index(
    release: Release,
    known: Mapping[str, Place],
    kinds: Mapping[str, int],
    own: Collection[str],
) -> bytes:
    """The list of a release: a script that hands it to the page.

    ``kinds`` says how many kinds lead to a definition, ``own`` which are kinds.
    It is a script because a browser loads no other data from a disk.
    """
    types: list[Entry] = []
    fields: list[Entry] = []
    for name, definition in release.definitions.items():
        number = len(types)
        place, count = known[name], kinds.get(name, 0)
        types.append(entry(definition, place, count, name in own, _line))
        fields += (
            [number, *field_entry(field, known, _line)]
            for field in fields_of(definition.schema)
        )
    return script({"release": release.name, "types": types, "fields": fields})


def entry(
    definition: Definition, place: Place, kinds: int, own: bool, told: Tell
) -> Entry:
    """What is found of a type, with as much of its description as ``told`` leaves."""
    text = told(definition.description)
    return [place.kind, f"{place.path}/", int(own), kinds, text]


def field_entry(
    field: Field, known: Mapping[str, Place], told: Tell
) -> tuple[str, str, str]:
    """What is found of a field: name, type, description."""
    return (
        field.name,
        type_label(field.schema, known),
        told(field.schema.description),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def script(payload: object) -> bytes:
    """JavaScript that hands ``payload`` over, whatever is in it.

    JSON is JavaScript (ECMA-262, 2019), and this is a file of its own, so that
    nothing in it can end a tag.
    """
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return f"kubestencilIndex({text})\n".encode()
