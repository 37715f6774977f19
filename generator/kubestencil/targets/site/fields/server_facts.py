"""What the API server knows of a field and its document does not say, as pages show it:
allowed values, defaults and limits (``schema.facts.values``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kubestencil.schema import Definition, Field, GroupVersionKind, Schema
from kubestencil.schema.facts.conditions import parse_term
from kubestencil.schema.facts.formats import FORMATS
from kubestencil.schema.facts.values import NO_FACTS, Default, FieldFacts
from kubestencil.source.releases import release_order
from kubestencil.targets.site.fields.requirements import value_text
from kubestencil.targets.site.fields.schema_labels import Attribute, subjects
from kubestencil.targets.site.release_context import TypeChange

# The facts that a release may change, by the names of changes.
_CHANGED_FACTS: Mapping[str, str] = {
    "enum-changed": "allowed values",
    "default-changed": "default",
    "minimum-changed": "minimum",
    "maximum-changed": "maximum",
    "min-length-changed": "min length",
    "max-length-changed": "max length",
    "max-items-changed": "max items",
    "text-format-changed": "format",
}


def server_attributes(field: Field, facts: FieldFacts) -> Sequence[Attribute]:
    """The facts of the API server about a field, under the names that those of a schema
    have."""
    if facts is NO_FACTS:
        return ()
    subject = subjects(field.schema)[-1]
    prefix = f"{subject}: " if subject else ""
    found = (
        ("allowed values", tuple(map(value_text, facts.enum))),
        # What a required field gets without a value is no default.
        ("default", () if field.required else tuple(_default_texts(facts.defaults))),
        (f"{prefix}minimum", _number(facts.minimum)),
        (f"{prefix}maximum", _number(facts.maximum)),
        (f"{prefix}min length", _number(facts.min_length)),
        (f"{prefix}max length", _number(facts.max_length)),
        ("max items", _number(facts.max_items)),
        (f"{prefix}format", _format(facts.format)),
        ("keys: format", _format(facts.key_format)),
    )
    return (
        # A field that a document lists may be checked in some kinds only.
        *([Attribute("required")] if facts.required and not field.required else ()),
        *(Attribute(name, values) for name, values in found if values),
        *_unique(field.schema, facts.unique),
    )


def changed_in(changes: Iterable[TypeChange], release: str) -> Mapping[str, str]:
    """The releases, up to ``release``, that changed facts of a field last, by the names
    of their attributes; ``changes`` are those of the field, oldest first."""
    order = release_order(release)
    return {
        _CHANGED_FACTS[change.change]: change.release
        for change in changes
        if change.change in _CHANGED_FACTS and release_order(change.release) <= order
    }


def without_repetition(
    document: Sequence[Attribute], server: Iterable[Attribute]
) -> tuple[list[Attribute], list[Attribute]]:
    """The attributes of a field in the document without what the API server says
    otherwise, and those of the API server without what the document says as well."""
    same = {(name, frozenset(values)) for name, values in document}
    others = [
        fact for fact in server if (fact.name, frozenset(fact.values)) not in same
    ]
    contradicted = {fact.name for fact in others}
    return [item for item in document if item.name not in contradicted], others


def with_releases(
    server: Iterable[Attribute], since: Mapping[str, str]
) -> Iterator[Attribute]:
    """Facts with the releases that changed them (``changed_in``): ``default since 1.34``."""
    for name, values in server:
        changed = since.get(name.rpartition(": ")[2])
        yield Attribute(f"{name} since {changed}" if changed else name, values)


def attributes_in_kinds(
    field: Field, facts: FieldFacts, by_kind: Mapping[GroupVersionKind, FieldFacts]
) -> Iterator[Attribute]:
    """What holds only where a field is part of some kinds: ``default in Pod``."""
    everywhere = server_attributes(field, facts)
    kinds: dict[Attribute, list[str]] = {}
    for kind, facts_in_kind in by_kind.items():
        for fact in server_attributes(field, facts_in_kind):
            if fact not in everywhere:
                kinds.setdefault(fact, []).append(kind.kind)
    for (name, values), names in kinds.items():
        yield Attribute(f"{name} in {', '.join(sorted(names))}", values)


def immutability(
    definition: Definition, kinds: Sequence[GroupVersionKind]
) -> Iterator[Attribute]:
    """That a field cannot change in objects of some kinds: ``immutable in Job``."""
    names = {kind.kind for kind in kinds}
    if definition.kind in names:
        yield Attribute("immutable")
    elif names:
        yield Attribute(f"immutable in {', '.join(sorted(names))}")


def attributes_of_name(name: Field, facts: FieldFacts) -> Iterator[Attribute]:
    """What holds for the name of the objects of a kind, as facts of ``metadata``."""
    for attribute in server_attributes(name, facts):
        # Without a name, generateName makes one.
        if attribute.name != "required":
            yield Attribute(f"{name.name}: {attribute.name}", attribute.values)


def _number(limit: int | None) -> tuple[str, ...]:
    return () if limit is None else (str(limit),)


def _format(name: str | None) -> tuple[str, ...]:
    return () if name is None else (f"{name}: {FORMATS[name].meaning}",)


def _unique(schema: Schema, keys: tuple[str, ...]) -> Iterator[Attribute]:
    """The keys of a list, unless its list type says the same."""
    if keys == (schema.list_map_keys or ("",)) and schema.list_type in ("map", "set"):
        return
    if keys == ("",):
        yield Attribute("unique items")
    elif keys:
        yield Attribute("unique keys", keys)


def _default_texts(defaults: Iterable[Default]) -> Iterator[str]:
    conditions: dict[str, list[str]] = {}
    for default in defaults:
        texts = conditions.setdefault(value_text(default.value), [])
        terms = map(parse_term, default.condition.split())
        texts += [" and ".join(map(str, terms))] if default.condition else []
    for value, texts in conditions.items():
        yield f"{value} if {' or '.join(texts)}" if texts else value
