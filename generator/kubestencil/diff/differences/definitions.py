"""Finds what differs between two sets of definitions.

The comparison works on the fragments of the documents, so that nothing in them is
ignored, unknown keywords included. What a difference means is decided in
``kubestencil.diff.rules.classify``.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, NamedTuple

from kubestencil.diff.differences.names import (
    KEYWORD_SPELLINGS,
    ChangeName,
    Noun,
    Presence,
    change_name,
)
from kubestencil.diff.differences.validations import VALIDATIONS, rule_changes
from kubestencil.schema.keywords import KINDS_KEYWORD
from kubestencil.schema.types import JsonObject

#: The fragments of definitions, by full name.
Definitions = Mapping[str, JsonObject]

_INNER_SCHEMAS = ("items", "additionalProperties")


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two sets of definitions.

    ``change`` names it: ``field-added``, ``type-changed``. ``definition`` is the full
    name of the definition that differs. ``schema_path`` are the steps from the
    definition to the schema that differs (``("properties", "spec")``). ``keyword`` is
    the keyword that differs, None where a whole schema was added or removed.
    ``field`` is the JSON name of the field, with dots between those of nested objects
    (``spec.size``); None for the definition itself.

    ``before`` and ``after`` are fragments: the whole schema where it was added or
    removed, else an object with the one keyword; None where it is absent. ``schemas``
    are the two schemas that contain the keyword.
    """

    change: ChangeName
    definition: str
    field: str | None
    schema_path: tuple[str, ...]
    keyword: str | None
    before: JsonObject | None
    after: JsonObject | None
    schemas: tuple[JsonObject, JsonObject] = attribute(repr=False, compare=False)

    @property
    def values(self) -> tuple[Any, Any]:
        """The values of the keyword before and after, None where it is absent."""
        before, after = self.before or {}, self.after or {}
        return before.get(self.keyword or ""), after.get(self.keyword or "")

    @property
    def is_added(self) -> bool:
        """Whether a whole kind, type or field was added."""
        return self.keyword is None and self.before is None and self.after is not None

    @property
    def is_removed(self) -> bool:
        """Whether a whole kind, type or field was removed."""
        return self.keyword is None and self.before is not None and self.after is None


class _Location(NamedTuple):
    """A schema of a definition: see the attributes of ``Difference``."""

    definition: str
    field: str | None = None
    schema_path: tuple[str, ...] = ()

    def property(self, name: str) -> _Location:
        return _Location(
            self.definition,
            self.field_path(name),
            (*self.schema_path, "properties", name),
        )

    def inner(self, keyword: str) -> _Location:
        return _Location(self.definition, self.field, (*self.schema_path, keyword))

    def field_path(self, name: str) -> str:
        return name if self.field is None else f"{self.field}.{name}"

    def whole_difference(
        self, noun: Noun, before: JsonObject | None, after: JsonObject | None
    ) -> Difference:
        """A whole schema that was added or removed."""
        change = change_name(noun, "added" if before is None else "removed")
        schemas = before or {}, after or {}
        return Difference(change, *self, None, before, after, schemas)

    def difference(
        self,
        change: ChangeName,
        keyword: str,
        schemas: tuple[JsonObject, JsonObject],
        fragments: Iterable[JsonObject | None] | None = None,
    ) -> Difference:
        """A keyword that differs; ``fragments`` are its values where not all of them
        belong to the difference."""
        before, after = fragments or (
            {keyword: schema[keyword]} if keyword in schema else None
            for schema in schemas
        )
        return Difference(change, *self, keyword, before, after, schemas)


def differences(before: Definitions, after: Definitions) -> Iterator[Difference]:
    """Every difference, once, in the order of the definitions' names."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            kinds = (old or new or {}).get(KINDS_KEYWORD)
            noun: Noun = "kind" if kinds else "definition"
            yield _Location(name).whole_difference(noun, old, new)
        elif not json_equal(old, new):
            yield from _schema_differences(_Location(name), old, new)


def json_equal(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal; unlike in Python, true is not 1."""
    if isinstance(first, dict | list) and _encoded(first) == _encoded(second):
        return True
    pending = [(first, second)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict):
            if not isinstance(right, dict) or left.keys() != right.keys():
                return False
            pending.extend((value, right[key]) for key, value in left.items())
        elif isinstance(left, list):
            if not isinstance(right, list) or len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif left != right or isinstance(left, bool) is not isinstance(right, bool):
            return False
    return True


def _encoded(value: Any) -> bytes:
    """The bytes of a JSON value, which are the same only for equal values. That takes a
    tenth of the time of a comparison, and most definitions are equal."""
    # Later versions encode a repeated string as a reference to the first one.
    return marshal.dumps(value, 2)


def differing_keywords(before: JsonObject, after: JsonObject) -> set[str]:
    """The keywords that only one of two schemas has, or whose values differ."""
    return {
        keyword
        for keyword in before.keys() | after.keys()
        if keyword not in before
        or keyword not in after
        or not json_equal(before[keyword], after[keyword])
    }


def _schema_differences(
    location: _Location, before: JsonObject, after: JsonObject
) -> Iterator[Difference]:
    """The differences between two schemas at the same location."""
    for keyword in sorted(differing_keywords(before, after)):
        old, new = before.get(keyword), after.get(keyword)
        if keyword == "properties":
            yield from _properties_differences(location, before, after)
        elif keyword == "required":
            yield from _required_differences(location, before, after)
        elif keyword == VALIDATIONS:
            yield from _rule_differences(location, before, after)
        elif keyword in _INNER_SCHEMAS and _is_same_type(old, new):
            assert old is not None and new is not None
            yield from _schema_differences(location.inner(keyword), old, new)
        else:
            spelling = KEYWORD_SPELLINGS.get(keyword, "keyword")
            change = change_name(spelling, presence(keyword, before, after))
            yield location.difference(change, keyword, (before, after))


def _properties_differences(
    location: _Location, before: JsonObject, after: JsonObject
) -> Iterator[Difference]:
    """The differences in ``properties``.

    Whether an object lists its fields at all is a difference of its own: an object
    without ``properties`` accepts any field. The list is added before its first field,
    and removed after its last one.
    """
    schemas = before, after
    lists: list[JsonObject | None] = [
        {"properties": {}} if "properties" in side else None for side in schemas
    ]
    if before.get("properties") is None:
        yield location.difference("properties-added", "properties", schemas, lists)
    old, new = before.get("properties") or {}, after.get("properties") or {}
    for name in sorted(old.keys() | new.keys()):
        field = location.property(name)
        if name not in old or name not in new:
            yield field.whole_difference("field", old.get(name), new.get(name))
        elif not json_equal(old[name], new[name]):
            yield from _schema_differences(field, old[name], new[name])
    if after.get("properties") is None:
        yield location.difference("properties-removed", "properties", schemas, lists)


def _required_differences(
    location: _Location, before: JsonObject, after: JsonObject
) -> Iterator[Difference]:
    """A difference for each field that became required or optional.

    The fragments are the whole lists, which belong to the object that has the field.
    """
    old, new = set(before.get("required", ())), set(after.get("required", ()))
    for name in sorted(old ^ new):
        field = location._replace(field=location.field_path(name))
        change: ChangeName = "field-required" if name in new else "field-optional"
        yield field.difference(change, "required", (before, after))
    if old == new:
        yield location.difference("required-order-changed", "required", (before, after))


def _rule_differences(
    location: _Location, before: JsonObject, after: JsonObject
) -> Iterator[Difference]:
    """A difference for each CEL rule; the fragments have only this rule."""
    changes = list(
        rule_changes(before.get(VALIDATIONS) or (), after.get(VALIDATIONS) or ())
    )
    for change, *rules in changes:
        fragments = [None if rule is None else {VALIDATIONS: [rule]} for rule in rules]
        yield location.difference(change, VALIDATIONS, (before, after), fragments)
    if not changes:
        yield location.difference(
            "validations-order-changed", VALIDATIONS, (before, after)
        )


def _is_same_type(before: Any, after: Any) -> bool:
    """Whether two schemas of items or values differ in details only, so that these
    are compared: they refer to the same definition, or have the same type."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    return all(
        json_equal(before.get(keyword), after.get(keyword))
        for keyword in ("type", "$ref")
    )


def presence(keyword: str, before: JsonObject, after: JsonObject) -> Presence:
    """Whether a keyword that differs was added, changed or removed."""
    if keyword not in before:
        return "added"
    return "changed" if keyword in after else "removed"
