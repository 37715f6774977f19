"""What differs between two sets of definitions, as the documents write it.

The comparison works on the raw fragments, so that nothing a document says can be
lost, a keyword included that the model does not know. What a difference means is
decided elsewhere (``kubestencil.diff.rules``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any

from kubestencil.schema.types import Raw

Definitions = Mapping[str, Raw]

_INNER = ("items", "additionalProperties")
_KINDS = "x-kubernetes-group-version-kind"
# What a keyword is called in the name of a change. A keyword that is not listed
# could be anything, and is called "keyword".
_WORDS = {
    "$ref": "reference",
    "additionalProperties": "values",
    "properties": "properties",
    **{
        keyword: re.sub(r"[A-Z]", lambda match: f"-{match[0].lower()}", keyword)
        for keyword in (
            *("type", "format", "items", "allOf", "default", "enum", "description"),
            *("title", "example", "externalDocs", "nullable", "readOnly", "pattern"),
            *("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"),
            *("maxLength", "minLength", "maxItems", "minItems", "uniqueItems"),
            *("maxProperties", "minProperties", "multipleOf"),
        )
    },
    "x-nullable": "nullable",
    **{
        f"x-kubernetes-{word}": word
        for word in (
            *("embedded-resource", "group-version-kind", "int-or-string"),
            *("list-map-keys", "list-type", "map-type", "patch-merge-key"),
            *("patch-strategy", "preserve-unknown-fields", "unions", "validations"),
        )
    },
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that two sets of definitions do not agree on.

    ``change`` is its name (``field-added``, ``type-changed``), ``definition`` the
    full name of the definition that has it. ``at`` leads from there to the schema
    that differs, step by step (``("properties", "spec")``), and ``keyword`` says
    what in it, None where the schema as a whole came or went. ``field`` is the
    JSON name, those of an object inside a field joined with dots, and None for
    the definition itself.

    ``before`` and ``after`` are the fragments: the whole schema where it came or
    went, else an object with the one keyword; None where there is nothing.
    ``schemas`` are the two schemas that the keyword is in.
    """

    change: str
    definition: str
    field: str | None
    at: tuple[str, ...]
    keyword: str | None
    before: Raw | None
    after: Raw | None
    schemas: tuple[Raw, Raw] = attribute(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the comparison is: a schema of a definition."""

    definition: str
    field: str | None = None
    at: tuple[str, ...] = ()

    def property(self, name: str) -> _Place:
        path = name if self.field is None else f"{self.field}.{name}"
        return _Place(self.definition, path, (*self.at, "properties", name))

    def inside(self, keyword: str) -> _Place:
        return _Place(self.definition, self.field, (*self.at, keyword))


def differences(before: Definitions, after: Definitions) -> Iterator[Difference]:
    """Every difference, once, in the order of the definitions' names."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            whole = new if old is None else old
            assert whole is not None
            what = "kind" if whole.get(_KINDS) else "definition"
            yield _whole(what, _Place(name), old, new)
        elif not same(old, new):
            yield from schemas(_Place(name), old, new)


def schemas(place: _Place, before: Raw, after: Raw) -> Iterator[Difference]:
    """What differs between two schemas in the same place."""
    for keyword in sorted(before.keys() | after.keys()):
        old, new = before.get(keyword), after.get(keyword)
        both = keyword in before and keyword in after
        if both and same(old, new):
            continue
        if keyword == "properties":
            yield from _properties(place, before, after)
        elif keyword == "required":
            yield from _required(place, before, after)
        elif keyword in _INNER and _has_fields(old) and _has_fields(new):
            assert old is not None and new is not None
            yield from schemas(place.inside(keyword), old, new)
        else:
            word = _WORDS.get(keyword, "keyword")
            change = f"{word}-{_came_or_went(keyword, before, after)}"
            yield _keyword(change, place, keyword, before, after)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal; true is not 1, as it is for Python."""
    pending = [(one, other)]
    while pending:
        a, b = pending.pop()
        if isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            pending.extend((value, b[key]) for key, value in a.items())
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            pending.extend(zip(a, b, strict=True))
        elif a != b or isinstance(a, bool) is not isinstance(b, bool):
            return False
    return True


def schemas_differ_in(one: Raw, other: Raw) -> set[str]:
    """The keywords that two schemas do not agree on."""
    return {
        keyword
        for keyword in one.keys() | other.keys()
        if keyword not in one
        or keyword not in other
        or not same(one[keyword], other[keyword])
    }


def _properties(place: _Place, before: Raw, after: Raw) -> Iterator[Difference]:
    old, new = before.get("properties"), after.get("properties")
    # Whether an object lists its fields at all is apart from which they are: one
    # without the list takes anything. The list comes before its first field, and
    # goes after its last.
    if old is None:
        yield _listed("properties-added", place, before, after)
    yield from _fields(place, old or {}, new or {})
    if new is None:
        yield _listed("properties-removed", place, before, after)


def _fields(place: _Place, old: Raw, new: Raw) -> Iterator[Difference]:
    for name in sorted(old.keys() | new.keys()):
        inner = place.property(name)
        if name not in old or name not in new:
            yield _whole("field", inner, old.get(name), new.get(name))
        elif not same(old[name], new[name]):
            yield from schemas(inner, old[name], new[name])


def _required(place: _Place, before: Raw, after: Raw) -> Iterator[Difference]:
    """A change for each field that must, or need no longer, be there.

    The fragments are the whole lists, which belong to the object that has the
    field.
    """
    old, new = set(before.get("required", ())), set(after.get("required", ()))
    for name in sorted(old ^ new):
        change = "field-required" if name in new else "field-optional"
        path = place.property(name).field
        at = _Place(place.definition, path, place.at)
        yield _keyword(change, at, "required", before, after)
    if old == new:
        yield _keyword("required-order-changed", place, "required", before, after)


def _listed(change: str, place: _Place, before: Raw, after: Raw) -> Difference:
    return Difference(
        change,
        place.definition,
        place.field,
        place.at,
        "properties",
        {"properties": {}} if "properties" in before else None,
        {"properties": {}} if "properties" in after else None,
        (before, after),
    )


def _whole(
    what: str, place: _Place, before: Raw | None, after: Raw | None
) -> Difference:
    return Difference(
        f"{what}-{'added' if before is None else 'removed'}",
        place.definition,
        place.field,
        place.at,
        None,
        before,
        after,
        (before or {}, after or {}),
    )


def _keyword(
    change: str, place: _Place, keyword: str, before: Raw, after: Raw
) -> Difference:
    return Difference(
        change,
        place.definition,
        place.field,
        place.at,
        keyword,
        {keyword: before[keyword]} if keyword in before else None,
        {keyword: after[keyword]} if keyword in after else None,
        (before, after),
    )


def _has_fields(value: Any) -> bool:
    """Whether a list's items, or a map's values, are objects with fields."""
    while isinstance(value, dict):
        if "properties" in value:
            return True
        value = value.get("items") or value.get("additionalProperties")
    return False


def _came_or_went(keyword: str, before: Raw, after: Raw) -> str:
    if keyword not in before:
        return "added"
    return "changed" if keyword in after else "removed"
