"""Checks custom resources against the schemas of their CustomResourceDefinitions.

The API server drops unknown fields, or refuses them if it decodes strictly, and then
validates what is left (apiextensions-apiserver, ``pkg/apiserver/schema/pruning`` and
``pkg/apiserver/validation``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from kubestencil.checking.decoding.scalar_checks import (
    accept_all,
    check_boolean,
    check_by_type,
    check_list,
    check_number,
    check_of_parts,
    check_string,
)
from kubestencil.checking.findings import Results
from kubestencil.checking.paths import Link, path_of
from kubestencil.checking.problems import (
    Check,
    missing_field,
    refuse,
    refuse_field,
    refuse_type,
    shown,
)
from kubestencil.checking.rules import RuleId
from kubestencil.schema.custom_resources.conditions import (
    Condition,
    condition_of_format,
    conditions,
    has_unsupported_pattern,
    is_integer,
    satisfies,
)
from kubestencil.schema.types import Schema

CEL = "CEL rules of custom resources"
PATTERN = "patterns that are too large, or in a syntax that is not supported"
FORMAT = "formats of strings"

# Formats that are checked, and formats that add nothing to the type.
_CHECKED_FORMATS = frozenset(["byte", "date-time", "ipv4", "ipv6"])
_INTEGER_FORMATS = frozenset(["int32", "int64", "uint32", "uint64"])
_FREE_FORMATS = _INTEGER_FORMATS | {"float", "double", "password", "int-or-string"}


class References(Protocol):
    """Gives the checks of definitions."""

    def referred(self, name: str, is_strict: bool) -> Check:
        """The check of a definition that is compiled when there is a value for it."""


def check_of_custom(schema: Schema, references: References) -> Check:
    """The check of a schema of a custom resource."""
    if schema.ref is not None:
        return references.referred(schema.ref, True)
    check_shape = _check_of_shape(schema, references)
    conditions = tuple(_conditions(schema))
    unchecked = tuple(_unchecked(schema))
    if not conditions and not unchecked:
        return check_shape
    # The server fills them in before it asks which of several schemas a value has.
    defaults = {
        field.name: field.schema.default
        for field in schema.fields
        if field.schema.has_default
    }

    def check(value: Any, at: Link, results: Results) -> None:
        check_shape(value, at, results)
        results.unchecked.extend(unchecked)
        filled = {**defaults, **value} if defaults and type(value) is dict else value
        for condition in conditions:
            if not satisfies(filled, condition.schema):
                rule: RuleId = (
                    "invalid-enum" if condition.keyword == "enum" else "invalid-value"
                )
                message, hint = _message(value, condition)
                refuse(rule, message, hint, value, at, results)

    return check


def _check_of_shape(schema: Schema, references: References) -> Check:
    """The check of the type, and of what is inside of an object or list."""
    if schema.int_or_string:
        return _check_int_or_string
    if schema.type == "array" and schema.items is not None:
        return _list(schema.items, references, schema.preserves_unknown_fields)
    if schema.type == "object":
        return _object(schema, references)
    if schema.type is not None:
        return _TYPES[schema.type]
    if schema.is_object:
        # A value of any type, whose fields are known if it is an object.
        return check_by_type({dict: _object(schema, references)})
    return accept_all


def _object(schema: Schema, references: References) -> Check:
    """The check of an object.

    Of its fields, null is allowed, replaced by a default, or dropped with the field
    (``pkg/apiserver/schema/defaulting/prunenulls.go``).
    """
    members = {
        field.name: check_of_custom(field.schema, references) for field in schema.fields
    }
    required = tuple(
        (field.name, field.schema.keeps_null)
        for field in schema.fields
        if field.required and not field.schema.has_default
    )
    values = (
        None if schema.values is None else check_of_custom(schema.values, references)
    )
    if schema.drops_inner_fields:
        values = _check_without_fields
    keeps_unknown = schema.preserves_unknown_fields or schema.has_any_values

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is not dict:
            refuse_type("an object", value, at, results)
            return
        for name, content in value.items():
            check_value = members.get(name, values)
            if check_value is not None:
                if content is not None:
                    check_value(content, (name, at), results)
            elif not keeps_unknown:
                refuse_field(name, at, results, is_dropped=False)
        for name, is_nullable in required:
            if name not in value or (value[name] is None and not is_nullable):
                results.problems.append(missing_field(name, at))

    return check


def _check_without_fields(value: Any, at: Link, results: Results) -> None:
    """The check of a value without a schema, of whose objects no field is kept."""
    if type(value) is dict:
        for name in value:
            refuse_field(name, at, results, is_dropped=False)
    elif type(value) is list:
        for index, item in enumerate(value):
            _check_without_fields(item, (index, at), results)


def _list(items: Schema, references: References, keeps_unknown: bool) -> Check:
    check_item = check_of_custom(items, references)
    if keeps_unknown:
        check_item = _keeping_fields(check_item)
    is_untyped = items.type is None and items.ref is None
    takes_null = items.keeps_null or items.has_default or is_untyped
    return check_of_parts(list, check_item, takes_null=takes_null)


def _keeping_fields(check: Check) -> Check:
    """The check of a value in which unknown fields are kept, those of items of lists in it
    included (``skipPrune``, ``pkg/apiserver/schema/pruning/algorithm.go``)."""

    def keep(value: Any, at: Link, results: Results) -> None:
        start, depth = len(results.problems), len(path_of(at))
        check(value, at, results)
        results.problems[start:] = [
            problem
            for problem in results.problems[start:]
            if problem.rule != "unknown-field"
            or not all(type(step) is int for step in problem.path[depth:-1])
        ]

    return keep


def _integer(expected: str) -> Check:
    def check(value: Any, at: Link, results: Results) -> None:
        if not is_integer(value):
            refuse_type(expected, value, at, results)

    return check


_check_int_or_string = check_by_type(
    {str: accept_all}, _integer("an integer or a string")
)
_TYPES: Mapping[str, Check] = {
    "array": check_list,
    "string": check_string,
    "boolean": check_boolean,
    "number": check_number,
    "integer": _integer("an integer"),
}


def _conditions(schema: Schema) -> Iterator[Condition]:
    for condition in conditions(schema):
        # The items of an atomic list have no requirements.
        if condition.schema.list_type != "atomic":
            yield condition
    if schema.format in _CHECKED_FORMATS:
        yield condition_of_format(schema.format)


def _unchecked(schema: Schema) -> Iterator[str]:
    """The reasons why rules of a schema are not applied to its values."""
    yield from [CEL] * len(schema.validations)
    if has_unsupported_pattern(schema):
        yield PATTERN
    if schema.format not in (None, *_CHECKED_FORMATS, *_FREE_FORMATS):
        yield f"{FORMAT}: {schema.format}"


def _message(value: Any, condition: Condition) -> tuple[str, str]:
    """What is wrong with a value that breaks a condition, and what to do."""
    keyword, schema = condition
    limit = schema.value_of(keyword)
    if keyword == "enum":
        return f"{shown(value)} is not allowed", f"use one of {_listed(limit)}"
    if keyword == "pattern":
        return f"{shown(value)} does not match the pattern {limit}", ""
    if keyword == "format":
        return f"{shown(value)} is not of the format {limit}", ""
    if schema.list_type is not None:
        keys = schema.list_map_keys
        same = f"the same {', '.join(keys)}" if keys else "the same value"
        return f"two items have {same}", "remove one of them"
    if keyword in _LOGIC_MESSAGES:
        return _LOGIC_MESSAGES[keyword], ""
    is_exclusive = schema.limits.exclusive_minimum or schema.limits.exclusive_maximum
    limits = f"{keyword} {limit}{', exclusive' if is_exclusive else ''}"
    return f"{shown(value)} breaks the limit: {limits}", ""


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))


_LOGIC_MESSAGES: Mapping[str, str] = {
    "allOf": "does not satisfy all schemas of allOf",
    "anyOf": "satisfies no schema of anyOf",
    "oneOf": "does not satisfy exactly one schema of oneOf",
    "not": "satisfies a schema that it must not",
}
