"""The types of the crate as the templates get them. Names, types and texts are Rust code:
templates insert them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Literal, NamedTuple

from kubestencil.schema import Definition, Field
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.crate import Crate, StructField, is_time
from kubestencil.targets.languages.rust.hand_written import (
    HandWrittenForm,
    HandWrittenType,
)
from kubestencil.targets.languages.rust.value_types import json_schema_type, value_type
from kubestencil.targets.rust.merging import merge_strategy, nullable_merge
from kubestencil.targets.rust.resources import CrateResource

_BY_NAME = attrgetter("name")

#: The form of a type, which selects its template.
Form = Literal["struct", "enum", "newtype", "list"] | HandWrittenForm


#: The macro that implements the traits of a struct.
Macro = Literal["object", "strict_object"]


#: Whether a field may be absent: the name of a function in ``wire.rs``.
#:
#: ``optional``: the field is an ``Option``, and absent where this is None.
#: ``nullable``: the value of the ``Option`` may be null: an ``Option``, or any value.
#: ``required``: an absent field has the default of its type, and the field is always
#: written; it is an ``Option`` where null is allowed. Of a field that is required
#: without a default, the function is called ``mandatory``: an absent field is an error.
_Presence = Literal["optional", "nullable", "required", "mandatory"]


class RustField(NamedTuple):
    """A field of a struct.

    ``name`` is the Rust name, ``declaration`` the line or lines in the struct, ``doc``
    the comment above them. ``row`` is the field in the syntax of the macros in
    ``wire.rs``.
    """

    name: str
    declaration: str
    doc: str
    row: str


class Variant(NamedTuple):
    """A variant of an enum.

    ``name`` is the Rust name, ``value`` the value in JSON as a string literal, ``doc``
    the comment above it.
    """

    name: str
    value: str
    doc: str


class RustType(NamedTuple):
    """A type of the crate.

    ``definition`` is the full name of the definition, ``name`` the Rust name. ``form`` is
    ``struct``, ``enum``, ``newtype``, or the name of a hand-written type:
    ``forms/<form>.rs.j2`` has each of them. ``doc`` is the documentation comment, ``derives`` the derived traits,
    separated by commas. ``schema_title`` and ``schema_description`` are those of the
    JSON schema, as string literals. ``needs_btree_map`` says whether the file has to
    import ``BTreeMap``, ``skip_rustfmt`` whether the type has ``#[rustfmt::skip]``.

    Structs have ``fields``, their lines (``declarations`` and ``rows``), the lines of
    the properties of the JSON schema, with ``apiVersion`` and ``kind``, in the syntax of
    the macro in ``schema.rs`` (``property_rows``), the ``macro`` that implements their
    traits and, for a kind, ``resource``. ``unknown_fields`` is the name of the field
    with the fields that the schema does not have, empty where these are ignored. Enums
    have ``variants``, and the name of the one with any other value, ``other_variant``.
    Newtypes have the ``inner`` type, the type ``inner_schema`` whose JSON schema they
    have, and how they ``merge``: a function of ``merge_strategies``, with its arguments.
    Hand-written types have the paths of the types that the template ``uses``, by the
    names that it has for them.
    """

    definition: str
    name: str
    form: Form
    doc: str = ""
    derives: str = ""
    schema_title: str = ""
    schema_description: str = ""
    needs_btree_map: bool = False
    skip_rustfmt: bool = False
    fields: tuple[RustField, ...] = ()
    property_rows: str = ""
    resource: CrateResource | None = None
    macro: Macro = "object"
    unknown_fields: str = ""
    variants: tuple[Variant, ...] = ()
    other_variant: str = ""
    inner: str = ""
    inner_schema: str = ""
    merge: str = ""
    uses: Mapping[str, str] = MappingProxyType({})

    # Jinja2 takes several times as long to join the lines of ten thousand structs.

    @property
    def declarations(self) -> str:
        """The body of a struct: its fields, each behind an empty line."""
        return "".join([f"\n{field.doc}{field.declaration}\n" for field in self.fields])

    @property
    def rows(self) -> str:
        """The lines of the fields in the syntax of the macros in ``wire.rs``."""
        return "".join([f"        {field.row}\n" for field in self.fields])


#: The type that stands for all list kinds.
LIST = RustType("io.k8s.List", name="List", form="list")


def make_type(
    definition: Definition, crate: Crate, resource: CrateResource | None
) -> RustType:
    """The type of a definition; ``resource`` is None where it is not a kind."""
    hand_written = crate.hand_written.get(definition.name)
    if hand_written is not None:
        return _hand_written(definition, hand_written, crate)
    if definition.is_object:
        return _struct(definition, crate, resource)
    if definition.name in crate.enums:
        return _enum(definition, crate)
    return _newtype(definition, crate)


def _rust_type(definition: Definition, crate: Crate) -> RustType:
    """What all types have, as that of a struct without fields."""
    name = crate.paths[definition.name].name
    is_complete = definition.name not in crate.without_default
    return RustType(
        definition=definition.name,
        name=name,
        form="struct",
        doc=spelling.doc_comment(definition.description),
        derives=f"Clone, Debug, {'Default, ' if is_complete else ''}PartialEq",
        schema_title=spelling.string_literal(definition.name),
        schema_description=spelling.string_literal(definition.description),
    )


def _struct(
    definition: Definition, crate: Crate, resource: CrateResource | None
) -> RustType:
    path = crate.paths[definition.name]
    types = {
        field.name: value_type(field.schema, crate, path.module)
        for field in definition.fields
    }
    struct_fields = crate.fields[definition.name]
    fields = tuple(
        [_field(field, types[name], crate) for name, field in struct_fields.items()]
    )
    declarations = "".join([field.declaration for field in fields])
    unknown_fields = crate.unknown_fields.get(definition.name, "")
    return _rust_type(definition, crate)._replace(
        needs_btree_map=bool(unknown_fields) or _names_btree_map(declarations),
        skip_rustfmt=_skips_rustfmt(declarations),
        fields=fields,
        property_rows="".join(
            [
                _property_row(field, types[field.name])
                for field in sorted(definition.fields, key=_BY_NAME)
            ]
        ),
        resource=resource,
        macro=(
            "strict_object"
            if unknown_fields or definition.name in crate.without_default
            else "object"
        ),
        unknown_fields=unknown_fields,
    )


def _enum(definition: Definition, crate: Crate) -> RustType:
    names, other = crate.enums[definition.name]
    return _rust_type(definition, crate)._replace(
        form="enum",
        derives="Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd",
        variants=tuple(
            Variant(name, spelling.string_literal(value), _variant_doc(name, value))
            for value, name in names.items()
        ),
        other_variant=other,
    )


def _variant_doc(name: str, value: str) -> str:
    """The value, unless it is the name of the variant."""
    if name == value:
        return ""
    return spelling.doc_comment(value or "The empty string.", "    ")


def _newtype(definition: Definition, crate: Crate) -> RustType:
    path = crate.paths[definition.name]
    inner = value_type(definition.schema, crate, path.module)
    return _rust_type(definition, crate)._replace(
        form="newtype",
        needs_btree_map=_names_btree_map(inner),
        skip_rustfmt=len(f"pub struct {path.name}(pub {inner});") > spelling.WIDTH,
        inner=inner,
        inner_schema=json_schema_type(inner),
        merge=merge_strategy(definition.schema, crate),
    )


def _hand_written(
    definition: Definition, hand_written: HandWrittenType, crate: Crate
) -> RustType:
    path = crate.paths[definition.name]
    documented = definition.schema.field(hand_written.documented_field or "")
    descriptions = definition.description, documented.description if documented else ""
    description = "\n\n".join(filter(None, descriptions))
    return _rust_type(definition, crate)._replace(
        form=hand_written.form,
        doc=spelling.doc_comment(description),
        derives=hand_written.derives,
        schema_description=spelling.string_literal(description),
        uses={
            name: crate.paths[used].seen_from(path.module)
            for name, used in hand_written.uses.items()
        },
    )


def _skips_rustfmt(declarations: str) -> bool:
    """Whether a struct has the attribute ``#[rustfmt::skip]``.

    A struct with a line that rustfmt cannot break needs it. Since the lines of different
    fields are joined here, most others have it, too, where it changes nothing.
    """
    return max(map(len, declarations.split("\n"))) > spelling.WIDTH


def _names_btree_map(code: str) -> bool:
    return "BTreeMap<" in code


def _field(struct_field: StructField, value_type: str, crate: Crate) -> RustField:
    name, field, boxed = struct_field
    schema = field.schema
    type_ = f"Box<{value_type}>" if boxed else value_type
    if struct_field.is_option:
        type_ = f"Option<{type_}>"
    merge = merge_strategy(schema, crate)
    if struct_field.keeps_null:
        type_, merge = f"Option<{type_}>", nullable_merge(merge)
    json = spelling.string_literal(field.name)
    return RustField(
        name,
        spelling.field_declaration(name, type_),
        spelling.doc_comment(schema.description, "    "),
        f"{name}: {_presence(struct_field, crate)} {json} [{merge}];",
    )


def _presence(struct_field: StructField, crate: Crate) -> _Presence:
    schema = struct_field.field.schema
    if not struct_field.field.required:
        # A value of any type is null itself.
        may_be_null = struct_field.keeps_null or schema.is_any
        return "nullable" if may_be_null else "optional"
    has_default = schema.ref not in crate.without_default and not is_time(schema)
    return "required" if schema.keeps_null or has_default else "mandatory"


def _property_row(field: Field, value_type: str) -> str:
    json = spelling.string_literal(field.name)
    presence = "required" if field.required else "optional"
    type_ = json_schema_type(value_type)
    description = spelling.string_literal(field.schema.description)
    return f"        {json}: {presence} {type_}, {description};\n"
