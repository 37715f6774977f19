"""Ends ``kubestencil render`` at random moments, and runs that follow.

``python -m tests.kills`` ends 300 runs; ``tests/test_output.py`` some of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.conftest import Command, make_command, make_document, read_files, read_output

COUNT = 300
SEED = 18
_SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
_TARGETS = ("-t", "markdown", "-t", "typescript")
_SPECS = ("1.0", "2.0")
_EXIT_CODES = {signal.SIGKILL: -9, signal.SIGINT: 130, signal.SIGTERM: 143}

Files = Mapping[str, bytes]


class Outcome(NamedTuple):
    """What an ended run left: the signal, whether it came before the run was done, and
    whether the files were those ``before`` or ``after`` the run, or of ``both``."""

    signal: str
    ended: bool
    tree: str


def document(text: str) -> str:
    """A document whose definitions, and so all files, have a text."""
    definitions = {
        f"v1.{text.title()}{number}" if number > 250 else f"v1.Model{number}": {
            "description": text,
            "properties": {},
        }
        for number in range(300)
    }
    return json.dumps(make_document(definitions))


def end_runs(folder: Path, count: int, seed: int) -> Iterator[Outcome]:
    """End runs that print one document over the files of another.

    Raises AssertionError where a run leaves a file that is neither old nor new, a
    process, or anything that the next run does not repair; and files of both runs, unless
    it was ended with SIGKILL.
    """
    command = make_command(folder)
    chance = random.Random(seed)
    texts = ("old", "new")
    whole = [_render_whole(command, folder, text) for text in texts]
    seconds = _seconds(command, folder, texts[0])
    for number in range(count):
        before, after = whole[number % 2], whole[1 - number % 2]
        _write_specs(folder, texts[1 - number % 2])
        end = chance.choice(_SIGNALS)
        to_all = chance.random() < 0.5
        process = command.popen(*_arguments("out"), start_new_session=True)
        time.sleep(seconds * chance.uniform(0.1, 1.1))
        (os.killpg if to_all else os.kill)(process.pid, end)
        _, errors = process.communicate(timeout=60)
        assert "Traceback" not in errors, errors
        _wait_for_group(process.pid)
        files = read_output(folder / "out")
        for path, data in files.items():
            assert data in (before.get(path), after.get(path)), path
        tree = "before" if files == before else "after" if files == after else "both"
        assert tree != "both" or end == signal.SIGKILL
        # The action of the signal itself, while the interpreter starts and ends.
        ended = process.returncode in (-end, _EXIT_CODES[end])
        assert ended or process.returncode == 0, (process.returncode, errors, tree)
        yield Outcome(end.name, ended, tree)
        done = command(*_arguments("out"))
        assert done.returncode == 0, done.stderr
        assert read_output(folder / "out") == after
        assert command(*_arguments("out"), "--check").returncode == 0
        assert _litter(folder / "out") == []


def _arguments(out: str) -> tuple[str, ...]:
    return ("render", *_SPECS, "--spec-dir", "specs", *_TARGETS, "-j", "2", "-o", out)


def _write_specs(folder: Path, text: str) -> None:
    for name in _SPECS:
        path = folder / "specs" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(document(text))


def _render_whole(command: Command, folder: Path, text: str) -> Files:
    _write_specs(folder, text)
    done = command(*_arguments("out"))
    assert done.returncode == 0, done.stderr
    return read_output(folder / "out")


def _seconds(command: Command, folder: Path, text: str) -> float:
    """The duration of a run that is not ended; it leaves the files of ``text``."""
    _write_specs(folder, text)
    start = time.perf_counter()
    assert command(*_arguments("out")).returncode == 0
    return time.perf_counter() - start


def _wait_for_group(group: int) -> None:
    """Wait until no process of a group is left; at most 10 seconds."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("processes of an ended run are left")


def _litter(out: Path) -> list[str]:
    """Files beside the generated ones that are no record, and none of this machine."""
    private = read_files(out / ".kubestencil")
    kept = (".json", ".times", "/lock", "/.gitignore")
    return [path for path in private if not path.endswith(kept)]


def main() -> None:
    """End as many runs as the command line says, and print what they left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    # Shells start what runs in the background so that it ignores SIGINT, with all that
    # it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    outcomes: Counter[Outcome] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for outcome in end_runs(Path(folder), options.count, options.seed):
            outcomes[outcome] += 1
            print(f"\r{outcomes.total()}", end="", file=sys.stderr)
    print()
    for outcome, count in sorted(outcomes.items()):
        state = "ended" if outcome.ended else "done before"
        print(f"{count:4} {outcome.signal:8} {state:12} files of {outcome.tree}")


if __name__ == "__main__":
    main()
