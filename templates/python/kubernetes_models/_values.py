"""Models as dicts in which times are still times, as the official client uses them."""

from collections.abc import Callable
from typing import Any

from ._base import Model


def python_values(model: Model) -> dict[str, Any]:
    """Every attribute of a model under its Python name, models in it likewise."""
    names = model.__struct_fields__
    return {name: _value(getattr(model, name), python_values) for name in names}


def json_values(model: Model) -> dict[str, Any]:
    """What is there of a model, by JSON name, models in it likewise."""
    names = zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
    values = ((json_name, getattr(model, name)) for name, json_name in names)
    return {
        json_name: _value(value, json_values)
        for json_name, value in values
        if value is not None
    }


def _value(value: Any, convert: Callable[[Model], dict[str, Any]]) -> Any:
    """A value with dicts for models, which ``convert`` makes."""
    if isinstance(value, Model):
        return convert(value)
    if isinstance(value, list):
        return [_value(item, convert) for item in value]
    if isinstance(value, dict):
        return {key: _value(item, convert) for key, item in value.items()}
    return value
