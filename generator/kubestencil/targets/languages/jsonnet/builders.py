"""Makes the builders of definitions: the functions and objects that set their fields.

The rules are those of https://github.com/jsonnet-libs/k8s (pkg/swagger, pkg/model).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import components, on_or_between_cycles
from kubestencil.schema.well_known import LIST_META, is_built_in
from kubestencil.targets.languages.jsonnet import spelling as jsonnet
from kubestencil.targets.languages.jsonnet.members import (
    LIMITS,
    Constructor,
    Function,
    Limits,
    Member,
    Members,
    NestedObject,
    make_members,
    takes_name,
    with_unique_names,
)

_APPEND_NOTE = "\n\n**Note:** This function appends passed data to existing values"
# What go-yaml v3 writes as a block: no line ends in a space, all else is printable.
_LOSES_LINE_BREAK = re.compile(
    r"\n(?!.* \n)[^\x00-\x09\x0b-\x1f\x7f-\x9f]*(?<! )\Z", re.S
)
_FIELDS_OF_KINDS = ("apiVersion", "kind", "metadata")


class _BuilderRules(NamedTuple):
    """How the builders of one definition are made.

    ``definition`` is its full name, for errors. ``quirks`` are those of k8s-gen.
    Where ``renames``, a builder whose name is taken gets another, which is an error
    elsewhere. ``limits`` are those of its objects.
    """

    definition: str
    quirks: frozenset[str]
    renames: bool
    limits: Limits

    def make_members(
        self, members: Iterable[Member], reserved: Collection[str] = ()
    ) -> Members:
        if self.renames:
            members = with_unique_names(members, reserved)
        return make_members(members, self.definition, self.limits, reserved)


class Builders:
    """The builders of all definitions of a release.

    ``quirks`` are those in the builders of Kubernetes' own definitions, ``custom``
    those in the builders of other ones. Raises SpecError where ``make_members`` does.
    """

    def __init__(
        self, release: Release, quirks: frozenset[str], custom: frozenset[str]
    ) -> None:
        self._release = release
        self._definitions = release.definitions
        self._inline = release.inline_definitions
        self._quirks = quirks
        self._custom_quirks = custom
        # No reference leads to an inline object twice: it has as many builders as it
        # has fields in the document, which is read to a depth of a hundred.
        fields = sum(len(self._definitions[name].fields) for name in self._inline)
        self._custom_limits = Limits(LIMITS.size + 3 * fields, LIMITS.depth + 100)
        # The fields of each definition, with the members that set them.
        self._fields: dict[str, list[tuple[Field, list[Member]]]] = {}
        self._members: dict[str, Members] = {}
        graph = {
            name: dict.fromkeys(self._inlined_references(definition.schema))
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
        rules = self._rules(definition.name)
        members = self._top_members(definition, rules)
        # Every type has a field ``mixin``, which is the type itself.
        return rules.make_members(members, reserved=("mixin",))

    def help(self, definition: Definition) -> str:
        """The description of a definition as the library shows it."""
        return _help(definition.description, self._rules(definition.name))

    def _rules(self, definition: str) -> _BuilderRules:
        if is_built_in(definition):
            return _BuilderRules(definition, self._quirks, False, LIMITS)
        renames = not self._custom_quirks
        return _BuilderRules(
            definition, self._custom_quirks, renames, self._custom_limits
        )

    def _add(self, definition: Definition) -> None:
        rules = self._rules(definition.name)
        fields = [
            (field, list(self._field_members(field, rules)))
            for field in _fields_with_builders(definition.schema, rules)
        ]
        self._fields[definition.name] = fields
        self._members[definition.name] = rules.make_members(
            member for _, members in fields for member in members
        )

    def _top_members(
        self, definition: Definition, rules: _BuilderRules
    ) -> Iterator[Member]:
        """The members of a type: ``new`` replaces the functions for two fields."""
        fields = self._fields[definition.name]
        named = "new-without-metadata" in rules.quirks or any(
            takes_name(members) for _, members in fields
        )
        if definition.kinds:
            kind = _preferred_kind(definition.kinds)
            resource = self._release.resources.get(kind)
            yield Constructor(
                name="new",
                help=f"new returns an instance of {jsonnet.title_case(definition.kind)}",
                parameter="name" if named else "",
                kind=kind,
                cluster_scoped=resource is not None
                and not resource.namespaced
                and not is_built_in(definition.name),
            )
        for field, members in fields:
            if field.name in ("apiVersion", "status"):
                continue
            for member in members:
                if member.name != "withKind" or not definition.kinds:
                    yield member

    def _field_members(self, field: Field, rules: _BuilderRules) -> Iterator[Member]:
        """The members for one field: a function that sets it and one that appends to
        it, or an object with those for the fields inside; for the items of a list,
        all three."""
        schema = self._inlined(field.schema)
        quirks = rules.quirks
        name = jsonnet.lower_first_word(field.name)
        use_type = "type-description" in quirks or not field.schema.description
        help_ = _help((schema if use_type else field.schema).description, rules)
        json_name = name if "camel-json-name" in quirks else field.name
        path = tuple(json_name.split(".")) if "dotted-path" in quirks else (json_name,)
        if schema.type == "array":
            if schema.items is None:
                return
            item_members = self._item_members(schema.items, rules)
            if item_members is not None:
                yield NestedObject(name, help_, field.name, None, item_members)
        elif (
            schema.type in ("object", None)
            and schema.fields
            and not _is_any_resource(schema)
        ):
            members = (
                self._schema_members(schema, rules)
                if field.schema.ref is None
                else self._members[field.schema.ref]
            )
            yield NestedObject(name, help_, field.name, path, members)
            return
        setter = f"with{jsonnet.title_case(name)}"
        parameter = jsonnet.parameter_name(name)
        type_ = schema.type or "any"
        yield Function(setter, help_, parameter, type_, path, appends=False)
        if schema.type in ("array", "object"):
            appender, note = f"{setter}Mixin", help_ + _APPEND_NOTE
            yield Function(appender, note, parameter, type_, path, appends=True)

    def _item_members(
        self, items: Schema | None, rules: _BuilderRules
    ) -> Members | None:
        """The members for the items of a list; None where they are no objects, or
        have a type in the library."""
        if items is None:
            return None
        if items.ref is None:
            return self._schema_members(items, rules) if items.fields else None
        if items.ref not in self._inline:
            return None
        schema = self._definitions[items.ref].schema
        return None if _is_any_resource(schema) else self._members[items.ref]

    def _schema_members(self, schema: Schema, rules: _BuilderRules) -> Members:
        """The members for the fields of an object without a definition."""
        return rules.make_members(
            member
            for field in _fields_with_builders(schema, rules)
            for member in self._field_members(field, rules)
        )

    def _inlined(self, schema: Schema) -> Schema:
        """The schema whose fields get builders: ``schema`` or the one it refers to."""
        if schema.ref is None or schema.ref in self._not_inlined:
            return schema
        return self._definitions[schema.ref].schema

    def _inlined_references(self, schema: Schema) -> Iterator[str]:
        """The definitions whose builders are part of those of ``schema``.

        Unlike ``schema.graph.references``, those that it only has as items of a list
        or as values of a map are not among them, but for objects that the document
        has inside of another definition.
        """
        if schema.ref is not None:
            yield schema.ref
        for field in schema.fields:
            yield from self._inlined_references(field.schema)
        items = schema.items
        if items is not None and (items.ref is None or items.ref in self._inline):
            yield from self._inlined_references(items)


def _fields_with_builders(schema: Schema, rules: _BuilderRules) -> Iterator[Field]:
    for field in schema.fields:
        if field.name != "status" or "status-anywhere" not in rules.quirks:
            yield field


def _is_any_resource(schema: Schema) -> bool:
    """Whether a value is an object of any kind: only the fields that all kinds have
    are known."""
    return schema.embedded_resource and all(
        field.name in _FIELDS_OF_KINDS for field in schema.fields
    )


def _help(description: str, rules: _BuilderRules) -> str:
    """A description as the library shows it: quoted, on one line."""
    if "lost-line-break" in rules.quirks and _LOSES_LINE_BREAK.match(description):
        description = description[1:]
    if not description:
        return ""
    quoted = jsonnet.go_quoted(description)
    # k8s-gen trims two quotes, meant for the empty description.
    return quoted.removesuffix('""') if "quote-at-end" in rules.quirks else quoted


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
