"""The Rust type of a value that a schema describes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kubestencil.schema import Schema
from kubestencil.targets.languages.rust.crate import Crate
from kubestencil.targets.languages.rust.layout import Module

#: The type of a value that the document does not describe.
ANY = "crate::serde_json::Value"
#: The type of a time.
TIME = "crate::jiff::Timestamp"

# Types by the ``type`` and ``format`` of a schema; the format None stands for all that
# are not listed. The formats of numbers are named after Go's types.
_SCALARS: Mapping[tuple[str | None, str | None], str] = {
    ("boolean", None): "bool",
    # Of integers, custom kinds also have those of programs in Rust.
    ("integer", None): "i64",
    **{
        ("integer", f"{prefix}int{bits}"): f"{prefix or 'i'}{bits}"
        for prefix in ("", "u")
        for bits in (8, 16, 32, 64)
    },
    ("number", None): "f64",
    ("string", None): "String",
    ("string", "byte"): "crate::ByteString",
    ("string", "date-time"): TIME,
    ("string", "int-or-string"): ANY,
}
_LIST = re.compile(r"crate::List<[^<>]*>")
# Types of other crates whose JSON schema is not the one that the document has, each with
# a type that has this.
_MARKERS = {ANY: "crate::schema::Any", TIME: "crate::schema::DateTime"}


def value_type(schema: Schema, crate: Crate, module: Module) -> str:
    """The type of a value, for a file of ``module``."""
    if schema.ref is not None:
        item = crate.list_items.get(schema.ref)
        if item is not None:
            return f"crate::List<{crate.paths[item].seen_from(module)}>"
        return crate.paths[schema.ref].seen_from(module)
    if schema.type == "array" and schema.items is not None:
        return f"Vec<{_inner_type(schema.items, crate, module)}>"
    if schema.values is not None and not schema.is_object:
        return f"BTreeMap<String, {_inner_type(schema.values, crate, module)}>"
    return (
        _SCALARS.get((schema.type, schema.format))
        or _SCALARS.get((schema.type, None))
        or ANY
    )


def json_schema_type(value_type: str) -> str:
    """The type whose JSON schema (the trait ``schemars::JsonSchema``) is that of values
    of ``value_type``."""
    if "crate::" not in value_type:
        return value_type
    if "List<" in value_type:
        # List<T> has no JSON schema; no field of Kubernetes' own types has this type.
        value_type = _LIST.sub(ANY, value_type)
    for type_, marker in _MARKERS.items():
        value_type = value_type.replace(type_, marker)
    return value_type


def _inner_type(schema: Schema, crate: Crate, module: Module) -> str:
    """The type of the items of a list or of the values of a map."""
    type_ = value_type(schema, crate, module)
    return f"Option<{type_}>" if schema.keeps_null else type_
