"""Commands need time and memory in proportion to their input (benchmarks/growth.py)."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from benchmarks.growth import COMMANDS, growth, plot
from tests.conftest import ROOT

SIZES = (50, 100, 200)


@pytest.mark.growth
def test_time_and_memory_grow_in_proportion_to_the_input() -> None:
    # In a process of its own: a new process begins with the peak of the one that started it.
    arguments = ["-m", "benchmarks.growth", "--sizes", *map(str, SIZES)]
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    for command in COMMANDS:
        rows = [line for line in lines if line[0] == command]
        assert [int(row[1]) for row in rows] == [*SIZES]
        for column, short in ((2, 0.5), (4, 8)):
            first, last = (
                float(large[column]) - float(small[column])
                for small, large in itertools.pairwise(rows)
            )
            # Twice the input was added; other work on a machine makes times longer.
            assert last <= max(short, 3 * first), done.stdout


def test_a_chart_shows_the_commands() -> None:
    measured = [growth("diff", (1, 2))]
    image = plot((1, 2), measured)
    assert image.count("<polyline") == 2
    assert (
        f">{max(usage.megabytes for usage in measured[0].usages):.0f}</text>" in image
    )
