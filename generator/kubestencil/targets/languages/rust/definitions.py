"""The definitions of a crate: one for each of its types, built-in and custom.

Kubernetes' own are those of the document. Custom kinds have one for each value that has a
type of its own in kopium (https://github.com/kube-rs/kopium, ``analyzer.rs``), too: a
struct for each object, an enum for each string with ``enum``. Their values are
``IntOrString``, strings for times and bytes, and Kubernetes' own Condition and
ObjectReference where the schema describes these. Unlike kopium's, lists and maps have
enums, too. What is made of a definition depends on nothing but its schema from here on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.types import ANY_VALUE
from kubestencil.schema.well_known import INT_OR_STRING, META_V1
from kubestencil.targets.languages.custom_kinds import custom_definitions
from kubestencil.targets.languages.rust import kopium
from kubestencil.text.unique_names import free_name, shortened_name

_CONDITION = f"{META_V1}.Condition"
_OBJECT_REFERENCE = "io.k8s.api.core.v1.ObjectReference"
# Formats that kopium ignores: values are written as they were read, to the letter.
_TEXTS = frozenset(["date-time", "byte"])
# Only malicious documents have types with longer names.
_MAX_NAME_LENGTH = 200
_BY_NAME = attrgetter("name")
_INT_OR_STRING = Definition(
    name=INT_OR_STRING,
    group_label="intstr",
    version="",
    kind="IntOrString",
    kinds=(),
    schema=ANY_VALUE._replace(description="An integer or a string."),
)


class CustomType(NamedTuple):
    """A type of a custom kind: the kind that it is part of, and its Rust name."""

    kind: GroupVersionKind
    name: str


class CrateDefinitions(NamedTuple):
    """The definitions of a crate, ``all`` and those that are part of custom kinds.

    ``custom_types`` has the latter by full name, each after the one that it is part of.
    """

    all: Mapping[str, Definition]
    custom_types: Mapping[str, CustomType]


class _SchemaPlace(NamedTuple):
    """A value of a custom kind: the field that has it, and what the type of its own is
    called after, if it gets one: the kind and the fields that lead to it."""

    package: str
    kind: GroupVersionKind
    stack: str
    field: str = ""

    def of(self, field: str) -> _SchemaPlace:
        """The place of a field of the value."""
        stack = f"{self.stack}{kopium.camel_case(field)}"
        return self._replace(stack=stack, field=field)


def crate_definitions(release: Release, list_kinds: Container[str]) -> CrateDefinitions:
    """The definitions of the crate of a release. ``list_kinds`` are those that get no
    type of their own."""
    types = _CrateTypes(release.definitions)
    custom = {
        name: GroupVersionKind(*group_version, name.rpartition(".")[2])
        for name, group_version in sorted(custom_definitions(release).items())
        if name not in list_kinds
    }
    kinds = {name for name in custom if release.definitions[name].kinds}
    types.add(custom, kinds)
    # Definitions that no kind refers to are part of the document, too.
    types.add(custom, custom.keys() - types.custom.keys() - types.replaced)
    replaced = types.replaced & (custom.keys() - types.custom.keys())
    definitions = types.definitions.items()
    return CrateDefinitions(
        {name: value for name, value in definitions if name not in replaced},
        types.custom,
    )


def is_string_enum(schema: Schema) -> bool:
    """Whether a schema lists the strings that are allowed; null may be one of them."""
    if schema.type != "string" or "enum" not in schema.keywords:
        return False
    return {type(value) for value in schema.enum if value is not None} == {str}


class _CrateTypes:
    """The definitions and types of custom kinds as far as they are known.

    ``names`` has the Rust names that are taken in each package, ``queue`` the
    definitions that have a name and whose values are as they were. ``replaced`` are
    those for which a built-in definition is used.
    """

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self.definitions = dict(definitions)
        self.custom: dict[str, CustomType] = {}
        self.names: dict[str, set[str]] = {}
        self.replaced: set[str] = set()
        self.queue: deque[tuple[str, _SchemaPlace]] = deque()

    def add(
        self, kinds: Mapping[str, GroupVersionKind], roots: Collection[str]
    ) -> None:
        """Add the types of ``roots``, which are part of no other one, and of all in
        them, level by level: no type takes the name of one with fewer types around it,
        such as a kind or its spec."""
        for root, kind in kinds.items():
            if root in roots:
                package, _, name = root.rpartition(".")
                place = _SchemaPlace(package, kind, kopium.camel_case(name))
                self.add_type(root, place)
        while self.queue:
            name, place = self.queue.popleft()
            definition = self.definitions[name]
            schema = definition.schema
            if definition.is_object:
                # In this order, types get their names in kopium.
                fields = sorted(schema.fields, key=_BY_NAME)
                schema = schema._replace(
                    fields=tuple(
                        Field(name, self.value(value, place.of(name)), required)
                        for name, value, required in fields
                    )
                )
            elif not is_string_enum(schema):
                schema = self.value(schema, place)
            self.definitions[name] = replace(definition, schema=schema)

    def value(self, schema: Schema, place: _SchemaPlace) -> Schema:
        """The schema of a value: a reference where it has a type of its own."""
        if schema.ref is not None:
            return schema._replace(ref=self.reference(schema.ref, place))
        if schema.items is not None:
            return schema._replace(items=self.value(schema.items, place))
        if schema.values is not None and not schema.is_object:
            return schema._replace(values=self.value(schema.values, place))
        if schema.type == "object" and _allows_any_field(schema):
            return schema._replace(values=ANY_VALUE)
        if schema.type == "object" or is_string_enum(schema):
            return schema._replace(ref=self.add_inner(schema, place))
        if schema.int_or_string:
            # A document of custom kinds alone lacks it.
            self.definitions.setdefault(INT_OR_STRING, _INT_OR_STRING)
            return schema._replace(ref=INT_OR_STRING)
        return schema._replace(format=None) if schema.format in _TEXTS else schema

    def reference(self, name: str, place: _SchemaPlace) -> str:
        """The definition that a value refers to, instead of ``name`` where a built-in
        one describes the same; else ``name``, which gets its type."""
        if name in self.custom or name.rpartition(".")[0] != place.package:
            return name
        built_in = _CONDITION if place.field == "conditions" else _OBJECT_REFERENCE
        if _describes_same(built_in, name, self.definitions):
            self.replaced.add(name)
            return built_in
        self.add_type(name, place._replace(stack=kopium.camel_case(place.stack)))
        return name

    def add_inner(self, schema: Schema, place: _SchemaPlace) -> str:
        """Add a definition, and its type, for a value."""
        if schema.type == "object" and not schema.is_object:
            schema = schema.with_keywords({"properties": {}})
        full_name = f"{place.package}.{place.stack}"
        name = free_name(full_name, self.definitions, place.stack)
        self.definitions[name] = Definition(
            name=name,
            group_label=place.kind.group,
            version=place.kind.version,
            kind=name.rpartition(".")[2],
            kinds=(),
            schema=schema,
        )
        self.add_type(name, place)
        return name

    def add_type(self, definition: str, place: _SchemaPlace) -> None:
        """Give a definition its Rust name, and queue it."""
        place = place._replace(stack=shortened_name(place.stack, _MAX_NAME_LENGTH))
        names = self.names.setdefault(place.package, set())
        kopium_name = kopium.type_name(place.stack, kopium.camel_case(place.kind.kind))
        name = free_name(kopium_name, names, definition, separator="")
        names.add(name)
        self.custom[definition] = CustomType(place.kind, name)
        self.queue.append((definition, place))


def _allows_any_field(schema: Schema) -> bool:
    keeps_fields = schema.preserves_unknown_fields or schema.has_any_values
    return keeps_fields and not schema.fields


def _describes_same(
    built_in: str, name: str, definitions: Mapping[str, Definition]
) -> bool:
    """Whether there is a built-in definition as which all values of another one can be
    read and written: it has their fields, and requires no other ones."""
    if built_in not in definitions:
        return False
    custom = definitions[name]
    fields = {field.name: field for field in definitions[built_in].fields}
    names = {field.name for field in custom.fields}
    required = {field.name for field in custom.fields if field.required}
    needed = {name for name, field in fields.items() if field.required}
    return (
        # An object with some of its fields is no ObjectReference.
        (names <= fields.keys() if needed else names == fields.keys())
        and needed <= required
        and not custom.schema.preserves_unknown_fields
        and all(
            not field.schema.keeps_null
            and _scalar(field.schema, definitions)
            == _scalar(fields[field.name].schema, definitions)
            for field in custom.fields
        )
    )


def _scalar(
    schema: Schema, definitions: Mapping[str, Definition]
) -> tuple[str | None, str | None]:
    """The type and format of a schema that is a scalar or refers to one."""
    while schema.ref is not None:
        schema = definitions[schema.ref].schema
    return schema.type, schema.format
