"""What a schema requires of a value: limits, patterns, ``oneOf``, ``anyOf``, ``not``.

CustomResourceDefinitions have them; the reader has checked their types. A value is
checked as the API server does it (apiextensions-apiserver, ``pkg/apiserver/validation``;
``kube-openapi/pkg/validation``): a pattern is RE2 and matches any part of a string, and
a keyword says nothing about values of other types.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain, islice, product
from typing import Any, NamedTuple

from kubestencil.schema.keyword_values import json_object
from kubestencil.schema.keywords import INT_OR_STRING, LOGIC
from kubestencil.schema.types import JsonObject, Schema, schema_of
from kubestencil.text import re2

# An object that is one of 10, three times, has 1,000 alternatives.
_MAX_ALTERNATIVES = 200

# Keywords, each with those that only change what it means.
_CONDITIONS: tuple[tuple[str, ...], ...] = (
    ("enum",), ("pattern",), ("multipleOf",), ("minimum", "exclusiveMinimum"),
    ("maximum", "exclusiveMaximum"), ("minLength",), ("maxLength",), ("minItems",),
    ("maxItems",), ("minProperties",), ("maxProperties",), ("uniqueItems",),
    ("x-kubernetes-list-type", "x-kubernetes-list-map-keys"),
    *((keyword,) for keyword in LOGIC),
)  # fmt: skip
# The keywords of an object that say which fields it has, besides "required".
_OF_OBJECTS = (*LOGIC, "minProperties", "maxProperties")
# The keywords besides type and default that a scalar depends on.
_OF_SCALARS = frozenset(
    [
        *LOGIC, "enum", "pattern", "minLength", "maxLength", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems",
        "minProperties",
    ]
)  # fmt: skip
_MIN_INT64, _MAX_INT64 = -(2**63), 2**63 - 1
# From here on, not every integer is a float.
_MAX_FLOAT_INTEGER = 2**53

_Check = Callable[[Any, Any], bool]


class Condition(NamedTuple):
    """What a schema requires with one keyword; ``schema`` has no other, but for those
    that change what it means."""

    keyword: str
    schema: Schema


def conditions(schema: Schema) -> Iterator[Condition]:
    """What a schema requires beside types, fields and formats, keyword by keyword.
    Patterns that cannot be evaluated are left out."""
    for keyword, part in keyword_conditions(json_object(schema)):
        yield Condition(keyword, schema_of(part))


def condition_of_format(name: str) -> Condition:
    """What a schema requires whose only keyword is a format."""
    return Condition("format", schema_of({"format": name}))


def keyword_conditions(schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The keywords of ``conditions``, each with the part of the schema that has it."""
    for keyword, *others in _CONDITIONS:
        if keyword not in schema or (keyword == "anyOf" and schema.get(INT_OR_STRING)):
            continue
        names = (keyword, *others)
        part = {name: schema[name] for name in names if name in schema}
        if not _has_unsupported_pattern(part):
            yield keyword, part


def has_object_conditions(schema: Schema) -> bool:
    """Whether a schema says which fields an object has, besides "required"."""
    return not schema.keywords.isdisjoint(_OF_OBJECTS)


def object_conditions(schema: Schema) -> Schema:
    """The conditions of an object, without what each of its fields satisfies."""
    return schema_of(
        {key: schema.value_of(key) for key in _OF_OBJECTS if key in schema.keywords}
    )


def has_scalar_conditions(schema: Schema) -> bool:
    """Whether a scalar has other conditions than its type."""
    return not schema.keywords.isdisjoint(_OF_SCALARS)


def is_integer(value: Any) -> bool:
    """Whether a value is an integer: 1.0 is one, and what has more than 64 bits is a
    float (kube-openapi, pkg/validation/validate/type.go)."""
    if type(value) is float:
        return value.is_integer() and abs(value) < _MAX_FLOAT_INTEGER
    return type(value) is int and _MIN_INT64 <= value <= _MAX_INT64


def satisfies(value: Any, schema: Schema) -> bool:
    """Whether a JSON value is what a schema allows.

    References, unknown fields, CEL rules and most formats are not checked; a pattern
    that is not valid matches nothing.
    """
    return satisfies_keywords(value, json_object(schema))


def satisfies_keywords(value: Any, schema: JsonObject) -> bool:
    """Whether a JSON value is what a schema allows, as ``satisfies``."""
    if value is None and (schema.get("nullable") or schema.get("x-nullable")):
        return True
    return all(
        check(value, schema[keyword])
        for keyword, check in _CHECKS.items()
        if keyword in schema
    ) and _is_within_limits(value, schema)


def has_unsupported_pattern(schema: Schema) -> bool:
    """Whether the value, or a schema that is combined with its schema, has a pattern
    that cannot be evaluated."""
    return any(
        _has_unsupported_pattern({keyword: schema.value_of(keyword)})
        for keyword in ("pattern", *LOGIC)
        if keyword in schema.keywords
    )


def _has_unsupported_pattern(schema: JsonObject) -> bool:
    """Whether a part of a schema has a pattern that cannot be evaluated."""
    pending: list[Any] = [schema]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            pattern = current.get("pattern")
            if isinstance(pattern, str) and re2.compiled(pattern) is None:
                return True
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
    return False


def alternatives(schemas: Sequence[Schema]) -> Iterator[tuple[Schema, ...]]:
    """The ways to satisfy all of ``schemas``: schemas that hold together.

    The schemas of an alternative are the given ones and one branch of each ``oneOf``
    and ``anyOf``. ``not`` is left to ``satisfies``, and so is whether another branch of
    a ``oneOf`` holds, too. There are at most 200.
    """
    expansions = [list(_expansions(schema)) for schema in schemas]
    for combination in islice(product(*expansions), _MAX_ALTERNATIVES):
        yield tuple(chain.from_iterable(combination))


def _expansions(schema: Schema) -> Iterator[tuple[Schema, ...]]:
    """The alternatives of one schema."""
    parts: list[list[tuple[Schema, ...]]] = [[(schema,)]]
    parts += (list(_expansions(branch)) for branch in schema.all_of)
    for branches in (schema.any_of, schema.one_of):
        if branches:
            expansions = map(_expansions, branches)
            parts.append(
                list(islice(chain.from_iterable(expansions), _MAX_ALTERNATIVES))
            )
    for combination in islice(product(*parts), _MAX_ALTERNATIVES):
        yield tuple(chain.from_iterable(combination))


def same_value(value: Any, other: Any) -> bool:
    """Whether two JSON values are equal; a boolean is no number."""
    return _canonical(value) == _canonical(other)


def _canonical(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, sort_keys=True)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


#: Whether a value is of a type, by its name.
IS_TYPE: Mapping[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "number": _is_number,
    "object": lambda value: isinstance(value, Mapping),
    "string": lambda value: isinstance(value, str),
}


def _matches(value: Any, pattern: str) -> bool:
    if not isinstance(value, str):
        return True
    compiled = re2.compiled(pattern)
    return compiled is not None and compiled.search(value)


def _is_multiple(value: Any, factor: float) -> bool:
    if not _is_number(value) or not _is_number(factor) or factor <= 0:
        return True
    return Fraction(str(value)) % Fraction(str(factor)) == 0


def _has_valid_fields(value: Any, properties: Mapping[str, JsonObject]) -> bool:
    return not isinstance(value, Mapping) or all(
        satisfies_keywords(value[name], schema)
        for name, schema in properties.items()
        if name in value
    )


def _all_valid(values: Iterable[Any], schema: JsonObject) -> bool:
    return all(satisfies_keywords(value, schema) for value in values)


def _is_unique(value: Any, is_set: bool = True) -> bool:
    if not isinstance(value, list) or not is_set:
        return True
    return len(set(map(_canonical, value))) == len(value)


def _has_format(value: Any, format_: str) -> bool:
    if isinstance(value, str):
        accepts = _STRINGS.get(format_)
        return accepts is None or accepts(value)
    bounds = _INTEGERS.get(format_)
    return bounds is None or not _is_number(value) or (bounds[0] <= value < bounds[1])


def _is_address(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    """Whether a text is a time by RFC 3339, roughly
    (kube-openapi/pkg/validation/strfmt/time.go)."""
    match = _DATE_TIME.match(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = map(int, match.groups())
    is_date = 1 <= month <= 12 and 1 <= day <= monthrange(max(year, 1), month)[1]
    return is_date and hour <= 23 and minute <= 59 and second <= 59


_DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)\Z",
    re.ASCII | re.IGNORECASE,
)
# govalidator.IsBase64: no line breaks, and not the empty string.
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})\Z"
)
_STRINGS: Mapping[str, Callable[[str], bool]] = {
    "byte": lambda text: _BASE64.match(text) is not None,
    "date-time": _is_date_time,
    "ipv4": partial(_is_address, ipaddress.IPv4Address),
    "ipv6": partial(_is_address, ipaddress.IPv6Address),
}
_INTEGERS: Mapping[str, tuple[int, int]] = {
    "int32": (-(2**31), 2**31),
    "int64": (-(2**63), 2**63),
    "uint32": (0, 2**32),
    "uint64": (0, 2**64),
}


_CHECKS: Mapping[str, _Check] = {
    "type": lambda value, name: IS_TYPE[name](value),
    "enum": lambda value, enum: any(same_value(value, item) for item in enum),
    "format": _has_format,
    "pattern": _matches,
    "multipleOf": _is_multiple,
    "required": lambda value, names: not isinstance(value, Mapping)
    or all(name in value for name in names),
    "properties": _has_valid_fields,
    "additionalProperties": lambda value, schema: not isinstance(value, Mapping)
    or isinstance(schema, bool)
    or _all_valid(value.values(), schema),
    "items": lambda value, schema: not isinstance(value, list)
    or _all_valid(value, schema),
    "uniqueItems": _is_unique,
    "allOf": lambda value, schemas: all(
        satisfies_keywords(value, schema) for schema in schemas
    ),
    "anyOf": lambda value, schemas: any(
        satisfies_keywords(value, schema) for schema in schemas
    ),
    "oneOf": lambda value, schemas: sum(
        satisfies_keywords(value, schema) for schema in schemas
    )
    == 1,
    "not": lambda value, schema: not satisfies_keywords(value, schema),
}


def _is_within_limits(value: Any, schema: JsonObject) -> bool:
    """Whether a number, or the size of a string, list or object, is in its limits."""
    if isinstance(value, str):
        return _is_between(len(value), schema, "minLength", "maxLength")
    if isinstance(value, list):
        return _is_between(len(value), schema, "minItems", "maxItems") and (
            _has_unique_items(value, schema)
        )
    if isinstance(value, Mapping):
        return _is_between(len(value), schema, "minProperties", "maxProperties")
    if not _is_number(value) or not _is_between(value, schema, "minimum", "maximum"):
        return not _is_number(value)
    return not (
        (schema.get("exclusiveMinimum") and value == schema.get("minimum"))
        or (schema.get("exclusiveMaximum") and value == schema.get("maximum"))
    )


def _is_between(size: float, schema: JsonObject, least: str, most: str) -> bool:
    return bool(schema.get(least, size) <= size <= schema.get(most, size))


def _has_unique_items(value: Sequence[Any], schema: JsonObject) -> bool:
    """Whether the items of a set are unique, and those of a map by their keys."""
    list_type = schema.get("x-kubernetes-list-type")
    if list_type == "set":
        return _is_unique(value)
    keys = schema.get("x-kubernetes-list-map-keys", ())
    if list_type != "map" or not all(isinstance(item, Mapping) for item in value):
        return True
    return _is_unique([[item.get(key) for key in keys] for item in value])
