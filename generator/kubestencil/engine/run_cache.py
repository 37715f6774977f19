"""Caches that last for one run, or for one build of it.

Templates and other files of a target are read once per run. A program that renders
several times gets their current content in each run. A run over a project file has a build
for each of its tables, which share what is of the files, and nothing that is of documents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_of_runs: list[Callable[[], None]] = []
_of_builds: list[Callable[[], None]] = []


def cached_for_run(function: Function) -> Function:
    """Cache the results of a function that reads files, until the next run."""
    return _cached(function, _of_runs)


def cached_for_build(function: Function) -> Function:
    """Cache the results of a function until the next build."""
    return _cached(function, _of_builds)


def _cached(function: Function, clear_functions: list[Callable[[], None]]) -> Function:
    cached = cache(function)
    clear_functions.append(cached.cache_clear)
    return cached  # type: ignore[return-value]


def clear_run_caches() -> None:
    """Clear all these caches; who starts a run in a process that has had others does so
    before."""
    for clear in (*_of_runs, *_of_builds):
        clear()


def clear_build_caches() -> None:
    """Clear the caches of a build, which does so before it starts."""
    for clear in _of_builds:
        clear()
