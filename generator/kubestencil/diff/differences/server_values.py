"""Finds the fields in which the API server accepts, or fills in, other values than before.

Documents do not state these: the tables of ``kubestencil.schema.knowledge.values`` do, by
release of Kubernetes. Only facts that are proven of both releases are compared, since a
fact that a table has of one of them alone may be due to what was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain, product
from operator import attrgetter
from typing import Any, NamedTuple

from kubestencil.diff.differences.definitions import Difference, Schemas
from kubestencil.diff.differences.names import ChangeName
from kubestencil.schema.field_paths import field_at_path
from kubestencil.schema.keywords import CONTENT
from kubestencil.schema.kinds import only_kind
from kubestencil.schema.knowledge.conditions import combinations
from kubestencil.schema.knowledge.coverage import covers_both
from kubestencil.schema.knowledge.values import (
    FieldFacts,
    FoundBy,
    proven_facts,
    proven_facts_in_kinds,
)
from kubestencil.schema.types import Schema


class ValueChange(NamedTuple):
    """What a field accepts, or is set to where it is absent, in two releases.

    ``keyword`` is the keyword of JSON Schema that would state ``before`` and ``after``;
    a format is one of ``kubestencil.schema.knowledge.formats``. ``of_items`` says that both
    are about the items of a list, or the values of a map, where the field holds one.
    """

    change: ChangeName
    keyword: str
    before: Any
    after: Any
    of_items: bool


#: The changes between two releases, by definition and field.
ValueChanges = Mapping[tuple[str, str], tuple[ValueChange, ...]]


# What is compared, by the names of attributes of FieldFacts. What is required and what is
# unique is not: how an object is validated may depend on the kind that contains it.
_KEYWORDS: Mapping[str, str] = {
    "enum": "enum",
    "minimum": "minimum",
    "maximum": "maximum",
    "min_length": "minLength",
    "max_length": "maxLength",
    "max_items": "maxItems",
    "format": "format",
}


def server_value_differences(
    before: Schemas, after: Schemas, releases: tuple[str, str]
) -> Iterator[Difference]:
    """The differences in fields that both sides have, in the order of the definitions'
    names; ``releases`` are the minor versions of Kubernetes of both sides."""
    sides = before, after
    found = chain(
        _of_fields(*sides, releases),
        _in_kinds(*sides, releases),
        _under_conditions(*sides, releases),
    )
    return iter(sorted(found, key=attrgetter("definition")))


def _of_fields(
    before: Schemas, after: Schemas, releases: tuple[str, str]
) -> Iterator[Difference]:
    for (definition, field), changes in value_changes(*releases).items():
        if definition in before and definition in after:
            old, new = (side[definition].field(field) for side in (before, after))
            if old is not None and new is not None:
                yield from field_differences(definition, field, (old, new), changes)


def _in_kinds(
    before: Schemas, after: Schemas, releases: tuple[str, str]
) -> Iterator[Difference]:
    """What differs at one place of a kind only, as a field of the kind: ``metadata.name``."""
    kinds = {
        kind: name for name, schema in after.items() if (kind := only_kind(schema))
    }
    old, new = map(proven_facts_in_kinds, releases)
    for kind in sorted(old.keys() & new.keys() & kinds.keys()):
        for path in sorted(old[kind].keys() & new[kind].keys()):
            former, later = (
                field_at_path(kinds[kind], path, side.get) for side in (before, after)
            )
            if former is not None and later is not None:
                schemas = former.field.schema, later.field.schema
                changes = tuple(_changes(old[kind][path], new[kind][path], False))
                yield from field_differences(kinds[kind], path, schemas, changes)


def _under_conditions(
    before: Schemas, after: Schemas, releases: tuple[str, str]
) -> Iterator[Difference]:
    """The formats of texts that differ under a condition on other fields of an object."""
    if not covers_both("combinations", *releases):
        return
    old, new = map(_conditional_formats, releases)
    for key in sorted(old.keys() & new.keys()):
        definition, path, condition = key
        former, later = (
            field_at_path(definition, path, side.get) for side in (before, after)
        )
        if old[key] == new[key] or former is None or later is None:
            continue
        change = ValueChange("text-format-changed", "format", old[key], new[key], True)
        schemas = former.field.schema, later.field.schema
        for found in field_differences(
            later.definition, later.field.name, schemas, (change,)
        ):
            yield replace(found, condition=condition)


def _conditional_formats(release: str) -> Mapping[tuple[str, str, str], str]:
    """The formats of a release by definition, path in it, and condition in words."""
    found = {}
    for row in chain.from_iterable(combinations(release).values()):
        if row.rule == "format":
            path, format_name = row.fields
            condition = " and ".join(map(str, row.terms))
            found[row.definition, path, condition] = format_name
    return found


def field_differences(
    definition: str,
    field: str,
    schemas: tuple[Schema, Schema],
    changes: tuple[ValueChange, ...],
) -> Iterator[Difference]:
    """The changes of a field as differences, without those that its schemas state."""
    for change in changes:
        steps = (("properties", name) for name in field.split("."))
        path: tuple[str, ...] = tuple(chain.from_iterable(steps))
        inner, schemas_of_values = (
            _values(schemas) if change.of_items else ("", schemas)
        )
        if not any(change.keyword in schema.keywords for schema in schemas_of_values):
            yield Difference(
                change.change,
                definition,
                field,
                (*path, inner) if inner else path,
                change.keyword,
                {change.keyword: change.before},
                {change.keyword: change.after},
                schemas_of_values,
            )


def _values(schemas: tuple[Schema, Schema]) -> tuple[str, tuple[Schema, Schema]]:
    """The schemas of items or of a map's values, with their keyword; those of the field
    with an empty one, where they are about a single value."""
    for keyword in CONTENT:
        old, new = (schema.content_of(keyword) for schema in schemas)
        if old is not None and new is not None:
            return keyword, (old, new)
    return "", schemas


@cache
def value_changes(before: str, after: str) -> ValueChanges:
    """What differs between two releases, by definition and field in their order; nothing
    where the tables lack one of them."""
    changes: dict[tuple[str, str], tuple[ValueChange, ...]] = {}
    ways: tuple[FoundBy, ...] = ("asked", "marker")
    for found in product(ways, ways):
        old, new = map(proven_facts, (before, after), found)
        for key in old.keys() & new.keys() - changes.keys():
            of_field = tuple(_changes(old[key], new[key], "marker" in found))
            if of_field:
                changes[key] = of_field
    return {key: changes[key] for key in sorted(changes)}


def _changes(
    before: FieldFacts, after: FieldFacts, is_of_type: bool
) -> Iterator[ValueChange]:
    for name, keyword in _KEYWORDS.items():
        old, new = getattr(before, name), getattr(after, name)
        if old in (None, ()) or new in (None, ()) or old == new:
            continue
        if name == "enum":
            # Constants in Go do not say that other values are refused.
            if set(old) == set(new) or (is_of_type and not {*old} < {*new}):
                continue
            old, new = list(old), list(new)
        what = "text-format" if name == "format" else name.replace("_", "-")
        is_of_items = name != "max_items"
        yield ValueChange(f"{what}-changed", keyword, old, new, is_of_items)
    defaults = before.default, after.default
    if defaults[0] is not None and defaults[1] is not None:
        old, new = defaults[0].value, defaults[1].value
        # How Go writes the empty fields of an object differs between releases.
        if old != new and not isinstance(old, dict) and not isinstance(new, dict):
            yield ValueChange("default-changed", "default", old, new, False)
