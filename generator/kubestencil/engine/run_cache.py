"""Caches that last for one run.

Templates and other files of a target are read once per run. A program that renders
several times, and changes them in between, gets what they are at each time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_clear: list[Callable[[], None]] = []


def cached_for_run(function: Function) -> Function:
    """Cache the results of a function that reads files, until the next run."""
    cached = cache(function)
    _clear.append(cached.cache_clear)
    return cached  # type: ignore[return-value]


def clear_run_caches() -> None:
    """Forget what was read; a run calls it before it starts."""
    for clear in _clear:
        clear()
