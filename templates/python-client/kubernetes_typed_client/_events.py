"""What a watch yields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """All objects there are: at the start, and after changes were missed.

    ``reason`` is "start", or "gone" where the API server no longer knew the last
    resourceVersion (410 Gone). Objects that are not in ``items`` do not exist any
    more, and there are no events of their deletion.
    """

    items: tuple[T, ...]
    resource_version: str
    reason: Literal["start", "gone"]


@dataclass(frozen=True, slots=True)
class Added(Generic[T]):
    """An object was created, or begins to match the selectors."""

    object: T


@dataclass(frozen=True, slots=True)
class Modified(Generic[T]):
    """An object was changed."""

    object: T


@dataclass(frozen=True, slots=True)
class Deleted(Generic[T]):
    """An object was deleted, or no longer matches the selectors: its last state."""

    object: T


@dataclass(frozen=True, slots=True)
class Bookmark:
    """All changes up to ``resource_version`` have been sent."""

    resource_version: str


#: An event of a watch: ``match event: case Added(pod) | Modified(pod): …``.
Event: TypeAlias = Listed[T] | Added[T] | Modified[T] | Deleted[T] | Bookmark
