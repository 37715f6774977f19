"""What the search of the site looks through: one list a release, and one of what is
not in every release."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from kubestencil.schema import Definition, Field, Release
from kubestencil.targets.site.fields import fields_of, type_label
from kubestencil.targets.site.place import Place


class Index:
    """A list of types and of their fields, as it is put together.

    A type is its name, address, whether it is a kind (1 or 0), how many kinds lead to
    it, and its description; a field is the number of its type, its name, type and
    description. ``release`` is the release of all, empty where each says its own at its
    end; ``told`` gives what is kept of a description.
    """

    def __init__(self, release: str, told: Callable[[str], str]) -> None:
        self.release = release
        self.told = told
        self.types: list[list[Any]] = []
        self.fields: list[list[Any]] = []

    def add(
        self,
        definition: Definition,
        fields: Iterable[Field],
        known: Mapping[str, Place],
        *,
        is_kind: bool,
        kinds: int = 0,
        release: str = "",
    ) -> None:
        """Add a type with some of its fields; ``known`` are the places of its release."""
        also = [release] if release else []
        number = len(self.types)
        place = known[definition.name]
        about = self.told(definition.description)
        self.types.append(
            [place.kind, f"{place.path}/", int(is_kind), kinds, about, *also]
        )
        for field in fields:
            label = type_label(field.schema, known)
            about = self.told(field.schema.description)
            self.fields.append([number, field.name, label, about, *also])

    def script(self) -> bytes:
        """JavaScript that hands the list over, whatever is in it.

        JSON is JavaScript (ECMA-262, 2019), and this is a file of its own, so that
        nothing in it can end a tag. A browser loads no other data from a disk.
        """
        payload = {"release": self.release, "types": self.types, "fields": self.fields}
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        return f"kubestencilIndex({text})\n".encode()


def index(
    release: Release,
    known: Mapping[str, Place],
    kinds: Mapping[str, int],
    own: Collection[str],
) -> bytes:
    """The list of a release: ``kinds`` says how many kinds lead to a definition,
    ``own`` which are kinds."""
    found = Index(release.name, _line)
    for name, definition in release.definitions.items():
        found.add(
            definition,
            fields_of(definition.schema),
            known,
            is_kind=name in own,
            kinds=kinds.get(name, 0),
        )
    return found.script()


def _line(text: str) -> str:
    return " ".join(text.split())
