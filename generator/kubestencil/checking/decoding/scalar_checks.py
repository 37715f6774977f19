"""The checks of values without parts: numbers, strings, quantities, times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kubestencil.checking.files.placeholders import reason_unknown
from kubestencil.checking.findings import Results
from kubestencil.checking.paths import Link
from kubestencil.checking.problems import Check, refuse, refuse_type, shown
from kubestencil.checking.rules import RuleId
from kubestencil.checking.values import scalars
from kubestencil.schema import well_known
from kubestencil.schema.types import Schema

_INT32 = (-(2**31), 2**31 - 1)
_INT64 = (-(2**63), 2**63 - 1)
_BYTE = (0, 255)


def check_of_scalar(schema: Schema) -> Check:
    """The check of a schema that is neither an object nor a list."""
    if schema.type == "string":
        if schema.format == "byte":
            return _check_bytes
        return _enum(schema.enum) if schema.enum else check_string
    if schema.type == "integer":
        return _integer(_INT32 if schema.format == "int32" else _INT64)
    if schema.type == "number":
        return check_number
    return check_boolean if schema.type == "boolean" else accept_all


def accept_all(value: Any, at: Link, results: Results) -> None:
    """Accepts everything: apiextensions' JSON, runtime.RawExtension, and
    x-kubernetes-preserve-unknown-fields without a type."""


def check_of_type(expected: str, *types: type) -> Check:
    """The check that a value is of one of some types: ``expected`` says of which."""

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) not in types:
            refuse_type(expected, value, at, results)

    return check


def check_by_type(checks: Mapping[type, Check], others: Check = accept_all) -> Check:
    """The check of values whose type decides how they are checked."""

    def check(value: Any, at: Link, results: Results) -> None:
        checks.get(type(value), others)(value, at, results)

    return check


check_object = check_of_type("an object", dict)
check_list = check_of_type("a list", list)
check_string = check_of_type("a string", str)
check_boolean = check_of_type("a boolean", bool)
check_number = check_of_type("a number", int, float)


def check_of_parts(
    container: type[Any],
    check_part: Check,
    plain_type: type | None = None,
    *,
    takes_null: bool = True,
) -> Check:
    """The check of a list, or of an object as a map, and of the values in it. Those of
    ``plain_type`` are right as they are."""
    refuse_other = check_object if container is dict else check_list

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is not container:
            refuse_other(value, at, results)
            return
        for step, part in value.items() if container is dict else enumerate(value):
            if type(part) is not plain_type and not (part is None and takes_null):
                check_part(part, (step, at), results)

    return check


def _integer(limits: tuple[int, int]) -> Check:
    low, high = limits

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is not int:
            refuse_type("an integer", value, at, results)
        elif not low <= value <= high:
            bits = (high - low).bit_length()
            message = f"{shown(value)} is not an integer of {bits} bits"
            hint = f"use a number from {low} to {high}"
            refuse("out-of-range", message, hint, value, at, results)

    return check


_check_int_or_string = check_by_type(
    {int: _integer(_INT32)}, check_of_type("an integer or a string", str)
)
_check_byte = _integer(_BYTE)


def _check_of_text(
    what: str,
    rule: RuleId,
    accepts: Callable[[str], bool],
    hint: str,
    *others: type,
    problem: str = "",
) -> Check:
    """The check of a text that is ``what``, or of a value of another type; ``problem`` is
    what is wrong with a text that is not accepted, where that is not all."""

    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is not str:
            if type(value) not in others:
                refuse_type(what, value, at, results)
        elif not accepts(value):
            message = f"{shown(value)} {problem or f'is not {what}'}"
            refuse(rule, message, hint, value, at, results)

    return check


def _enum(values: tuple[Any, ...]) -> Check:
    # A document may list values of other types, which no string equals.
    allowed = frozenset(value for value in values if type(value) is str)
    hint = f"use one of {', '.join(map(str, values))}"
    accepts = allowed.__contains__
    return _check_of_text(
        "a string", "invalid-enum", accepts, hint, problem="is not allowed"
    )


def _check_bytes(value: Any, at: Link, results: Results) -> None:
    """Accepts what Go decodes to bytes: base64, or a list of numbers."""
    if type(value) is list and not reason_unknown(value):
        for index, item in enumerate(value):
            _check_byte(item, (index, at), results)
    elif type(value) is not str:
        refuse_type("a string in base64", value, at, results)
    else:
        index_of_error = scalars.base64_error(value)
        if index_of_error is not None:
            message = f"illegal base64 data at input byte {index_of_error}"
            hint = "encode it with base64; a Secret has stringData for plain text"
            refuse("invalid-base64", message, hint, value, at, results)


#: The checks of definitions that are decoded by methods of their own (UnmarshalJSON).
SPECIAL: Mapping[str, Check] = {
    well_known.QUANTITY: _check_of_text(
        "a quantity",
        "invalid-quantity",
        scalars.is_quantity,
        "write a number with a suffix: 500m, 2, 1.5, 128Mi, 1Gi",
        *(int, float),
    ),
    well_known.INT_OR_STRING: _check_int_or_string,
    well_known.TIME: _check_of_text(
        "a time", "invalid-time", scalars.is_time, "write it as 2026-01-31T12:00:00Z"
    ),
    well_known.MICRO_TIME: _check_of_text(
        "a time with microseconds",
        "invalid-time",
        scalars.is_micro_time,
        "write it as 2026-01-31T12:00:00.000000Z",
    ),
    f"{well_known.META_V1}.Duration": _check_of_text(
        "a duration", "invalid-time", scalars.is_duration, "write it as 1h30m"
    ),
    f"{well_known.META_V1}.FieldsV1": accept_all,
    f"{well_known.META_V1}.Patch": check_object,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": accept_all,
}
