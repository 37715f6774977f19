"""A type's fields as its page shows them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from kubestencil.schema import Field, Release, Schema
from kubestencil.schema.graph import reference_graph
from kubestencil.targets.site.lineage import Event, by_field
from kubestencil.targets.site.place import Place
from kubestencil.text.html import prose

# Most ways, which quote() would leave as they are, too.
_PLAIN = re.compile(r"[A-Za-z0-9.]+\Z")
_MAX_VALUE = 300


#: What is said of a field beside its type: names, each with values.
Facts = tuple[tuple[str, tuple[str, ...]], ...]
#: Rules in CEL, each with what is said where it is broken.
Rules = tuple[tuple[str, str], ...]


class Mark(NamedTuple):
    """What happened to a field: ``since``, ``changed``, ``gone``; when, and what."""

    what: str
    release: str
    title: str


class Row(NamedTuple):
    """A field. ``id`` is the way to it from its type (``spec.replicas``, where spec is
    an object that has no name), ``link`` the same as an address has it.

    ``before`` is what its type is a list or map of (``[]``, ``map[string]``),
    ``type`` the rest, and ``href`` where that is explained, or empty. ``facts`` are
    names and values for people; ``inner`` the fields of an object that has no name.
    """

    name: str
    id: str
    link: str
    before: str
    type: str
    href: str
    required: bool
    marks: tuple[Mark, ...]
    facts: Facts
    rules: Rules
    about: Markup
    inner: tuple[Row, ...]


class Type(NamedTuple):
    """A type whose fields can be unfolded on a page, under the address of its own."""

    path: str
    href: str
    rows: tuple[Row, ...]


class Fields:
    """The fields of every type of a release, each worked out once."""

    def __init__(
        self,
        release: Release,
        known: Mapping[str, Place],
        events: Mapping[str, Sequence[Event]],
    ) -> None:
        self.release = release
        self.places = known
        self.events = events
        self.types: dict[str, Type] = {}
        self.edges = reference_graph(release.definitions)

    def of(self, name: str) -> Type:
        """The fields of a definition."""
        if name not in self.types:
            place = self.places[name]
            told = by_field(self.events.get(place.path, ()))
            schema = self.release.definitions[name].schema
            rows = tuple(
                self.row(field, "", told.get(field.name, ()))
                for field in fields_of(schema)
            )
            self.types[name] = Type(place.path, place.href, rows)
        return self.types[name]

    def inside(self, name: str) -> tuple[Type, ...]:
        """The types that can be unfolded from a definition's fields, the nearest
        first: itself only where it leads back to itself."""
        found: dict[str, None] = {}
        pending = [name]
        for each in pending:
            for ref in self.edges[each]:
                if ref not in found:
                    found[ref] = None
                    pending.append(ref)
        types = (self.of(ref) for ref in found)
        return tuple(each for each in types if each.rows)

    def row(self, field: Field, above: str, events: Sequence[Event]) -> Row:
        way = f"{above}{field.name}"
        before, schema = _unwrapped(field.schema)
        place = self.places[schema.ref] if schema.ref else None
        return Row(
            field.name,
            way,
            anchor(way),
            before,
            place.kind if place else _plain(schema),
            place.href if place else "",
            field.required,
            tuple(_marks(events)),
            tuple(facts_of(field.schema)),
            tuple(rules_of(field.schema)),
            prose(field.schema.description),
            tuple(self.row(each, f"{way}.", ()) for each in fields_of(field.schema)),
        )


def fields_of(schema: Schema) -> Iterable[Field]:
    """The fields of an object; of a list or a map, those of the objects in it that have
    no name, as ``kubestencil.diff`` names them. The outermost of the same name is given.
    """
    found = {field.name: field for field in schema.fields}
    for inner in (schema.items, schema.values):
        for field in fields_of(inner) if inner is not None else ():
            found.setdefault(field.name, field)
    return found.values()


def ways(schema: Schema, above: str = "") -> Iterator[str]:
    """The way to each field that is shown with a type, those inside of a field that
    has no type of its own included."""
    for field in fields_of(schema):
        way = f"{above}{field.name}"
        yield way
        yield from ways(field.schema, f"{way}.")


def anchor(way: str) -> str:
    """The way to a field, as the fragment of an address."""
    return way if _PLAIN.match(way) else quote(way, safe="$-_.~")


def type_label(schema: Schema, known: Mapping[str, Place]) -> str:
    """A type in short: ``[]Container``, ``map[string]Quantity``, ``integer (int32)``."""
    before, inner = _unwrapped(schema)
    return before + (known[inner.ref].kind if inner.ref else _plain(inner))


def _unwrapped(schema: Schema) -> tuple[str, Schema]:
    """A list's item or a map's value, and how Go writes what is around it."""
    around = ""
    while True:
        if schema.items is not None:
            around, schema = f"{around}[]", schema.items
        elif schema.values is not None:
            around, schema = f"{around}map[string]", schema.values
        else:
            return around, schema


def _plain(schema: Schema) -> str:
    if schema.int_or_string:
        return "integer or string"
    name = schema.type or "any value"
    return f"{name} ({schema.format})" if schema.format else name


def _marks(events: Sequence[Event]) -> Iterator[Mark]:
    changed: dict[str, list[str]] = {}
    for event in events:
        if event.change == "field-added" and event.way == event.field:
            yield Mark("since", event.release, "")
        elif event.change == "field-removed" and event.way == event.field:
            yield Mark("gone", event.release, "")
        else:
            changed.setdefault(event.release, []).append(event.label)
    for release, labels in changed.items():
        yield Mark("changed", release, ", ".join(dict.fromkeys(labels)))


def facts_of(schema: Schema) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What the document says of a schema beside its type and its description."""
    # "{}" at every field that holds a struct comes from Go, where it cannot be absent.
    if schema.has_default and schema.default != {}:
        yield "default", (_json(schema.default),)
    inner = _unwrapped(schema)[1]
    if inner.enum:
        yield "one of", tuple(_json(each) for each in inner.enum)
    if schema.list_type:
        yield "list type", (schema.list_type,)
    if schema.list_map_keys:
        yield "map keys", schema.list_map_keys
    if schema.map_type:
        yield "map type", (schema.map_type,)
    if schema.patch_strategy:
        yield "patch strategy", schema.patch_strategy
    if schema.patch_merge_key:
        yield "merge key", (schema.patch_merge_key,)
    if schema.nullable:
        yield "may be", ("null",)
    if schema.preserves_unknown_fields:
        yield "unknown fields", ("kept",)
    for keyword, label in _LIMITS.items():
        if keyword in inner.raw:
            yield label, (_json(inner.raw[keyword]),)


_LIMITS = {
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "minLength": "shortest",
    "maxLength": "longest",
    "minItems": "fewest items",
    "maxItems": "most items",
}


def rules_of(schema: Schema) -> Iterator[tuple[str, str]]:
    """The CEL rules of a schema, each with what is said where it is broken."""
    for each in schema.validations:
        yield str(each.get("rule", "")), str(each.get("message", ""))


def _json(value: object) -> str:
    """A value as JSON, a text without its quotes where it has something to say."""
    if isinstance(value, str) and value:
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"
