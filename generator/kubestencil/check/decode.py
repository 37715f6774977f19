"""Decodes objects as the API server does, with strict decoding: sigs.k8s.io/json.

A definition is compiled once into a function that appends what is wrong with a value.
Such a function takes the value, the path of its parent, its own step in it, and the
list of problems: paths are built only where there is a problem. Values are never
converted, and null is accepted wherever Go leaves a zero value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kubestencil.check import scalars
from kubestencil.check.findings import Path, Problem, field_path
from kubestencil.check.kustomize import is_directive
from kubestencil.check.placeholders import has_placeholder
from kubestencil.check.rules import RuleId
from kubestencil.schema import well_known
from kubestencil.schema.types import Definition, Schema

#: The path of a value as a linked list, innermost step first.
Link = tuple[str | int, "Link | None"]
#: Appends what is wrong with a value: value, path of its parent, step, problems.
Check = Callable[[Any, "Link | None", str | int, list[Problem]], None]

_INT32 = (-(2**31), 2**31 - 1)
_INT64 = (-(2**63), 2**63 - 1)
_RAW = "io.k8s.apimachinery.pkg.runtime.RawExtension"
_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."
# Decoded by a nested call that is not strict (apiextensions, marshal.go).
_SCHEMA_OR_ARRAY = "JSONSchemaPropsOrArray"
_SCHEMA_OR_BOOL = "JSONSchemaPropsOrBool"
_SCHEMA_OR_STRINGS = "JSONSchemaPropsOrStringArray"


class Remark(NamedTuple):
    """A problem that every object with a certain field has, whatever its value."""

    rule: RuleId
    message: str
    hint: str


#: The remarks on fields, by definition and field.
Remarks = Mapping[str, Mapping[str, Remark]]


class Member(NamedTuple):
    """A field of a compiled object. Values of ``plain_type`` are right as they are;
    None where every value must be checked."""

    plain_type: type | None
    check: Check


@dataclass(slots=True)
class Decoder:
    """Compiles the definitions of a release, each when it is first needed.

    ``remarks`` is what is to be said about fields whatever their values are.
    """

    definitions: Mapping[str, Definition]
    remarks: Remarks
    _compiled: dict[tuple[str, bool], Check] = field(default_factory=dict)

    def check_of(self, name: str, *, strict: bool = True) -> Check:
        """The check of a definition. Without ``strict``, unknown fields are those that
        the API server drops without a word."""
        key = name, strict
        check = self._compiled.get(key)
        if check is None:
            check = self._compiled[key] = self._compile(name, strict)
        return check

    def _compile(self, name: str, strict: bool) -> Check:
        special = _SPECIAL.get(name)
        if special is not None:
            return special
        if name.startswith(_APIEXTENSIONS):
            union = self._schema_union(name)
            if union is not None:
                return union
        definition = self.definitions[name]
        schema = definition.schema
        if schema.is_object:
            return self._object(definition, strict)
        if schema.type == "object" and schema.values is None:
            # An empty struct, to which any field is unknown.
            return _struct({}, (), {}, strict)
        return self.of_schema(schema, strict)

    def _object(self, definition: Definition, strict: bool) -> Check:
        members = {
            name: self._member(schema, strict) for name, schema, _ in definition.fields
        }
        required = tuple(
            name for name, _, is_required in definition.fields if is_required
        )
        return _struct(members, required, self.remarks.get(definition.name, {}), strict)

    def _member(self, schema: Schema, strict: bool) -> Member:
        return Member(_plain_type(schema), self.of_schema(schema, strict))

    def of_schema(self, schema: Schema, strict: bool) -> Check:
        """The check of one schema."""
        if schema.ref is not None:
            return _referred(self, schema.ref, strict)
        if schema.type == "array" and schema.items is not None:
            item = schema.items
            return _list(_plain_type(item), self.of_schema(item, strict))
        if schema.type == "object":
            if schema.values is not None:
                values = schema.values
                return _map(_plain_type(values), self.of_schema(values, strict))
            return _any_object
        return _scalar(schema)

    def _schema_union(self, name: str) -> Check | None:
        """The check of a schema that may stand for something else, too."""
        package, _, kind = name.rpartition(".")
        schema = f"{package}.JSONSchemaProps"
        if kind == _SCHEMA_OR_ARRAY:
            return _schema_or_array(_referred(self, schema, strict=False))
        if kind == _SCHEMA_OR_BOOL:
            return _schema_or_bool(_referred(self, schema, strict=False))
        if kind == _SCHEMA_OR_STRINGS:
            return _schema_or_strings(_referred(self, schema, strict=False))
        return _anything if kind == "JSON" else None


def _referred(decoder: Decoder, name: str, strict: bool) -> Check:
    """The check of a definition, which is compiled when there is a value for it."""
    compiled: Check | None = None

    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        nonlocal compiled
        if compiled is None:
            compiled = decoder.check_of(name, strict=strict)
        compiled(value, parent, step, problems)

    return check


def _struct(
    members: Mapping[str, Member],
    required: tuple[str, ...],
    remarks: Mapping[str, Remark],
    strict: bool,
) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not dict:
            _wrong_type("an object", value, parent, step, problems)
            return
        link = (step, parent)
        for name, content in value.items():
            member = members.get(name)
            if member is None:
                problems.append(_unknown(name, link, strict))
            elif type(content) is not member[0] and content is not None:
                member[1](content, link, name, problems)
        for name in required:
            if value.get(name) is None:
                problems.append(_missing(name, link))
        if remarks:
            for name in remarks.keys() & value.keys():
                rule, message, hint = remarks[name]
                path = path_of(link, name)
                problems.append(Problem(rule, path, message, hint, of_key=True))

    return check


def _list(plain_type: type | None, item_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not list:
            _wrong_type("a list", value, parent, step, problems)
            return
        link = (step, parent)
        for index, item in enumerate(value):
            if type(item) is not plain_type and item is not None:
                item_check(item, link, index, problems)

    return check


def _map(plain_type: type | None, value_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not dict:
            _wrong_type("an object", value, parent, step, problems)
            return
        link = (step, parent)
        for key, content in value.items():
            if type(content) is not plain_type and content is not None:
                value_check(content, link, key, problems)

    return check


def _plain_type(schema: Schema) -> type | None:
    if schema.ref is None and schema.type == "string":
        return str if schema.format is None and not schema.enum else None
    return bool if schema.ref is None and schema.type == "boolean" else None


def _scalar(schema: Schema) -> Check:
    if schema.type == "string":
        if schema.format == "byte":
            return _bytes
        return _enum(schema.enum) if schema.enum else _string
    if schema.type == "integer":
        return _integer(_INT32 if schema.format == "int32" else _INT64)
    if schema.type == "number":
        return _number
    return _boolean if schema.type == "boolean" else _anything


def _anything(value: Any, parent: Any, step: Any, problems: Any) -> None:
    """Accepts everything: apiextensions' JSON, runtime.RawExtension."""


def _any_object(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) is not dict:
        _wrong_type("an object", value, parent, step, problems)


def _string(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) is not str:
        _wrong_type("a string", value, parent, step, problems)


def _boolean(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) is not bool:
        _wrong_type("a boolean", value, parent, step, problems)


def _number(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) not in (int, float):
        _wrong_type("a number", value, parent, step, problems)


def _integer(limits: tuple[int, int]) -> Check:
    low, high = limits

    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not int:
            _wrong_type("an integer", value, parent, step, problems)
        elif not low <= value <= high:
            bits = 32 if high < 2**32 else 64
            message = f"{shown(value)} is not an integer of {bits} bits"
            hint = f"use a number from {low} to {high}"
            path = path_of(parent, step)
            problems.append(Problem("out-of-range", path, message, hint))

    return check


def _enum(values: tuple[Any, ...]) -> Check:
    allowed = frozenset(values)

    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not str:
            _wrong_type("a string", value, parent, step, problems)
        elif value not in allowed and not has_placeholder(value):
            message = f"{shown(value)} is not allowed"
            hint = f"use one of {', '.join(map(str, values))}"
            path = path_of(parent, step)
            problems.append(Problem("invalid-enum", path, message, hint))

    return check


def _bytes(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) is list:
        check = _integer((0, 255))
        for index, item in enumerate(value):
            check(item, (step, parent), index, problems)
    elif type(value) is not str:
        _wrong_type("a string in base64", value, parent, step, problems)
    elif not has_placeholder(value):
        index_of_error = scalars.base64_error(value)
        if index_of_error is not None:
            _add(
                "invalid-base64",
                f"illegal base64 data at input byte {index_of_error}",
                "encode it with base64, or write it as it is under stringData "
                "if this is a Secret",
                parent,
                step,
                problems,
            )


def _quantity(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) in (int, float):
        return
    if type(value) is not str:
        _wrong_type("a quantity", value, parent, step, problems)
    elif not scalars.is_quantity(value) and not has_placeholder(value):
        _add(
            "invalid-quantity",
            f"{shown(value)} is not a quantity",
            "write a number with a suffix: 500m, 2, 1.5, 128Mi, 1Gi",
            parent,
            step,
            problems,
        )


def _int_or_string(
    value: Any, parent: Link | None, step: str | int, problems: list[Problem]
) -> None:
    if type(value) is not str:
        if type(value) is int:
            _integer(_INT32)(value, parent, step, problems)
        else:
            _wrong_type("an integer or a string", value, parent, step, problems)


def _text(rule: RuleId, what: str, hint: str, accepts: Callable[[str], bool]) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is not str:
            _wrong_type(what, value, parent, step, problems)
        elif not accepts(value) and not has_placeholder(value):
            message = f"{shown(value)} is not {what}"
            _add(rule, message, hint, parent, step, problems)

    return check


def _schema_or_array(schema_check: Check) -> Check:
    check_list = _list(None, schema_check)

    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        # Other values are read as if they were absent.
        if type(value) is dict:
            schema_check(value, parent, step, problems)
        elif type(value) is list:
            check_list(value, parent, step, problems)

    return check


def _schema_or_bool(schema_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is dict:
            schema_check(value, parent, step, problems)
        elif type(value) is not bool:
            _wrong_type("a boolean or a JSON schema", value, parent, step, problems)

    return check


def _schema_or_strings(schema_check: Check) -> Check:
    check_list = _list(str, _string)

    def check(
        value: Any, parent: Link | None, step: str | int, problems: list[Problem]
    ) -> None:
        if type(value) is dict:
            schema_check(value, parent, step, problems)
        elif type(value) is list:
            check_list(value, parent, step, problems)

    return check


_SPECIAL: Mapping[str, Check] = {
    well_known.QUANTITY: _quantity,
    well_known.INT_OR_STRING: _int_or_string,
    well_known.TIME: _text(
        "invalid-time",
        "a time",
        "write it as 2026-01-31T12:00:00Z",
        scalars.is_time,
    ),
    well_known.MICRO_TIME: _text(
        "invalid-time",
        "a time with microseconds",
        "write it as 2026-01-31T12:00:00.000000Z",
        scalars.is_micro_time,
    ),
    f"{well_known.META_V1}.Duration": _text(
        "invalid-time", "a duration", "write it as 1h30m", scalars.is_duration
    ),
    f"{well_known.META_V1}.FieldsV1": _anything,
    f"{well_known.META_V1}.Patch": _any_object,
    _RAW: _anything,
}


def path_of(parent: Link | None, step: str | int) -> Path:
    """The path of a value, without the object itself, whose step is empty."""
    steps: list[str | int] = [step]
    while parent is not None:
        step, parent = parent
        steps.append(step)
    steps.reverse()
    return tuple(steps[1:])


def shown(value: Any) -> str:
    """A value for a message: one line of at most 60 characters."""
    text = ascii(value) if isinstance(value, str) else _json_name(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _json_name(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else str(value)


def _add(
    rule: RuleId,
    message: str,
    hint: str,
    parent: Link | None,
    step: str | int,
    problems: list[Problem],
) -> None:
    problems.append(Problem(rule, path_of(parent, step), message, hint))


def _unknown(name: str, link: Link, strict: bool) -> Problem:
    path = path_of(link, name)
    message = f'unknown field "{field_path(path)}"'
    if is_directive(name):
        return Problem("patch-directive", path, message, of_key=True)
    rule: RuleId = "unknown-field" if strict else "dropped-field"
    return Problem(rule, path, message, of_key=True)


def _missing(name: str, link: Link) -> Problem:
    path = path_of(link, name)
    message = f"required field {name!a} is missing"
    return Problem("missing-field", path, message, f"add {name}")


def _wrong_type(
    expected: str,
    value: Any,
    parent: Link | None,
    step: str | int,
    problems: list[Problem],
) -> None:
    if type(value) is str and has_placeholder(value):
        return
    kind = _TYPE_NAMES.get(type(value), "a value")
    given = "" if isinstance(value, dict | list) else f" {shown(value)}"
    hint = ""
    if expected.startswith("a string") and not isinstance(value, dict | list):
        hint = "quote it"
    elif type(value) is str and expected in ("an integer", "a number", "a boolean"):
        hint = "remove the quotes" if value.isascii() else ""
    message = f"must be {expected}, not {kind}{given}"
    problems.append(Problem("wrong-type", path_of(parent, step), message, hint))


_TYPE_NAMES: Mapping[type, str] = {
    str: "the string",
    bool: "the boolean",
    int: "the number",
    float: "the number",
    list: "a list",
    dict: "an object",
}
