"""Decodes objects as the API server does, with strict decoding: sigs.k8s.io/json.

A definition is compiled once, when there is a value for it, into a function that adds
what is wrong with a value to the results. Paths are built only where there is a
problem. Values are never converted, and null is accepted wherever Go leaves a zero
value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kubestencil.checking.decoding.custom import check_of_custom
from kubestencil.checking.decoding.remarks import Remark, Remarks
from kubestencil.checking.decoding.scalar_checks import (
    SPECIAL,
    accept_all,
    check_object,
    check_of_scalar,
    check_string,
)
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.problems import (
    Check,
    Link,
    missing_field,
    path_of,
    refuse_type,
    unknown_field,
)
from kubestencil.schema.types import Definition, Schema
from kubestencil.schema.well_known import is_built_in

_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."


class Member(NamedTuple):
    """A field of a compiled object. Values of ``plain_type`` are right as they are;
    None where every value must be checked."""

    plain_type: type | None
    check: Check


@dataclass(slots=True)
class Decoder:
    """Compiles the definitions of a release, each when it is first needed."""

    definitions: Mapping[str, Definition]
    remarks: Remarks
    _compiled: dict[tuple[str, bool], Check] = field(default_factory=dict)

    def check_of(self, name: str, *, is_strict: bool = True) -> Check:
        """The check of a definition. Where decoding is not strict, the API server drops
        unknown fields without a word."""
        key = name, is_strict
        check = self._compiled.get(key)
        if check is None:
            check = self._compiled[key] = self._compile(name, is_strict)
        return check

    def referred(self, name: str, is_strict: bool) -> Check:
        """The check of a definition that is compiled when there is a value for it."""
        compiled: Check | None = None

        def check(
            value: Any, parent: Link | None, step: str | int, results: Results
        ) -> None:
            nonlocal compiled
            if compiled is None:
                compiled = self.check_of(name, is_strict=is_strict)
            compiled(value, parent, step, results)

        return check

    def _compile(self, name: str, is_strict: bool) -> Check:
        if name in SPECIAL:
            return SPECIAL[name]
        if name.startswith(_APIEXTENSIONS):
            union = self._schema_union(name)
            if union is not None:
                return union
        definition = self.definitions[name]
        if not is_built_in(name):
            return check_of_custom(definition.schema, self)
        schema = definition.schema
        if schema.is_object:
            return self._object(definition, is_strict)
        if schema.type == "object" and schema.values is None:
            # An empty struct, to which any field is unknown.
            return _struct({}, (), {}, is_strict)
        return self._check_of_schema(schema, is_strict)

    def _object(self, definition: Definition, is_strict: bool) -> Check:
        members = {
            name: Member(_plain_type(schema), self._check_of_schema(schema, is_strict))
            for name, schema, _ in definition.fields
        }
        required = tuple(
            name for name, _, is_required in definition.fields if is_required
        )
        remarks = self.remarks.on(definition)
        return _struct(members, required, remarks, is_strict)

    def _check_of_schema(self, schema: Schema, is_strict: bool) -> Check:
        if schema.ref is not None:
            return self.referred(schema.ref, is_strict)
        if schema.type == "array" and schema.items is not None:
            item = schema.items
            return _list(_plain_type(item), self._check_of_schema(item, is_strict))
        if schema.type == "object":
            values = schema.values
            if values is None:
                return check_object
            return _map(_plain_type(values), self._check_of_schema(values, is_strict))
        return check_of_scalar(schema)

    def _schema_union(self, name: str) -> Check | None:
        """The check of a type of CustomResourceDefinitions that is a JSON schema or
        something else. Its own decoder is not strict (apiextensions, marshal.go)."""
        package, _, kind = name.rpartition(".")
        schema_check = self.referred(f"{package}.JSONSchemaProps", is_strict=False)
        if kind == "JSONSchemaPropsOrArray":
            return _either(schema_check, _list(None, schema_check))
        if kind == "JSONSchemaPropsOrStringArray":
            return _either(schema_check, _list(str, check_string))
        if kind == "JSONSchemaPropsOrBool":
            return _schema_or_boolean(schema_check)
        return accept_all if kind == "JSON" else None


def _struct(
    members: Mapping[str, Member],
    required: tuple[str, ...],
    remarks: Mapping[str, tuple[Remark, ...]],
    is_strict: bool,
) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, results: Results
    ) -> None:
        if type(value) is not dict:
            refuse_type("an object", value, parent, step, results)
            return
        link = (step, parent)
        for name, content in value.items():
            member = members.get(name)
            if member is None:
                problem = unknown_field(name, link, is_dropped=not is_strict)
                results.problems.append(problem)
            elif type(content) is not member[0] and content is not None:
                member[1](content, link, name, results)
        for name in required:
            if value.get(name) is None:
                results.problems.append(missing_field(name, link))
        if remarks:
            _add_remarks(remarks, value, link, results)

    return check


def _add_remarks(
    remarks: Mapping[str, tuple[Remark, ...]],
    value: Mapping[str, Any],
    link: Link,
    results: Results,
) -> None:
    for name, content in value.items():
        if content is None:
            continue
        for rule, message, hint in remarks.get(name, ()):
            path = path_of(link, name)
            results.problems.append(Problem(rule, path, message, hint, of_key=True))


def _list(plain_type: type | None, item_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, results: Results
    ) -> None:
        if type(value) is not list:
            refuse_type("a list", value, parent, step, results)
            return
        link = (step, parent)
        for index, item in enumerate(value):
            if type(item) is not plain_type and item is not None:
                item_check(item, link, index, results)

    return check


def _map(plain_type: type | None, value_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, results: Results
    ) -> None:
        if type(value) is not dict:
            refuse_type("an object", value, parent, step, results)
            return
        link = (step, parent)
        for key, content in value.items():
            if type(content) is not plain_type and content is not None:
                value_check(content, link, key, results)

    return check


def _either(object_check: Check, list_check: Check) -> Check:
    """The check of an object or a list; other values are read as if absent."""

    def check(
        value: Any, parent: Link | None, step: str | int, results: Results
    ) -> None:
        if type(value) is dict:
            object_check(value, parent, step, results)
        elif type(value) is list:
            list_check(value, parent, step, results)

    return check


def _schema_or_boolean(schema_check: Check) -> Check:
    def check(
        value: Any, parent: Link | None, step: str | int, results: Results
    ) -> None:
        if type(value) is dict:
            schema_check(value, parent, step, results)
        elif type(value) is not bool:
            expected = "a boolean or a JSON schema"
            refuse_type(expected, value, parent, step, results)

    return check


def _plain_type(schema: Schema) -> type | None:
    """The type whose values need no check."""
    if schema.ref is not None:
        return None
    if schema.type == "string":
        return str if schema.format is None and not schema.enum else None
    return bool if schema.type == "boolean" else None
