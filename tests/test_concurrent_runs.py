"""Runs at the same time, with different releases and targets, over one output folder:
the result is that of one of their orders.

Some of them are tried; with ``KUBESTENCIL_RUNS=100 pytest tests/test_concurrent_runs.py``
as many as that.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from kubestencil import render
from tests.conftest import Command, make_document, read_files, read_output

_COUNT = int(os.environ.get("KUBESTENCIL_RUNS", "3"))
_RELEASES = ("1.0", "1.1", "1.2")
_TARGETS = ("markdown", "typescript", "jsonschema", "site", "diff")


class Run(NamedTuple):
    """The releases and targets of a run. ``specs`` is the folder of its documents."""

    specs: str
    releases: tuple[str, ...]
    targets: tuple[str, ...]


def _runs(seed: int) -> tuple[Run, list[Run]]:
    """The run that comes before, and two or three at the same time."""
    source = random.Random(seed)

    def any_run() -> Run:
        # A report needs two releases.
        releases = source.sample(_RELEASES, source.choice((2, 2, 3)))
        targets = source.sample(_TARGETS, source.choice((1, 2, 3)))
        specs = source.choice(("old", "new"))
        return Run(specs, tuple(sorted(releases)), tuple(targets))

    return any_run(), [any_run() for _ in range(source.choice((2, 2, 3)))]


def _write_documents(folder: Path) -> None:
    for text, first in (("old", 0), ("new", 2)):
        (folder / text).mkdir()
        for index, release in enumerate(_RELEASES):
            definitions = {
                f"io.x.v1.Thing{number}": {
                    "type": "object",
                    "description": f"{text} {release}",
                    "properties": {"a": {"type": "string"}},
                }
                for number in range(first, 6 + index)
            }
            document = json.dumps(make_document(definitions))
            (folder / text / f"{release}.json").write_text(document)


def _arguments(run: Run, out: str) -> list[str]:
    targets = [argument for target in run.targets for argument in ("-t", target)]
    # What a run with other releases leaves out is removed.
    options = ["--spec-dir", run.specs, "-o", out, "--prune", "-q"]
    return ["render", *run.releases, *targets, *options]


def _result(runs: Sequence[Run]) -> Mapping[str, bytes]:
    """The files after runs one after the other."""
    out = Path("ordered")
    shutil.rmtree(out, ignore_errors=True)
    for run in runs:
        render(
            run.releases,
            targets=run.targets,
            specs=run.specs,
            out=out,
            prune=True,
        )
    return read_output(out)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(_COUNT))
def test_the_result_of_runs_at_the_same_time_is_that_of_one_of_their_orders(
    run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    # Files name the paths of documents as they were given.
    monkeypatch.chdir(tmp_path)
    _write_documents(tmp_path)
    earlier, runs = _runs(seed)
    assert run(*_arguments(earlier, "out")).returncode == 0
    processes = [run.popen(*_arguments(started, "out")) for started in runs]
    for process in processes:
        _, errors = process.communicate(timeout=180)
        assert process.returncode == 0, errors
    result = read_output(tmp_path / "out")
    orders = itertools.permutations(runs)
    last = next(
        (order[-1] for order in orders if _result([earlier, *order]) == result),
        None,
    )
    assert last is not None, runs
    # The records are those of that order, too: its last run is current.
    assert run(*_arguments(last, "out"), "--check").returncode == 0
    private = read_files(tmp_path / "out" / ".kubestencil")
    assert all(
        path.endswith((".json", ".times", "/lock", "/.gitignore")) for path in private
    )
