"""The Rust type of a value that a schema describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.targets.rust.crate import Crate
from kubestencil.targets.rust.layout import Module

#: The type of a value that the document does not describe.
ANY = "crate::serde_json::Value"
#: The type of a time.
TIME = "crate::jiff::Timestamp"


class _ScalarTypes(NamedTuple):
    """Types by the ``type`` and ``format`` of a schema, and that of anything else. The
    format None stands for all that are not listed."""

    by_format: Mapping[tuple[str | None, str | None], str]
    any: str


# The formats of numbers are named after Go's types.
_VALUE_SCALARS = _ScalarTypes(
    by_format={
        ("boolean", None): "bool",
        ("integer", None): "i64",
        ("integer", "int32"): "i32",
        ("number", None): "f64",
        ("string", None): "String",
        ("string", "byte"): "crate::ByteString",
        ("string", "date-time"): TIME,
        ("string", "int-or-string"): ANY,
    },
    any=ANY,
)
# Formats that only custom kinds have, such as those of programs in Rust.
_CUSTOM_INTEGERS = {
    "int8": "i8",
    "int16": "i16",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}
# Types of other crates whose JSON schema is not the one that the document has.
_MARKERS = {ANY: "crate::schema::Any", TIME: "crate::schema::DateTime"}
_SCHEMA_SCALARS = _ScalarTypes(
    by_format={
        key: _MARKERS.get(name, name) for key, name in _VALUE_SCALARS.by_format.items()
    },
    any=_MARKERS[ANY],
)


def value_type(schema: Schema, crate: Crate, module: Module) -> str:
    """The type of a value, for a file of ``module``."""
    return _type(schema, crate, module, _VALUE_SCALARS)


def json_schema_type(schema: Schema, crate: Crate, module: Module) -> str:
    """The type whose JSON schema (the trait ``schemars::JsonSchema``) is that of a value,
    for a file of ``module``."""
    return _type(schema, crate, module, _SCHEMA_SCALARS)


def _type(schema: Schema, crate: Crate, module: Module, scalars: _ScalarTypes) -> str:
    if schema.ref is not None:
        item = crate.list_items.get(schema.ref)
        if item is not None:
            return f"crate::List<{crate.paths[item].seen_from(module)}>"
        return crate.paths[schema.ref].seen_from(module)
    if schema.type == "array" and schema.items is not None:
        return f"Vec<{_inner_type(schema.items, crate, module, scalars)}>"
    if schema.values is not None and not schema.is_object:
        return f"BTreeMap<String, {_inner_type(schema.values, crate, module, scalars)}>"
    if crate.custom_types and schema.type == "integer":
        integer = _CUSTOM_INTEGERS.get(schema.format or "")
        if integer is not None:
            return integer
    return (
        scalars.by_format.get((schema.type, schema.format))
        or scalars.by_format.get((schema.type, None))
        or scalars.any
    )


def _inner_type(
    schema: Schema, crate: Crate, module: Module, scalars: _ScalarTypes
) -> str:
    """The type of the items of a list or of the values of a map."""
    type_ = _type(schema, crate, module, scalars)
    return f"Option<{type_}>" if schema.nullable else type_
