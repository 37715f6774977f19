"""The options of a target, as a typed value for its view."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from kubestencil.engine.manifest import Target
from kubestencil.errors import nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _Options = TypeVar("_Options", bound=DataclassInstance)

_NOUNS = {str: "string", bool: "boolean", int: "number", float: "number"}


def read_options(target: Target, options: type[_Options]) -> _Options:
    """The options of ``target`` as an instance of the dataclass ``options``.

    Its fields are strings, numbers, booleans, or a ``Literal`` of strings; those with a
    default may be absent from the manifest. Options that it has no field for are for
    templates.

    Raises ``option_error`` for an option that is missing, of another type, or not
    among the values of its ``Literal``.
    """
    types = get_type_hints(options)
    return options(
        **{
            field.name: _checked(target, field.name, types[field.name])
            for field in fields(options)
            if field.name in target.options or field.default is MISSING
        }
    )


def _checked(target: Target, name: str, type_: Any) -> object:
    if name not in target.options:
        hint = nearest(name, target.options)
        raise target.error("is missing", f"options.{name}", hint)
    value = target.options[name]
    if get_origin(type_) is Literal:
        values = get_args(type_)
        if value not in values:
            raise target.option_error(
                f"unknown value {value!r}", name, nearest(str(value), values)
            )
    elif type(value) is not type_:
        raise target.option_error(f"must be a {_NOUNS[type_]}", name)
    return value
