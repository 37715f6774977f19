"""Python types of custom resources, which use more of their schemas than those of
Kubernetes' own types: enums, nullable values, objects that keep unknown fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from kubestencil.schema import Definition, Schema
from kubestencil.schema.well_known import MICRO_TIME, QUANTITY, TIME
from kubestencil.text.languages import python_literal

#: What ``_custom.py`` and ``typing`` provide for the classes of custom resources.
RUNTIME_NAMES = frozenset(
    [
        "CustomModel", "EmbeddedObject", "EmptyObject", "ExactTime", "Literal", "Open",
        "OpenModel", "WithoutFields",
    ]
)  # fmt: skip

_WELL_KNOWN = {
    QUANTITY: ("Quantity", ""),
    TIME: ("Time", "to_time"),
    MICRO_TIME: ("MicroTime", "to_micro_time"),
}
_BUILTINS = {
    "boolean": ("bool",),
    "integer": ("int",),
    # 1 must not be read as 1.0, which is written differently.
    "number": ("int", "float"),
    "string": ("str",),
}
_LITERAL = frozenset(["Literal"])
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WIDE = re.compile(r"[^\x00-\xff]")
# msgspec has no others in a Literal.
_MAX = 2**63
_STANDARD_FIELDS = frozenset(["apiVersion", "kind", "metadata"])


class CustomPythonType(NamedTuple):
    """The type of a value in Python.

    ``annotation`` is the type hint, ``names`` what it needs imported from ``typing``,
    ``_base`` and ``_custom``, ``references`` the full names of the definitions whose
    classes it has. ``time_converter`` is the function that gives a time its precision,
    empty for other types.
    """

    annotation: str
    names: frozenset[str] = frozenset()
    references: tuple[str, ...] = ()
    time_converter: str = ""


def is_any_resource(schema: Schema) -> bool:
    """Whether a schema allows any Kubernetes object: an embedded resource of which
    the schema says nothing more."""
    return (
        schema.embedded_resource
        and schema.preserves_unknown_fields
        and all(field.name in _STANDARD_FIELDS for field in schema.fields)
    )


class CustomTypeSpeller:
    """Spells the types of one class.

    ``class_name`` returns the local name of a definition's class, or None where it has
    none; ``is_open`` says whether its objects may have other fields than attributes.
    ``aliased`` are the builtins that the class has an attribute of the same name as,
    which are imported with a leading underscore.
    """

    def __init__(
        self,
        definitions: Mapping[str, Definition],
        class_name: Callable[[str], str | None],
        is_open: Callable[[str], bool],
        aliased: frozenset[str],
    ) -> None:
        self._definitions = definitions
        self._class_name = class_name
        self._is_open = is_open
        self._aliased = aliased

    def spell(self, schema: Schema) -> CustomPythonType:
        """The type of the values that a schema allows, with None where null is a
        value."""
        type_ = self._spell(schema)
        return _optional(type_) if schema.nullable else type_

    def _spell(self, schema: Schema) -> CustomPythonType:
        if schema.ref is not None:
            return self._refer(schema.ref)
        if is_any_resource(schema):
            return _named("EmbeddedObject")
        literals = _literals(schema)
        if literals:
            type_ = CustomPythonType(literals, _LITERAL)
            return _optional(type_) if None in schema.enum else type_
        if schema.type == "array":
            return self._list(self.spell(schema.items) if schema.items else _ANY)
        if schema.values is not None:
            return self._map(self.spell(schema.values))
        if schema.drops_inner_fields:
            return self._map(_named("WithoutFields"))
        if schema.drops_all_fields:
            return _named("EmptyObject")
        if schema.type == "string" and schema.format == "date-time":
            return _named("ExactTime", "to_exact_time")
        return self._union(_json_types(schema))

    def _refer(self, name: str) -> CustomPythonType:
        class_name = self._class_name(name)
        if class_name is None:
            if name in _WELL_KNOWN:
                return _named(*_WELL_KNOWN[name])
            schema = self._definitions[name].schema
            # A definition without fields is a type of Go that has its own JSON.
            is_any_object = schema.drops_all_fields
            return self._map(_ANY) if is_any_object else self.spell(schema)
        if self._is_open(name):
            return CustomPythonType(f"Open[{class_name}]", frozenset(["Open"]), (name,))
        return CustomPythonType(class_name, references=(name,))

    def _union(self, json_types: Iterable[str]) -> CustomPythonType:
        """The type of values of some JSON types; Any where there is none."""
        members: dict[str, CustomPythonType] = {}
        for json_type in json_types:
            if json_type == "array":
                members["list"] = self._list(_ANY)
            elif json_type == "object":
                members["dict"] = self._map(_ANY)
            else:
                for name in _BUILTINS[json_type]:
                    members[name] = self._builtin(name)
        if not members:
            return _ANY
        return CustomPythonType(
            " | ".join(member.annotation for member in members.values()),
            frozenset[str]().union(*(member.names for member in members.values())),
        )

    def _list(self, item: CustomPythonType) -> CustomPythonType:
        list_ = self._builtin("list")
        return item._replace(
            annotation=f"{list_.annotation}[{item.annotation}]",
            names=item.names | list_.names,
        )

    def _map(self, value: CustomPythonType) -> CustomPythonType:
        if value is _ANY:
            return _named("JsonObject")
        dict_, str_ = self._builtin("dict"), self._builtin("str")
        return value._replace(
            annotation=f"{dict_.annotation}[{str_.annotation}, {value.annotation}]",
            names=value.names | dict_.names | str_.names,
        )

    def _builtin(self, name: str) -> CustomPythonType:
        return _named(f"_{name}") if name in self._aliased else CustomPythonType(name)


def _named(name: str, time_converter: str = "") -> CustomPythonType:
    return CustomPythonType(name, frozenset([name]), time_converter=time_converter)


_ANY = _named("Any")


def _optional(type_: CustomPythonType) -> CustomPythonType:
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
