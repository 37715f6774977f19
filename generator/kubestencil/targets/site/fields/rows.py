"""The fields of a type as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from kubestencil.engine.run_cache import cached_for_build
from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import breadth_first, reference_graph
from kubestencil.schema.kinds import list_item
from kubestencil.schema.knowledge.fields import known_field
from kubestencil.schema.knowledge.places import (
    at_place,
    facts_in_kind,
    field_at,
    immutable_fields,
)
from kubestencil.schema.knowledge.words import (
    Phrase,
    container_in_words,
    scalar_in_words,
    subjects,
)
from kubestencil.schema.well_known import INT_OR_STRING
from kubestencil.targets.site.addresses import PageAddress, anchor
from kubestencil.targets.site.fields.facts import ObjectPlace, ReleaseRowFacts, RowFacts
from kubestencil.targets.site.fields.paths import fields_of
from kubestencil.targets.site.fields.schema_labels import (
    Attribute,
    ValidationRule,
    rules_of,
    validation_rules_of,
)
from kubestencil.targets.site.release_context import TypeChange
from kubestencil.text.html import prose

# What the page of a kind carries to be expanded, in types and in their fields: more than
# any of Kubernetes' own needs. Without a limit, a site would grow with the square of the
# document.
_MAX_NESTED_TYPES = 150
_MAX_NESTED_FIELDS = 700

# Types with other names for people than in documents.
_TYPES = {INT_OR_STRING: "integer or string"}

# What all kinds have, and where the fields of a kind are; others come after the spec.
_COMMON = ("metadata", "apiVersion", "kind")
_ORDER = {"spec": 0, "status": 2, "metadata": 3, "apiVersion": 4, "kind": 5}


class FieldRow(NamedTuple):
    """A field of a type.

    ``path`` is the path from the type to the field (``spec.replicas`` where ``spec``
    is an inline object), ``anchor`` the same as the fragment of a URL. ``container``
    are the lists and maps around a value (``list of map of ``), ``type`` is the rest of its
    name, and ``href`` the link to its page, empty where it has none; ``nested_href``
    leads to the fields of the type on the page of a kind, where it has any.
    ``elsewhere`` are facts that hold in some kinds only, and ``changes`` says in which of
    them it cannot change. ``fields`` are those of an inline object, and of the ``spec`` of
    a kind, which is ``open``. What all kinds have is ``quiet``.
    """

    name: str
    path: str
    anchor: str
    container: str
    type: str
    href: str
    nested_href: str
    facts: RowFacts
    elsewhere: tuple[Phrase, ...]
    changes: tuple[Attribute, ...]
    description: Markup
    rules: tuple[ValidationRule, ...]
    fields: tuple[FieldRow, ...]
    open: bool = False
    quiet: bool = False


# Compared by identity, since pages have many of them; those of several releases that are
# equal are the same (``_shared_fields``).
@dataclass(frozen=True, slots=True, eq=False)
class TypeFields:
    """The fields of a type, whose page is at ``path``."""

    path: str
    rows: tuple[FieldRow, ...]


@cached_for_build
def _shared_fields() -> dict[tuple[str, tuple[FieldRow, ...]], TypeFields]:
    """The fields of types that several releases have in common."""
    return {}


class ReleaseFields:
    """The fields of all types of a release, made when a page first needs them."""

    def __init__(
        self,
        release: Release,
        addresses: Mapping[str, PageAddress],
        changes: Mapping[str, Sequence[TypeChange]],
        oldest: str = "",
    ) -> None:
        """``oldest`` is the first release of the site, empty where it has one only."""
        self._release = release
        self._addresses = addresses
        self._changes = changes
        self._fields: dict[str, TypeFields] = {}
        self._graph = reference_graph(release.definitions)
        self._facts = ReleaseRowFacts(release, self._graph, oldest)
        self._has_others = bool(oldest)

    def of(self, name: str) -> TypeFields:
        """The fields of a definition."""
        fields = self._fields.get(name)
        if fields is None:
            fields = self._made(self._addresses[name].path, self._rows(name))
            # A kind, which may have thousands of fields, is on few other pages.
            if not self._release.definitions[name].kinds:
                self._fields[name] = fields
        return fields

    def _made(self, path: str, rows: tuple[FieldRow, ...]) -> TypeFields:
        """Fields, which are those of another release where they are equal."""
        fields = TypeFields(path, rows)
        if not self._has_others:
            return fields
        return _shared_fields().setdefault((path, rows), fields)

    def _rows(self, name: str) -> tuple[FieldRow, ...]:
        definition = self._release.definitions[name]
        kind = definition.served_kind
        rows = self._type_rows(definition, ObjectPlace(kind, "") if kind else None)
        if not definition.kinds:
            return rows
        spec_type = self._spec_type(name)
        spec = self._release.definitions[spec_type] if spec_type else None
        inside = ObjectPlace(kind, "spec.") if kind else None
        return _kind_rows(rows, self._type_rows(spec, inside) if spec else ())

    def _type_rows(
        self, definition: Definition, place: ObjectPlace | None
    ) -> tuple[FieldRow, ...]:
        """The rows of a definition: at a place of a kind, or wherever it occurs."""
        path = self._addresses[definition.name].path
        changes = _by_path(self._changes.get(path, ()))
        return tuple(
            self._row(field, "", changes, definition.schema, definition, place)
            for field in fields_of(definition.schema)
        )

    def places(self, name: str) -> tuple[FieldRow, ...]:
        """The fields inside of a kind of which other facts hold there than elsewhere, but
        for those that its own rows have, and ``fixed``; their paths begin at the kind.
        """
        definition = self._release.definitions[name]
        kind = definition.served_kind
        if kind is None or list_item(definition, self._release.definitions):
            return ()
        shown = "spec" if self._spec_type(name) else ""
        fixed = immutable_fields(self._release.name).get(kind, frozenset())
        paths = {*facts_in_kind(self._release.name, kind), *fixed}
        paths -= {*self.fixed(definition)}
        return tuple(
            row
            for path in sorted(paths)
            if path.rpartition(".")[0] not in ("", shown)
            for row in self._place_rows(definition, kind, path)
        )

    def fixed(self, definition: Definition) -> tuple[str, ...]:
        """The paths inside of a kind of which nothing is said but that they cannot change,
        where this is said of most fields of an object."""
        kind = definition.served_kind
        if kind is None:
            return ()
        fixed = immutable_fields(self._release.name).get(kind, frozenset())
        return tuple(
            path
            for path in sorted(fixed - facts_in_kind(self._release.name, kind).keys())
            if path.count(".") > 1
            and self._facts.is_mostly_fixed(kind, path.rpartition(".")[0])
        )

    def _place_rows(
        self, definition: Definition, kind: GroupVersionKind, path: str
    ) -> Iterator[FieldRow]:
        found = field_at(self._release, definition.name, path)
        owner = self._release.definitions.get(found[0]) if found else None
        if owner is not None:
            changes = _by_path(self._changes.get(self._addresses[owner.name].path, ()))
            outer, _, name = path.rpartition(".")
            for field in owner.fields:
                if field.name == name:
                    place = ObjectPlace(kind, f"{outer}.")
                    row = self._row(field, "", changes, owner.schema, owner, place)
                    yield row._replace(path=path)

    def _spec_type(self, name: str) -> str:
        """The definition of the type of a kind's spec; empty without one, and where
        that is a kind."""
        definitions = self._release.definitions
        if definitions[name].kinds:
            for field in definitions[name].fields:
                spec_type = field.schema.ref if field.name == "spec" else None
                if spec_type and not definitions[spec_type].kinds:
                    return spec_type
        return ""

    def nested(self, name: str) -> tuple[TypeFields, ...]:
        """The types that can be expanded in the fields of a kind, nearest first; the kind
        itself is among them where it is part of a cycle.

        Types that are further away than the limits allow are shown on pages of their
        own only. So are those of lists and of types inside of kinds: or the fields of a
        container would be on fifty pages.
        """
        definitions = self._release.definitions
        if not definitions[name].kinds or list_item(definitions[name], definitions):
            return ()
        types: dict[str, TypeFields] = {}
        count = 0
        for _, reached in breadth_first(self._graph, name):
            fields = self.of(reached)
            count += len(fields.rows)
            if count > _MAX_NESTED_FIELDS or len(types) == _MAX_NESTED_TYPES:
                break
            if fields.rows:
                types[reached] = fields
        # The fields of a spec are among those of its kind.
        spec_type = self._spec_type(name)
        if not any(spec_type in self._graph[reached] for reached in types):
            types.pop(spec_type, None)
        return tuple(types.values())

    def _row(
        self,
        field: Field,
        prefix: str,
        changes: Mapping[str, Sequence[TypeChange]],
        parent: Schema,
        definition: Definition | None,
        place: ObjectPlace | None,
    ) -> FieldRow:
        """The row of a field of an object with the schema ``parent``: that of
        ``definition``, or an inline object. ``changes`` are those of the page's type, by
        path."""
        path = f"{prefix}{field.name}"
        container, value = container_in_words(field.schema)
        name = definition.name if definition else ""
        known = known_field(self._release.name, name, field)
        if place is not None:
            steps = f"{place.path}{path}".split(".")
            known = at_place(known, place.kind, steps)
        address = self._addresses[value.ref] if value.ref else None
        siblings = (other.name for other in parent.fields)
        return FieldRow(
            name=field.name,
            path=path,
            anchor=anchor(path),
            container=container,
            type=type_label(value, address),
            href=address.href if address else "",
            nested_href=self._nested_href(value.ref) if value.ref else "",
            facts=self._facts.of(known, value, changes.get(path, ()), siblings, place),
            elsewhere=() if place else tuple(self._facts.elsewhere(known)),
            changes=() if place else tuple(self._facts.changes(known)),
            # What follows ends a paragraph, as the end of the item does.
            description=Markup(prose(field.schema.description).removesuffix("</p>")),
            rules=tuple(self._rules(field.schema, value)),
            fields=tuple(
                self._row(inner, f"{path}.", changes, field.schema, None, place)
                for inner in fields_of(field.schema)
            ),
        )

    def _nested_href(self, name: str) -> str:
        address = self._addresses[name]
        has_fields = bool(self._release.definitions[name].fields)
        return f"#{address.path}" if has_fields else address.href

    def _rules(self, schema: Schema, value: Schema) -> Iterator[ValidationRule]:
        yield from validation_rules_of(schema)
        if value.ref is not None:
            definition = self._release.definitions[value.ref]
            yield from rules_of(definition.schema, subjects(schema)[-1])


def type_label(value: Schema, address: PageAddress | None) -> str:
    """The type of a value as rows show it; ``address`` is that of the page of a type."""
    if address is not None:
        return _TYPES.get(value.ref or "", address.kind)
    is_number = value.type in ("integer", "number") and not value.int_or_string
    return value.type if is_number and value.type else scalar_in_words(value)


def _kind_rows(
    rows: Iterable[FieldRow], spec: Sequence[FieldRow]
) -> tuple[FieldRow, ...]:
    """The fields of a kind: its spec first, with the fields of its type, and last what
    all kinds have."""
    kind_rows = [
        (
            row._replace(
                fields=row.fields or tuple(_inside("spec", spec)),
                open=bool(spec or row.fields),
            )
            if row.name == "spec"
            else row._replace(quiet=row.name in _COMMON)
        )
        for row in rows
    ]
    return tuple(sorted(kind_rows, key=lambda row: _ORDER.get(row.name, 1)))


def _inside(path: str, rows: Iterable[FieldRow]) -> Iterator[FieldRow]:
    """Rows of a type as those of a field at ``path``."""
    for row in rows:
        full_path = f"{path}.{row.path}"
        yield row._replace(
            path=full_path,
            anchor=anchor(full_path),
            fields=tuple(_inside(path, row.fields)),
        )


def _by_path(changes: Iterable[TypeChange]) -> Mapping[str, list[TypeChange]]:
    by_path: dict[str, list[TypeChange]] = {}
    for change in changes:
        by_path.setdefault(change.path, []).append(change)
    return by_path
