"""The fields of a type as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from markupsafe import Markup

from kubestencil.schema import Field, Release, Schema
from kubestencil.schema.graph import breadth_first, reference_graph
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.field_paths import anchor, fields_of
from kubestencil.targets.site.release_context import TypeChange
from kubestencil.targets.site.schema_labels import (
    Attribute,
    ValidationRule,
    attributes_of,
    conditions_of,
    plain_label,
    rules_of,
    subjects,
    unwrapped,
    validation_rules_of,
)
from kubestencil.text.html import prose

# What a page carries to be expanded, in types and in their fields: more than any page of
# Kubernetes' own types needs. Without a limit, a site would grow with the square of the
# document.
_MAX_NESTED_TYPES = 150
_MAX_NESTED_FIELDS = 700

# More types than a release of Kubernetes has. Those of a custom resource are needed for
# its own pages only, which follow each other.
_CACHED_TYPES = 4_000


class FieldBadge(NamedTuple):
    """What happened to a field in ``release``; ``detail`` says what changed."""

    status: Literal["added", "changed", "removed"]
    release: str
    detail: str


class FieldRow(NamedTuple):
    """A field of a type.

    ``path`` is the path from the type to the field (``spec.replicas`` where ``spec``
    is an inline object), ``anchor`` the same as the fragment of a URL. ``container``
    is what the type is a list or map of in Go's notation (``[]``, ``map[string]``),
    ``type`` the rest of its name, and ``href`` the link to its page, empty where it
    has none. ``description`` is HTML; ``fields`` are those of an inline object.
    """

    name: str
    path: str
    anchor: str
    container: str
    type: str
    href: str
    required: bool
    badges: tuple[FieldBadge, ...]
    attributes: tuple[Attribute, ...]
    rules: tuple[ValidationRule, ...]
    description: Markup
    fields: tuple[FieldRow, ...]


class TypeFields(NamedTuple):
    """The fields of a type: ``path`` and ``href`` are those of its page."""

    path: str
    href: str
    rows: tuple[FieldRow, ...]


class ReleaseFields:
    """The fields of all types of a release; those of many types are cached."""

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

    def of(self, name: str) -> TypeFields:
        """The fields of a definition."""
        fields = self._fields.get(name)
        if fields is None:
            address = self._addresses[name]
            changes = _by_field(self._changes.get(address.path, ()))
            schema = self._release.definitions[name].schema
            rows = tuple(
                self._row(field, "", changes.get(field.name, ()))
                for field in fields_of(schema)
            )
            fields = TypeFields(address.path, address.href, rows)
            if len(self._fields) >= _CACHED_TYPES:
                self._fields.clear()
            self._fields[name] = fields
        return fields

    def nested(self, name: str) -> tuple[TypeFields, ...]:
        """The types that can be expanded in a definition's fields, nearest first; the
        definition itself is among them where it is part of a cycle.

        Types that are further away than the limits allow are shown on pages of their
        own only.
        """
        types: list[TypeFields] = []
        count = 0
        for _, reached in breadth_first(self._graph, name):
            fields = self.of(reached)
            count += len(fields.rows)
            if count > _MAX_NESTED_FIELDS or len(types) == _MAX_NESTED_TYPES:
                break
            if fields.rows:
                types.append(fields)
        return tuple(types)

    def _row(
        self, field: Field, prefix: str, changes: Sequence[TypeChange]
    ) -> FieldRow:
        path = f"{prefix}{field.name}"
        container, value = unwrapped(field.schema)
        address = self._addresses[value.ref] if value.ref else None
        return FieldRow(
            name=field.name,
            path=path,
            anchor=anchor(path),
            container=container,
            type=address.kind if address else plain_label(value),
            href=address.href if address else "",
            required=field.required,
            badges=tuple(_badges(changes)),
            attributes=tuple(self._attributes(field.schema, value)),
            rules=tuple(self._rules(field.schema, value)),
            description=prose(field.schema.description),
            fields=tuple(
                self._row(inner, f"{path}.", ()) for inner in fields_of(field.schema)
            ),
        )

    def _attributes(self, schema: Schema, value: Schema) -> Iterator[Attribute]:
        """The attributes of a field, and what the type of its value requires."""
        yield from attributes_of(schema)
        if value.ref is not None:
            definition = self._release.definitions[value.ref]
            yield from conditions_of(definition.schema, subjects(schema)[-1])

    def _rules(self, schema: Schema, value: Schema) -> Iterator[ValidationRule]:
        yield from validation_rules_of(schema)
        if value.ref is not None:
            definition = self._release.definitions[value.ref]
            yield from rules_of(definition.schema, subjects(schema)[-1])


def _by_field(changes: Iterable[TypeChange]) -> Mapping[str, list[TypeChange]]:
    by_field: dict[str, list[TypeChange]] = {}
    for change in changes:
        by_field.setdefault(change.field, []).append(change)
    return by_field


def _badges(changes: Sequence[TypeChange]) -> Iterator[FieldBadge]:
    labels: dict[str, list[str]] = {}
    for change in changes:
        if change.change == "field-added" and change.path == change.field:
            yield FieldBadge("added", change.release, "")
        elif change.change == "field-removed" and change.path == change.field:
            yield FieldBadge("removed", change.release, "")
        else:
            labels.setdefault(change.release, []).append(change.label)
    for release, release_labels in labels.items():
        yield FieldBadge("changed", release, ", ".join(dict.fromkeys(release_labels)))
