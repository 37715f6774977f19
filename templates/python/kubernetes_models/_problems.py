"""What is wrong with data that a model does not take: every problem, with its path.

msgspec reads the data; this module is asked only when msgspec refused them, or for
strictness, and takes its time.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from functools import cache, partial
from operator import is_ as _is
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
)

import msgspec

from ._errors import ModelError, Problem
from ._times import ExactTime, MicroTime, read_time
from ._types import (
    NO_FIELDS,
    UNKNOWN_KEY,
    KnownTexts,
    OfficialModel,
    UnknownFields,
    keeps,
)

if TYPE_CHECKING:
    Open = EmbeddedObject = object
else:
    from ._types import EmbeddedObject, Open

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*\Z")


def parsed(data: str | bytes) -> Any:
    """The value of a JSON text. Raises ModelError where it is not JSON."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ModelError([Problem("", f"not JSON: {error}")]) from None
    except RecursionError:
        raise ModelError([_TOO_DEEP]) from None


def check(model: Any, data: Any) -> None:
    """Raise ModelError if anything is wrong, unknown fields included."""
    try:
        found = tuple(_walk(model, data, "", strict=True))
    except RecursionError:
        found = (_TOO_DEEP,)
    if found:
        raise ModelError(found)


def read_carefully(model: Any, data: Any, convert: Callable[[Any], Any]) -> Any:
    """The model in data that could not be converted as they are: unknown fields are
    kept, and required lists and dicts that are null are read as empty ones.

    Go writes a slice or map that was never set as null. Raises ModelError where that is
    not all.
    """
    try:
        return convert(_readable(model, data))
    except (msgspec.ValidationError, RecursionError) as error:
        raise refused(model, data, error) from None


#: Makes a value readable for msgspec: the same object where nothing changes.
_Reader: TypeAlias = Callable[[Any], Any]


def _readable(model: Any, value: Any) -> Any:
    """An object that msgspec reads as a model without losing anything."""
    if not isinstance(value, dict):
        return value
    known, readers = _readers(model)
    changes: dict[str, Any] = {}
    for key in readers.keys() & value.keys():
        item = value[key]
        read = readers[key](item)
        if read is not item:
            changes[key] = read
    if not known.issuperset(value) and model.__struct_config__.forbid_unknown_fields:
        kept = {key: item for key, item in value.items() if key in known}
        fields = {key: item for key, item in value.items() if key not in known}
        return {**kept, **changes, UNKNOWN_KEY: UnknownFields(fields)}
    return {**value, **changes} if changes else value


@cache
def _readers(model: Any) -> tuple[frozenset[str], dict[str, _Reader]]:
    """The JSON names of all fields, and what makes those readable that may not be."""
    readers: dict[str, _Reader] = {}
    for name, field in fields_of(model).items():
        reader = _reader(field.type)
        if zero := _zero(field):
            readers[name] = _null_reader(field.type, zero)
        elif reader:
            readers[name] = reader
    return frozenset(fields_of(model)), readers


def _null_reader(kind: Any, zero: Callable[[], Any]) -> _Reader:
    reader = _reader(kind)

    def read(value: Any) -> Any:
        if value is None:
            return zero()
        return reader(value) if reader else value

    return read


def _reader(kind: Any) -> _Reader | None:
    """What makes the values of a type readable, None where they are."""
    for plain in members_of(kind):
        if get_origin(plain) is Open:
            plain = get_args(plain)[0]
        if isinstance(plain, type) and issubclass(plain, OfficialModel):
            return partial(_readable, plain)
        origin, arguments = get_origin(plain), get_args(plain)
        if origin is list and (reader := _reader(arguments[0])):
            return partial(_readable_list, reader)
        if origin is dict and (reader := _reader(arguments[1])):
            return partial(_readable_dict, reader)
    return None


def _readable_list(reader: _Reader, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    items = [reader(item) for item in value]
    return value if all(map(_is, items, value)) else items


def _readable_dict(reader: _Reader, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    values = {key: reader(item) for key, item in value.items()}
    return value if all(map(_is, values.values(), value.values())) else values


def _zero(field: msgspec.structs.FieldInfo) -> Callable[[], Any] | None:
    """What makes the value that null stands for in a required field: an empty list or
    dict. None for other fields."""
    origin: Any = get_origin(field.type)
    is_container = field.required and origin in (list, dict)
    return cast(Callable[[], Any], origin) if is_container else None


def explain_keywords(
    model: Any, values: Mapping[str, Any], error: TypeError
) -> TypeError:
    """The TypeError for keywords of which a model refused one with ``error``."""
    names = {json_name: name for name, json_name in model.attribute_map.items()}
    wrong = [name for name in values if name not in model.__struct_fields__]
    if not wrong:
        return error
    name = wrong[0]
    close = get_close_matches(name, model.__struct_fields__, 1)
    right = names.get(name) or (close[0] if close else None)
    hint = f": it is called {right}" if right else ""
    return TypeError(f"{model.__name__} has no attribute {name!r}{hint}")


def refused(model: Any, data: Any, error: Exception) -> ModelError:
    """The ModelError for data that msgspec refused with ``error``."""
    try:
        found = tuple(_walk(model, data, "", strict=False))
    except RecursionError:
        found = (_TOO_DEEP,)
    if found:
        return ModelError(found)
    text, _, path = str(error).partition(" - at `$")
    return ModelError([Problem(path.rstrip("`").lstrip("."), text)])


def _walk(kind: Any, value: Any, path: str, *, strict: bool) -> Iterator[Problem]:
    """The problems of a JSON value where an annotation says ``kind``."""
    if strict and NO_FIELDS in _annotations(kind):
        yield from _dropped_fields(value, path)
    kinds = members_of(kind)
    if Any in kinds or (value is None and NoneType in kinds):
        return
    kinds = tuple(each for each in kinds if each is not NoneType)
    if _is_mixed(kinds):
        yield from _walk_union(kinds, value, path, strict=strict)
        return
    origin = get_origin(kinds[0])
    if origin is Open:
        yield from _walk_model(get_args(kinds[0])[0], value, path, strict=strict)
        return
    if origin is Literal:
        if not _is_literal(get_args(kinds[0]), value):
            names = " or ".join(map(repr, get_args(kinds[0])))
            yield Problem(path, f"expected {names}, got {_shown(value)}")
        return
    if kinds[0] is EmbeddedObject:
        if not isinstance(value, Mapping):
            yield _mismatch("object", value, path)
        return
    if origin is list:
        if not isinstance(value, list | tuple):
            yield _mismatch("list", value, path)
            return
        for number, item in enumerate(value):
            inner = f"{path}[{number}]"
            yield from _walk(get_args(kinds[0])[0], item, inner, strict=strict)
    elif origin is dict:
        if not isinstance(value, Mapping):
            yield _mismatch("object", value, path)
            return
        for key, item in value.items():
            if not isinstance(key, str):
                yield Problem(path, f"expected str as key, got {key!r}")
            inner = _below(path, key)
            yield from _walk(get_args(kinds[0])[1], item, inner, strict=strict)
    elif issubclass(kinds[0], OfficialModel):
        yield from _walk_model(kinds[0], value, path, strict=strict)
    elif issubclass(kinds[0], datetime):
        if not _is_time(kinds[0], value):
            yield Problem(path, f"expected a time (RFC 3339), got {_shown(value)}")
    elif not _is_one_of(kinds, value):
        names = " or ".join(dict.fromkeys(each.__name__ for each in kinds))
        yield _mismatch(names, value, path)
    elif strict and value:
        # An empty text counts as absent.
        for known in _known_texts(kind):
            if value not in known:
                names = " or ".join(map(repr, known))
                yield Problem(path, f"expected {names}, got {_shown(value)}")


def _dropped_fields(value: Any, path: str) -> Iterator[Problem]:
    """The fields of objects in a value that the API server drops, as unknown ones."""
    if isinstance(value, Mapping):
        for key in value:
            yield Problem(_below(path, key), "unknown field")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _dropped_fields(item, f"{path}[{number}]")


def _is_mixed(kinds: tuple[Any, ...]) -> bool:
    """Whether a union has others than plain types."""
    return len(kinds) > 1 and any(map(get_origin, kinds))


def _walk_union(
    kinds: tuple[Any, ...], value: Any, path: str, *, strict: bool
) -> Iterator[Problem]:
    """The problems of a value that none of ``kinds`` has."""
    for kind in kinds:
        if not any(_walk(kind, value, path, strict=strict)):
            return
    names = (getattr(each, "__name__", str(each)) for each in kinds)
    yield _mismatch(" or ".join(names), value, path)


def _is_literal(literals: tuple[Any, ...], value: Any) -> bool:
    return any(type(each) is type(value) and each == value for each in literals)


def _walk_model(
    model: Any, value: Any, path: str, *, strict: bool
) -> Iterator[Problem]:
    if isinstance(value, model):
        return
    if not isinstance(value, Mapping):
        yield _mismatch("object", value, path)
        return
    fields = fields_of(model)
    for key, item in value.items():
        field = fields.get(key)
        if field is not None and item is None and _zero(field):
            continue
        if field is not None:
            yield from _walk(field.type, item, _below(path, key), strict=strict)
        elif strict and not keeps(model, key):
            close = get_close_matches(str(key), fields, 1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            yield Problem(_below(path, key), f"unknown field{hint}")
    for key, field in fields.items():
        if field.required and key not in value:
            yield Problem(_below(path, key), "required, but missing")


@cache
def fields_of(model: Any) -> dict[str, msgspec.structs.FieldInfo]:
    fields = msgspec.structs.fields(model)
    return {
        field.encode_name: field for field in fields if field.encode_name != UNKNOWN_KEY
    }


def members_of(kind: Any) -> tuple[Any, ...]:
    """The types of a union, or the only one, without what annotates them."""
    kinds = get_args(kind) if _is_union(kind) else (kind,)
    return tuple(
        get_args(member)[0] if get_origin(member) is Annotated else member
        for member in kinds
    )


def _known_texts(kind: Any) -> Iterator[tuple[str, ...]]:
    """The texts that a type has, where they are known."""
    for known in _annotations(kind):
        if isinstance(known, KnownTexts):
            yield known.values


def _annotations(kind: Any) -> Iterator[Any]:
    """What annotates a type, or the members of a union."""
    for member in get_args(kind) if _is_union(kind) else (kind,):
        yield from getattr(member, "__metadata__", ())


def _is_union(kind: Any) -> bool:
    return isinstance(kind, UnionType) or get_origin(kind) is Union


def _is_time(kind: type[datetime], value: Any) -> bool:
    try:
        if kind is ExactTime and isinstance(value, str):
            read_time(value)
        else:
            msgspec.convert(value, datetime if kind is MicroTime else kind)
    except msgspec.ValidationError:
        return isinstance(value, datetime)
    return True


def _is_one_of(kinds: tuple[type, ...], value: Any) -> bool:
    if isinstance(value, bool):
        return bool in kinds
    return isinstance(value, kinds)


def _mismatch(expected: str, value: Any, path: str) -> Problem:
    return Problem(path, f"expected {expected}, got {_name(value)}")


def _name(value: Any) -> str:
    if value is None:
        return "null"
    return "object" if isinstance(value, Mapping) else type(value).__name__


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else _name(value)


def _below(path: str, key: object) -> str:
    name = str(key)
    if not _PLAIN_KEY.match(name):
        return f"{path}[{name!r}]"
    return f"{path}.{name}" if path else name


_TOO_DEEP = Problem("", "nested too deeply")
