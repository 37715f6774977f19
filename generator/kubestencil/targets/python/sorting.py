"""The order of imported names."""

from __future__ import annotations

from collections.abc import Iterable


def sort_like_isort(names: Iterable[str]) -> tuple[str, ...]:
    """Classes before functions, each sorted."""
    return tuple(sorted(names, key=lambda name: (name[0].islower(), name)))
