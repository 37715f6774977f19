"""The objects that an informer knows, and what has changed of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from ._calls import value_at
from ._events import Bookmark, Deleted, Event, Listed

T = TypeVar("T")

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """What happened to an object: ``old`` is None where it is new, ``new`` where it was
    deleted. Both are the same object where nothing happened (``resync``)."""

    old: T | None
    new: T | None

    @property
    def object(self) -> T:
        """The object as it is, or was at last."""
        found = self.old if self.new is None else self.new
        assert found is not None  # One of both is there.
        return found


class Store(Generic[T]):
    """Objects of one kind, by namespace and name, and by indexes.

    An index is a function that returns the values by which an object is found. May be
    read by several threads; what it returns is shared, and must not be changed.
    """

    def __init__(
        self, indexes: Mapping[str, Callable[[T], Iterable[str | None]]]
    ) -> None:
        self._indexes = indexes
        self._objects: dict[Key, T] = {}
        self._found: dict[tuple[str, str | None], dict[Key, T]] = {}
        self._lock = Lock()
        #: The version of the API server's last word; None before the first one.
        self.resource_version: str | None = None

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[T]:
        with self._lock:
            return iter(tuple(self._objects.values()))

    def get(self, name: str, namespace: str = "") -> T | None:
        """The object with a name, None where there is none."""
        return self._objects.get((namespace, name))

    def by_index(self, index: str, value: str | None) -> tuple[T, ...]:
        """The objects for which an index has a value. Raises KeyError for an index that
        is not there."""
        if index not in self._indexes:
            raise KeyError(index)
        with self._lock:
            return tuple(self._found.get((index, value), {}).values())

    def apply(self, event: Event[T]) -> list[Change[T]]:
        """Do what an event says; the changes that it means."""
        with self._lock:
            if isinstance(event, Bookmark):
                self.resource_version = event.resource_version
                return []
            if isinstance(event, Listed):
                self.resource_version = event.resource_version
                return self._replace(event.items)
            current = event.object
            self.resource_version = _version(current)
            if isinstance(event, Deleted):
                self._set(_key(current), None)
                return [Change(current, None)]
            return list(self._put(current))

    def _replace(self, objects: Iterable[T]) -> list[Change[T]]:
        current = {_key(item): item for item in objects}
        gone = [key for key in self._objects if key not in current]
        changes = [Change(self._objects[key], None) for key in gone]
        for key in gone:
            self._set(key, None)
        for item in current.values():
            changes += self._put(item)
        return changes

    def _put(self, item: T) -> Iterator[Change[T]]:
        """The changes that a present object means: none where it is known."""
        key = _key(item)
        old = self._objects.get(key)
        if old is not None and _version(old) == _version(item):
            return
        self._set(key, item)
        if old is not None and _uid(old) != _uid(item):
            yield Change(old, None)
            old = None
        yield Change(old, item)

    def _set(self, key: Key, item: T | None) -> None:
        old = self._objects.pop(key, None)
        if old is not None:
            for found in self._places(old):
                objects = self._found.get(found, {})
                objects.pop(key, None)
                if not objects:
                    self._found.pop(found, None)
        if item is not None:
            self._objects[key] = item
            for found in self._places(item):
                self._found.setdefault(found, {})[key] = item

    def _places(self, item: T) -> set[tuple[str, str | None]]:
        return {
            (name, value)
            for name, index in self._indexes.items()
            for value in index(item)
        }


def _key(item: Any) -> Key:
    namespace = value_at(item, "metadata", "namespace")
    return (namespace or "", value_at(item, "metadata", "name") or "")


def _version(item: Any) -> Any:
    return value_at(item, "metadata", "resourceVersion")


def _uid(item: Any) -> Any:
    return value_at(item, "metadata", "uid")
