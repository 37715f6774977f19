"""Models as types for pydantic: fields of its models, and so bodies in FastAPI."""

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from inspect import cleandoc
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, cast, get_args, get_origin

from pydantic_core import core_schema

from ._problems import fields_of, members_of
from ._times import ExactTime
from ._types import OfficialModel

if TYPE_CHECKING:
    Open = EmbeddedObject = object
else:
    from ._types import EmbeddedObject, Open

_PLAIN: dict[Any, Any] = {
    bool: core_schema.bool_schema,
    int: core_schema.int_schema,
    float: core_schema.float_schema,
    str: core_schema.str_schema,
}


def core_schema_of(model: Any) -> Any:
    """pydantic's schema of a model.

    The model reads and writes itself; the definitions are what its JSON schema, and
    the OpenAPI document of FastAPI, are made of.
    """
    schema = core_schema.no_info_wrap_validator_function(
        partial(_read, model),
        core_schema.definition_reference_schema(_reference(model)),
        serialization=core_schema.plain_serializer_function_ser_schema(_write),
    )
    return core_schema.definitions_schema(
        schema, [_definition(each) for each in _reachable(model)]
    )


def _read(model: Any, value: Any, _: Any) -> Any:
    """The model in a value. Raises ModelError, which pydantic reports."""
    return value if isinstance(value, model) else model.from_dict(value)


def _write(value: Any) -> Any:
    if isinstance(value, OfficialModel):
        return cast("Any", value).to_dict(names="json")
    return value


def _reference(model: Any) -> str:
    return f"{model.__module__}.{model.__qualname__}:{id(model)}"


def _reachable(model: Any) -> list[Any]:
    """A model and all that are part of it, each once."""
    found = {model: None}
    for part in (queue := [model]):
        for field in fields_of(part).values():
            for inner in _models_in(field.type):
                if inner not in found:
                    found[inner] = None
                    queue.append(inner)
    return queue


def _models_in(kind: Any) -> Iterator[Any]:
    for member in members_of(kind):
        if isinstance(member, type) and issubclass(member, OfficialModel):
            yield member
        elif get_origin(member) is not Literal:
            for argument in get_args(member):
                yield from _models_in(argument)


def _definition(model: Any) -> Any:
    fields = {
        name: core_schema.typed_dict_field(_schema(field.type), required=field.required)
        for name, field in fields_of(model).items()
    }
    updates = {"title": model.__name__, "description": cleandoc(model.__doc__ or "")}
    return core_schema.typed_dict_schema(
        fields,
        ref=_reference(model),
        metadata={"pydantic_js_updates": updates},
    )


def _schema(kind: Any) -> Any:
    """pydantic's schema of an annotation."""
    kinds = [member for member in members_of(kind) if member is not NoneType]
    schemas = [_plain_schema(member) for member in kinds]
    schema = schemas[0] if len(schemas) == 1 else core_schema.union_schema(schemas)
    if len(kinds) < len(members_of(kind)):
        return core_schema.nullable_schema(schema)
    return schema


def _plain_schema(kind: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Open:
        return _plain_schema(arguments[0])
    if kind is EmbeddedObject:
        return core_schema.dict_schema(core_schema.str_schema())
    if kind is ExactTime:
        return core_schema.datetime_schema()
    if origin is Literal:
        return core_schema.literal_schema(list(arguments))
    if origin is list:
        return core_schema.list_schema(_schema(arguments[0]))
    if origin is dict:
        return core_schema.dict_schema(core_schema.str_schema(), _schema(arguments[1]))
    if kind in _PLAIN:
        return _PLAIN[kind]()
    if isinstance(kind, type) and issubclass(kind, OfficialModel):
        return core_schema.definition_reference_schema(_reference(kind))
    if isinstance(kind, type) and issubclass(kind, datetime):
        return core_schema.datetime_schema()
    return core_schema.any_schema()
