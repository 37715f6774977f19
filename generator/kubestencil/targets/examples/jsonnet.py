"""Writes examples in Jsonnet that use the generated library.

A field of a type is set by the builder of the library. Where there is none, it is set
by a patch: ``+ { spec+: { status: … } }``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kubestencil.engine.manifest import Target
from kubestencil.schema import Definition, Release, Schema
from kubestencil.schema.types import ANY_VALUE, reference_to
from kubestencil.targets.examples.objects import Object, is_container, referenced
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.library import make_library
from kubestencil.targets.languages.jsonnet.members import (
    Constructor,
    Function,
    LibraryType,
    Member,
    Members,
    NestedObject,
)
from kubestencil.targets.languages.jsonnet.overlay import read_overlay

_INDENT = "  "
_TYPE_FIELDS = ("apiVersion", "kind")


class JsonnetWriter:
    """Writes Jsonnet.

    Raises SpecError where the library cannot be generated.
    """

    def __init__(self, release: Release, target: Target) -> None:
        library = make_library(release, target)
        self._types = {type_.definition: type_ for type_ in library.types}
        overlay = read_overlay(target, library.object_tree())
        self._extended_types = overlay.extended_types
        self._definitions = release.definitions
        self._setters: dict[Members, Mapping[str, Function | NestedObject]] = {}

    def write(self, definition: Definition, example: Object) -> str:
        """A file whose value is the object; empty where the library lacks its type."""
        if definition.name not in self._types:
            return ""
        expression = self._expression(example, reference_to(definition.name), "")
        return f"local k = import 'main.libsonnet';\n\n{expression}\n"

    def _expression(self, value: Any, schema: Schema, indent: str) -> str:
        """An expression for a value, in a line that begins with ``indent``."""
        if not is_container(value):
            return jsonnet.json_literal(value)
        definition = referenced(schema, self._definitions)
        if isinstance(value, dict) and definition and definition.name in self._types:
            terms = self._terms(value, definition, indent)
            return f"\n{indent}+ ".join(terms)
        if definition is not None:
            schema = definition.schema
        content, inner_indent = schema.content or ANY_VALUE, indent + _INDENT
        if isinstance(value, list):
            if self._are_scalars(value, content):
                return jsonnet.json_literal(value)
            items = [self._expression(item, content, inner_indent) for item in value]
            return _on_lines("[", items, "]", indent)
        if not schema.is_object and self._are_scalars(value.values(), content):
            return jsonnet.json_literal(value)
        fields = (
            f"{jsonnet.field_name(name)}: "
            + self._expression(inner, schema.field(name) or content, inner_indent)
            for name, inner in value.items()
        )
        return _on_lines("{", fields, "}", indent)

    def _are_scalars(self, values: Iterable[Any], schema: Schema) -> bool:
        """Whether values of a schema are scalars, or empty, and not those of a type."""
        return not any(map(is_container, values)) and not self._is_object(schema)

    def _is_object(self, schema: Schema) -> bool:
        definition = referenced(schema, self._definitions)
        return (definition.schema if definition else schema).is_object

    def _terms(
        self, value: Object, definition: Definition, indent: str
    ) -> Iterator[str]:
        """The expressions whose sum is an object of a type in the library."""
        type_ = self._types[definition.name]
        type_access = "k" + "".join(map(jsonnet.field_access, type_.path))
        if value.keys() >= {*_TYPE_FIELDS}:
            type_fields = tuple(value[name] for name in _TYPE_FIELDS)
            value = {name: value[name] for name in value if name not in _TYPE_FIELDS}
            name = self._constructor_argument(value, type_, type_fields)
            if name:
                value = _without_name(value)
                yield f"{type_access}.new({jsonnet.json_literal(name)})"
            else:
                literals = map(jsonnet.json_literal, type_fields)
                fields = map(": ".join, zip(_TYPE_FIELDS, literals, strict=True))
                yield f"{{ {', '.join(fields)} }}"
        schema = definition.schema
        yield from self._field_terms(
            value, schema, type_.members, type_access, (), indent
        )

    def _field_terms(
        self,
        value: Object,
        schema: Schema,
        members: Members,
        access: str,
        path: tuple[str, ...],
        indent: str,
    ) -> Iterator[str]:
        """The expressions that set the fields of an object, which is inside the field at
        ``path``, with ``members``, which are read with ``access``."""
        setters = self._setters_by_field(members)
        for name, inner in value.items():
            field = schema.field(name) or ANY_VALUE
            setter = setters.get(name)
            inner_access = access + jsonnet.field_access(setter.name) if setter else ""
            if isinstance(setter, Function):
                yield f"{inner_access}({self._expression(inner, field, indent)})"
            elif setter and isinstance(inner, dict) and inner:
                definition = referenced(field, self._definitions)
                yield from self._field_terms(
                    inner,
                    definition.schema if definition else field,
                    setter.members,
                    inner_access,
                    (*path, name),
                    indent,
                )
            else:
                opening, closing = jsonnet.patch_braces(path)
                text = self._expression(inner, field, indent)
                yield f"{opening}{jsonnet.field_name(name)}: {text}{closing}"

    def _setters_by_field(
        self, members: Members
    ) -> Mapping[str, Function | NestedObject]:
        """The members that set fields, by the fields' JSON names."""
        setters = self._setters.get(members)
        if setters is None:
            setters = {
                path[0]: member
                for member in members.entries
                if not isinstance(member, Constructor)
                and len(path := _field_path(member)) == 1
            }
            self._setters[members] = setters
        return setters

    def _constructor_argument(
        self, value: Object, type_: LibraryType, type_fields: tuple[object, ...]
    ) -> str | None:
        """The name that ``new`` is called with; None where ``new`` cannot be used.
        ``type_fields`` are the object's apiVersion and kind."""
        new = self._generated_constructor(type_)
        if new is None or (new.kind.api_version, new.kind.kind) != type_fields:
            return None
        metadata = self._setters_by_field(type_.members).get("metadata")
        if not isinstance(metadata, NestedObject):
            return None
        if "name" not in self._setters_by_field(metadata.members):
            return None
        name = value.get("metadata", {}).get("name")
        return name if isinstance(name, str) else None

    def _generated_constructor(self, type_: LibraryType) -> Constructor | None:
        """The ``new`` of a type, if it takes a name and no overlay replaces it, perhaps
        by one with other parameters."""
        if self._extended_types is None or type_.path in self._extended_types:
            return None
        for member in type_.members.entries:
            if isinstance(member, Constructor) and member.parameter:
                return member
        return None


def _field_path(member: Member) -> tuple[str, ...]:
    """The path to the field that a member sets; empty for one that sets none."""
    if isinstance(member, Function):
        return () if member.appends else member.field
    if isinstance(member, NestedObject):
        return member.path or ()
    return ()


def _on_lines(opening: str, items: Iterable[str], closing: str, indent: str) -> str:
    lines = "".join(f"{indent}{_INDENT}{item},\n" for item in items)
    return f"{opening}\n{lines}{indent}{closing}"


def _without_name(value: Object) -> Object:
    """An object without ``metadata.name``, and without metadata if that is all it has."""
    metadata = {k: v for k, v in value["metadata"].items() if k != "name"}
    changed = {**value, "metadata": metadata}
    return {name: changed[name] for name in value if name != "metadata" or metadata}
