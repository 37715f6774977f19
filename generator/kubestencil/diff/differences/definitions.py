"""Finds what differs between two sets of definitions.

Schemas are compared keyword by keyword, so that nothing in them is ignored, unknown
keywords included. What a difference means is decided in
``kubestencil.diff.rules.classify``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as attribute
from typing import Any, NamedTuple

from kubestencil.diff.differences.names import (
    KEYWORD_SPELLINGS,
    ChangeName,
    Presence,
)
from kubestencil.schema.equality import differing_keywords, json_equal
from kubestencil.schema.keyword_values import CelRule, json_object
from kubestencil.schema.keywords import VALIDATIONS
from kubestencil.schema.kinds import stated_kinds
from kubestencil.schema.types import ANY_VALUE, JsonObject, Schema

#: The schemas of definitions, by full name.
Schemas = Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class StatedDifference:
    """What differs between two sets of definitions, and where.

    ``change`` names it: ``field-added``, ``type-changed``. ``definition`` is the full
    name of the definition that differs. ``schema_path`` are the steps from the
    definition to the schema that differs (``("properties", "spec")``). ``keyword`` is
    the keyword that differs, None where a whole schema was added or removed.
    ``field`` is the JSON name of the field, with dots between those of nested objects
    (``spec.size``); None for the definition itself.

    ``before`` and ``after`` are JSON, to be printed: the whole schema where it was added
    or removed, else an object with the one keyword; None where it is absent.
    """

    change: ChangeName
    definition: str
    field: str | None
    schema_path: tuple[str, ...]
    keyword: str | None
    before: JsonObject | None
    after: JsonObject | None

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


@dataclass(frozen=True, slots=True)
class Difference(StatedDifference):
    """A difference with the two schemas that contain the keyword, ``schemas``, and in words
    the ``condition`` under which both sides of it hold; empty for always."""

    schemas: tuple[Schema, Schema] = attribute(
        default=(ANY_VALUE, ANY_VALUE), repr=False, compare=False
    )
    condition: str = ""


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
        self, noun: str, before: Schema | None, after: Schema | None
    ) -> Difference:
        """A whole schema, of a kind, definition or field, that was added or removed."""
        change = f"{noun}-{'added' if before is None else 'removed'}"
        old, new = (schema and json_object(schema) for schema in (before, after))
        schemas = before or ANY_VALUE, after or ANY_VALUE
        return Difference(change, *self, None, old, new, schemas)

    def difference(
        self,
        change: ChangeName,
        keyword: str,
        schemas: tuple[Schema, Schema],
        fragments: Iterable[JsonObject | None] | None = None,
    ) -> Difference:
        """A keyword that differs; ``fragments`` are its values where not all of them
        belong to the difference."""
        before, after = fragments or (schema.part(keyword) for schema in schemas)
        return Difference(change, *self, keyword, before, after, schemas)


def differences(before: Schemas, after: Schemas) -> Iterator[Difference]:
    """Every difference, once, in the order of the definitions' names."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            is_kind = stated_kinds(old or new or ANY_VALUE)
            noun = "kind" if is_kind else "definition"
            yield _Location(name).whole_difference(noun, old, new)
        elif not json_equal(old.raw, new.raw):
            yield from _schema_differences(_Location(name), old, new)


def _schema_differences(
    location: _Location, before: Schema, after: Schema
) -> Iterator[Difference]:
    """The differences between two schemas at the same location."""
    for keyword in sorted(differing_keywords(before, after)):
        old, new = before.content_of(keyword), after.content_of(keyword)
        if keyword == "properties":
            yield from _properties_differences(location, before, after)
        elif keyword == "required":
            yield from _required_differences(location, before, after)
        elif keyword == VALIDATIONS:
            yield from _rule_differences(location, before, after)
        elif old and new and (old.type, old.ref) == (new.type, new.ref):
            # Of items and values that differ in details only, these are compared.
            yield from _schema_differences(location.inner(keyword), old, new)
        else:
            spelling = KEYWORD_SPELLINGS.get(keyword, "keyword")
            event = presence(keyword, before.keywords, after.keywords)
            yield location.difference(f"{spelling}-{event}", keyword, (before, after))


def _properties_differences(
    location: _Location, before: Schema, after: Schema
) -> Iterator[Difference]:
    """The differences in ``properties``.

    Whether an object lists its fields at all is a difference of its own: an object
    without ``properties`` accepts any field. The list is added before its first field,
    and removed after its last one.
    """
    schemas = before, after
    lists: list[JsonObject | None] = [
        {"properties": {}} if schema.is_object else None for schema in schemas
    ]
    if not before.is_object:
        yield location.difference("properties-added", "properties", schemas, lists)
    old, new = (
        {field.name: field.schema for field in schema.fields} for schema in schemas
    )
    for name in sorted(old.keys() | new.keys()):
        field = location.property(name)
        if name not in old or name not in new:
            yield field.whole_difference("field", old.get(name), new.get(name))
        elif not json_equal(old[name].raw, new[name].raw):
            yield from _schema_differences(field, old[name], new[name])
    if not after.is_object:
        yield location.difference("properties-removed", "properties", schemas, lists)


def _required_differences(
    location: _Location, before: Schema, after: Schema
) -> Iterator[Difference]:
    """A difference for each field that became required or optional.

    The fragments are the whole lists, which belong to the object that has the field.
    """
    old, new = set(before.required), set(after.required)
    for name in sorted(old ^ new):
        field = location._replace(field=location.field_path(name))
        change = "field-required" if name in new else "field-optional"
        yield field.difference(change, "required", (before, after))
    if old == new:
        yield location.difference("required-order-changed", "required", (before, after))


def _rule_differences(
    location: _Location, before: Schema, after: Schema
) -> Iterator[Difference]:
    """A difference for each CEL rule; the fragments have only this rule."""
    changes = list(_rule_changes(before.validations, after.validations))
    for change, *rules in changes:
        fragments = [rule and {VALIDATIONS: [rule.raw]} for rule in rules]
        yield location.difference(change, VALIDATIONS, (before, after), fragments)
    if not changes:
        yield location.difference(
            "validations-order-changed", VALIDATIONS, (before, after)
        )


def presence(keyword: str, before: Container[str], after: Container[str]) -> Presence:
    """Whether a keyword that differs was added, changed or removed."""
    if keyword not in before:
        return "added"
    return "changed" if keyword in after else "removed"


# A rule that was added, removed or changed: the rule before and after, None where it is
# absent.
_RuleChange = tuple[ChangeName, CelRule | None, CelRule | None]


def _rule_changes(
    before: Sequence[CelRule], after: Sequence[CelRule]
) -> Iterator[_RuleChange]:
    """The rules that differ, those of ``before`` first; rules may change places.

    A rule has no name. Two rules are the same if their expressions are; of the others,
    those with the same message are one rule whose expression changed.
    """
    old, new = list(before), list(after)
    keys: tuple[Callable[[CelRule], str], ...] = (
        lambda rule: json.dumps(rule.raw, sort_keys=True),
        lambda rule: rule.expression,
        lambda rule: rule.message or rule.message_expression,
    )
    for key in keys:
        for old_rule, new_rule in _take_pairs(old, new, key):
            if key is not keys[0]:
                is_same = old_rule.is_same(new_rule)
                what = "validation-message" if is_same else "validation"
                yield f"{what}-changed", old_rule, new_rule
    for rule in old:
        yield "validation-removed", rule, None
    for rule in new:
        yield "validation-added", None, rule


def _take_pairs(
    old: list[CelRule],
    new: list[CelRule],
    key: Callable[[CelRule], str],
) -> Iterator[tuple[CelRule, CelRule]]:
    """Remove the rules of both lists that have the same key, and return them in pairs,
    in their order; rules whose key is empty stay."""
    by_key: dict[str, list[CelRule]] = {}
    for rule in new:
        by_key.setdefault(key(rule), []).append(rule)
    by_key.pop("", None)
    pairs: list[tuple[CelRule, CelRule]] = []
    for rule in old:
        candidates = by_key.get(key(rule), ())
        if candidates:
            pairs.append((rule, candidates.pop(0)))
    taken = [{id(rule) for rule in side} for side in zip(*pairs, strict=True)]
    for rules, identities in zip((old, new), taken, strict=False):
        rules[:] = [rule for rule in rules if id(rule) not in identities]
    yield from pairs
