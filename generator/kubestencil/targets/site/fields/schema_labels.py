"""What pages show about a schema: its type, its attributes and its validation rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.schema.custom_resources.field_choices import (
    FieldChoice,
    any_of_choice,
    excluded_fields,
    meaningful_keywords,
    one_of_choice,
    required_fields,
)
from kubestencil.schema.keywords import EMBEDDED, LOGIC, PRESERVE
from kubestencil.schema.knowledge.words import (
    Phrase,
    shortened,
    subjects,
    value_in_words,
)

#: The attributes about how lists and maps are merged, which few readers look for.
MERGING = frozenset(
    [
        *("list type", "list map keys", "map type", "patch strategy"),
        *("patch merge key", "merged by"),
    ]
)
# The keywords that rows say something of; most schemas have none of them.
_MERGE_KEYWORDS = frozenset(
    f"x-kubernetes-{name}"
    for name in (
        *("list-type", "list-map-keys", "map-type"),
        *("patch-strategy", "patch-merge-key"),
    )
)
_CONDITIONS = frozenset([*LOGIC, PRESERVE, EMBEDDED, "additionalProperties"])
# What a transition rule names:
# https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#transition-rules
_OLD_SELF = re.compile(r"\boldSelf\b")
_UNCHANGED = re.compile(r"\s*(?:self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*\Z")


class Attribute(NamedTuple):
    """A constraint or other property of a schema, such as its default. One that holds
    or does not, such as ``immutable``, has no values."""

    name: str
    values: tuple[str, ...] = ()


class ValidationRule(NamedTuple):
    """A CEL rule, and the message that the API server shows where it is violated.

    ``message_expression`` is a CEL expression that makes the message. ``subject`` is
    ``items: `` or ``values: `` where the rule is about those of a list or map.
    """

    subject: str
    rule: str
    message: str
    message_expression: str

    @property
    def is_about_updates(self) -> bool:
        """Whether the rule compares an object with the one that it replaces."""
        return bool(_OLD_SELF.search(self.rule))


def attributes_of(schema: Schema) -> Iterator[Attribute]:
    """The attributes of a schema besides its type and its description, and what is known
    of the values of fields (``schema.knowledge.words``)."""
    yield from _merging(schema)
    if schema.keeps_null:
        yield Attribute("nullable")
    if any(_UNCHANGED.match(rule.expression) for rule in schema.validations):
        yield Attribute("fixed once it is set")
    for level, subject in zip(schema.levels(), subjects(schema), strict=True):
        yield from conditions_of(level, subject)


def _merging(schema: Schema) -> Iterator[Attribute]:
    """How the API server and strategic merge patches merge a list or map: mostly, both
    do it by the same key."""
    if schema.keywords.isdisjoint(_MERGE_KEYWORDS):
        return
    keys = schema.list_map_keys
    merge_key = (schema.patch_merge_key or "",)
    if keys == merge_key and schema.patch_strategy == ("merge",):
        yield Attribute("merged by", keys)
        return
    for name, values in (
        ("list type", (schema.list_type or "",)),
        ("list map keys", keys),
        ("map type", (schema.map_type or "",)),
        ("patch strategy", schema.patch_strategy),
        ("patch merge key", merge_key),
    ):
        if any(values):
            yield Attribute(name, values)


def in_words(phrases: Iterable[Phrase]) -> tuple[Attribute, ...]:
    """Facts as attributes."""
    return tuple(
        Attribute(": ".join(filter(None, (phrase.short, phrase.detail))))
        for phrase in phrases
    )


def conditions_of(schema: Schema, subject: str) -> Iterator[Attribute]:
    """What a schema requires of the fields that an object has, and of other values than
    limits; ``subject`` says what the value is (``subjects``)."""
    if schema.keywords.isdisjoint(_CONDITIONS):
        return
    if schema.preserves_unknown_fields:
        yield Attribute(f"{subject}unknown fields", ("preserved",))
    if schema.embedded_resource:
        yield Attribute(f"{subject}value", ("an object with apiVersion and kind",))
    for name, values in requirements_of(schema):
        yield Attribute(f"{subject}{name}", values)


def validation_rules_of(schema: Schema) -> Iterator[ValidationRule]:
    """The CEL rules of a schema, and of the items or values inside of it."""
    for level, subject in zip(schema.levels(), subjects(schema), strict=True):
        yield from rules_of(level, subject)


def rules_of(schema: Schema, subject: str) -> Iterator[ValidationRule]:
    """The CEL rules of one schema; ``subject`` says what its value is."""
    for rule in schema.validations:
        yield ValidationRule(
            subject=subject,
            rule=rule.expression.strip(),
            message=rule.message,
            message_expression=rule.message_expression,
        )


def requirements_of(schema: Schema) -> Iterator[Attribute]:
    """What ``oneOf``, ``anyOf``, ``allOf`` and ``not`` of a schema require.

    Most of them say which fields an object has: exactly one of ``a`` and ``b``, at most
    one of them. Others are shown as they are in the schema.
    """
    # That a value is an integer or a string is said by its type.
    if schema.one_of and not schema.int_or_string:
        yield from _one_of(schema.one_of)
    if schema.any_of and not schema.int_or_string:
        yield from _any_of(schema.any_of)
    if schema.negated is not None:
        yield _not(schema.negated)
    for branch in schema.all_of:
        plain = branch.without(*LOGIC)
        if plain.keywords:
            yield Attribute("all of", (_schema_text(plain),))
        yield from requirements_of(branch)


def _one_of(branches: Sequence[Schema]) -> Iterator[Attribute]:
    choice = one_of_choice(branches)
    if choice is not None:
        if choice.kind != "at most one of" or len(choice.fields) > 1:
            yield _choice(choice)
    elif len(branches) > 1:
        yield Attribute("exactly one of", tuple(map(_schema_text, branches)))
    elif meaningful_keywords(branches[0]):
        yield Attribute("all of", (_schema_text(branches[0]),))


def _any_of(branches: Sequence[Schema]) -> Iterator[Attribute]:
    choice = any_of_choice(branches)
    if choice is not None:
        yield _choice(choice)
    elif all(map(meaningful_keywords, branches)):
        texts = (
            " and ".join(required_fields(branch)) or _schema_text(branch)
            for branch in branches
        )
        yield Attribute("at least one of", tuple(map(shortened, texts)))


def _choice(choice: FieldChoice) -> Attribute:
    texts = tuple(shortened(" and ".join(names)) for names in choice.fields)
    return Attribute(choice.kind, texts)


def _not(schema: Schema) -> Attribute:
    excluded = excluded_fields(schema)
    if excluded:
        return Attribute("none of", excluded)
    if schema.keywords == {"required"} and schema.required:
        return Attribute("not together", schema.required)
    if schema.keywords == {"enum"}:
        return Attribute("not", tuple(map(value_in_words, schema.enum)))
    return Attribute("not", (_schema_text(schema),))


def _schema_text(schema: Schema) -> str:
    """A schema in one line: ``format: ipv4``, ``properties: {…}``."""
    return shortened(
        ", ".join(
            f"{keyword}: {value_in_words(schema.value_of(keyword))}"
            for keyword in schema.keywords
        )
    )
