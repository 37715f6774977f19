"""Models as dicts in which times are still times, as the official client uses them, and
back."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from ._kinds import CUSTOM_KINDS, KINDS
from ._problems import fields_of, members_of
from ._types import UNKNOWN_KEY, OfficialModel

if TYPE_CHECKING:
    from ._base import Model

    Open = EmbeddedObject = object
else:
    from ._types import EmbeddedObject, Open


def model_for(api_version: str, kind: str) -> "type[Model] | None":
    """The class of a kind: ``model_for("apps/v1", "Deployment")``.

    None where this release of Kubernetes has no such kind.
    """
    name = CUSTOM_KINDS.get(api_version, {}).get(kind)
    if name is None:
        name = f"models:{KINDS.get(api_version, {}).get(kind, '')}"
    module, _, class_name = name.partition(":")
    if not class_name:
        return None
    model: type[Model] = getattr(import_module(f".{module}", __package__), class_name)
    return model


def identified(model: Any) -> Any:
    """The model, or a copy with apiVersion and kind where it is a kind without them."""
    model_class: Any = type(model)
    found = kind_of(model_class)
    if found is None:
        return model
    changes = {
        name: value
        for name, value in zip(("api_version", "kind"), found, strict=True)
        if getattr(model, name) is None
    }
    return msgspec.structs.replace(model, **changes)


@cache
def kind_of(model: Any) -> tuple[str, str] | None:
    """The apiVersion and kind of a class; None where it has none, or several."""
    for base in model.__mro__:
        module = base.__module__.rpartition(".")[0]
        if name := _kinds().get(f"{module}:{base.__name__}"):
            return name
    return None


@cache
def _kinds() -> dict[str, tuple[str, str] | None]:
    """The apiVersion and kind of each class, None for several."""
    found: dict[str, tuple[str, str] | None] = {}
    for table, module in ((KINDS, "models:"), (CUSTOM_KINDS, "")):
        for api_version, kinds in table.items():
            for kind, name in kinds.items():
                key = f"{__package__}.{module}{name}"
                found[key] = None if key in found else (api_version, kind)
    return found


def python_values(model: Any) -> dict[str, Any]:
    """Every attribute of a model under its Python name, models in it likewise, and
    unknown fields under their JSON names."""
    values = {
        name: _value(getattr(model, name), python_values)
        for name in model.__struct_fields__
        if name != "unknown_fields"
    }
    return {**model.unknown_fields, **values}


def json_values(model: Any) -> dict[str, Any]:
    """What is there of a model, by JSON name, models in it likewise."""
    names = zip(model.__struct_fields__, model.__struct_encode_fields__, strict=True)
    values = ((json_name, getattr(model, name)) for name, json_name in names)
    known = {
        json_name: _value(value, json_values)
        for json_name, value in values
        if value is not None and json_name != UNKNOWN_KEY
    }
    return {**model.unknown_fields, **known}


def _value(value: Any, convert: Callable[[Any], dict[str, Any]]) -> Any:
    """A value with dicts for models, which ``convert`` makes."""
    if isinstance(value, OfficialModel):
        return convert(value)
    if isinstance(value, list):
        return [_value(item, convert) for item in value]
    if isinstance(value, dict):
        return {key: _value(item, convert) for key, item in value.items()}
    return value


def json_named(model: Any, data: Any) -> Any:
    """The dict of ``to_dict(names="python")`` with JSON names; other data as they are."""
    with suppress(RecursionError):  # Those cannot be read, which is said elsewhere.
        return _json_named(model, data, None)
    return data


def _json_named(kind: Any, value: Any, is_python: bool | None) -> Any:
    """A value of a type with JSON names. ``is_python`` says whether it has the others,
    None where no name around it does."""
    if is_python is False or not isinstance(value, dict | list):
        return value
    for member in members_of(kind):
        origin, arguments = get_origin(member), get_args(member)
        if origin is Open:
            member = arguments[0]
        elif member is EmbeddedObject and isinstance(value, dict):
            api_version, name = value.get("api_version"), value.get("kind")
            if isinstance(api_version, str) and isinstance(name, str):
                member = model_for(api_version, name)
        if origin is list and isinstance(value, list):
            return [_json_named(arguments[0], item, is_python) for item in value]
        if origin is dict and isinstance(value, dict):
            named = _json_named
            return {key: named(arguments[1], value[key], is_python) for key in value}
        if isinstance(member, type) and issubclass(member, OfficialModel):
            return _json_named_model(member, value, is_python)
    return value


def _json_named_model(model: Any, value: Any, is_python: bool | None) -> Any:
    if not isinstance(value, dict):
        return value
    fields = fields_of(model)
    json_names = {field.name: name for name, field in fields.items()}
    if is_python is None and value.keys() & (json_names.keys() - fields.keys()):
        is_python = True
    elif is_python is None and value.keys() & (fields.keys() - json_names.keys()):
        return value
    result: dict[str, Any] = {}
    for key, item in value.items():
        name: Any = json_names.get(key, key) if is_python else key
        field = fields.get(name)
        if field is None:
            result[key] = item
        elif item is not None or field.required or not is_python:
            result[name] = _json_named(field.type, item, is_python)
    return result
