"""Examples for the generated Rust crate, as rustfmt has them but for long lines.

Types are named by their modules (``core_v1::Pod``), since what is in one example
comes from several with types of the same name. The crate's corrections of the
document count: a field that it requires is there, with its default if the example
does not have it.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from kubestencil.engine.manifest import Target
from kubestencil.schema import Release, Schema
from kubestencil.targets.examples.nodes import (
    Entry,
    FragmentCache,
    ListNode,
    MapNode,
    Node,
    Object,
    Scalar,
    to_json,
)
from kubestencil.targets.rust import spelling as rust
from kubestencil.targets.rust.fixups import corrected
from kubestencil.targets.rust.view import ANY, TIME, Crate, check_options

_STEP = "    "
_REST = "..Default::default()"
_NOTHING: frozenset[str] = frozenset()
_MAPS = frozenset(["std::collections::BTreeMap"])
# The longest body of a struct, and arguments of a call, on one line (rustfmt,
# struct_lit_width and fn_call_width).
_SHORT = 18
_CALL = 60
_RESERVED = ("BTreeMap", "ByteString", "Default", "Some", "Box", "json", "vec")


class _Code(NamedTuple):
    """An expression, and the paths that it needs to use."""

    text: str
    uses: frozenset[str]


class _Member(NamedTuple):
    """A field of a struct."""

    name: str
    schema: Schema
    required: bool
    boxed: bool


class _Struct(NamedTuple):
    """A struct, with its fields by their JSON names."""

    path: _Code
    members: Mapping[str, _Member]
    has_default: bool


class Writer:
    """Writes Rust; remembers what several examples have in common.

    Raises SpecError where the crate cannot be printed.
    """

    def __init__(self, release: Release, target: Target) -> None:
        check_options(target)
        self.crate = Crate(corrected(release, target))
        self.name = rust.crate_name(str(target.options["name"]))
        self.aliases = self.module_aliases()
        self.structs: dict[str, _Struct] = {}
        self._fragments = FragmentCache[_Code]()

    def module_aliases(self) -> Mapping[tuple[str, ...], str]:
        """A short name for each module that has types: ``core_v1``."""
        modules = sorted({place.module for place in self.crate.places.values()})
        short = ["_".join(module[-2:]) or self.name for module in modules]
        names = rust.distinct([*_RESERVED, *short])[len(_RESERVED) :]
        return dict(zip(modules, names, strict=True))

    def write(self, example: Object) -> str:
        """A function that makes the object."""
        assert example.definition
        path = self.path(example.definition.name)
        code = self.object(example, example.definition.name, _STEP)
        # As rustfmt sorts them, small letters first.
        paths = sorted(path.uses | code.uses, key=str.swapcase)
        uses = "".join(f"use {each};\n" for each in paths)
        return f"{uses}\npub fn example() -> {path.text} {{\n{_STEP}{code.text}\n}}\n"

    def path(self, name: str) -> _Code:
        """The type of a definition."""
        if name in self.crate.lists:
            return _Code(f"{self.name}::List", _NOTHING)
        place = self.crate.places[name]
        alias = self.aliases[place.module]
        if not place.module:
            return _Code(f"{self.name}::{place.name}", _NOTHING)
        module = "::".join((self.name, *place.module))
        return _Code(f"{alias}::{place.name}", frozenset([f"{module} as {alias}"]))

    def value(self, node: Node, schema: Schema, pad: str) -> _Code:
        """A value in a line that begins with ``pad``."""
        if schema.ref is not None:
            return self.referred(node, schema.ref, pad)
        if isinstance(node, ListNode) and schema.items is not None:
            inside = self.value(node.item, schema.items, pad)
            return _Code(f"vec![{inside.text}]", inside.uses)
        if isinstance(node, MapNode) and schema.values and not schema.is_object:
            return self.map(node, schema.values, pad)
        return self.scalar(to_json(node), self.crate.spelled(schema, ()))

    def map(self, node: MapNode, schema: Schema, pad: str) -> _Code:
        key = f"{rust.string(node.key)}.into()"
        inside = self.value(node.value, schema, pad + _STEP)
        text = f"BTreeMap::from([({key}, {inside.text})])"
        if "\n" in text or len(text) > _CALL:
            lines = "".join(f"{pad}{_STEP}{each},\n" for each in (key, inside.text))
            text = f"BTreeMap::from([(\n{lines}{pad})])"
        return _Code(text, inside.uses | _MAPS)

    def referred(self, node: Node, name: str, pad: str) -> _Code:
        """A value of a definition's type."""
        special = self.crate.specials.get(name)
        if special is not None:
            path = self.path(name)
            return _Code(_special(path.text, special.form, to_json(node)), path.uses)
        if isinstance(node, Object):
            return self.object(node, name, pad)
        path = self.path(name)
        inside = self.value(node, self.crate.definitions[name].schema, pad)
        return _Code(f"{path.text}({inside.text})", path.uses | inside.uses)

    def object(self, node: Object, name: str, pad: str) -> _Code:
        """A struct. What has no default names the fields that are not there, too."""
        struct = self.struct(name)
        present = {each.field.name for each in node.entries} & struct.members.keys()
        if not present and struct.has_default:
            return _Code(f"{struct.path.text}::default()", struct.path.uses)
        deeper = pad + _STEP
        code = [
            self.field(struct, each, deeper)
            for each in node.entries
            if each.field.name in present
        ]
        lines = [each.text for each in code]
        if struct.has_default:
            lines += [f"{deeper}{_REST}\n"] * (len(present) < len(struct.members))
        else:
            lines += (
                f"{deeper}{member.name}: {_absent(member)},\n"
                for name, member in struct.members.items()
                if name not in present
            )
        uses = struct.path.uses.union(*(each.uses for each in code))
        if len(lines) == 1 and len(line := lines[0].strip().rstrip(",")) <= _SHORT:
            return _Code(f"{struct.path.text} {{ {line} }}", uses)
        return _Code(f"{struct.path.text} {{\n{''.join(lines)}{pad}}}", uses)

    def field(self, struct: _Struct, entry: Entry, pad: str) -> _Code:
        member = struct.members[entry.field.name]
        return self._fragments.get(entry, pad, lambda: self.line(member, entry, pad))

    def line(self, member: _Member, entry: Entry, pad: str) -> _Code:
        text, uses = self.value(entry.node, member.schema, pad)
        if member.boxed:
            text = f"Box::new({text})"
        if not member.required:
            if isinstance(entry.node, Scalar) and member.schema.ref is not None:
                text = _broken(text, pad)
            text = f"Some({text})"
        return _Code(f"{pad}{member.name}: {text},\n", uses)

    def struct(self, name: str) -> _Struct:
        known = self.structs.get(name)
        if known is None:
            members = dict(self.members(name))
            has_default = name not in self.crate.without_default
            known = _Struct(self.path(name), members, has_default)
            self.structs[name] = known
        return known

    def members(self, name: str) -> Iterator[tuple[str, _Member]]:
        """The fields of a struct by their JSON names."""
        if name in self.crate.lists:
            for field in self.crate.release.definitions[name].fields:
                if field.name in ("items", "metadata"):
                    yield field.name, _Member(field.name, field.schema, True, False)
            return
        names = self.crate.names[name]
        for field in self.crate.fields[name]:
            boxed = (name, field.schema.ref) in self.crate.boxed
            yield (
                field.name,
                _Member(names[field.name], field.schema, field.required, boxed),
            )

    def scalar(self, value: Any, spelled: str) -> _Code:
        """A JSON value of a type that no definition has."""
        if spelled == "String":
            return _Code(f"{rust.string(value)}.into()", _NOTHING)
        if spelled == "crate::ByteString":
            text = rust.string(b64decode(value).decode())
            return _Code(
                f"ByteString({text}.into())", frozenset([f"{self.name}::ByteString"])
            )
        if spelled == TIME:
            return _Code(f"{rust.string(value)}.parse().unwrap()", _NOTHING)
        if spelled == ANY:
            uses = frozenset([f"{self.name}::serde_json::json"])
            return _Code(f"json!({_json(value)})", uses)
        if spelled == "f64":
            return _Code(repr(float(value)), _NOTHING)
        return _Code(_json(value), _NOTHING)


def _broken(call: str, pad: str) -> str:
    """A call of one argument, on lines of its own where rustfmt wants that."""
    function, _, rest = call.partition("(")
    argument = rest[:-1]
    if len(call) <= _CALL or not argument:
        return call
    return f"{function}(\n{pad}{_STEP}{argument},\n{pad})"


def _absent(member: _Member) -> str:
    return "Default::default()" if member.required else "None"


def _special(path: str, form: str, value: Any) -> str:
    """A value of a type that is written by hand."""
    if form.startswith("props_or_"):
        return f"{path}::Schema(Box::default())"
    if form == "int_or_string" and isinstance(value, int):
        return f"{path}::Int({value})"
    if isinstance(value, str):
        text = rust.string(value)
        if form == "int_or_string":
            return f"{path}::String({text}.into())"
        inside = "into()" if form == "quantity" else "parse().unwrap()"
        return f"{path}({text}.{inside})"
    # The document says otherwise than the name.
    return "todo!()"


def _json(value: Any) -> str:
    """A literal of a number or a truth, or what the macro json! takes."""
    if isinstance(value, str):
        return rust.string(value)
    if isinstance(value, dict):
        inside = (f"{rust.string(key)}: {_json(each)}" for key, each in value.items())
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_json, value))}]"
    return json.dumps(value)
