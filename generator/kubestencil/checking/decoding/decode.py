"""Decodes objects as the API server does, with strict decoding: sigs.k8s.io/json.

A definition is compiled once, when there is a value for it, into a function that adds
what is wrong with a value to the results. Paths are built only where there is a
problem. Values are never converted, and null is accepted wherever Go leaves a zero
value.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kubestencil.checking.decoding.custom import check_of_custom
from kubestencil.checking.decoding.remarks import Remark, remarks_on
from kubestencil.checking.decoding.scalar_checks import (
    SPECIAL,
    accept_all,
    check_by_type,
    check_object,
    check_of_parts,
    check_of_scalar,
    check_of_type,
    check_string,
)
from kubestencil.checking.findings import Problem, Results
from kubestencil.checking.paths import Link, path_of
from kubestencil.checking.problems import (
    Check,
    missing_field,
    refuse_field,
    refuse_type,
)
from kubestencil.checking.values.combinations import ObjectRule, rule_of
from kubestencil.checking.values.fields import check_of_facts
from kubestencil.schema.knowledge.conditions import Combination
from kubestencil.schema.knowledge.configurations import KUSTOMIZE
from kubestencil.schema.knowledge.fields import KnownField, known_field
from kubestencil.schema.types import Definition, Schema
from kubestencil.schema.well_known import is_built_in

_APIEXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions."


# A deprecated field of CustomResourceDefinitions, with the value that it must have.
_FINE = [("preserveUnknownFields", False)]

#: A field of a compiled object: the type whose values are right as they are, None where
#: every value must be checked, and the check.
_Member = tuple[type | None, Check]


@dataclass(slots=True)
class Decoder:
    """Compiles the definitions of a release, each when it is first needed; ``release``
    is its name."""

    definitions: Mapping[str, Definition]
    release: str
    combinations: Mapping[str, Sequence[Combination]]
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

        def check(value: Any, at: Link, results: Results) -> None:
            self.check_of(name, is_strict=is_strict)(value, at, results)

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
        return self.check_of_schema(schema, is_strict)

    def _object(self, definition: Definition, is_strict: bool) -> Check:
        fields = [
            known_field(self.release, definition.name, field)
            for field in definition.fields
        ]
        members = {known.name: self._member(known, is_strict) for known in fields}
        required = tuple(known.name for known in fields if known.required)
        rules = tuple(map(rule_of, self.combinations.get(definition.name, ())))
        remarks = remarks_on(fields)
        check = _struct(members, required, remarks, is_strict, rules)
        is_of_kustomize = definition.name.startswith(KUSTOMIZE)
        return _in_any_case(members, check) if is_of_kustomize else check

    def _member(self, known: KnownField, is_strict: bool) -> _Member:
        check = self.check_of_schema(known.schema, is_strict)
        check_value = check_of_facts(known.server.enforced)
        if check_value is None:
            return _plain_type(known.schema), check

        def both(value: Any, at: Link, results: Results) -> None:
            check(value, at, results)
            check_value(value, at, results)

        return None, both

    def check_of_schema(self, schema: Schema, is_strict: bool = True) -> Check:
        """The check of values of a schema, which may be a reference."""
        if schema.ref is not None:
            return self.referred(schema.ref, is_strict)
        if schema.type == "array" and schema.items is not None:
            return self._check_of_parts(list, schema.items, is_strict)
        if schema.type == "object":
            if schema.values is None:
                return check_object
            return self._check_of_parts(dict, schema.values, is_strict)
        return check_of_scalar(schema)

    def _check_of_parts(self, container: type, part: Schema, is_strict: bool) -> Check:
        check_part = self.check_of_schema(part, is_strict)
        return check_of_parts(container, check_part, _plain_type(part))

    def _schema_union(self, name: str) -> Check | None:
        """The check of a type of CustomResourceDefinitions that is a JSON schema or
        something else. Its own decoder is not strict (apiextensions, marshal.go)."""
        package, _, kind = name.rpartition(".")
        schema_check = self.referred(f"{package}.JSONSchemaProps", is_strict=False)
        if kind == "JSONSchemaPropsOrArray":
            schemas = check_of_parts(list, schema_check)
            return check_by_type({dict: schema_check, list: schemas})
        if kind == "JSONSchemaPropsOrStringArray":
            strings = check_of_parts(list, check_string)
            return check_by_type({dict: schema_check, list: strings})
        if kind == "JSONSchemaPropsOrBool":
            check_boolean = check_of_type("a boolean or a JSON schema", bool)
            return check_by_type({dict: schema_check}, check_boolean)
        return accept_all if kind == "JSON" else None


def _struct(
    members: Mapping[str, _Member],
    required: tuple[str, ...],
    remarks: Mapping[str, tuple[Remark, ...]],
    is_strict: bool,
    rules: tuple[ObjectRule, ...] = (),
) -> Check:
    def check(value: Any, at: Link, results: Results) -> None:
        if type(value) is not dict:
            refuse_type("an object", value, at, results)
            return
        for name, content in value.items():
            member = members.get(name)
            if member is None:
                refuse_field(name, at, results, is_dropped=not is_strict)
            elif type(content) is not member[0] and content is not None:
                member[1](content, (name, at), results)
        for name in required:
            if value.get(name) is None:
                results.values.append(missing_field(name, at))
        for rule in rules:
            rule(value, at, results)
        if remarks:
            _add_remarks(remarks, value, at, results)

    return check


def _in_any_case(names: Collection[str], check: Check) -> Check:
    """The check of an object whose fields may be written in another case: kustomize decodes
    its files with encoding/json of Go, as Kubernetes does not."""
    known = {name.lower(): name for name in names}

    def check_spelled(value: Any, at: Link, results: Results) -> None:
        if type(value) is dict:
            value = {known.get(key.lower(), key): part for key, part in value.items()}
        check(value, at, results)

    return check_spelled


def _add_remarks(
    remarks: Mapping[str, tuple[Remark, ...]],
    value: Mapping[str, Any],
    at: Link,
    results: Results,
) -> None:
    for name, content in value.items():
        if content is None or (name, content) in _FINE:
            continue
        for rule, message, hint in remarks.get(name, ()):
            path = path_of((name, at))
            results.problems.append(Problem(rule, path, message, hint, of_key=True))


def _plain_type(schema: Schema) -> type | None:
    """The type whose values need no check."""
    if schema.ref is not None:
        return None
    if schema.type == "string":
        return str if schema.format is None and not schema.enum else None
    return bool if schema.type == "boolean" else None
