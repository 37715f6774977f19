"""What is known of a field: by the document, by its description, by the API server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kubestencil.schema.facts.descriptions import (
    deprecation,
    loss_of_effect,
    stated_replacement,
)
from kubestencil.schema.facts.feature_gates import GateStage, gate_of
from kubestencil.schema.facts.fields import changed_field
from kubestencil.schema.facts.values import (
    Default,
    FieldFacts,
    Origin,
    server_facts,
)
from kubestencil.schema.types import Field, GroupVersionKind, Release, Schema
from kubestencil.source.releases import minor_version_in


class KnownField(NamedTuple):
    """A field of a definition in the release with a name, and all that is known of it.

    ``server`` are the facts that the tables have of its values; of a place in a kind those
    that hold there. Everything else is asked for when it is needed.
    """

    release: str
    definition: str
    field: Field
    server: FieldFacts

    @property
    def name(self) -> str:
        """The JSON name."""
        return self.field.name

    @property
    def schema(self) -> Schema:
        """The schema, as the document has it."""
        return self.field.schema

    @property
    def facts(self) -> FieldFacts:
        """What is known of its values, with the origin of each fact: what the document
        states, and what the API server does, which is better where both have one."""
        return _with_document(self.server, self.field)

    @property
    def required(self) -> bool:
        """Whether an object needs the field: to the API server where that is known, or
        else by the document."""
        known = self.server.required
        return self.field.required if known is None else known

    @property
    def gate(self) -> GateStage | None:
        """The feature gate without which the API server drops or refuses the field; None
        where the release is no version."""
        minor = minor_version_in(self.release)
        return gate_of(self.definition, self.name, minor) if minor else None

    @property
    def added_in(self) -> str | None:
        """The first release that has the field; None where that is the first one of its
        type, or not known."""
        changed = changed_field(self.definition, self.name)
        return (changed.added or None) if changed else None

    @property
    def removed_in(self) -> str | None:
        """The first release that no longer has the field, or None."""
        changed = changed_field(self.definition, self.name)
        return (changed.removed or None) if changed else None

    @property
    def deprecation(self) -> str:
        """The sentence that calls the field deprecated, empty where none does."""
        return deprecation(self.schema.description)

    def replacement(self, siblings: Iterable[str]) -> str | None:
        """Which of the fields beside it to use instead; None where none is named."""
        return stated_replacement(self.schema.description, siblings)

    @property
    def loss_of_effect(self) -> str:
        """The sentence that says that the field does nothing any more, or empty."""
        return loss_of_effect(self.schema.description)


def known_fields(release: Release, definition: str) -> Iterator[KnownField]:
    """The fields of a definition of a release, in the order of the document."""
    for field in release.definitions[definition].fields:
        yield known_field(release.name, definition, field)


def known_field(release: str, definition: str, field: Field) -> KnownField:
    """A field of a definition, wherever that occurs. ``release`` is its name: one that is
    no version has the facts of the newest one."""
    facts = server_facts(release).of(definition, field.name)
    return KnownField(release, definition, field, facts)


def known_place(
    release: Release, definition: str, kind: GroupVersionKind, path: Sequence[str]
) -> KnownField | None:
    """The field at a path of a kind, whose definition has a full name: JSON names, without
    indexes of lists. None for the keys of maps, and where the release has no such field.
    """
    *outer, name = path
    owner, schema = definition, release.definitions[definition].schema
    for step in outer:
        inner = schema.field(step) or schema.values
        if inner is None:
            return None
        while part := inner.items:
            inner = part
        owner, schema = inner.ref or "", release.resolve(inner)
    for field in schema.fields:
        if field.name == name:
            known = known_field(release.name, owner, field)
            in_kind = server_facts(release.name).in_kind(kind, ".".join(path))
            return known if in_kind is None else _at_place(known, in_kind)
    return None


def _at_place(known: KnownField, facts: FieldFacts) -> KnownField:
    """What is known of a field, with the facts that hold at one place of a kind."""
    origin = {**known.server.origin, **facts.origin}
    changed = {name: getattr(facts, name) for name in facts.origin}
    if facts.required and "defaults" not in changed:
        # The server fills it in elsewhere, and refuses that here.
        changed["defaults"] = ()
    return known._replace(server=replace(known.server, **changed, origin=origin))


_LIMITS = ("minimum", "maximum", "min_length", "max_length", "max_items")


def _with_document(facts: FieldFacts, field: Field) -> FieldFacts:
    """Facts with those that a document states of a field; both agree, or the server's are
    better."""
    schema = field.schema
    stated: dict[str, Any] = {}
    if schema.enum and not facts.enum:
        stated["enum"] = schema.enum
    if schema.has_default and not facts.defaults:
        stated["defaults"] = (Default(schema.default),)
    limits = schema.limits
    for name in _LIMITS:
        limit = getattr(limits, name)
        if limit is not None and getattr(facts, name) is None:
            stated[name] = limit
    if facts.required is None:
        stated["required"] = field.required
    if not facts.unique and schema.list_type in ("map", "set"):
        stated["unique"] = schema.list_map_keys or ("",)
    if not stated:
        return facts
    origin: dict[str, Origin] = {**facts.origin, **dict.fromkeys(stated, "document")}
    return replace(facts, **stated, origin=origin)
