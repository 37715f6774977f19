"""Python types of custom resources, which use more of their schemas than those of
Kubernetes' own types: enums, nullable values, objects that keep unknown fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kubestencil.schema import Definition, Schema
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY, TIME
from kubestencil.targets.languages.python.types import PythonType
from kubestencil.text.languages import python_literal

#: What ``_custom.py`` and ``typing`` provide for the classes of custom resources.
RUNTIME_NAMES = frozenset(
    [
        "CustomModel", "EmbeddedObject", "EmptyObject", "ExactTime", "Literal", "Open",
        "OpenModel", "WithoutFields",
    ]
)  # fmt: skip

_WELL_KNOWN = {
    QUANTITY: PythonType("Quantity"),
    TIME: PythonType("Time", time_converter="to_time"),
    MICRO_TIME: PythonType("MicroTime", time_converter="to_micro_time"),
}
_ANY = PythonType("Any")
_JSON_OBJECT = PythonType("JsonObject")
_BY_JSON_TYPE = {
    "array": "list[Any]",
    "boolean": "bool",
    "integer": "int",
    # 1 must not be read as 1.0, which is written differently.
    "number": "int | float",
    "object": "JsonObject",
    "string": "str",
}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WIDE = re.compile(r"[^\x00-\xff]")
# msgspec has no others in a Literal.
_MAX = 2**63
_STANDARD_FIELDS = frozenset(["apiVersion", "kind", "metadata"])


def is_any_resource(schema: Schema) -> bool:
    """Whether a schema allows any Kubernetes object: an embedded resource of which
    the schema says nothing more."""
    return (
        schema.embedded_resource
        and schema.preserves_unknown_fields
        and all(field.name in _STANDARD_FIELDS for field in schema.fields)
    )


@dataclass(frozen=True, slots=True)
class CustomTypeSpeller:
    """Spells the types of the classes of one file.

    ``class_name`` returns the local name of a definition's class, or None where it has
    none; ``is_open`` says whether its objects may have other fields than attributes.
    """

    definitions: Mapping[str, Definition]
    class_name: Callable[[str], str | None]
    is_open: Callable[[str], bool]

    def spell(self, schema: Schema) -> PythonType:
        """The type of the values that a schema allows, with None where null is a
        value."""
        type_ = self._spell(schema)
        return _optional(type_) if schema.nullable else type_

    def _spell(self, schema: Schema) -> PythonType:
        if schema.ref is not None:
            return self._refer(schema.ref)
        if is_any_resource(schema):
            return PythonType("EmbeddedObject")
        literals = _literals(schema)
        if literals:
            type_ = PythonType(literals)
            return _optional(type_) if None in schema.enum else type_
        if schema.type == "array":
            return (self.spell(schema.items) if schema.items else _ANY).in_list()
        if schema.values is not None:
            value = self.spell(schema.values)
            return _JSON_OBJECT if value is _ANY else value.in_map()
        if schema.drops_inner_fields:
            return PythonType("WithoutFields").in_map()
        if schema.drops_all_fields:
            return PythonType("EmptyObject")
        if schema.type == "string" and schema.format == "date-time":
            return PythonType("ExactTime", time_converter="to_exact_time")
        return _union(_json_types(schema))

    def _refer(self, name: str) -> PythonType:
        class_name = self.class_name(name)
        if class_name is None:
            if name in _WELL_KNOWN:
                return _WELL_KNOWN[name]
            schema = self.definitions[name].schema
            # A definition without fields is a type of Go that has its own JSON.
            return _JSON_OBJECT if schema.drops_all_fields else self.spell(schema)
        annotation = f"Open[{class_name}]" if self.is_open(name) else class_name
        return PythonType(annotation, references=(name,))


def _union(json_types: Iterable[str]) -> PythonType:
    """The type of values of some JSON types; Any where there is none."""
    names = " | ".join(map(_BY_JSON_TYPE.__getitem__, json_types)).split(" | ")
    members = dict.fromkeys(filter(None, names))
    return PythonType(" | ".join(members)) if members else _ANY


def _optional(type_: PythonType) -> PythonType:
    if type_ is _ANY or type_.annotation.endswith(" | None"):
        return type_
    return type_._replace(annotation=f"{type_.annotation} | None")


def _json_types(schema: Schema) -> Iterable[str]:
    """The JSON types that a schema allows, none where it allows all."""
    if schema.int_or_string:
        return ("integer", "string")
    if schema.type is not None:
        return (schema.type,)
    for branches in (schema.one_of, schema.any_of):
        types = [branch.type for branch in branches]
        if types and all(types):
            return [str(type_) for type_ in types]
    return ()


def _literals(schema: Schema) -> str:
    """The values of an enum as a Literal; empty where they cannot be.

    Values that are not of the schema's type are left out, since the API server refuses
    them, too. Literal has strings, integers and None.
    """
    values = schema.enum
    if schema.type in ("string", "integer"):
        type_ = str if schema.type == "string" else int
        values = tuple(value for value in values if isinstance(value, type_))
    elif schema.type is not None:
        return ""
    return literal_type(value for value in values if value is not None)


def literal_type(values: Iterable[Any]) -> str:
    """The type hint ``Literal["a", "b"]`` of JSON values; empty where there is none, or
    where one of them cannot be in it."""
    literals = dict.fromkeys(map(_literal, values))
    if not literals or None in literals:
        return ""
    return f"Literal[{', '.join(map(str, literals))}]"


def _literal(value: Any) -> str | None:
    """A value as an argument of Literal, None where it cannot be."""
    if isinstance(value, str) and not _SURROGATE.search(value):
        # black measures lines by the width of their characters.
        return _WIDE.sub(lambda match: ascii(match[0])[1:-1], python_literal(value))
    if isinstance(value, int) and not isinstance(value, bool) and -_MAX <= value < _MAX:
        return str(value)
    return None
