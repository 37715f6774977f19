"""In which order results and errors of several processes come."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from kubestencil.errors import KubestencilError
from kubestencil.processes.parallel import parallel_map


def test_results_have_the_order_of_their_arguments() -> None:
    def slow_first(number: int) -> int:
        time.sleep(0.1 / (number + 1))
        return number

    with parallel_map(slow_first, range(9), 3) as results:
        assert list(results) == list(range(9))


def test_there_may_be_any_number_of_arguments() -> None:
    with parallel_map(abs, range(2_000), 3) as results:
        assert list(results) == list(range(2_000))


def test_an_idle_process_takes_what_is_left_of_others(tmp_path: Path) -> None:
    """The first argument waits for all others."""

    def process(number: int) -> int:
        (tmp_path / str(number)).touch()
        while number == 0 and len(list(tmp_path.iterdir())) < 6:
            time.sleep(0.001)
        return number

    with parallel_map(process, range(6), 2) as results:
        assert list(results) == list(range(6))


def test_the_error_of_the_first_argument_is_raised() -> None:
    """Also where another one fails earlier."""

    def fail(number: int) -> None:
        time.sleep(0.2 if number == 0 else 0)
        raise KubestencilError(f"error {number}")

    with (
        pytest.raises(KubestencilError, match="error 0"),
        parallel_map(fail, range(3), 2) as results,
    ):
        list(results)
