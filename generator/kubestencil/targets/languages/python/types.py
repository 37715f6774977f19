"""Python types for schemas: annotations, and the official client's type names.

What only schemas of custom resources have is a part of the type: unions, null, embedded
objects, objects that keep or lose fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Schema
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY, TIME
from kubestencil.text.languages import python_literal

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WIDE = re.compile(r"[^\x00-\xff]")
# msgspec has no others in a Literal.
_MAX = 2**63
_STANDARD_FIELDS = frozenset(["apiVersion", "kind", "metadata"])


class PythonType(NamedTuple):
    """The type of a value in Python.

    ``annotation`` is the type hint in generated code, ``official`` the type as the
    official client's ``openapi_types`` names it. ``references`` are the full names of
    the definitions whose classes are in them. ``time_converter`` is the function that
    gives a time, or a container of times, its precision, empty for other types.
    """

    annotation: str
    official: str = "object"
    references: tuple[str, ...] = ()
    time_converter: str = ""

    def in_list(self) -> PythonType:
        """The type of a list of such values."""
        return self._replace(
            annotation=f"list[{self.annotation}]", official=f"list[{self.official}]"
        )

    def in_map(self) -> PythonType:
        """The type of a map of such values."""
        return self._replace(
            annotation=f"dict[str, {self.annotation}]",
            official=f"dict(str, {self.official})",
        )

    def or_none(self) -> PythonType:
        """The type of such values and None."""
        if self.annotation == "Any" or self.annotation.endswith(" | None"):
            return self
        return self._replace(annotation=f"{self.annotation} | None")


_ANY = PythonType("Any")
_JSON_OBJECT = PythonType("JsonObject")
_SCALARS = {
    "array": _ANY.in_list(),
    "boolean": PythonType("bool", "bool"),
    "integer": PythonType("int", "int"),
    # 1 must not be read as 1.0, which is written differently.
    "number": PythonType("int | float", "float"),
    "object": _JSON_OBJECT,
    "string": PythonType("str", "str"),
}
_TIMES = {
    TIME: PythonType("Time", "datetime", time_converter="to_time"),
    MICRO_TIME: PythonType("MicroTime", "datetime", time_converter="to_micro_time"),
}
_DATE_TIME = PythonType("DateTime", "datetime", time_converter="to_datetime")
_EXACT_TIME = PythonType("ExactTime", "datetime", time_converter="to_exact_time")


def is_any_resource(schema: Schema) -> bool:
    """Whether a schema allows any Kubernetes object: an embedded resource of which
    the schema says nothing more."""
    return (
        schema.embedded_resource
        and schema.preserves_unknown_fields
        and all(field.name in _STANDARD_FIELDS for field in schema.fields)
    )


@dataclass(frozen=True, slots=True)
class TypeSpeller:
    """Spells the types of the attributes of classes.

    ``class_name`` returns the name of a definition's class, None where it has none;
    ``is_open`` says whether its objects may have other fields than attributes.
    ``is_custom`` says that schemas are those of custom resources, which are all that the
    API server knows: it drops what is not in them, refuses values that no enum has, and
    keeps times as they were written.
    """

    definitions: Mapping[str, Definition]
    class_name: Callable[[str], str | None]
    is_open: Callable[[str], bool]
    is_custom: bool

    def spell(self, schema: Schema) -> PythonType:
        """The type of the values that a schema allows, with None where null is a
        value."""
        type_ = self._spell(schema)
        return type_.or_none() if schema.nullable else type_

    def _spell(self, schema: Schema) -> PythonType:
        if schema.ref is not None:
            return self._refer(schema.ref)
        if self.is_custom and (type_ := _custom_type(schema)) is not None:
            return type_
        if schema.type == "array":
            return (self.spell(schema.items) if schema.items else _ANY).in_list()
        if schema.values is not None:
            return self.spell(schema.values).in_map()
        if schema.type == "string" and schema.format == "date-time":
            return _DATE_TIME
        return _union(_SCALARS.get(name, _ANY) for name in _json_types(schema))

    def _refer(self, name: str) -> PythonType:
        class_name = self.class_name(name)
        if class_name is not None:
            annotation = f"Open[{class_name}]" if self.is_open(name) else class_name
            return PythonType(annotation, class_name, (name,))
        schema = self.definitions[name].schema
        if name == QUANTITY:
            return PythonType("Quantity", "str")
        if name in _TIMES and schema.format == "date-time":
            return _TIMES[name]
        # A definition without fields is a type of Go that has its own JSON.
        return _JSON_OBJECT if schema.drops_all_fields else self.spell(schema)


def _custom_type(schema: Schema) -> PythonType | None:
    """The type of a value of a custom resource that has another type elsewhere."""
    if is_any_resource(schema):
        return PythonType("EmbeddedObject")
    if literals := _literals(schema):
        type_ = PythonType(literals)
        return type_.or_none() if None in schema.enum else type_
    if schema.drops_inner_fields:
        return PythonType("WithoutFields").in_map()
    if schema.drops_all_fields:
        return PythonType("EmptyObject")
    if schema.type == "string" and schema.format == "date-time":
        return _EXACT_TIME
    return None


def _union(members: Iterable[PythonType]) -> PythonType:
    """The type of values of some types; Any where there is none."""
    types = list(members)
    if len(types) < 2:
        return types[0] if types else _ANY
    names = " | ".join(type_.annotation for type_ in types).split(" | ")
    return PythonType(" | ".join(dict.fromkeys(names)))


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
