"""Python types for schemas: annotations, and the official client's type names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Schema
from kubestencil.schema.knowledge.words import default_in_words
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY, TIME

# The definitions of times, each with its Python type.
_TIMES = {MICRO_TIME: "MicroTime", TIME: "Time"}

#: The functions in ``_base.py`` that bring a time to the precision of its type.
TIME_CONVERTERS: Mapping[str, str] = {
    "DateTime": "to_datetime",
    "MicroTime": "to_micro_time",
    "Time": "to_time",
}


def with_default(description: str, default: Any) -> str:
    """The docstring of an attribute that has a default, which is a JSON value."""
    return f"{description}\n\n{default_in_words(default)}".lstrip()


class PythonType(NamedTuple):
    """The type of a value in Python.

    ``annotation`` is the type hint in generated code, ``official`` the type as the
    official client's ``openapi_types`` names it, empty in a custom class.
    ``references`` are the full names of the definitions whose classes are in them.
    ``time_converter`` is the function that gives a time, or a container of times, its
    precision, empty for other types.
    """

    annotation: str
    official: str = ""
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


class TypeSpeller:
    """Spells the types of a release; each reference is resolved once.

    ``classes`` maps the full name of a definition to its class.
    """

    def __init__(
        self, definitions: Mapping[str, Definition], classes: Mapping[str, str]
    ) -> None:
        self._definitions = definitions
        self._classes = classes
        self._reference = cache(self._refer)

    def spell(self, schema: Schema) -> PythonType:
        """The type of the values that a schema allows."""
        if schema.ref is not None:
            return self._reference(schema.ref)
        if schema.type == "array":
            return (self.spell(schema.items) if schema.items else _ANY).in_list()
        if schema.values is not None:
            return self.spell(schema.values).in_map()
        return _scalar(schema)

    def _refer(self, name: str) -> PythonType:
        definition = self._definitions[name]
        if definition.is_object:
            class_name = self._classes[name]
            return PythonType(class_name, class_name, (name,))
        if name == QUANTITY:
            return PythonType("Quantity", "str")
        if name in _TIMES and definition.schema.format == "date-time":
            return _time(_TIMES[name])
        return self.spell(definition.schema)


def _time(name: str) -> PythonType:
    return PythonType(name, "datetime", time_converter=TIME_CONVERTERS[name])


_ANY = PythonType("Any", "object")
_INT_OR_STRING = PythonType("int | str", "object")
_DATE_TIME = _time("DateTime")
# By the type of the schema. Most fields have one of these.
_SCALARS = {
    "boolean": PythonType("bool", "bool"),
    "integer": PythonType("int", "int"),
    # 1 must not be read as 1.0, which is written differently.
    "number": PythonType("int | float", "float"),
    "object": PythonType("JsonObject", "object"),
    "string": PythonType("str", "str"),
}


def _scalar(schema: Schema) -> PythonType:
    if schema.int_or_string:
        return _INT_OR_STRING
    if schema.type == "string" and schema.format == "date-time":
        return _DATE_TIME
    return _SCALARS.get(schema.type, _ANY) if schema.type else _ANY
