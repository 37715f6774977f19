"""Measures time; shared by the benchmarks."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
#: The supported releases, oldest first.
RELEASES = [*tomllib.loads((ROOT / "specs/releases.toml").read_text())["release"]]
# linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36


class Times(NamedTuple):
    """Elapsed seconds, and processor seconds of child processes. Other work on the
    machine makes the first longer, but not the second."""

    elapsed: float
    processor: float


class Usage(NamedTuple):
    """What a command needed: seconds of processor time, and the peak of its memory."""

    seconds: float
    memory: int

    @property
    def megabytes(self) -> float:
        return self.memory / 1e6


class Task(NamedTuple):
    """What is measured, and what is done after each run without being measured."""

    run: Callable[[], object]
    clean_up: Callable[[], object] = lambda: None


def environment(*, with_specs: bool = False) -> Mapping[str, str]:
    """The environment of a process that runs this checkout of kubestencil.

    Without ``with_specs``, it reads the embedded documents by default.
    """
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "generator")}
    if not with_specs:
        variables.pop("KUBESTENCIL_SPECS", None)
    # The modules of an installed package are compiled once, which is not measured.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables


def child_times(function: Callable[[], object]) -> Times:
    """The times of one call of a function that starts processes and waits for them.

    On Linux, this includes the processes that these started and did not wait for, such
    as kubestencil's workers, which end with it.
    """
    _adopt_orphans()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    function()
    elapsed = time.perf_counter() - start
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Times(elapsed, processor)


def usage_of(command: Sequence[str], folder: str | None = None) -> Usage:
    """What a command of this checkout needs, in a process without workers."""
    process = subprocess.Popen(command, env=environment(), cwd=folder)
    # The peak of this process alone, which that of all children does not have.
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    # Linux counts in KiB, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit)


@cache
def _adopt_orphans() -> None:
    """Become the parent of processes whose parent ended, so that their times count."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def best_times(runs: int, *tasks: Task) -> tuple[float, ...]:
    """The shortest elapsed time of each task in seconds. The tasks are run in turns."""
    best = [float("inf")] * len(tasks)
    for _ in range(runs):
        for index, task in enumerate(tasks):
            start = time.perf_counter()
            task.run()
            best[index] = min(best[index], time.perf_counter() - start)
            task.clean_up()
    return tuple(best)


def row(label: str, seconds: float, reference: float, goal: str = "") -> str:
    """A line of a table: a time, and its ratio to another."""
    ratio = f"x {seconds / reference:8.3f}" if seconds != reference else " " * 10
    return f"{label:44} {seconds:8.3f} s  {ratio}  {goal}".rstrip()
