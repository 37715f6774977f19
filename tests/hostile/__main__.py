"""Run kubestencil on generated documents, and say what went wrong.

    python -m tests.hostile                     10,000 documents
    python -m tests.hostile --count 100         the first 100 of them
    python -m tests.hostile --start 4000        go on at a number
    python -m tests.hostile --start 17 --count 2 --keep DIR     one case, with its files

Two documents are a case. They go through all targets, ``diff``, ``history`` and
``check``, in a process that may take 1 GB more; a command may take 10 seconds of
processor time. A case depends on ``--seed`` and its number only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from tests.hostile.printed import missing_parsers
from tests.hostile.run import run_cases

COUNT = 10_000
SEED = 18


def main() -> int:
    """Run cases; exit with 1 where one has a finding."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=COUNT, help="number of documents")
    parser.add_argument("--start", type=int, default=0, help="number of the first one")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--keep", type=Path, help="folder for the files of all cases")
    options = parser.parse_args()
    for name in missing_parsers():
        print(f"tree-sitter-{name} is not installed: its files are not parsed")
    keep = options.keep.resolve() if options.keep else None
    numbers = range(options.start // 2, (options.start + options.count + 1) // 2)
    started = time.monotonic()
    families: Counter[str] = Counter()
    commands = refused = failed = 0
    seconds, memory = 0.0, 0
    for outcome in run_cases(options.seed, numbers, options.jobs, keep):
        families[outcome.family] += 2
        commands += outcome.commands
        refused += outcome.refused
        seconds = max(seconds, outcome.seconds)
        memory = max(memory, outcome.memory)
        failed += bool(outcome.findings)
        for finding in outcome.findings[:5]:
            print(
                f"--start {outcome.number * 2} ({outcome.family}): {finding}",
                flush=True,
            )
        if families.total() % 100 == 0:
            print(f"{families.total()} documents", file=sys.stderr, flush=True)
    print(
        f"{families.total()} documents in {time.monotonic() - started:.0f} s: "
        f"{commands} commands, {refused} refused; at most {seconds:.1f} s of processor "
        f"time and {memory / 1024**2:.0f} MiB; {failed} cases with findings"
    )
    for family, count in sorted(families.items()):
        print(f"{count:6} {family}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
