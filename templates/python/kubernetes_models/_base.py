"""What every model can do, and the types that Kubernetes adds to those of JSON."""

import gc
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from inspect import Parameter, Signature
from threading import RLock
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

# The key under which msgspec reads and writes unknown_fields, before they take their
# place among the others. No document can contain it: it is random, and begins with a
# code point that Unicode reserves for use inside of a program.
UNKNOWN_KEY = f"\ufdd0{os.urandom(8).hex()}"

# The words of an annotation that allows None.
_NONE = re.compile(r"\b(?:None|Optional|Any|Present)\b")
_DIGITS_AFTER_MICROSECONDS = re.compile(r"(?<=\.\d{6})\d+")
# Shorter texts are read before a collection is due.
_LONG_TEXT = 1 << 16

#: Held while msgspec makes the type information of a class and of all classes in it:
#: another thread that reads with a part of it crashes. No module may be imported
#: meanwhile: a thread that imports one waits for this lock.
BUILDING = RLock()
if hasattr(os, "register_at_fork"):
    # Otherwise a child can begin with a lock that nobody releases, and with a part.
    os.register_at_fork(
        before=BUILDING.acquire,
        after_in_parent=BUILDING.release,
        after_in_child=BUILDING.release,
    )

if TYPE_CHECKING:
    _Fields = Mapping[str, Any]
    _Values = Mapping[str, Any] | tuple[()]
else:
    # hypothesis has no strategy for Any, and takes these literally.
    _Fields = Mapping
    _Values = tuple[()]


class UnknownFields(_Fields):
    """Fields that are no attributes of a model, by JSON name."""

    __slots__ = ("_values",)

    def __init__(self, values: _Values = ()) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __reduce__(self) -> Any:
        return UnknownFields, (self._values,)


class _NoFields(UnknownFields):
    """What most objects have: no unknown fields."""

    __slots__ = ()

    # Lets msgspec write the default in JSON schemas, as {}.
    __dataclass_fields__: ClassVar[dict[str, Any]] = {}

    def __reduce__(self) -> str:
        # msgspec leaves out a default only if it is the same object.
        return "_NO_FIELDS"


_NO_FIELDS = _NoFields()

#: A point in time.
DateTime: TypeAlias = datetime
#: A point in time, exact to the second. It is printed as "2024-01-31T12:00:00Z".
Time: TypeAlias = datetime
#: The default of what is Present.
ABSENT: Any = None
#: An amount such as "500m", "2Gi", 2 or 0.5.
Quantity: TypeAlias = str | int | float

if TYPE_CHECKING:
    #: An object with any fields.
    JsonObject: TypeAlias = dict[str, Any]
    #: A point in time, exact to the microsecond: "2024-01-31T12:00:00.000000Z".
    MicroTime: TypeAlias = datetime
    MicroTimeType: TypeAlias = datetime
    UnknownFieldsType: TypeAlias = Mapping[str, Any]
    from msgspec import StructMeta as ModelMeta

    P = TypeVar("P")
    #: What is in each object that the API server sends, and None before: metadata.
    Present: TypeAlias = Annotated[P, "sent"]

    class KnownTexts:
        """See below."""

        values: tuple[str, ...]

    class NamesOfOfficialClient:
        """See below."""

    class OfficialModel:
        """See below."""

else:
    # hypothesis has no strategy for Any.
    JsonObject = dict

    def _part(name, values):
        annotation = Literal[tuple(values)]
        return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)

    class MicroTime(datetime):
        """A datetime that never leaves out the microseconds.

        The API server refuses a metav1.MicroTime that does not have six digits.
        """

        __slots__ = ()
        # What hypothesis makes one of: days that all months have.
        __signature__ = Signature(
            [
                _part("year", (1, 1970, 2024, 9999)),
                _part("month", range(1, 13)),
                _part("day", range(1, 29)),
                _part("hour", range(24)),
                _part("minute", range(60)),
                _part("second", range(60)),
                _part("microsecond", (0, 1, 999_999)),
            ]
        )

        def isoformat(self, sep="T", timespec="auto"):
            return super().isoformat(
                sep, "microseconds" if timespec == "auto" else timespec
            )

    class Present:
        """What an attribute is when classes are made: None before it was sent."""

        def __class_getitem__(cls, value):
            return value | None

    # Says what msgspec cannot know in the JSON schema of a class of its user's.
    MicroTimeType = Annotated[
        MicroTime,
        msgspec.Meta(extra_json_schema={"type": "string", "format": "date-time"}),
    ]

    UnknownFieldsType = Annotated[
        UnknownFields, msgspec.Meta(extra_json_schema={"type": "object"})
    ]

    class KnownTexts:
        """The values of a text that the API server of this release accepts."""

        __slots__ = ("values",)

        def __init__(self, values):
            self.values = values

    class OpenLiteral:
        """What ``Literal`` is when classes are made: any text can be read, since newer
        servers have other values; ``strict`` refuses them."""

        def __class_getitem__(cls, values):
            texts = values if isinstance(values, tuple) else (values,)
            return Annotated[str, KnownTexts(texts)]

    _LOSES_UNKNOWN = (
        "has unknown_fields, which only to_dict() and to_json() contain: pass one of "
        "those instead of the object"
    )

    class NamesOfOfficialClient:
        """What the official client reads of a class: the JSON name or the type of
        each attribute."""

        __slots__ = ("names",)

        def __init__(self, names=None):
            self.names = names

        def __get__(self, instance, model):
            if instance is not None and instance.unknown_fields:
                raise AttributeError(_LOSES_UNKNOWN)  # said by __getattr__
            if self.names is not None:
                return self.names
            encoded = model.__struct_encode_fields__
            names = dict(zip(model.__struct_fields__, encoded, strict=True))
            del names["unknown_fields"]
            return names

    class OfficialModel:
        """Lets kopf take a model for one of the official client's.

        kopf recognizes these by the module of any base class.
        """

        __slots__ = ()
        __module__ = "kubernetes.client.models."

    _call = msgspec.StructMeta.__call__

    #: What stands in the signature of a class for a type that hypothesis has no values
    #: for, or some that JSON has not: infinity.
    IN_SIGNATURE = {Any: bool | str | dict | None, float: Literal[-0.5, 1e-7, 1e300]}

    def in_signature(annotation):
        """An annotation as it is in the signature of a class."""
        if annotation in IN_SIGNATURE:
            return IN_SIGNATURE[annotation]
        origin, arguments = get_origin(annotation), get_args(annotation)
        if not arguments or origin is Literal:
            return annotation
        if origin in IN_SIGNATURE:
            return in_signature(IN_SIGNATURE[origin](*arguments))
        if origin is Annotated:
            return in_signature(arguments[0])
        arguments = tuple(map(in_signature, arguments))
        return (Union if origin is UnionType else origin)[arguments]

    def _allows_none(annotation):
        """Whether an attribute may be None; a text is a quoted annotation."""
        if isinstance(annotation, str):
            return _NONE.search(annotation) is not None
        return annotation is Any or NoneType in get_args(annotation)

    class ModelMeta(msgspec.StructMeta):
        """Makes models from keywords, and says what is wrong with these.

        It makes ``__init__`` possible in subclasses, which msgspec has no use for.
        Reading does not come here.
        """

        def __new__(mcs, name, bases, namespace, **options):
            init = namespace.pop("__init__", None)
            for names in ("attribute_map", "openapi_types"):
                if isinstance(namespace.get(names), dict):
                    namespace[names] = NamesOfOfficialClient(namespace[names])
            cls = super().__new__(mcs, name, bases, namespace, **options)
            defaults = cls.__struct_defaults__
            fields = cls.__struct_fields__[-len(defaults) :] if defaults else ()
            needed = dict.fromkeys(cls.__struct_fields__[: -len(fields) or None])
            needed.update(
                (field, None)
                for field, default in zip(fields, defaults, strict=True)
                if default is msgspec.NODEFAULT
            )
            type.__setattr__(cls, "_needed", tuple(needed))
            for base in (*cls.__mro__[:0:-1], cls):
                for field, annotation in getattr(base, "__annotations__", {}).items():
                    if _allows_none(annotation):
                        needed.pop(field, None)
            type.__setattr__(cls, "_required", tuple(needed))
            type.__setattr__(cls, "_is_built", False)
            inherited = any(getattr(base, "_has_init", False) for base in bases)
            type.__setattr__(cls, "_has_init", inherited or init is not None)
            if init is not None:
                type.__setattr__(cls, "__init__", init)
                type.__setattr__(cls, "__reduce__", _reduce)
            return cls

        @property
        def __signature__(cls):  # noqa: N805
            signature = msgspec.StructMeta.__signature__.__get__(cls)
            return signature.replace(
                parameters=[
                    value.replace(annotation=in_signature(value.annotation))
                    for value in signature.parameters.values()
                ]
            )

        def __call__(cls, *arguments, **values):  # noqa: N805
            if cls._has_init:
                model = _make(cls, dict.fromkeys(cls._needed))
                model.__init__(*arguments, **values)
                for name in cls._required:
                    if getattr(model, name) is None:
                        raise _required_error(cls, name)
                return model
            if "unknown_fields" in values:
                values["unknown_fields"] = UnknownFields(values["unknown_fields"])
            try:
                model = _call(cls, *arguments, **values)
            except TypeError as error:
                from ._problems import explain_keywords

                raise explain_keywords(cls, values, error) from None
            for name in cls._required:
                if values[name] is None:
                    raise _required_error(cls, name)
            return model


class Model(
    msgspec.Struct,
    OfficialModel,
    metaclass=ModelMeta,
    kw_only=True,
    rename={"unknown_fields": UNKNOWN_KEY},
    # They are found by this, and read again by ``_problems``.
    forbid_unknown_fields=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    gc=False,
):
    """An object, or a part of one, as the Kubernetes API has it.

    None stands for what is not there. ``unknown_fields`` has, by JSON name, what a
    server of another release has in the object, and what is written back beside the
    attributes; where an attribute has a value, that is written.

    The classes are msgspec Structs: copy, pickle and ``==`` work, and so does
    everything that msgspec offers; only its own functions refuse unknown fields. They
    are types for pydantic, too.

    ``to_dict_names`` is what ``to_dict`` uses by default: the "json" names, or the
    "python" names that the official client uses. It may be set on any class, for
    that class and its subclasses; on Model for all of them.
    """

    unknown_fields: UnknownFieldsType = _NO_FIELDS

    to_dict_names: ClassVar[Literal["json", "python"]] = "json"

    # As in the official client, whose ApiClient reads them: the JSON name and the
    # type of each attribute.
    attribute_map: ClassVar[dict[str, str]] = {}
    openapi_types: ClassVar[dict[str, str]] = {}

    # Whether msgspec's type information is made: of each class by itself.
    _is_built: ClassVar[bool] = False
    # Whether an object of the class could only be read with ``_decode``.
    _needs_hook: ClassVar[bool] = False

    @classmethod
    def from_json(cls, data: str | bytes, *, strict: bool = False) -> Self:
        """The model in a JSON text.

        Unknown fields are kept, or refused with ``strict``. A required list or
        dict that is null is empty, as API servers mean it. Raises ModelError with
        the path of everything that is wrong.
        """
        if not strict:
            try:
                model: Self = read_text(decoder(cls), data)
                return model
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                pass  # found again below, where there is time to say what it is
        from ._problems import parsed

        values = parsed(data)
        if strict:
            return cls.from_dict(values, strict=True)
        careful: Self = _convert_carefully(cls, values)
        return careful

    @classmethod
    def from_dict(cls, data: Any, *, strict: bool = False) -> Self:
        """The model in a JSON object, given as a dict with the JSON names, or in the
        dict of ``to_dict(names="python")``, which ``strict`` refuses.

        ``strict`` and ModelError are those of ``from_json``.
        """
        if strict:
            from ._problems import check

            check(cls, data)
        if not cls._is_built:
            build(cls)
        try:
            if cls._needs_hook:
                return msgspec.convert(data, cls, dec_hook=_decode)
            # A keyword takes as long as a small object.
            return msgspec.convert(data, cls)
        except (msgspec.ValidationError, RecursionError):
            from ._values import json_named

            model: Self = _convert_carefully(cls, json_named(cls, data))
            return model

    def to_json(self) -> str:
        """The model as a JSON text in one line; of a kind with apiVersion and kind."""
        model = with_kind(self)
        try:
            return _ENCODER.encode(model).decode()
        except _HasUnknownFields:
            return msgspec.json.encode(plain(model)).decode()

    def to_dict(
        self, *, names: Literal["json", "python"] | None = None
    ) -> dict[str, Any]:
        """The model as a JSON object, with the JSON names; times are texts. An object of
        a kind has its apiVersion and kind, also where the attributes are None.

        With ``names="python"`` it is the dict of the official client: every
        attribute under its Python name, None where it is not there, and times as
        they are.
        """
        if (names or self.to_dict_names) == "python":
            from ._values import python_values

            return python_values(self)
        values: dict[str, Any] = plain(with_kind(self))
        return values

    def replace(self, **changes: Any) -> Self:
        """A copy of the model, with some attributes changed."""
        for name, value in changes.items():
            if value is None:
                _check_optional(self, name)
        if "unknown_fields" in changes:
            changes["unknown_fields"] = UnknownFields(changes["unknown_fields"])
        return msgspec.structs.replace(self, **changes)

    # Hidden from type checkers, which would take them for leave to set anything, and
    # for attributes of every model.
    if not TYPE_CHECKING:
        __replace__ = replace

        def __setattr__(self, name, value):
            if value is None:
                _check_optional(self, name)
            elif name == "unknown_fields":
                value = UnknownFields(value)
            super().__setattr__(name, value)

        def __getattr__(self, name):
            """Say why there is none: programs for the official client's ``to_dict`` ask
            for the attributes that its keys are, and would lose values unseen."""
            model = type(self)
            if name in ("attribute_map", "openapi_types"):
                raise AttributeError(f"{model.__name__} {_LOSES_UNKNOWN}")
            names = {json: known for known, json in model.attribute_map.items()}
            if name in names:
                warnings.warn(
                    f"{name} is the JSON name of {model.__name__}.{names[name]}; if it "
                    'is from to_dict(), set Model.to_dict_names = "python"',
                    stacklevel=2,
                )
            raise AttributeError(f"{model.__name__} has no attribute {name!r}")

        # A mapping is what the official client, since 37, takes besides its own models.
        __iter__ = None

        def keys(self):
            return self._json_values().keys()

        def items(self):
            return self._json_values().items()

        def get(self, name, default=None):
            return self._json_values().get(name, default)

        def __getitem__(self, name):
            return self._json_values()[name]

        def _json_values(self):
            from ._values import json_values

            return json_values(self)

        @classmethod
        def __get_pydantic_core_schema__(cls, source, handler):
            from ._pydantic import core_schema_of

            return core_schema_of(cls)


class TimedModel(Model, kw_only=True):
    """A model with times, which are made exact however they get there.

    ``_times`` has the function that does it, for each attribute that is a time
    or holds times. A time that is given as a text is read, and one without a
    zone is taken as UTC. Each class has a ``__post_init__`` of its own, which
    msgspec calls for every object that it reads: a loop over ``_times`` would
    take a third of the time of reading.
    """

    _times: ClassVar[dict[str, Callable[[Any], Any]]] = {}

    # Hidden from type checkers, which would take it for leave to set anything.
    if not TYPE_CHECKING:

        def __setattr__(self, name, value):
            exact = self._times.get(name)
            super().__setattr__(name, exact(value) if exact else value)


def _init(self: Any, **values: Any) -> None:
    """What ``super().__init__`` is in the ``__init__`` of a subclass."""
    model = _make(type(self), values)
    for name in model.__struct_fields__:
        setattr(self, name, getattr(model, name))


def _make(cls: Any, values: dict[str, Any]) -> Any:
    """A model with attributes, without a call of an ``__init__``."""
    return msgspec.StructMeta.__call__(cls, **values)


def _reduce(self: Any) -> Any:
    values = {name: getattr(self, name) for name in self.__struct_fields__}
    return _make, (type(self), values)


def _check_optional(model: Any, name: str) -> None:
    """Raise ModelError where the attribute of a model may not be None."""
    if name in model._required:
        raise _required_error(type(model), name)


def _required_error(model: Any, name: str) -> Exception:
    from ._problems import ModelError, Problem

    text = f"required in {model.__name__}, must not be None"
    return ModelError([Problem(name, text)])


def with_kind(model: Any) -> Any:
    """A model, or a copy with apiVersion and kind where it is a kind without them."""
    named = getattr(model, "api_version", "") is not None
    if named and getattr(model, "kind", "") is not None:
        return model
    from ._values import identified

    return identified(model)


def plain(value: Any) -> Any:
    """A model, or a container of models, as JSON values."""
    try:
        return msgspec.to_builtins(value, enc_hook=_encode)
    except _HasUnknownFields:
        return _merge_unknown(msgspec.to_builtins(value, enc_hook=_encode_all))


def _merge_unknown(value: Any) -> Any:
    """JSON values in which unknown_fields are fields of the object that has them."""
    if isinstance(value, list):
        return [_merge_unknown(item) for item in value]
    if not isinstance(value, dict):
        return value
    unknown = value.pop(UNKNOWN_KEY, {})
    merged = {key: _merge_unknown(item) for key, item in value.items()}
    for key, item in unknown.items():
        merged.setdefault(key, _merge_unknown(item))
    return merged


def read_time(text: str) -> datetime:
    """The time in a text, without the digits after the microseconds: msgspec rounds, to
    year 10000 even. Raises msgspec.ValidationError."""
    return msgspec.convert(_DIGITS_AFTER_MICROSECONDS.sub("", text), datetime)


def to_datetime(value: Any) -> Any:
    """A time, or a container of times, with a time zone."""
    return _aware(value) if isinstance(value, datetime) else _inside(value, to_datetime)


def to_time(value: Any) -> Any:
    """A time, or a container of times, exact to the second."""
    if value.__class__ is datetime and value.tzinfo and not value.microsecond:
        return value
    if not isinstance(value, datetime):
        return _inside(value, to_time)
    return datetime.combine(value.date(), _aware(value).timetz().replace(microsecond=0))


def to_micro_time(value: Any) -> Any:
    """A time, or a container of times, exact to the microsecond."""
    if value.__class__ is MicroTime and value.tzinfo:
        return value
    if not isinstance(value, datetime):
        return _inside(value, to_micro_time)
    return MicroTime.combine(value.date(), _aware(value).timetz())


def _inside(value: Any, exact: Callable[[Any], Any]) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            return exact(read_time(value))
        except msgspec.ValidationError:
            pass
    elif isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    elif isinstance(value, list | tuple):
        return [exact(each) for each in value]
    from ._problems import ModelError, Problem

    raise ModelError([Problem("", f"expected a time (RFC 3339), got {value!r}")])


def _aware(value: datetime) -> datetime:
    return value if value.tzinfo else value.replace(tzinfo=UTC)


@cache
def decoder(model: Any) -> msgspec.json.Decoder[Any]:
    """What reads a model, or a list of models, from JSON."""
    return make_decoder(model, _decode)


def make_decoder(
    kind: Any, hook: Callable[[Any, Any], Any]
) -> msgspec.json.Decoder[Any]:
    """A decoder of msgspec, made while no other thread makes one."""
    _import_named(kind, set())
    with BUILDING:
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind, dec_hook=hook)
    return decoder


def _import_named(kind: Any, seen: set[Any]) -> None:
    """Import what annotations name in quotes in classes of users, and in their parts."""
    for argument in get_args(kind):
        _import_named(argument, seen)
    is_model = isinstance(kind, type) and issubclass(kind, Model) and kind not in seen
    if is_model and not kind.__module__.startswith(f"{__package__}."):
        seen.add(kind)
        with suppress(Exception):  # msgspec says what is wrong.
            for hint in get_type_hints(kind).values():
                _import_named(hint, seen)


def build(*models: type[Model]) -> None:
    """Have msgspec make the type information of classes, which is done once.

    Modules do it for their classes, which threads can then read with msgspec's own
    functions, too; ``from_dict`` does it for classes of users.
    """
    for model in models:
        decoder(model)
        type.__setattr__(model, "_is_built", True)


def read_text(reader: msgspec.json.Decoder[Any], data: str | bytes) -> Any:
    """What a decoder makes of a text, without garbage collection if the text is long.

    JSON has no cycles: collections while it is read look at all that was read before
    and free nothing, which is two thirds of the time of a list of 10,000 Pods.
    """
    if len(data) < _LONG_TEXT or not gc.isenabled():
        return reader.decode(data)
    gc.disable()
    try:
        return reader.decode(data)
    finally:
        gc.enable()


def _convert_carefully(model: type[Any], data: Any) -> Any:
    """The model in data that msgspec refused at first: with times and fields that it
    does not know, and with null for a list. Raises ModelError."""
    convert = partial(msgspec.convert, type=model, dec_hook=_decode)
    if not model._needs_hook:
        try:
            read = convert(data)
            type.__setattr__(model, "_needs_hook", True)
            return read
        except (msgspec.ValidationError, RecursionError):
            pass  # found again below
    from ._problems import read_carefully

    return read_carefully(model, data, convert)


def _decode(_: type, value: Any) -> Any:
    """Read the types that msgspec does not know."""
    if isinstance(value, UnknownFields):
        return value
    if isinstance(value, str | datetime):
        return to_micro_time(value)
    raise ValueError("expected a time")


def _encode(value: Any) -> Any:
    """Write what msgspec leaves to us: subclasses of the types that it knows."""
    if isinstance(value, datetime):
        text = getattr(value, "text", None)  # of a time that is written as it was read
        return text or value.isoformat().replace("+00:00", "Z")
    if isinstance(value, UnknownFields):
        raise _HasUnknownFields
    for known in (str, int, float):
        if isinstance(value, known):
            return known(value)
    # A model of the official client, which kopf may have put in a model.
    if hasattr(value, "openapi_types") and hasattr(value, "attribute_map"):
        names = value.attribute_map.items()
        values = ((json_name, getattr(value, name)) for name, json_name in names)
        return {name: item for name, item in values if item is not None}
    raise TypeError(f"{type(value).__name__} is nothing that JSON can hold")


class _HasUnknownFields(Exception):
    """A value has unknown fields, which are written in another way: most have none."""


def _encode_all(value: Any) -> Any:
    return dict(value) if isinstance(value, UnknownFields) else _encode(value)


_ENCODER = msgspec.json.Encoder(enc_hook=_encode)
type.__setattr__(Model, "__init__", _init)
if not TYPE_CHECKING:
    Mapping.register(Model)
