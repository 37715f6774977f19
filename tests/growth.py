"""Compares the processor times of an input and of one twice as large.

Garbage is not collected meanwhile: that takes time in proportion to what the tests
before have left in memory.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

_ATTEMPTS = 6


def processor_time(function: Callable[[], object]) -> float:
    """The seconds of a call, without those of other programs on the machine."""
    collects = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        function()
        return time.process_time() - start
    finally:
        if collects:
            gc.enable()


def assert_proportional(
    seconds: Callable[[int], float], size: int, limit: float = 2.5, short: float = 0
) -> None:
    """Twice the size may take ``limit`` times as long, or ``short`` seconds, in which
    differences are not precise. A longer time is measured again: a busy machine makes
    single times longer, and never shorter."""
    for _ in range(_ATTEMPTS):
        once, twice = seconds(size), seconds(2 * size)
        if twice <= max(short, limit * once):
            return
    raise AssertionError(f"{size}: {once:.3f} s, {2 * size}: {twice:.3f} s")
