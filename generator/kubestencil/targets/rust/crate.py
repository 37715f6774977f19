"""Plans the crate: what depends on all of its types, such as names and boxes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kubestencil.schema import Definition, Field, Release
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.targets.rust import spelling
from kubestencil.targets.rust.containment import (
    boxed_references,
    containment,
    types_without_default,
)
from kubestencil.targets.rust.hand_written import HandWrittenType, hand_written_types
from kubestencil.targets.rust.layout import TypePath, type_paths
from kubestencil.targets.rust.lists import GenericList, generic_list, list_items


class StructField(NamedTuple):
    """A field of a struct: its Rust name, the field of the document, and whether its
    value is in a ``Box``."""

    name: str
    field: Field
    boxed: bool


#: The fields of a struct by their JSON names, sorted by these.
StructFields = Mapping[str, StructField]


@dataclass(frozen=True, slots=True)
class Crate:
    """The crate of a release.

    ``definitions`` are those that get a type of their own, sorted by name;
    ``list_items`` are the list kinds, which don't, each with the definition of its
    items. ``hand_written`` has the types written by hand, ``fields`` the fields of all
    structs, ``paths`` where each type is. The types ``without_default`` do not
    implement ``Default``. ``generic_list`` is None where the crate has no ``List<T>``.
    """

    release: Release
    definitions: Mapping[str, Definition]
    list_items: Mapping[str, str]
    hand_written: Mapping[str, HandWrittenType]
    paths: Mapping[str, TypePath]
    fields: Mapping[str, StructFields]
    without_default: frozenset[str]
    generic_list: GenericList | None


def plan_crate(release: Release) -> Crate:
    """Plan the crate of a corrected release.

    Raises SpecError where names collide or a type has no finite value.
    """
    items = list_items(release.definitions)
    definitions = {
        name: definition
        for name, definition in sorted(release.definitions.items())
        if name not in items
    }
    hand_written = hand_written_types(release.definitions)
    paths = type_paths(definitions)
    contained = containment(definitions, hand_written)
    boxed = boxed_references(contained, release)
    fields = {
        name: _struct_fields(definition, boxed)
        for name, definition in definitions.items()
        if definition.is_object and name not in hand_written
    }
    return Crate(
        release=release,
        definitions=definitions,
        list_items=items,
        hand_written=hand_written,
        paths=paths,
        fields=fields,
        without_default=types_without_default(definitions, hand_written, contained),
        generic_list=(
            generic_list(paths, fields.get(OBJECT_META, {})) if items else None
        ),
    )


def has_one_kind(definition: Definition) -> bool:
    """Whether the type alone says which ``apiVersion`` and ``kind`` an object has: they
    are constants of the type then, not fields."""
    names = {field.name for field in definition.fields}
    return len(definition.kinds) == 1 and {"apiVersion", "kind"} <= names


def _struct_fields(
    definition: Definition, boxed: Container[tuple[str, str | None]]
) -> StructFields:
    constants = ("apiVersion", "kind") if has_one_kind(definition) else ()
    fields = sorted(
        (field for field in definition.fields if field.name not in constants),
        key=lambda field: field.name,
    )
    names = spelling.make_unique(spelling.field_name(field.name) for field in fields)
    return {
        field.name: StructField(
            name, field, boxed=(definition.name, field.schema.ref) in boxed
        )
        for name, field in zip(names, fields, strict=True)
    }
