"""Objects of any kind: the requests for them, and reading them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from types import GenericAlias
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeAlias
from urllib.parse import quote

import msgspec

from ._calls import (
    JSON,
    Body,
    Call,
    Resource,
    encode,
    path_segment,
    reading,
    value_at,
)
from ._errors import ClientError, NotFound, StatusMeta, WaitTimedOut
from ._events import Deleted, Event, Listed
from ._flows import Flow, Settings, items, pages, run, text_lines
from ._names import MODELS
from ._resources import CLUSTER_SCOPED, NAMESPACED
from ._watches import watch

if TYPE_CHECKING:
    from ._names import Model

    #: A model, or a dict of JSON values.
    Object: TypeAlias = Model | dict[str, Any]

#: The namespace that stands for all of them.
ALL_NAMESPACES = "*"


class DynamicObject(dict[str, Any]):
    """An object of a kind that only the API server knows: a dict of JSON values."""

    api_version: ClassVar[str]
    kind_name: ClassVar[str]

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """The object in a JSON text."""
        _IDENTIFIED.decode(data)
        values = msgspec.json.decode(data, type=dict[str, Any])
        kind = {"apiVersion": cls.api_version, "kind": cls.kind_name}
        return cls({**kind, **values, **kind})


class _Metadata(msgspec.Struct, rename="camel"):
    """What this package reads of the metadata of any object."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    resource_version: str | None = None


class _Identified(msgspec.Struct):
    metadata: _Metadata | None = None


_IDENTIFIED = msgspec.json.Decoder(_Identified)


def dynamic_kind(api_version: str, kind: str) -> type[dict[str, Any]]:
    """A class for the objects of a kind that has no model, for all that takes a class:
    ``client.get(dynamic_kind("example.com/v1", "Widget"), "a")``."""
    names = {"api_version": api_version, "kind_name": kind, "__module__": __name__}
    return type(kind, (DynamicObject,), names)


def kind_of(value: Any) -> tuple[str, str]:
    """The apiVersion and kind of a class or an object. Raises ValueError where it has
    none."""
    cls = value if isinstance(value, type) else type(value)
    found: tuple[str, str] | None
    if issubclass(cls, DynamicObject):
        found = (cls.api_version, cls.kind_name)
    elif isinstance(value, dict):
        found = (str(value.get("apiVersion", "")), str(value.get("kind", "")))
    else:
        found = import_module(f"{MODELS}._values").kind_of(cls)
    if found is None or not all(found):
        raise ValueError(f"{cls.__name__}: no apiVersion and kind")
    return found


def class_of(value: Any) -> type[Any]:
    """The class of an object, which a dict has none of."""
    return dynamic_kind(*kind_of(value)) if type(value) is dict else type(value)


class _ServedResource(msgspec.Struct):
    name: str
    namespaced: bool
    kind: str


class _Served(msgspec.Struct):
    """The resources of a group and version."""

    resources: list[_ServedResource] | None = None

    @classmethod
    def from_json(cls, data: bytes) -> _Served:
        return _SERVED.decode(data)


_SERVED = msgspec.json.Decoder(_Served)


def find_resource(
    settings: Settings, api_version: str, kind: str
) -> Flow[Any, Resource]:
    """The resource of a kind; of one that this release does not have, the API server is
    asked once. Raises ClientError where it has none."""
    key = f"{api_version} {kind}"
    if plural := NAMESPACED.get(key) or CLUSTER_SCOPED.get(key):
        return Resource(plural, key in NAMESPACED)
    if key not in settings.resources:
        call: Call[_Served] = Call(
            "GET", _prefix(api_version), result=_Served, idempotent=True
        )
        with suppress(NotFound):
            for item in (yield from run(settings, call)).resources or ():
                if "/" not in item.name:
                    resource = Resource(quote(item.name, safe=""), item.namespaced)
                    settings.resources[f"{api_version} {item.kind}"] = resource
    if key not in settings.resources:
        raise ClientError(f"the API server has no kind {kind!r} in {api_version!r}")
    return settings.resources[key]


def _prefix(api_version: str) -> str:
    parts = [path_segment(part, "apiVersion") for part in api_version.split("/")]
    return "/".join(["/apis" if len(parts) > 1 else "/api", *parts])


class Where(NamedTuple):
    """What a request is about: a kind, or an object of it, with name and namespace.

    Without ``name`` and ``namespace`` they are those of the object, without any the
    namespace is that of the configuration. ``is_list`` is a request without a name.
    """

    subject: Any
    name: str | None = None
    namespace: str | None = None
    subresource: str = ""
    is_list: bool = False


def _path(settings: Settings, where: Where) -> Flow[Any, str]:
    api_version, kind = kind_of(where.subject)
    resource = yield from find_resource(settings, api_version, kind)
    subject = None if isinstance(where.subject, type) else where.subject
    parts = [_prefix(api_version)]
    namespace = where.namespace or value_at(subject, "metadata", "namespace")
    if not resource.is_namespaced:
        if where.namespace not in (None, ALL_NAMESPACES):
            raise ValueError(
                f"{kind} is not in a namespace, but {namespace!r} is given"
            )
    elif namespace != ALL_NAMESPACES:
        namespace = path_segment(namespace or settings.namespace, f"{kind}: namespace")
        parts += ["namespaces", namespace]
    elif not where.is_list:
        raise ValueError(f"{kind}: the namespace of one object cannot be '*'")
    parts.append(resource.plural)
    if not where.is_list:
        name = where.name or value_at(subject, "metadata", "name") or ""
        parts.append(path_segment(name, f"{kind}: name"))
    if where.subresource:
        parts.append(path_segment(where.subresource, f"{kind}: subresource"))
    return "/".join(parts)


def request(
    settings: Settings, method: str, where: Where, body: Body, query: Mapping[str, Any]
) -> Flow[Any, Any]:
    """The object that a request returns, in the class of the subject."""
    cls = where.subject if isinstance(where.subject, type) else type(where.subject)
    call: Call[Any] = Call(
        method,
        (yield from _path(settings, where)),
        _query(query),
        body.data,
        body.content_type,
        result=JSON if cls is dict or method == "DELETE" else cls,
        idempotent=method == "GET" or "apply-patch" in body.content_type,
    )
    return (yield from run(settings, call))


def body_of(subject: Any, content: Any, *, strategic: bool = False) -> Body:
    """The body of a request: an object, or a patch for one of ``subject``."""
    api_version, kind = kind_of(subject)
    return encode(
        content,
        f"{api_version} {kind}" if content is subject else "",
        strategic=strategic,
    )


def is_built_in(kind: type[Any]) -> bool:
    """Whether objects of a kind take strategic merge patches: custom ones do not."""
    return kind.__module__.startswith(f"{MODELS}.models.")


def _query(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, str(value).lower() if isinstance(value, bool) else str(value))
        for name, value in values.items()
        if value is not None and value is not False  # 0 is neither.
    )


class _Page(msgspec.Struct):
    metadata: StatusMeta
    items: msgspec.Raw = msgspec.Raw(b"[]")


_PAGE = msgspec.json.Decoder(_Page)


class _PageReader(NamedTuple):
    """Reads a page of a list of objects of a class."""

    item: type[Any]

    def from_json(self, data: bytes) -> dict[str, Any]:
        """The page, with JSON names."""
        page = _PAGE.decode(data)
        return {
            "metadata": {
                "continue": page.metadata.continue_,
                "resourceVersion": page.metadata.resource_version,
            },
            "items": self._items(bytes(page.items)),
        }

    def _items(self, data: bytes) -> list[Any]:
        items: list[Any] | None = None
        if is_built_in(self.item):
            # Each by itself takes more time, but says what is wrong.
            with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
                base = import_module(f"{MODELS}._base")
                reader = base.decoder(GenericAlias(list, (self.item,)))
                items = base.read_text(reader, data)
        if items is None:
            raw = msgspec.json.decode(data, type=list[msgspec.Raw] | None)
            items = [self.item.from_json(bytes(item)) for item in raw or ()]
        return items


def _list_call(
    settings: Settings, where: Where, query: Mapping[str, Any]
) -> Flow[Any, Call[Any]]:
    path = yield from _path(settings, where._replace(is_list=True))
    reader = _PageReader(where.subject)
    return Call("GET", path, _query(query), result=reader, idempotent=True)


def list_objects(
    settings: Settings, where: Where, query: Mapping[str, Any]
) -> Flow[Any, None]:
    """Hand over the objects of a kind, which are read page by page."""
    call = yield from _list_call(settings, where, query)
    yield from pages(settings, call, items)


def watch_objects(
    settings: Settings, where: Where, query: Mapping[str, Any]
) -> Flow[Event[Any], None]:
    """Hand over the objects of a kind, and then each change of one."""
    call = yield from _list_call(settings, where, query)
    yield from watch(settings, call, where.subject)


class Waiting:
    """Whether an object is as a program waits for it to be.

    ``condition`` is "delete", the type of a condition that is to be True (``Ready``),
    one with its status (``Ready=False``), or a function of the object.
    """

    def __init__(self, subject: Any, condition: str | Callable[[Any], bool]) -> None:
        self.object = subject
        self._name = f"{kind_of(subject)[1]} {value_at(subject, 'metadata', 'name')}"
        self._uid = value_at(subject, "metadata", "uid")
        self._condition = condition

    def is_over(self, event: Event[Any]) -> bool:
        """Whether the object is, after an event. Raises ClientError where it was
        deleted, which is not what is waited for."""
        for current in _states(event):
            is_gone = current is None or (
                self._uid not in (None, value_at(current, "metadata", "uid"))
            )
            if is_gone and self._condition == "delete":
                return True
            if is_gone and (self._uid or isinstance(event, Deleted)):
                raise ClientError(f"{self._name} was deleted")
            if current is not None:
                self.object = current
                if self._holds(current):
                    return True
        return False

    def timed_out(self, seconds: float | None) -> WaitTimedOut:
        """The error where that took too long."""
        condition = getattr(self._condition, "__name__", self._condition)
        return WaitTimedOut(
            f"{self._name}: condition {condition} is not met after {seconds} seconds"
        )

    def _holds(self, current: Any) -> bool:
        if not isinstance(self._condition, str):
            return self._condition(current)
        kind, _, status = self._condition.partition("=")
        generation = value_at(current, "metadata", "generation") or 0
        with reading(self._name):
            return any(
                value_at(condition, "type") == kind
                and value_at(condition, "status") == (status or "True")
                # Otherwise it is about what the object was before.
                and (value_at(condition, "observedGeneration") or generation)
                >= generation
                for condition in value_at(current, "status", "conditions") or ()
            )


def _states(event: Event[Any]) -> Iterator[Any]:
    """What an event says of the only object of a watch: None where it is not there."""
    if isinstance(event, Listed):
        yield next(iter(event.items), None)
    elif isinstance(event, Deleted):
        yield None
    elif object_ := getattr(event, "object", None):
        yield object_


class LogLine(NamedTuple):
    """A line of the log of a container."""

    pod: str
    container: str
    text: str


_LISTS_OF_CONTAINERS = ("initContainers", "containers", "ephemeralContainers")


def started_containers(pod: Any) -> list[str]:
    """The names of the containers of a Pod that have a log: those that have run."""
    with reading("a Pod"):
        started = {
            value_at(status, "name")
            for kind in _LISTS_OF_CONTAINERS
            for status in value_at(pod, "status", f"{kind.removesuffix('s')}Statuses")
            or ()
            if value_at(status, "containerID")
        }
        return [
            name
            for kind in _LISTS_OF_CONTAINERS
            for container in value_at(pod, "spec", kind) or ()
            if (name := value_at(container, "name")) in started
        ]


def container_log(
    settings: Settings, pod: Any, container: str, query: Mapping[str, Any]
) -> Flow[LogLine, None]:
    """Hand over the lines of the log of a container as they come."""
    path = yield from _path(settings, Where(pod, subresource="log"))
    query = {**query, "container": container}
    call: Call[Any] = Call("GET", path, _query(query), accept="*/*", idempotent=True)
    name = value_at(pod, "metadata", "name")
    yield from text_lines(settings, call, lambda text: LogLine(name, container, text))
