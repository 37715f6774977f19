"""What every model can do."""

import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

import msgspec

from ._errors import required_error
from ._reading import build as build
from ._reading import decode, decoder, read_text
from ._times import DateTime as DateTime
from ._times import MicroTime as MicroTime
from ._times import MicroTimeType as MicroTimeType
from ._times import Time as Time
from ._times import to_datetime as to_datetime
from ._times import to_micro_time as to_micro_time
from ._times import to_time as to_time
from ._types import ABSENT as ABSENT
from ._types import (
    LOSES_UNKNOWN,
    NO_UNKNOWN_FIELDS,
    UNKNOWN_KEY,
    NamesOfOfficialClient,
    OfficialModel,
    UnknownFields,
    UnknownFieldsType,
)
from ._types import JsonObject as JsonObject
from ._types import Present as Present
from ._types import Quantity as Quantity
from ._writing import json_text, plain

# The words of an annotation that allows None.
_NONE = re.compile(r"\b(?:None|Optional|Any|Present)\b")

if TYPE_CHECKING:
    from msgspec import StructMeta as ModelMeta
else:
    from ._types import OpenLiteral as OpenLiteral
    from ._types import in_signature

    _call = msgspec.StructMeta.__call__

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

        def __call__(cls, /, *arguments, **values):  # noqa: N805
            if cls._has_init:
                model = _make(cls, dict.fromkeys(cls._needed))
                model.__init__(*arguments, **values)
                for name in cls._required:
                    if getattr(model, name) is None:
                        raise required_error(cls, name)
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
                    raise required_error(cls, name)
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

    unknown_fields: UnknownFieldsType = NO_UNKNOWN_FIELDS

    to_dict_names: ClassVar[Literal["json", "python"]] = "json"

    # As in the official client, whose ApiClient reads them: the JSON name and the
    # type of each attribute.
    attribute_map: ClassVar[dict[str, str]] = {}
    openapi_types: ClassVar[dict[str, str]] = {}

    # Whether msgspec's type information is made: of each class by itself.
    _is_built: ClassVar[bool] = False
    # Whether an object of the class could only be read with ``decode``.
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
                return msgspec.convert(data, cls, dec_hook=decode)
            # A keyword takes as long as a small object.
            return msgspec.convert(data, cls)
        except (msgspec.ValidationError, RecursionError):
            from ._values import json_named

            model: Self = _convert_carefully(cls, json_named(cls, data))
            return model

    def to_json(self) -> str:
        """The model as a JSON text in one line; of a kind with apiVersion and kind."""
        return json_text(with_kind(self))

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

    def replace(self, /, **changes: Any) -> Self:
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
                raise AttributeError(f"{model.__name__} {LOSES_UNKNOWN}")
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
        raise required_error(type(model), name)


def with_kind(model: Any) -> Any:
    """A model, or a copy with apiVersion and kind where it is a kind without them."""
    named = getattr(model, "api_version", "") is not None
    if named and getattr(model, "kind", "") is not None:
        return model
    from ._values import identified

    return identified(model)


def _convert_carefully(model: type[Any], data: Any) -> Any:
    """The model in data that msgspec refused at first: with times and fields that it
    does not know, and with null for a list. Raises ModelError."""
    convert = partial(msgspec.convert, type=model, dec_hook=decode)
    if not model._needs_hook:
        try:
            read = convert(data)
            type.__setattr__(model, "_needs_hook", True)
            return read
        except (msgspec.ValidationError, RecursionError):
            pass  # found again below
    from ._problems import read_carefully

    return read_carefully(model, data, convert)


type.__setattr__(Model, "__init__", _init)
if not TYPE_CHECKING:
    Mapping.register(Model)
