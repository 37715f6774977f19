"""Prepares the definitions of custom kinds: what Rust needs a type of its own for.

The types are those of kopium (https://github.com/kube-rs/kopium, ``analyzer.rs``): a
struct for each object, an enum for each string with ``enum``, ``IntOrString``, strings
for times and bytes, and Kubernetes' own Condition and ObjectReference where the schema
describes these. Unlike kopium's, lists and maps have enums, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import NamedTuple

from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import references
from kubestencil.schema.types import ANY_VALUE
from kubestencil.schema.well_known import INT_OR_STRING, META_V1
from kubestencil.targets.languages.rust import spelling
from kubestencil.targets.languages.rust.custom import kopium
from kubestencil.text.unique_names import shortened_name, suffixed, unused_name

_CONDITION = f"{META_V1}.Condition"
_OBJECT_REFERENCE = "io.k8s.api.core.v1.ObjectReference"
# Formats that kopium ignores: values are written as they were read, to the letter.
_TEXT_FORMATS = frozenset(["date-time", "byte"])
# Only malicious documents have types with longer names.
_MAX_NAME_LENGTH = 200
_BY_NAME = attrgetter("name")


class CustomType(NamedTuple):
    """A type of a custom kind: the kind that it is part of, and its Rust name."""

    kind: GroupVersionKind
    name: str


class CustomKinds(NamedTuple):
    """The custom kinds of a release.

    ``definitions`` are all definitions of the release, those of custom kinds prepared.
    ``types`` has the latter by full name, each after the one that it is part of.
    """

    definitions: Mapping[str, Definition]
    types: Mapping[str, CustomType]


class _Owner(NamedTuple):
    """The type that a field is in.

    ``kind`` is the kind that it is part of, ``kind_name`` the Rust name of that kind,
    ``stack`` what the names of inner types begin with.
    """

    package: str
    kind: GroupVersionKind
    kind_name: str
    stack: str


def prepare_custom_kinds(release: Release, list_kinds: Container[str]) -> CustomKinds:
    """Prepare the custom kinds of a release. ``list_kinds`` are definitions that get no
    type of their own."""
    packages: dict[str, GroupVersionKind] = {}
    for definition in release.definitions.values():
        package = _custom_package(definition)
        if package is not None:
            packages[package] = definition.kinds[0]
    if not packages:
        return CustomKinds(release.definitions, {})
    preparation = _Preparation(release.definitions)
    members = [
        definition
        for name, definition in sorted(release.definitions.items())
        if name.rpartition(".")[0] in packages and name not in list_kinds
    ]
    preparation.prepare(members, packages)
    return CustomKinds(preparation.definitions, preparation.types)


def is_string_enum(schema: Schema) -> bool:
    """Whether a schema lists the strings that are allowed; null may be one of them."""
    if schema.type != "string" or "enum" not in schema.keywords:
        return False
    return {type(value) for value in schema.enum if value is not None} == {str}


def enum_variants(schema: Schema) -> kopium.Variants:
    """The variants of the enum of a schema for which ``is_string_enum`` is true."""
    return kopium.variants(value for value in schema.enum if value is not None)


def _custom_package(definition: Definition) -> str | None:
    """The package of a custom kind; None for all other definitions.

    The API server derives it from the group, which has a dot: ``io.cert-manager.v1``
    from ``cert-manager.io/v1`` (apiserver, ``util/openapi``, ToRESTFriendlyName).
    """
    kind = definition.served_kind
    if kind is None or "." not in kind.group:
        return None
    package = ".".join((*reversed(kind.group.split(".")), kind.version))
    return package if definition.name == f"{package}.{definition.kind}" else None


class _Preparation:
    """The definitions and types as far as they are prepared.

    ``names`` has the Rust names that are taken in each package, ``queue`` the
    definitions that have a name and are not prepared. ``replaced`` are those for which
    a built-in definition is used.
    """

    def __init__(self, definitions: Mapping[str, Definition]) -> None:
        self.definitions = dict(definitions)
        self.types: dict[str, CustomType] = {}
        self.names: dict[str, set[str]] = {}
        self.replaced: set[str] = set()
        self.queue: deque[tuple[str, _Owner]] = deque()
        # By the identity of their schemas, values that are prepared alike everywhere:
        # custom kinds share the schemas of equal ones.
        self.plain_values: dict[int, Schema] = {}

    def prepare(
        self, members: Collection[Definition], packages: Mapping[str, GroupVersionKind]
    ) -> None:
        """Prepare ``members``, the definitions of ``packages``."""
        for definition in members:
            if definition.kinds:
                self.add_root(definition, definition.kinds[0])
        self.prepare_queue()
        self.remove_replaced()
        # Definitions that no kind refers to are part of the document, too.
        for definition in members:
            if (
                definition.name in self.definitions
                and definition.name not in self.types
            ):
                package, _, name = definition.name.rpartition(".")
                self.add_root(definition, packages[package]._replace(kind=name))
        self.prepare_queue()

    def prepare_queue(self) -> None:
        """Prepare what has a name, level by level: no type takes the name of one with
        fewer types around it, such as a kind or its spec."""
        while self.queue:
            name, owner = self.queue.popleft()
            definition = self.definitions[name]
            schema = definition.schema
            if definition.is_object:
                schema = schema._replace(fields=self.fields(schema, owner))
            elif not is_string_enum(schema):
                schema = self.value(schema, owner, "")
            self.definitions[name] = replace(definition, schema=schema)

    def remove_replaced(self) -> None:
        if self.replaced:
            referenced = {
                name
                for definition in self.definitions.values()
                for name in references(definition.schema)
            }
            for name in self.replaced - referenced:
                del self.definitions[name]

    def fields(self, schema: Schema, owner: _Owner) -> tuple[Field, ...]:
        """The fields of an object, in the order of their names, in which types in them
        get their names in kopium."""
        plain_values = self.plain_values
        fields: list[Field] = []
        for field in sorted(schema.fields, key=_BY_NAME):
            name, value, required = field
            prepared = plain_values.get(id(value)) or self.field(field, owner)
            fields.append(
                field if prepared is value else Field(name, prepared, required)
            )
        return tuple(fields)

    def field(self, field: Field, owner: _Owner) -> Schema:
        items = field.schema.items
        if (
            field.name == "conditions"
            and items is not None
            and items.ref is not None
            and self.replace_with(_CONDITION, items.ref)
        ):
            return field.schema._replace(items=items._replace(ref=_CONDITION))
        return self.value(field.schema, owner, field.name)

    def value(self, schema: Schema, owner: _Owner, field: str) -> Schema:
        """The schema of a value, in the field called ``field``: a reference where it
        has a type of its own."""
        if schema.ref is not None:
            name = self.reference(schema.ref, owner, field)
            return schema if name == schema.ref else schema._replace(ref=name)
        if schema.items is not None:
            return schema._replace(items=self.value(schema.items, owner, field))
        if schema.values is not None and not schema.is_object:
            return schema._replace(values=self.value(schema.values, owner, field))
        if is_string_enum(schema):
            return schema._replace(ref=self.add_inner(schema, owner, field))
        if schema.type == "object" and not _allows_any_field(schema):
            if not schema.is_object:
                schema = schema.with_keywords({"properties": {}})
            return schema._replace(ref=self.add_inner(schema, owner, field))
        return self.plain_value(schema)

    def plain_value(self, schema: Schema) -> Schema:
        """The schema of a value that has no type of its own."""
        prepared = schema
        if schema.int_or_string:
            prepared = schema._replace(ref=self.int_or_string())
        elif schema.format in _TEXT_FORMATS:
            prepared = schema._replace(format=None)
        elif schema.type == "object":
            prepared = schema._replace(values=ANY_VALUE)
        self.plain_values[id(schema)] = prepared
        return prepared

    def reference(self, name: str, owner: _Owner, field: str) -> str:
        """The definition that a field refers to, instead of ``name`` where a built-in
        one describes the same; else ``name``, which gets its type."""
        if name in self.types or name.rpartition(".")[0] != owner.package:
            return name
        if self.replace_with(_OBJECT_REFERENCE, name):
            return _OBJECT_REFERENCE
        self.add_type(name, owner, kopium.camel_case(_inner_stack(owner, field)))
        return name

    def replace_with(self, built_in: str, name: str) -> bool:
        """Use a built-in definition for ``name``, if it describes the same."""
        replacement = self.definitions.get(built_in)
        if replacement is None or not _describes_same(
            replacement, self.definitions[name], self.definitions
        ):
            return False
        self.replaced.add(name)
        return True

    def int_or_string(self) -> str:
        """The definition of IntOrString, which a document of custom kinds alone lacks."""
        if INT_OR_STRING not in self.definitions:
            self.definitions[INT_OR_STRING] = Definition(
                name=INT_OR_STRING,
                group_label="intstr",
                version="",
                kind="IntOrString",
                kinds=(),
                schema=ANY_VALUE._replace(description="An integer or a string."),
            )
        return INT_OR_STRING

    def add_root(self, definition: Definition, kind: GroupVersionKind) -> None:
        """Add the type of a kind, or of a definition that is part of none."""
        package, _, name = definition.name.rpartition(".")
        stack = kopium.camel_case(name)
        self.add_type(definition.name, _Owner(package, kind, stack, stack), stack)

    def add_inner(self, schema: Schema, owner: _Owner, field: str) -> str:
        """Add a definition, and its type, for the value of a field."""
        stack = _inner_stack(owner, field)
        name = unused_name(
            f"{owner.package}.{stack}", self.definitions, spelling.NUMBERED
        )
        self.definitions[name] = Definition(
            name=name,
            group_label=owner.kind.group,
            version=owner.kind.version,
            kind=name.rpartition(".")[2],
            kinds=(),
            schema=schema,
        )
        self.add_type(name, owner, stack)
        return name

    def add_type(self, definition: str, owner: _Owner, stack: str) -> None:
        """Give a definition its Rust name, and queue it."""
        stack = shortened_name(stack, _MAX_NAME_LENGTH)
        names = self.names.setdefault(owner.package, set())
        kopium_name = kopium.type_name(stack, owner.kind_name)
        name = unused_name(kopium_name, names, suffixed("X"))
        names.add(name)
        self.types[definition] = CustomType(owner.kind, name)
        inner = _Owner(owner.package, owner.kind, owner.kind_name, stack)
        self.queue.append((definition, inner))


def _inner_stack(owner: _Owner, field: str) -> str:
    return f"{owner.stack}{kopium.camel_case(field)}"


def _allows_any_field(schema: Schema) -> bool:
    keeps_fields = schema.preserves_unknown_fields or schema.has_any_values
    return keeps_fields and not schema.fields


def _describes_same(
    built_in: Definition, custom: Definition, definitions: Mapping[str, Definition]
) -> bool:
    """Whether all values of ``custom`` can be read and written as ``built_in``: it has
    their fields, and requires no other ones."""
    fields = {field.name: field for field in built_in.fields}
    names = {field.name for field in custom.fields}
    required = {field.name for field in custom.fields if field.required}
    needed = {field.name for field in built_in.fields if field.required}
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
