"""Names that are not taken, the first free one of several spellings, and short ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import chain, count

#: The spellings of a name, in the order in which they are tried.
Spellings = Callable[[str], Iterator[str]]


def numbered(separator: str = "", first: int = 2) -> Spellings:
    """A name, then with ``separator`` and the numbers from ``first`` on at its end."""
    return lambda name: chain(
        [name], (f"{name}{separator}{number}" for number in count(first))
    )


def suffixed(suffix: str) -> Spellings:
    """A name, then with ``suffix`` at its end, once, twice and so on."""
    return lambda name: (name + suffix * times for times in count())


def unused_name(name: str, used: Container[str], spellings: Spellings) -> str:
    """The first spelling of ``name`` that is none of ``used``."""
    return next(spelling for spelling in spellings(name) if spelling not in used)


def unique_names(
    names: Iterable[str], spellings: Spellings, used: Iterable[str] = ()
) -> list[str]:
    """``names`` in their order, those that are repeated or ``used`` in another spelling."""
    unique: list[str] = []
    taken = set(used)
    # Of each name the spellings that were not tried, so that the time is in proportion.
    untried: dict[str, Iterator[str]] = {}
    for name in names:
        candidates = untried.setdefault(name, spellings(name))
        unique.append(next(other for other in candidates if other not in taken))
        taken.add(unique[-1])
    return unique


def shortened_name(name: str, max_length: int) -> str:
    """A name of at most ``max_length`` characters, which is as distinct as before."""
    if len(name) <= max_length:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: max_length - len(digest)]}{digest}"
