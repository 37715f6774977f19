"""Scalar values of examples: what the document gives, else one that shows the type."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.schema.custom_resources.conditions import (
    alternatives,
    has_scalar_conditions,
    same_value,
    satisfies,
)
from kubestencil.schema.keyword_values import ValueLimits
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY
from kubestencil.targets.examples.strings import (
    CONVERTED_FORMATS,
    FORMATS,
    matching,
    placeholders,
)

# The document calls these definitions strings without a format.
_BY_DEFINITION = {
    QUANTITY: "1",
    MICRO_TIME: "2006-01-02T15:04:05.000000Z",
}
_INT_OR_STRING = 80
_BY_TYPE: dict[str | None, Any] = {"array": [], "boolean": True}
_INTEGER, _NUMBER = 1, 0.5
# Larger integers lose precision in Jsonnet, whose numbers are IEEE 754 doubles.
_MAX_NUMBER = 2**53
_MAX_INT32 = 2**31 - 1
_MIN_FACTOR = 1e-9


def well_known_scalar(definition: Definition) -> str | None:
    """The value of a definition with a known string syntax; None for all others."""
    is_string = definition.schema.type == "string"
    return _BY_DEFINITION.get(definition.name) if is_string else None


def example_scalar(schema: Schema, conditions: Sequence[Schema]) -> Any:
    """A value for ``schema``: its default or else its first enum value, if that has
    the right type and is not empty; otherwise a placeholder.

    ``conditions`` are schemas that hold as well. None where no value satisfies all.
    """
    if not conditions and not has_scalar_conditions(schema):
        return next(_candidates(schema, (schema,)))
    return next(valid_values(schema, conditions), None)


def valid_values(schema: Schema, conditions: Sequence[Schema]) -> Iterator[Any]:
    """Distinct values that satisfy ``schema`` and ``conditions``, the best one first."""
    all_conditions = (_without_type_logic(schema), *conditions)
    values: list[Any] = []
    for schemas in alternatives(all_conditions):
        for value in _candidates(schema, schemas):
            is_new = not any(same_value(value, other) for other in values)
            if is_new and all(
                satisfies(value, condition) for condition in all_conditions
            ):
                values.append(value)
                yield value


def _without_type_logic(schema: Schema) -> Schema:
    """The schema without the ``anyOf`` or ``oneOf`` of an integer or a string."""
    if not schema.int_or_string:
        return schema
    return schema.without("anyOf", "oneOf", "format", "type")


def _candidates(schema: Schema, schemas: Sequence[Schema]) -> Iterator[Any]:
    """Values that may satisfy ``schemas``, the first of which is that of ``schema``."""
    limits = [branch.limits for branch in schemas]
    enums = [value for branch in schemas for value in branch.enum]
    for value in (schema.default, *enums):
        if _is_usable(value, schema):
            yield value
    if schema.int_or_string:
        if any(limit.pattern is not None for limit in limits):
            yield from _strings(schemas)
        yield from _integers(limits, _INT_OR_STRING)
        yield from _strings(schemas)
    elif schema.type == "string":
        yield from _strings(schemas)
    elif schema.type == "integer":
        yield from _integers(limits, _INTEGER)
    elif schema.type == "number":
        yield _NUMBER
        yield from _integers(limits, _INTEGER)
        yield from _fractions(limits)
    else:
        yield _BY_TYPE.get(schema.type, {})
        if schema.type == "boolean":
            yield False
        elif schema.preserves_unknown_fields:
            least = max(limit.min_properties or 0 for limit in limits)
            yield {f"key{number}": {} for number in range(1, min(least, 10) + 1)}


def _is_usable(value: Any, schema: Schema) -> bool:
    """Whether a value of the document has the type of the schema, and is not one that
    writers of examples convert."""
    if schema.int_or_string:
        return isinstance(value, str | int) and not isinstance(value, bool)
    if schema.type == "string":
        is_converted = schema.format in CONVERTED_FORMATS
        return not is_converted and isinstance(value, str) and value != ""
    if schema.type == "boolean":
        return isinstance(value, bool)
    if schema.type in ("integer", "number"):
        python_type = int if schema.type == "integer" else int | float
        maximum = _MAX_INT32 if schema.format == "int32" else _MAX_NUMBER
        return (
            isinstance(value, python_type)
            and not isinstance(value, bool)
            and abs(value) <= maximum
        )
    return schema.type is None and isinstance(value, str | bool)


def _strings(schemas: Sequence[Schema]) -> Iterator[str]:
    limits = [schema.limits for schema in schemas]
    min_length = max(limit.min_length or 0 for limit in limits)
    max_lengths = (limit.max_length for limit in limits)
    max_length = min((n for n in max_lengths if n is not None), default=None)
    formats = [schema.format for schema in schemas]
    is_free = True
    for format_ in formats:
        if format_ in FORMATS:
            is_free = False
            yield FORMATS[format_]
    # Code that is made of these values expects this format.
    if not any(format_ in CONVERTED_FORMATS for format_ in formats):
        for limit in limits:
            if limit.pattern is not None:
                is_free = False
                yield from matching(limit.pattern, min_length, max_length)
        if is_free:
            yield from placeholders(min_length, max_length)
            # An empty string says little, but may be the only one.
            yield ""


def _integers(limits: Sequence[ValueLimits], preferred: int) -> Iterator[int]:
    """Integers at ``limits``, and around them."""
    numbers: list[float] = [preferred]
    for bound in _bounds(limits):
        numbers += (math.ceil(bound), math.floor(bound))
        numbers += (math.floor(bound) + 1, math.ceil(bound) - 1)
    for factor in _factors(limits):
        numbers += (math.ceil(number / factor) * factor for number in tuple(numbers))
        numbers += (math.floor(number / factor) * factor for number in tuple(numbers))
    numbers += (0, *(preferred + step for step in range(1, 10)))
    for number in numbers:
        if abs(number) <= _MAX_NUMBER and number == int(number):
            yield int(number)


def _fractions(limits: Sequence[ValueLimits]) -> Iterator[float]:
    bounds = _bounds(limits)
    yield from bounds
    if len(bounds) > 1:
        yield (min(bounds) + max(bounds)) / 2
    yield from _factors(limits)
    yield from (bound + step for bound in bounds for step in (_NUMBER, -_NUMBER))


def _bounds(limits: Sequence[ValueLimits]) -> Sequence[float]:
    """The limits of a number that examples can have."""
    return [
        bound
        for limit in limits
        for bound in (limit.minimum, limit.maximum)
        if bound is not None and abs(bound) <= _MAX_NUMBER
    ]


def _factors(limits: Sequence[ValueLimits]) -> Sequence[float]:
    factors = (limit.multiple_of for limit in limits)
    return [
        factor
        for factor in factors
        if factor is not None and _MIN_FACTOR <= factor <= _MAX_NUMBER
    ]
