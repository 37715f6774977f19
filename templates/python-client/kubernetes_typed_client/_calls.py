"""Calls of the API as values: what is sent, and what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import msgspec

from ._errors import STATUS, ClientError
from ._names import MODELS

if TYPE_CHECKING:
    from ._names import Model

T = TypeVar("T")

#: The result of an operation that returns text, and that of one without a model.
TEXT, JSON = "text", "json"
#: After a class: the API server may return a Status as well.
OR_STATUS = "?"
_JSON_TYPE = "application/json"
#: The media type of server-side apply.
APPLY_TYPE = "application/apply-patch+yaml"


@dataclass(frozen=True, slots=True)
class JsonPatch:
    """A JSON patch (RFC 6902): a list of operations."""

    operations: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class MergePatch:
    """A JSON merge patch (RFC 7386): what changes; None removes a field."""

    changes: Mapping[str, Any] | Model


@dataclass(frozen=True, slots=True)
class StrategicMergePatch:
    """A merge patch that merges lists by their keys. Custom resources have none."""

    changes: Mapping[str, Any] | Model


@dataclass(frozen=True, slots=True)
class ApplyPatch:
    """Server-side apply: the fields that a field manager wants to own."""

    object: Mapping[str, Any] | Model


#: What patches a custom resource. A bare list is a JSON patch, anything else a merge
#: patch.
CustomPatch: TypeAlias = (
    "JsonPatch | MergePatch | Sequence[Mapping[str, Any]] | Mapping[str, Any] | Model"
)
#: What patches an object of Kubernetes itself. A bare list is a JSON patch, anything
#: else a strategic merge patch.
Patch: TypeAlias = "CustomPatch | StrategicMergePatch"


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A call of an operation, which returns a ``T`` when a client runs it.

    ``path`` is percent-encoded, ``query`` has names and values that are not.
    ``result`` is the class of the result, as ``decode`` takes it. ``idempotent`` calls
    can be sent again without knowing whether they arrived.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: bytes = field(default=b"", repr=False)  # It can have secrets.
    content_type: str = ""
    accept: str = _JSON_TYPE
    result: Any = JSON
    idempotent: bool = False
    timeout: float | None = None

    @property
    def target(self) -> str:
        """Path and query of the request."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    def with_query(self, **changes: str | None) -> Call[T]:
        """The call with other values of query parameters; None leaves one out."""
        kept = [(name, value) for name, value in self.query if name not in changes]
        added = [(name, value) for name, value in changes.items() if value is not None]
        return replace(self, query=(*kept, *added))

    def get(self, name: str) -> str | None:
        """The value of a query parameter."""
        return dict(self.query).get(name)


class Resource(NamedTuple):
    """How the API server calls the objects of a kind."""

    plural: str
    is_namespaced: bool


def path_segment(value: str, where: str) -> str:
    """A value as a part of a path.

    An empty name would call another operation, such as the deletion of all objects.
    Raises ValueError, which begins with ``where``.
    """
    if value in ("", ".", ".."):
        raise ValueError(f"{where} cannot be {value!r}")
    if "/" in value:
        raise ValueError(f"{where} has a slash: {value!r}")
    return quote(value, safe="")


class Body(NamedTuple):
    """The body of a request, and its media type."""

    data: bytes = b""
    content_type: str = ""


def encode(value: Any, kind: str = "", *, strategic: bool = True) -> Body:
    """The body for an object or a patch.

    ``kind`` is "apiVersion kind" for objects that do not say what they are, "object"
    where it is not known, and empty for a patch. ``strategic`` decides what a patch is
    that is neither a list nor one of the patch classes.
    """
    if value is None:
        return Body()
    if isinstance(value, ApplyPatch):
        return Body(_json(value.object, kind), APPLY_TYPE)
    if isinstance(value, JsonPatch) or (not kind and isinstance(value, list | tuple)):
        operations = value.operations if isinstance(value, JsonPatch) else value
        return Body(_json(operations), "application/json-patch+json")
    if isinstance(value, MergePatch | StrategicMergePatch):
        strategic = isinstance(value, StrategicMergePatch)
        value = value.changes
    elif kind:
        return Body(_json(value, kind), _JSON_TYPE)
    word = "strategic-merge-patch" if strategic else "merge-patch"
    return Body(_json(value), f"application/{word}+json")


def _json(value: Any, kind: str = "") -> bytes:
    plain = _plain(value)
    api_version, _, name = kind.rpartition(" ")
    if api_version and isinstance(plain, dict):
        plain = {"apiVersion": api_version, "kind": name, **plain}
    return msgspec.json.encode(plain)


def _plain(value: Any) -> Any:
    """A value as JSON values: models as dicts with JSON names, times as texts."""
    to_dict = getattr(value, "to_dict", None)
    if isinstance(value, msgspec.Struct) and to_dict is not None:
        return to_dict(names="json")
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        text = value.isoformat() if value.tzinfo else f"{value.isoformat()}Z"
        return text.replace("+00:00", "Z")
    return value


class _Kind(msgspec.Struct):
    kind: str = ""


_KIND = msgspec.json.Decoder(_Kind)


@contextmanager
def reading(subject: str) -> Iterator[None]:
    """Raises ClientError where what the API server sent is not what it should be."""
    try:
        yield
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise ClientError(f"{subject} is not valid: {error}") from error


def decode(data: bytes, result: Any) -> Any:
    """The result in the body of a response.

    ``result`` is TEXT, JSON, or a class of the models: ``V1Pod``, for a custom
    resource after its module (``example_com.v1:Widget``), with OR_STATUS at its end
    where the API server may also return a Status. Anything that is no str reads the
    body with its ``from_json``. Raises ClientError for another body.
    """
    if result == TEXT:
        return data.decode(errors="replace")
    with reading("the response"):
        if result == JSON:
            return msgspec.json.decode(data) if data else None
        if isinstance(result, str) and result.endswith(OR_STATUS):
            if _KIND.decode(data).kind == "Status":
                return STATUS.decode(data)
            result = result.removesuffix(OR_STATUS)
        value = reader(result).from_json(data)
        _name_objects(value_at(value, "items"))
        return value


def reader(result: Any) -> Any:
    """What has the method ``from_json`` for a result: a class of the models by its
    name, otherwise the value itself."""
    return model_class(result) if isinstance(result, str) else result


def _name_objects(objects: Any) -> None:
    """Set what the API server leaves out in lists: apiVersion and kind."""
    if isinstance(objects, list) and objects and getattr(objects[0], "kind", 0) is None:
        kind_of = import_module(f"{MODELS}._values").kind_of
        names = kind_of(type(objects[0])) or ()
        # The model's own also looks for None, which takes ten times as long.
        set_attribute = msgspec.Struct.__setattr__
        for attribute, value in zip(("api_version", "kind"), names, strict=False):
            for item in objects:
                set_attribute(item, attribute, value)


@cache
def model_class(name: str) -> Any:
    """The class of a model, by its name as ``decode`` takes it."""
    module, _, class_name = name.rpartition(":")
    return getattr(import_module(f"{MODELS}.{module or 'models'}"), class_name)


def value_at(value: Any, *json_names: str) -> Any:
    """What a model, or a dict, has at a path of JSON names; None where it has nothing."""
    for json_name in json_names:
        if value is None:
            return None
        # Models are mappings as well, of which get() makes dicts.
        if isinstance(value, dict):
            value = value.get(json_name)
        else:
            value = getattr(value, _attribute(value.__class__, json_name), None)
    return value


@cache
def _attribute(model: Any, json_name: str) -> str:
    names: Mapping[str, str] = getattr(model, "attribute_map", {})
    attributes = (name for name, other in names.items() if other == json_name)
    return next(attributes, json_name)
