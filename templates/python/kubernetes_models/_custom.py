"""What the models of custom resources can do besides those of Kubernetes' own types."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache, partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
)

import msgspec

from ._base import Model
from ._errors import ModelError
from ._reading import build, decode, make_decoder, read_text
from ._times import ExactTime as ExactTime
from ._times import to_exact_time as to_exact_time
from ._types import UNKNOWN_KEY, NamesOfOfficialClient, UnknownFields, keeps
from ._types import EmptyObject as EmptyObject
from ._types import WithoutFields as WithoutFields
from ._writing import plain

AnyModel = TypeVar("AnyModel", bound=Model)

if TYPE_CHECKING:
    #: A model that is read with its unknown fields.
    Open = Annotated[AnyModel, "open"]
    #: A Kubernetes object of any kind: a model, or a dict where this package has none
    #: or the model would lose a part of it.
    EmbeddedObject: TypeAlias = Model | dict[str, Any]
else:
    from ._types import EmbeddedObject, Open

# What the annotations are, which type checkers take for something else.
_OPEN: Any = Open
_TIME: Any = ExactTime


class CustomModel(Model, kw_only=True, forbid_unknown_fields=False):
    """A custom resource, or a part of one.

    Fields that its schema does not have are dropped, as by the API server.
    """

    if not TYPE_CHECKING:
        # The official client's ApiClient uses only the keys of openapi_types.
        attribute_map = openapi_types = NamesOfOfficialClient()

        def _json_values(self):
            return plain(self)

    @classmethod
    def from_json(cls, data: str | bytes, *, strict: bool = False) -> Self:
        if not strict:
            try:
                model: Self = read_text(_decoder(cls), data)
                return model
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                pass  # found again below, where there is time to say what it is
        from ._problems import parsed

        return cls.from_dict(parsed(data), strict=strict)

    @classmethod
    def from_dict(cls, data: Any, *, strict: bool = False) -> Self:
        if strict:
            from ._problems import check

            check(cls, data)
        if not cls._is_built:
            build(cls)
        # A kind with JSON names has this one; to look for others takes longer than to read.
        if type(data) is dict and ("apiVersion" not in data or "api_version" in data):
            from ._values import json_named

            data = json_named(cls, data)
        try:
            model: Self = msgspec.convert(data, _annotation(cls), dec_hook=_read)
            return model
        except (msgspec.ValidationError, RecursionError):
            from ._problems import read_carefully

            annotation = _annotation(cls)
            convert = partial(msgspec.convert, type=annotation, dec_hook=_read)
            careful: Self = read_carefully(cls, data, convert)
            return careful


class OpenModel(CustomModel, kw_only=True):
    """A model whose objects may have more fields than it has attributes.

    ``unknown_fields`` has fields that the schema does not have, and null where that
    differs from an absent value.
    """

    # Whether unknown fields are kept, and by JSON name the fields that are kept without
    # an attribute, and those whose null is.
    _keeps_unknown: ClassVar[bool] = True
    _kept: ClassVar[set[str]] = set()
    _nullable: ClassVar[set[str]] = set()


def _annotation(model: type[Model]) -> Any:
    """What msgspec is asked to read for a model."""
    return _OPEN[model] if issubclass(model, OpenModel) else model


@cache
def _decoder(model: type[Model]) -> msgspec.json.Decoder[Any]:
    return make_decoder(_annotation(model), _read)


def _read(kind: Any, value: Any) -> Any:
    """Read the types that msgspec does not know."""
    if kind is ExactTime:
        if not isinstance(value, str | datetime):
            raise ValueError("expected a time")
        exact = to_exact_time(value)
        is_read = isinstance(exact, _TIME)
        return exact if is_read else _TIME.combine(exact.date(), exact.timetz())
    if kind is EmbeddedObject:
        return _read_embedded(value)
    if get_origin(kind) is Open:
        return _read_open(get_args(kind)[0], value)
    return decode(kind, value)


def _read_open(model: type[OpenModel], value: Any) -> Any:
    if isinstance(value, model):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("expected an object")
    fields: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for key, item in value.items():
        if key in _json_names(model):
            fields[key] = item
            if item is None and key in model._nullable:
                unknown[key] = None
        elif keeps(model, key):
            unknown[key] = item
    if unknown:
        fields[UNKNOWN_KEY] = UnknownFields(unknown)
    if not model._is_built:
        build(model)
    return msgspec.convert(fields, model, dec_hook=_read)


@cache
def _json_names(model: type[OpenModel]) -> frozenset[str]:
    return frozenset(model.__struct_encode_fields__) - {UNKNOWN_KEY}


def _read_embedded(value: Any) -> Any:
    if isinstance(value, Model):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("expected an object")
    from ._values import model_for

    values = dict(value)
    api_version, kind = values.get("apiVersion"), values.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return values
    model = model_for(api_version, kind)
    if model is None:
        return values
    try:
        embedded = model.from_dict(values)
    except ModelError:
        # The API server checks no more than the metadata of an embedded object.
        return values
    return embedded if embedded.to_dict(names="json") == values else values
