"""Examples for the generated Rust crate, in rustfmt's layout except for long lines.

Types are named by their modules (``core_v1::Pod``), since an example has types of several
modules, which may have the same name. The examples are for the corrected document: a
field that the crate requires has its default if the example does not have the field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release, Schema
from kubestencil.targets.examples.objects import Object, is_container
from kubestencil.targets.languages.rust import literals, spelling
from kubestencil.targets.languages.rust.crate import (
    Crate,
    StructField,
    StructFields,
    plan_crate,
)
from kubestencil.targets.languages.rust.fixups import correct
from kubestencil.targets.languages.rust.layout import Module
from kubestencil.targets.languages.rust.package import crate_options
from kubestencil.targets.languages.rust.value_types import ANY, value_type
from kubestencil.text.unique_names import free_names

_INDENT = "    "
_REST = "..Default::default()"
# The longest body of a struct, and the longest arguments of a call, that rustfmt puts on
# one line (struct_lit_width, fn_call_width).
_STRUCT_WIDTH = 18
_CALL_WIDTH = 60
# The longest items of a list on one line (array_width).
_ARRAY_WIDTH = 60
# Names that the examples use without a path.
_RESERVED = (
    "BTreeMap", "ByteString", "Default", "Some", "Box", "json", "serde_json", "vec"
)  # fmt: skip


class CrateNames(NamedTuple):
    """What code that uses a crate calls it and its modules: each has a short name,
    ``core_v1``."""

    crate: Crate
    crate_name: str
    aliases: Mapping[Module, str]

    @classmethod
    def of(cls, release: Release, target: Target) -> Self:
        """Those of the crate of a release; raises SpecError where it cannot be
        generated."""
        name = spelling.crate_name(crate_options(target).package_name)
        crate = plan_crate(correct(release, target))
        modules = sorted({path.module for path in crate.paths.values()})
        short = {"::".join(path): "_".join(path[-2:]) or name for path in modules}
        aliases = free_names(short, _RESERVED)
        return cls(crate, name, {path: aliases["::".join(path)] for path in modules})

    def imported(self, module: Module) -> str:
        """A module behind ``use``: ``kubernetes_types::api::core::v1 as core_v1``."""
        path = "::".join((self.crate_name, *module))
        return f"{path} as {self.aliases[module]}"


class RustWriter:
    """Writes examples in Rust.

    Raises SpecError where the crate cannot be generated.
    """

    def __init__(self, release: Release, target: Target) -> None:
        self._names = CrateNames.of(release, target)
        self._crate, self._name = self._names.crate, self._names.crate_name
        # The paths that the example that is being written imports.
        self._imports: set[str] = set()

    def write(self, definition: Definition, example: Object) -> str:
        """A function that returns the object."""
        self._imports = set()
        path = self._path(definition.name)
        body = _indented(self._referenced(example, definition.name))
        # rustfmt sorts lower-case letters before upper-case ones.
        imports = sorted(self._imports, key=str.swapcase)
        uses = "".join(f"use {imported};\n" for imported in imports)
        return f"{uses}\npub fn example() -> {path} {{\n{body}\n}}\n"

    def _path(self, name: str) -> str:
        """The type of a definition, whose module is imported."""
        if name in self._crate.list_items:
            return f"{self._name}::List"
        path = self._crate.paths[name]
        if not path.module:
            return f"{self._name}::{path.name}"
        self._imports.add(self._names.imported(path.module))
        return f"{self._names.aliases[path.module]}::{path.name}"

    def _value(self, value: Any, schema: Schema) -> str:
        """A value, in a line that is not indented."""
        if schema.ref is not None:
            return self._referenced(value, schema.ref)
        if isinstance(value, list) and value and schema.items is not None:
            return self._list(value, schema.items)
        if isinstance(value, dict) and value and schema.values and not schema.is_object:
            return self._map(value, schema.values)
        return self._scalar(value, value_type(schema, self._crate, ()))

    def _inner(self, value: Any, schema: Schema) -> str:
        """An item of a list or a value of a map."""
        text = self._value(value, schema)
        return f"Some({text})" if schema.keeps_null else text

    def _list(self, values: list[Any], schema: Schema) -> str:
        """A list, whose items ``schema`` describes."""
        items = [self._inner(value, schema) for value in values]
        text = ", ".join(items)
        if len(items) > 1 and ("\n" in text or len(text) > _ARRAY_WIDTH):
            lines = "".join(f"{_indented(item)},\n" for item in items)
            return f"vec![\n{lines}]"
        return f"vec![{text}]"

    def _map(self, values: Object, schema: Schema) -> str:
        """A map, whose values ``schema`` describes."""
        self._imports.add("std::collections::BTreeMap")
        is_single = len(values) == 1
        around = len("BTreeMap::from([()])") if is_single else 0
        entries = []
        for name, inner in values.items():
            key = f"{spelling.string_literal(name)}.into()"
            value = self._inner(inner, schema)
            pair = f"{key}, {value}"
            if "\n" in pair or len(pair) + around > _CALL_WIDTH:
                pair = f"\n{_INDENT}{key},\n{_indented(value)},\n"
            entries.append(f"({pair})")
        text = f"BTreeMap::from([{', '.join(entries)}])"
        if not is_single and ("\n" in text or len(text) > _CALL_WIDTH):
            text = "".join(f"{_indented(entry)},\n" for entry in entries)
            text = f"BTreeMap::from([\n{text}])"
        return text

    def _referenced(self, value: Any, name: str) -> str:
        """A value of the type of the definition ``name``."""
        crate = self._crate
        hand_written = crate.hand_written.get(name)
        if hand_written is not None:
            text = literals.hand_written(value, hand_written.form)
            return f"{self._path(name)}{text}" if text else self._read_from_json(value)
        if name in crate.list_items or name in crate.fields:
            is_object = isinstance(value, dict)
            return (
                self._object(value, name) if is_object else self._read_from_json(value)
            )
        if name in crate.enums:
            return self._enum(value, name)
        return (
            f"{self._path(name)}({self._value(value, crate.definitions[name].schema)})"
        )

    def _enum(self, value: Any, name: str) -> str:
        """A value of an enum."""
        if not isinstance(value, str):
            return self._read_from_json(value)
        variant = self._crate.enums[name].names.get(value)
        text = variant or f"from({spelling.string_literal(value)})"
        return f"{self._path(name)}::{text}"

    def _object(self, value: Object, name: str) -> str:
        """A struct. If it has no default, absent fields are written, too."""
        path, fields = self._path(name), self._fields(name)
        has_default = name not in self._crate.without_default
        unknown_fields = self._crate.unknown_fields.get(name)
        names = value.keys() & fields.keys()
        if not names and has_default:
            return f"{path}::default()"
        lines = [
            self._field(fields[json_name], inner)
            for json_name, inner in value.items()
            if json_name in names
        ]
        if not has_default:
            lines += (
                f"{field.name}: {'None' if field.is_option else 'Default::default()'},"
                for json_name, field in fields.items()
                if json_name not in names
            )
            if unknown_fields:
                lines.append(f"{unknown_fields}: Default::default(),")
        elif len(names) < len(fields) or unknown_fields:
            lines.append(_REST)
        if len(lines) == 1:
            body = lines[0].rstrip(",")
            if len(body) <= _STRUCT_WIDTH:
                return f"{path} {{ {body} }}"
        body = _indented("\n".join(lines))
        return f"{path} {{\n{body}\n}}"

    def _field(self, field: StructField, value: Any) -> str:
        """The line or lines of a field."""
        schema = field.field.schema
        text = self._value(value, schema)
        if field.boxed:
            text = f"Box::new({text})"
        if field.is_option:
            if schema.ref is not None and not is_container(value):
                text = _break_call(text)
            elif "\n" in text and len(text.partition("\n")[0]) > _CALL_WIDTH:
                # The argument of a call whose first line is too long for that of the
                # call; of a list, which has one item then, that item.
                if isinstance(value, list) and schema.items is not None:
                    item = text.removeprefix("vec![").removesuffix("]")
                    text = f"vec![\n{_indented(item)},\n]"
                else:
                    text = f"\n{_indented(text)},\n"
            text = f"Some({text})"
        if field.keeps_null:
            text = f"Some({text})"
        return f"{field.name}: {text},"

    def _fields(self, name: str) -> StructFields:
        """The fields of a struct; those of ``List``, with the types of a list kind."""
        if name not in self._crate.list_items:
            return self._crate.fields[name]
        return {
            field.name: StructField(field.name, field._replace(required=True), False)
            for field in self._crate.release.definitions[name].fields
            if field.name in ("items", "metadata")
        }

    def _scalar(self, value: Any, type_: str) -> str:
        """A value of the Rust type ``type_``, which is that of no definition."""
        text = literals.scalar(value, type_)
        if text is not None:
            return text
        decoded = literals.decoded(value) if type_ == "crate::ByteString" else None
        if decoded is not None:
            self._imports.add(f"{self._name}::ByteString")
            return f"ByteString({spelling.string_literal(decoded)}.into())"
        if type_ == ANY:
            return self._json(value)
        is_empty = value in ({}, [])
        return "Default::default()" if is_empty else self._read_from_json(value)

    def _json(self, value: Any) -> str:
        self._imports.add(f"{self._name}::serde_json::json")
        return f"json!({literals.json_macro(value)})"

    def _read_from_json(self, value: Any) -> str:
        """A value that is not what its definition describes, as in a document in which
        a well-known definition is something else."""
        self._imports.add(f"{self._name}::serde_json")
        return f"serde_json::from_value({self._json(value)}).unwrap()"


def _break_call(call: str) -> str:
    """A call with one argument, which is on a line of its own where it is too long."""
    function, _, rest = call.partition("(")
    argument = rest[:-1]
    if len(call) <= _CALL_WIDTH or not argument:
        return call
    return f"{function}(\n{_INDENT}{argument},\n)"


def _indented(lines: str) -> str:
    """Lines, each further to the right: no literal has a line break."""
    return _INDENT + lines.replace("\n", f"\n{_INDENT}")
