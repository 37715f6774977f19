"""Caches that last for one run.

Templates and other files of a target are read once per run. A program that renders
several times gets their current content in each run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_clear_functions: list[Callable[[], None]] = []


def cached_for_run(function: Function) -> Function:
    """Cache the results of a function that reads files, until the next run."""
    cached = cache(function)
    _clear_functions.append(cached.cache_clear)
    return cached  # type: ignore[return-value]


def clear_run_caches() -> None:
    """Clear these caches; a run does so before it starts."""
    for clear in _clear_functions:
        clear()
