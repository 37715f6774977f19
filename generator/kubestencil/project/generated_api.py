"""What differs in the API of generated code: classes, attributes and types, by target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kubestencil.engine.view import PublicName


class NameChanges(NamedTuple):
    """The names that differ, sorted.

    Of a class that was removed or added, only its own name is there. ``changed`` has the
    types before and after. ``required`` are those of an earlier class or method that have
    to be given now, ``added`` the others that are new.
    """

    removed: tuple[str, ...]
    changed: tuple[tuple[str, str, str], ...]
    required: tuple[str, ...]
    added: tuple[str, ...]


def compare_names(
    before: Mapping[str, PublicName], after: Mapping[str, PublicName]
) -> NameChanges:
    """What differs between the names of two releases."""
    removed = sorted(before.keys() - after.keys())
    added = sorted(after.keys() - before.keys())
    old, new = {None, *before}, {None, *after}
    both = sorted(before.keys() & after.keys())
    required = {
        name
        for name in after
        if after[name].required
        and (
            not before[name].required
            if name in before
            else _owner(name, after) in before
        )
    }
    return NameChanges(
        tuple(name for name in removed if _owner(name, before) in new),
        tuple(
            (name, before[name].type, after[name].type)
            for name in both
            if before[name].type != after[name].type and name not in required
        ),
        tuple(sorted(required)),
        tuple(
            name
            for name in added
            if name not in required and _owner(name, after) in old
        ),
    )


def _owner(name: str, names: Mapping[str, PublicName]) -> str | None:
    """The class of an attribute, or the method of an argument; None for a class."""
    for separator in (".", "::"):
        owner = name.rpartition(separator)[0]
        if owner in names:
            return owner
    return None
