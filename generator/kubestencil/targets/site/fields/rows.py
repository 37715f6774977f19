"""The fields of a type as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from markupsafe import Markup

from kubestencil.schema import Definition, Field, GroupVersionKind, Release, Schema
from kubestencil.schema.graph import Graph, breadth_first, reference_graph
from kubestencil.schema.kinds import list_item
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.knowledge.gates import gate_history
from kubestencil.schema.knowledge.places import facts_in_kind, kinds_with_immutable
from kubestencil.schema.knowledge.words import (
    Fact,
    Phrase,
    changed_in_words,
    container_in_words,
    deprecation_in_words,
    facts_in_words,
    immutable_in_words,
    in_kinds,
    limits_in_words,
    scalar_in_words,
    stated_in_words,
    subjects,
)
from kubestencil.schema.well_known import OBJECT_META
from kubestencil.source.releases import release_order
from kubestencil.targets.site.addresses import PageAddress, anchor
from kubestencil.targets.site.fields.paths import fields_of
from kubestencil.targets.site.fields.schema_labels import (
    MERGING,
    Attribute,
    ValidationRule,
    attributes_of,
    conditions_of,
    in_words,
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

# The facts that a change between releases is about.
_CHANGED_FACTS: Mapping[str, tuple[Fact, ...]] = {
    "enum-changed": ("values",),
    "default-changed": ("default",),
    "minimum-changed": ("range",),
    "maximum-changed": ("range",),
    "min-length-changed": ("length",),
    "max-length-changed": ("length",),
    "max-items-changed": ("items",),
    "text-format-changed": ("format", "length"),
}

# What all kinds have, and where the fields of a kind are; others come after the spec.
_COMMON = ("metadata", "apiVersion", "kind")
_ORDER = {"spec": 0, "status": 2, "metadata": 3, "apiVersion": 4, "kind": 5}


class FieldBadge(NamedTuple):
    """What happened to a field in ``release``; ``detail`` says what changed."""

    status: Literal["added", "changed", "removed"]
    release: str
    detail: str


class FieldRow(NamedTuple):
    """A field of a type.

    ``path`` is the path from the type to the field (``spec.replicas`` where ``spec``
    is an inline object), ``anchor`` the same as the fragment of a URL. ``container``
    are the lists and maps around a value (``list of map of ``), ``type`` is the rest of its
    name, and ``href`` the link to its page, empty where it has none; ``nested_href``
    leads to the fields of the type on the page of a kind, where it has any. ``required``
    is whether the API server needs the field, and ``required_by_clients`` whether only
    the classes of typed clients do, as the document requires it. ``stage`` is alpha or
    beta where a feature gate guards the field. ``attributes`` are shown beside the name,
    ``details`` after the description, which is HTML: how the field is merged, and the
    stages of its gates. ``fields`` are those of an inline object, and of the ``spec`` of
    a kind, which is ``open``. What all kinds have is ``quiet``.
    """

    name: str
    path: str
    anchor: str
    container: str
    type: str
    href: str
    nested_href: str
    required: bool
    required_by_clients: bool
    stage: Literal["alpha", "beta", ""]
    badges: tuple[FieldBadge, ...]
    attributes: tuple[Attribute, ...]
    description: Markup
    details: tuple[Attribute, ...]
    rules: tuple[ValidationRule, ...]
    fields: tuple[FieldRow, ...]
    open: bool = False
    quiet: bool = False


# Compared by identity, since pages have many of them.
@dataclass(frozen=True, slots=True, eq=False)
class TypeFields:
    """The fields of a type, whose page is at ``path``."""

    path: str
    rows: tuple[FieldRow, ...]


class ReleaseFields:
    """The fields of all types of a release, made when a page first needs them."""

    def __init__(
        self,
        release: Release,
        addresses: Mapping[str, PageAddress],
        changes: Mapping[str, Sequence[TypeChange]],
    ) -> None:
        self._release = release
        self._addresses = addresses
        self._changes = changes
        self._fields: dict[str, TypeFields] = {}
        self._graph = reference_graph(release.definitions)
        self._immutable = _outermost(release, self._graph)

    def of(self, name: str) -> TypeFields:
        """The fields of a definition."""
        fields = self._fields.get(name)
        if fields is None:
            fields = TypeFields(self._addresses[name].path, self._rows(name))
            # A kind, which may have thousands of fields, is on few other pages.
            if not self._release.definitions[name].kinds:
                self._fields[name] = fields
        return fields

    def _rows(self, name: str) -> tuple[FieldRow, ...]:
        definition = self._release.definitions[name]
        changes = _by_path(self._changes.get(self._addresses[name].path, ()))
        rows = tuple(
            self._row(field, "", changes, definition.schema, definition)
            for field in fields_of(definition.schema)
        )
        if not definition.kinds:
            return rows
        spec_type = self._spec_type(name)
        return _kind_rows(rows, self.of(spec_type).rows if spec_type else ())

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
        definition: Definition | None = None,
    ) -> FieldRow:
        """The row of a field of an object with the schema ``parent``: that of
        ``definition``, or an inline object. ``changes`` are those of the page's type, by
        path."""
        path = f"{prefix}{field.name}"
        own_changes = changes.get(path, ())
        container, value = container_in_words(field.schema)
        name = definition.name if definition else ""
        known = known_field(self._release.name, name, field)
        siblings = (other.name for other in parent.fields)
        attributes = tuple(self._document_attributes(field.schema, value))
        gate = known.gate
        address = self._addresses[value.ref] if value.ref else None
        return FieldRow(
            name=field.name,
            path=path,
            anchor=anchor(path),
            container=container,
            type=address.kind if address else scalar_in_words(value),
            href=address.href if address else "",
            nested_href=self._nested_href(value.ref) if value.ref else "",
            required=known.required,
            required_by_clients=field.required and not known.required,
            stage=gate.stage if gate and gate.stage != "stable" else "",
            badges=tuple(_badges(own_changes)),
            attributes=(
                *in_words(self._facts(known, own_changes, siblings)),
                *(item for item in attributes if item.name not in MERGING),
            ),
            # What follows ends a paragraph, as the end of the item does.
            description=Markup(prose(field.schema.description).removesuffix("</p>")),
            details=(
                *(item for item in attributes if item.name in MERGING),
                *(_gate_stages(definition.name, field.name) if definition else ()),
            ),
            rules=tuple(self._rules(field.schema, value)),
            fields=tuple(
                self._row(inner, f"{path}.", changes, field.schema)
                for inner in fields_of(field.schema)
            ),
        )

    def _nested_href(self, name: str) -> str:
        address = self._addresses[name]
        has_fields = bool(self._release.definitions[name].fields)
        return f"#{address.path}" if has_fields else address.href

    def _facts(
        self, known: KnownField, changes: Sequence[TypeChange], siblings: Iterable[str]
    ) -> Iterator[Phrase]:
        """What is known of a field, and what in some kinds only."""
        facts_everywhere = known.facts
        everywhere = list(facts_in_words(known.schema, facts_everywhere))
        changed = {
            fact: change
            for change in changes
            for fact in _CHANGED_FACTS.get(change.change, ())
            if release_order(change.release) <= release_order(self._release.name)
        }
        for phrase in everywhere:
            change = changed.get(phrase.fact)
            if change is not None:
                phrase = changed_in_words(
                    phrase, change.release, change.former, facts_everywhere.enum
                )
            if phrase.fact != "required":
                yield phrase
        yield from stated_in_words(known)
        yield from deprecation_in_words(known, siblings)
        if known.definition != OBJECT_META:
            kinds: dict[Phrase, list[str]] = {}
            for kind, facts in known.in_kinds.items():
                for phrase in facts_in_words(known.schema, facts):
                    if phrase not in everywhere:
                        kinds.setdefault(phrase, []).append(kind.kind)
            for phrase, names in kinds.items():
                yield in_kinds(phrase, names)
        fixed = self._immutable.get((known.definition, known.name), ())
        if fixed:
            yield immutable_in_words(fixed)
        own = self._release.definitions.get(known.definition)
        if known.schema.ref == OBJECT_META and own and own.served_kind:
            yield from self._metadata_facts(own.served_kind)

    def _metadata_facts(self, kind: GroupVersionKind) -> Iterator[Phrase]:
        """What holds for the metadata of the objects of a kind."""
        metadata = self._release.definitions[OBJECT_META].schema
        for path, facts in facts_in_kind(self._release.name, kind).items():
            outer, _, name = path.rpartition(".")
            field = metadata.field(name) if outer == "metadata" else None
            for phrase in facts_in_words(field, facts) if field else ():
                # Without a name, generateName makes one.
                if phrase.fact != "required":
                    yield phrase._replace(text=f"{name}: {phrase.text}")

    def _document_attributes(
        self, schema: Schema, value: Schema
    ) -> Iterator[Attribute]:
        """The attributes of a field, and what the type of its value requires."""
        yield from attributes_of(schema)
        if value.ref is not None:
            inner = self._release.definitions[value.ref].schema
            *_, subject = subjects(schema)
            for item in in_words(limits_in_words(inner.limits)):
                yield item._replace(name=f"{subject}{item.name}")
            yield from conditions_of(inner, subject)

    def _rules(self, schema: Schema, value: Schema) -> Iterator[ValidationRule]:
        yield from validation_rules_of(schema)
        if value.ref is not None:
            definition = self._release.definitions[value.ref]
            yield from rules_of(definition.schema, subjects(schema)[-1])


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


def _gate_stages(definition: str, field: str) -> Iterator[Attribute]:
    """The stages of the gates of a field: ``1.28 alpha``, ``1.29 beta (off)``,
    ``1.31 GA``. Alpha is off by default, and others are on, where nothing is said."""
    for gate, rows in gate_history(definition, field).items():
        stages = []
        for row in rows:
            is_usual = (row.level == "alpha") != (row.default == "on")
            default = "" if is_usual else f" ({row.default})"
            stages.append(f"{row.releases.first} {row.stage.level_name}{default}")
        yield Attribute(f"feature gate {gate}", tuple(dict.fromkeys(stages)))


def _by_path(changes: Iterable[TypeChange]) -> Mapping[str, list[TypeChange]]:
    by_path: dict[str, list[TypeChange]] = {}
    for change in changes:
        by_path.setdefault(change.path, []).append(change)
    return by_path


def _badges(changes: Sequence[TypeChange]) -> Iterator[FieldBadge]:
    labels: dict[str, list[str]] = {}
    for change in changes:
        if change.event:
            yield FieldBadge(change.event, change.release, "")
        # The stages of gates are beside the description.
        elif change.badge and not change.is_promotion:
            labels.setdefault(change.release, []).append(change.badge)
    for release, release_labels in labels.items():
        yield FieldBadge("changed", release, ", ".join(dict.fromkeys(release_labels)))


def _outermost(
    release: Release, graph: Graph
) -> Mapping[tuple[str, str], Sequence[GroupVersionKind]]:
    """The kinds in whose objects a field cannot change, without those where its type is
    inside of another field that cannot: that is said of the outer field."""
    kinds_by_field = kinds_with_immutable(release)
    inside: dict[GroupVersionKind, set[str | None]] = {}
    for (owner, name), kinds in kinds_by_field.items():
        schema = release.definitions[owner].schema.field(name)
        ref = (schema.items or schema).ref if schema else None
        reached = {ref, *(inner for _, inner in breadth_first(graph, ref or ""))}
        for kind in kinds:
            inside.setdefault(kind, set()).update(reached)
    return {
        field: [kind for kind in kinds if field[0] not in inside[kind]]
        for field, kinds in kinds_by_field.items()
    }
