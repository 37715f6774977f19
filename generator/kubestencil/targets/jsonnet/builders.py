"""Makes the builders of definitions: the functions and objects that set their fields.

The rules are those of https://github.com/jsonnet-libs/k8s (pkg/swagger, pkg/model).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import components, on_or_between_cycles
from kubestencil.schema.well_known import LIST_META
from kubestencil.targets.jsonnet import spelling as jsonnet
from kubestencil.targets.jsonnet.members import (
    Constructor,
    Function,
    Member,
    Members,
    NestedObject,
    make_members,
    takes_name,
)

_APPEND_NOTE = "\n\n**Note:** This function appends passed data to existing values"


@dataclass(frozen=True, slots=True)
class _FieldMembers:
    """A field of a definition, and the members that set it."""

    field: Field
    members: tuple[Member, ...]


class Builders:
    """The builders of all definitions of a release.

    Raises SpecError where ``make_members`` does.
    """

    def __init__(self, release: Release, quirks: frozenset[str]) -> None:
        self._definitions = release.definitions
        self._quirks = quirks
        self._fields: dict[str, tuple[_FieldMembers, ...]] = {}
        self._members: dict[str, Members] = {}
        graph = {
            name: dict.fromkeys(_inlined_references(definition.schema))
            for name, definition in release.definitions.items()
        }
        # The objects of a definition that contains itself would be nested without
        # end, so a field that refers to one is set by one function.
        self._not_inlined = on_or_between_cycles(graph) | {LIST_META}
        inlined = {
            name: [target for target in targets if target not in self._not_inlined]
            for name, targets in graph.items()
        }
        # Each definition after those that it refers to, so that nothing recurses over
        # references. No cycles are left, so a component has one name.
        for (name,) in components(inlined):
            self._add(release.definitions[name])

    def of_type(self, definition: Definition) -> Members:
        """The members at the top of a type's file."""
        members = self._top_members(definition)
        # Every type has a field ``mixin``, which is the type itself.
        return make_members(members, definition.name, reserved=("mixin",))

    def help(self, description: str) -> str:
        """A description as the library shows it: quoted, on one line."""
        if not description:
            return ""
        quoted = jsonnet.go_quoted(description)
        # k8s-gen trims two quotes, meant for the empty description.
        return quoted.removesuffix('""') if "quote-at-end" in self._quirks else quoted

    def _add(self, definition: Definition) -> None:
        fields = tuple(
            _FieldMembers(field, tuple(self._field_members(field, definition.name)))
            for field in self._fields_with_builders(definition.schema)
        )
        self._fields[definition.name] = fields
        self._members[definition.name] = make_members(
            (member for inner in fields for member in inner.members), definition.name
        )

    def _top_members(self, definition: Definition) -> Iterator[Member]:
        """The members of a type: ``new`` replaces the functions for two fields."""
        named = "new-without-metadata" in self._quirks
        for field_members in self._fields[definition.name]:
            if field_members.field.name in ("apiVersion", "status"):
                continue
            for member in field_members.members:
                if member.name != "withKind" or not definition.kinds:
                    yield member
            named = named or takes_name(field_members.members)
        if definition.kinds:
            yield Constructor(
                name="new",
                help=f"new returns an instance of {jsonnet.title_case(definition.kind)}",
                parameter="name" if named else "",
                kind=_preferred_kind(definition.kinds),
            )

    def _fields_with_builders(self, schema: Schema) -> Iterator[Field]:
        for field in schema.fields:
            if field.name != "status" or "status-anywhere" not in self._quirks:
                yield field

    def _field_members(self, field: Field, definition: str) -> Iterator[Member]:
        """The members for one field: a function that sets it and one that appends to
        it, or an object with those for the fields inside; for the items of a list,
        all three. ``definition`` is for error messages."""
        schema = self._inlined(field.schema)
        name = jsonnet.lower_first_word(field.name)
        use_type = "type-description" in self._quirks or not field.schema.description
        help_ = self.help((schema if use_type else field.schema).description)
        path = self._path(name if "camel-json-name" in self._quirks else field.name)
        if schema.type == "array":
            if "items" not in schema.raw:
                return
            items = schema.items
            if items is not None and items.fields and self._inlined(items) is items:
                members = self._schema_members(items, definition)
                yield NestedObject(name, help_, None, members)
        elif schema.type in ("object", None) and schema.fields:
            members = (
                self._schema_members(schema, definition)
                if field.schema.ref is None
                else self._members[field.schema.ref]
            )
            yield NestedObject(name, help_, path, members)
            return
        setter = f"with{jsonnet.title_case(name)}"
        parameter = jsonnet.parameter_name(name)
        type_ = schema.type or "any"
        yield Function(setter, help_, parameter, type_, path, appends=False)
        if schema.type in ("array", "object"):
            appender, note = f"{setter}Mixin", help_ + _APPEND_NOTE
            yield Function(appender, note, parameter, type_, path, appends=True)

    def _schema_members(self, schema: Schema, definition: str) -> Members:
        """The members for the fields of an object without a definition."""
        members = (
            member
            for field in self._fields_with_builders(schema)
            for member in self._field_members(field, definition)
        )
        return make_members(members, definition)

    def _inlined(self, schema: Schema) -> Schema:
        """The schema whose fields get builders: ``schema`` or the one it refers to."""
        if schema.ref is None or schema.ref in self._not_inlined:
            return schema
        return self._definitions[schema.ref].schema

    def _path(self, field: str) -> tuple[str, ...]:
        return tuple(field.split(".")) if "dotted-path" in self._quirks else (field,)


def _inlined_references(schema: Schema) -> Iterator[str]:
    """The definitions whose builders are part of those of ``schema``.

    Unlike ``schema.graph.references``, those that it only has as items of a list or
    as values of a map are not among them.
    """
    if schema.ref is not None:
        yield schema.ref
    for field in schema.fields:
        yield from _inlined_references(field.schema)
    if schema.items is not None and schema.items.ref is None:
        yield from _inlined_references(schema.items)


def _preferred_kind(kinds: tuple[GroupVersionKind, ...]) -> GroupVersionKind:
    """The kind that ``new`` returns, as k8s-gen chooses it: one with a group before
    one of the core group (DeleteOptions is served in every group)."""
    preferred = kinds[0]
    for kind in kinds[1:]:
        if (
            (kind.group and not preferred.group)
            or (kind.version and not preferred.version)
            or (kind.kind and not preferred.kind)
        ):
            preferred = kind
    return preferred
