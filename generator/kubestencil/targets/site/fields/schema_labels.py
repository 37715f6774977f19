"""What pages show about a schema: its type, its attributes and its validation rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kubestencil.schema import Schema
from kubestencil.schema.keyword_values import NO_LIMITS
from kubestencil.targets.site.addresses import PageAddress
from kubestencil.targets.site.fields.requirements import requirements_of, value_text

#: The attributes about how lists and maps are merged, which few readers look for.
MERGING = frozenset(
    ["list type", "list map keys", "map type", "patch strategy", "patch merge key"]
)
# The limits that are said otherwise.
_SAID_OTHERWISE = ("exclusive_minimum", "exclusive_maximum", "unique_items")
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
    ``items`` or ``values`` where the rule is about those of a list or map.
    """

    subject: str
    rule: str
    message: str
    message_expression: str

    @property
    def is_about_updates(self) -> bool:
        """Whether the rule compares an object with the one that it replaces."""
        return bool(_OLD_SELF.search(self.rule))


def type_label(schema: Schema, addresses: Mapping[str, PageAddress]) -> str:
    """A short name of a type: ``[]Container``, ``map[string]Quantity``,
    ``integer (int32)``."""
    container, value = schema.unwrapped()
    name = addresses[value.ref].kind if value.ref else plain_label(value)
    return f"{container}{name}"


def plain_label(schema: Schema) -> str:
    """The name of a type that is no reference: ``string``, ``integer (int32)``."""
    if schema.int_or_string:
        return "integer or string"
    name = schema.type or "any value"
    return f"{name} ({schema.format})" if schema.format else name


def attributes_of(schema: Schema) -> Iterator[Attribute]:
    """The attributes of a schema besides its type and its description."""
    # Documents have the default {} for each field that is a struct in Go.
    if schema.has_default and (schema.default != {} or not schema.ref):
        yield Attribute("default", (value_text(schema.default),))
    levels = schema.levels()
    for name, values in (
        ("allowed values", tuple(map(value_text, levels[-1].enum))),
        ("list type", (schema.list_type or "",)),
        ("list map keys", schema.list_map_keys),
        ("map type", (schema.map_type or "",)),
        ("patch strategy", schema.patch_strategy),
        ("patch merge key", (schema.patch_merge_key or "",)),
    ):
        if any(values):
            yield Attribute(name, values)
    if schema.keeps_null:
        yield Attribute("nullable")
    if any(_UNCHANGED.match(rule.expression) for rule in schema.validations):
        yield Attribute("immutable")
    for level, subject in zip(levels, subjects(schema), strict=True):
        yield from conditions_of(level, subject)


def subjects(schema: Schema) -> Sequence[str]:
    """What a schema, and each of the items or values inside of it, is called: nothing,
    ``items``, ``values``."""
    levels = schema.levels()[:-1]
    return ["", *("items" if level.items else "values" for level in levels)]


def conditions_of(schema: Schema, subject: str) -> Iterator[Attribute]:
    """What a schema requires of a value, and of the fields that an object has.

    ``subject`` says what the value is (``subjects``).
    """
    prefix = f"{subject}: " if subject else ""
    if schema.preserves_unknown_fields:
        yield Attribute(f"{prefix}unknown fields", ("preserved",))
    if schema.embedded_resource:
        yield Attribute(f"{prefix}value", ("an object with apiVersion and kind",))
    limits = {} if schema.limits is NO_LIMITS else schema.limits._asdict()
    for name, limit in limits.items():
        if limit is not None and name not in _SAID_OTHERWISE:
            text = value_text(limit)
            if limits.get(f"exclusive_{name}"):
                text = f"{text} (exclusive)"
            yield Attribute(f"{prefix}{name.replace('_', ' ')}", (text,))
    for name, values in requirements_of(schema):
        yield Attribute(f"{prefix}{name}", values)


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
