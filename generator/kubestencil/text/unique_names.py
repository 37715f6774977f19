"""Names that no other thing has: the one place that makes names free.

A name depends on what it is the name of, its *source* (the JSON name of a field, a value of
an enum, the name of a group), and on its rivals, the sources that are spelled alike. It
depends neither on the order of the sources nor on others, so that one more field of an
object renames no field of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping


def free_names(
    spelled: Mapping[str, str],
    taken: Iterable[str] = (),
    separator: str = "_",
    fold: Callable[[str], str] = str,
) -> dict[str, str]:
    """A name of its own for each source, by source; ``spelled`` has how each would be
    spelled.

    Of sources that are spelled alike, the first in alphabetical order has the name, unless
    that is ``taken``; the others have ``free_name`` of it. ``fold`` is what names must
    differ in.
    """
    used = set(map(fold, taken))
    owners: dict[str, str] = {}
    for source in sorted(spelled):
        name = fold(spelled[source])
        if name not in used:
            owners.setdefault(name, source)
    used |= owners.keys()
    names: dict[str, str] = {}
    for source in sorted(spelled):
        name = spelled[source]
        if owners.get(fold(name)) != source:
            name = free_name(name, used, source, separator, fold)
            used.add(fold(name))
        names[source] = name
    return {source: names[source] for source in spelled}


def free_name(
    name: str,
    taken: Collection[str],
    source: str,
    separator: str = "_",
    fold: Callable[[str], str] = str,
) -> str:
    """``name`` where it is not ``taken``, else with ``separator``, unless it ends in that,
    and four digits after it that depend on ``source`` alone, if that is not empty, and as
    many more ``_`` as it takes."""
    if fold(name) in taken:
        # Two underscores at the beginning are more than one in Python: it mangles them.
        between = "" if name.endswith(separator) else separator
        name = f"{name}{between}{_digits(source) if source else ''}"
    while fold(name) in taken:
        name = f"{name}_"
    return name


def _digits(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:4]


def shortened_name(name: str, max_length: int) -> str:
    """A name of at most ``max_length`` characters, which is as distinct as before."""
    if len(name) <= max_length:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: max_length - len(digest)]}{digest}"
