"""What the models of custom resources can do besides those of Kubernetes' own types."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache, partial
from types import GenericAlias
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

from ._base import (
    UNKNOWN_KEY,
    MicroTime,
    Model,
    NamesOfOfficialClient,
    UnknownFields,
    _decode,
    build,
    make_decoder,
    plain,
    read_text,
    read_time,
    to_datetime,
)

AnyModel = TypeVar("AnyModel", bound=Model)

NO_FIELDS = "no fields"
#: An object whose fields the API server drops: its schema has none.
EmptyObject: TypeAlias = Annotated[dict[str, Any], NO_FIELDS]
#: Any value; the API server drops the fields of objects in it.
WithoutFields: TypeAlias = Annotated[Any, NO_FIELDS]

if TYPE_CHECKING:
    #: A model that is read with its unknown fields.
    Open = Annotated[AnyModel, "open"]
    #: A Kubernetes object of any kind: a model, or a dict where this package has none
    #: or the model would lose a part of it.
    EmbeddedObject: TypeAlias = Model | dict[str, Any]
    #: A point in time that is written as it was read.
    ExactTime: TypeAlias = datetime
else:

    from ._base import IN_SIGNATURE

    class _AnyInstance(type):
        """The type of types that only say how msgspec reads a value."""

        def __instancecheck__(cls, instance):
            return True

    class Open(metaclass=_AnyInstance):
        """An annotation: ``Open[A]`` is an ``A`` that is read by ``_read_open``."""

        def __class_getitem__(cls, model):
            return GenericAlias(cls, model)

    class EmbeddedObject(metaclass=_AnyInstance):
        """An annotation: an object that is read by ``_read_embedded``."""

    class ExactTime(datetime):
        """A datetime that is written as it was read, with all of its digits."""

        __slots__ = ("_text",)
        __signature__ = MicroTime.__signature__

        @classmethod
        def parse(cls, text):
            """The time in a text. Raises msgspec.ValidationError."""
            value = read_time(text)
            exact = to_datetime(value)
            time = cls.combine(exact.date(), exact.timetz())
            # Others than those of RFC 3339 are not accepted by the API server.
            if value.tzinfo and text[10] == "T" and not text.endswith("z"):
                time._text = text
            return time

        @property
        def text(self):
            """The text that was read, None for a time that was computed."""
            return getattr(self, "_text", None)

        def __reduce_ex__(self, protocol):
            if self.text is None:
                return super().__reduce_ex__(protocol)
            return ExactTime.parse, (self.text,)

    IN_SIGNATURE |= {Open: lambda model: model, EmbeddedObject: dict}

# The classes that the annotations are, which type checkers take for something else.
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
            return read_carefully(cls, data, convert)


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


def keeps(model: type[Model], json_name: object) -> bool:
    """Whether a model keeps a field that is no attribute."""
    if not issubclass(model, OpenModel):
        return False
    return model._keeps_unknown or json_name in model._kept


def to_exact_time(value: Any) -> Any:
    """A time, or a container of times, each as it was read."""
    if isinstance(value, str):
        try:
            return _TIME.parse(value)
        except msgspec.ValidationError:
            pass
    elif isinstance(value, dict):
        return {key: to_exact_time(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        return [to_exact_time(item) for item in value]
    return to_datetime(value)


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
    return _decode(kind, value)


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
    from ._manifests import model_for
    from ._problems import ModelError

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
