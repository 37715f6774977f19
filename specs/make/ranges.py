"""Facts of releases as ranges of releases with equal facts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from kubestencil.source.releases import ReleaseRange

Key = TypeVar("Key", bound=Hashable)
Values = TypeVar("Values")


class Ranges(Generic[Key, Values]):
    """The facts of each key by ranges of releases, oldest first.

    The last range of a key has no end while the newest release has its facts.
    """

    def __init__(self) -> None:
        self._ranges: dict[Key, list[tuple[ReleaseRange, Values]]] = {}

    def add(self, releases: ReleaseRange, key: Key, values: Values) -> None:
        """Add a range of a table that exists."""
        self._ranges.setdefault(key, []).append((releases, values))

    def advance(self, release: str, facts: Mapping[Key, Values]) -> None:
        """Add the facts of the next release."""
        for key, ranges in self._ranges.items():
            (first, last), values = ranges[-1]
            if last is None and facts.get(key) != values:
                ranges[-1] = (ReleaseRange(first, previous(release)), values)
        for key, values in facts.items():
            ranges = self._ranges.setdefault(key, [])
            if not ranges or ranges[-1][0].last is not None:
                ranges.append((ReleaseRange(release), values))

    def rows(
        self, order: Callable[[Key], Any]
    ) -> Iterator[tuple[Key, ReleaseRange, Values]]:
        """All ranges, sorted by ``order`` of their keys, and by release."""
        for key in sorted(self._ranges, key=order):
            for releases, values in self._ranges[key]:
                yield key, releases, values


def previous(release: str) -> str:
    """The minor version before ``release``."""
    major, _, minor = release.partition(".")
    return f"{major}.{int(minor) - 1}"
