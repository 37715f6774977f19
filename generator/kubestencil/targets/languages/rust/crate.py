"""Plans the crate: what depends on all of its types, such as names and boxes.

A Rust value has a fixed size, so a type cannot contain itself without a ``Box``, and has
a default only if all that it requires have one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping
from typing import NamedTuple

from kubestencil.errors import SpecError
from kubestencil.schema import Definition, Field, Release, Schema
from kubestencil.schema.graph import Graph, cyclic_edges, reachable, reverse
from kubestencil.schema.pointer import json_pointer
from kubestencil.targets.languages.rust import kopium, spelling
from kubestencil.targets.languages.rust.definitions import (
    crate_definitions,
    is_string_enum,
)
from kubestencil.targets.languages.rust.hand_written import (
    HandWrittenType,
    hand_written_types,
)
from kubestencil.targets.languages.rust.layout import RustPath, type_paths
from kubestencil.targets.languages.rust.lists import (
    GenericList,
    generic_list,
    has_one_kind,
    list_items,
)
from kubestencil.text.unique_names import free_name, free_names


class StructField(NamedTuple):
    """A field of a struct: its Rust name, the field of the document, and whether its
    value is in a ``Box``."""

    name: str
    field: Field
    boxed: bool

    @property
    def is_option(self) -> bool:
        """Whether the type of the field is an ``Option``."""
        return not self.field.required or self.field.schema.keeps_null

    @property
    def keeps_null(self) -> bool:
        """Whether the type is an ``Option`` of an ``Option``: the API server keeps null,
        and sets an absent field to its default."""
        schema = self.field.schema
        return not self.field.required and schema.keeps_null and schema.has_default


#: The fields of a struct by their JSON names, sorted by these.
StructFields = Mapping[str, StructField]


class Crate(NamedTuple):
    """The crate of a release.

    ``definitions`` are those that get a type of their own, sorted by name;
    ``list_items`` are the list kinds, which don't, each with the definition of its
    items. ``paths`` says where each type is. ``hand_written`` has the types written by
    hand, ``enums`` the variants of those that are enums, ``fields`` the fields of all
    structs, ``unknown_fields`` the name of the field of each struct for what its schema
    does not have, if it keeps this. The types ``without_default`` do not implement
    ``Default``. ``generic_list`` is None where the crate has no ``List<T>``.
    """

    release: Release
    definitions: Mapping[str, Definition]
    list_items: Mapping[str, str]
    hand_written: Mapping[str, HandWrittenType]
    enums: Mapping[str, kopium.Variants]
    paths: Mapping[str, RustPath]
    fields: Mapping[str, StructFields]
    unknown_fields: Mapping[str, str]
    without_default: frozenset[str]
    generic_list: GenericList | None


def plan_crate(release: Release) -> Crate:
    """Plan the crate of a corrected release.

    Raises SpecError where names collide or a type has no finite value.
    """
    items = list_items(release.definitions)
    all_definitions, custom_types = crate_definitions(release, items)
    definitions = {
        name: definition
        for name, definition in sorted(all_definitions.items())
        if name not in items
    }
    hand_written = hand_written_types(all_definitions)
    paths = type_paths(definitions, custom_types)
    contained = containment(definitions, hand_written)
    boxed = boxed_references(contained, release)
    fields = {
        name: _struct_fields(definition, boxed, paths[name])
        for name, definition in definitions.items()
        if definition.is_object and name not in hand_written
    }
    return Crate(
        release=release,
        definitions=definitions,
        list_items=items,
        hand_written=hand_written,
        enums={
            name: kopium.variants(definition.schema.enum)
            for name, definition in definitions.items()
            if paths[name].kind and is_string_enum(definition.schema)
        },
        paths=paths,
        fields=fields,
        unknown_fields={
            name: _unknown_fields(struct_fields)
            for name, struct_fields in fields.items()
            if definitions[name].schema.preserves_unknown_fields
        },
        without_default=types_without_default(definitions, hand_written, contained),
        generic_list=generic_list(paths) if items else None,
    )


def _struct_fields(
    definition: Definition, boxed: Container[tuple[str, str | None]], path: RustPath
) -> StructFields:
    constants = ("apiVersion", "kind") if has_one_kind(definition) else ()
    fields = sorted(
        (field for field in definition.fields if field.name not in constants),
        key=lambda field: field.name,
    )
    spell = kopium.field_name if path.kind else spelling.field_name
    names = free_names({field.name: spell(field.name) for field in fields})
    return {
        field.name: StructField(
            names[field.name],
            field,
            boxed=(definition.name, field.schema.ref) in boxed,
        )
        for field in fields
    }


def _unknown_fields(fields: StructFields) -> str:
    names = {field.name for field in fields.values()}
    return free_name("unknown_fields", names, "")


class Containment(NamedTuple):
    """The definitions that a value of each definition can contain, and those that it
    always contains, since they are required."""

    possible: Graph
    required: Graph


def containment(
    definitions: Mapping[str, Definition], hand_written: Collection[str]
) -> Containment:
    """What values of ``definitions`` contain directly. The types named in
    ``hand_written`` contain nothing: they box their fields."""

    def references(values: Callable[[Definition], Iterable[Schema]]) -> Graph:
        return {
            name: (
                [schema.ref for schema in values(definition) if schema.ref is not None]
                if name not in hand_written
                else []
            )
            for name, definition in definitions.items()
        }

    return Containment(references(_values), references(_required))


def boxed_references(
    contained: Containment, release: Release
) -> frozenset[tuple[str, str]]:
    """The references, from one definition to another, that need a ``Box``.

    Raises SpecError for a cycle of required fields, of which no finite value exists.
    """
    cycles = cyclic_edges(contained.possible)
    # What a value always contains, it can contain.
    for name, targets in cyclic_edges(contained.required).items() if cycles else ():
        raise SpecError(
            f"{name} has no finite value: it requires {targets[0]}, which requires "
            f"{name}",
            where=f"{release.origin}#{json_pointer(('definitions', name))}",
        )
    return frozenset(
        (name, target) for name, targets in cycles.items() for target in targets
    )


def types_without_default(
    definitions: Mapping[str, Definition],
    hand_written: Mapping[str, HandWrittenType],
    contained: Containment,
) -> frozenset[str]:
    """The definitions whose types have no default: hand-written types without one, types
    that require a time, and types that require one of these types."""
    without = {name for name, type_ in hand_written.items() if not type_.has_default}
    without.update(
        name
        for name, definition in definitions.items()
        if name not in hand_written and any(map(is_time, _required(definition)))
    )
    return frozenset(reachable(reverse(contained.required), without))


def _values(definition: Definition) -> Iterable[Schema]:
    """The schemas of a definition's fields, or its own where it has none."""
    if not definition.is_object:
        return [definition.schema]
    return [field.schema for field in definition.fields]


def _required(definition: Definition) -> Iterable[Schema]:
    """Those that are part of each value."""
    if not definition.is_object:
        return [definition.schema]
    return [
        field.schema
        for field in definition.fields
        if field.required and not field.schema.keeps_null
    ]


def is_time(schema: Schema) -> bool:
    """Whether a schema is a time, whose Rust type has no default."""
    return schema.type == "string" and schema.format == "date-time"
