"""The types that Kubernetes adds to those of JSON, and what annotates attributes."""

import os
from collections.abc import Iterator, Mapping
from types import GenericAlias, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

import msgspec

# The key under which msgspec reads and writes unknown_fields, before they take their
# place among the others. No document can contain it: it is random, and begins with a
# code point that Unicode reserves for use inside of a program.
UNKNOWN_KEY = f"\ufdd0{os.urandom(8).hex()}"

#: Why an object is no model for the official client.
LOSES_UNKNOWN = (
    "has unknown_fields, which only to_dict() and to_json() contain: pass one of "
    "those instead of the object"
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
        return "NO_UNKNOWN_FIELDS"


NO_UNKNOWN_FIELDS = _NoFields()

#: The default of what is Present.
ABSENT: Any = None
#: An amount such as "500m", "2Gi", 2 or 0.5.
Quantity: TypeAlias = str | int | float

NO_FIELDS = "no fields"
#: An object whose fields the API server drops: its schema has none.
EmptyObject: TypeAlias = Annotated[dict[str, Any], NO_FIELDS]
#: Any value; the API server drops the fields of objects in it.
WithoutFields: TypeAlias = Annotated[Any, NO_FIELDS]

if TYPE_CHECKING:
    #: An object with any fields.
    JsonObject: TypeAlias = dict[str, Any]
    UnknownFieldsType: TypeAlias = Mapping[str, Any]

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

    class Present:
        """What an attribute is when classes are made: None before it was sent."""

        def __class_getitem__(cls, value):
            return value | None

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

    class NamesOfOfficialClient:
        """What the official client reads of a class: the JSON name or the type of
        each attribute."""

        __slots__ = ("names",)

        def __init__(self, names=None):
            self.names = names

        def __get__(self, instance, model):
            if instance is not None and instance.unknown_fields:
                raise AttributeError(LOSES_UNKNOWN)  # said by __getattr__
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

    class _AnyInstance(type):
        """The type of types that only say how msgspec reads a value."""

        def __instancecheck__(cls, instance):
            return True

    class Open(metaclass=_AnyInstance):
        """An annotation: ``Open[A]`` is an ``A`` that is read by ``_custom``."""

        def __class_getitem__(cls, model):
            return GenericAlias(cls, model)

    class EmbeddedObject(metaclass=_AnyInstance):
        """An annotation: an object that is read by ``_custom``."""

    IN_SIGNATURE |= {Open: lambda model: model, EmbeddedObject: dict}


def keeps(model: Any, json_name: object) -> bool:
    """Whether a model keeps a field that is no attribute: an ``OpenModel`` may."""
    return getattr(model, "_keeps_unknown", False) or json_name in getattr(
        model, "_kept", ()
    )
