"""Prints where answers of kubestencil contradict API servers, or each other."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from kubestencil import load
from kubestencil.validator.binaries import require_binary
from tests.contradictions import by_kind, contradictions
from tests.contradictions.objects import read_objects


def main(arguments: Sequence[str] | None = None) -> int:
    """Find contradictions, and print them by kind; 1 where there is more than gaps."""
    parser = argparse.ArgumentParser(prog="tests.contradictions", description=__doc__)
    parser.add_argument("before", metavar="FROM", help="a release: 1.29")
    parser.add_argument("after", metavar="TO", help="a newer release: 1.35")
    parser.add_argument("folder", metavar="FOLDER", help="of manifests")
    parser.add_argument("--mutants", type=int, default=10_000, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=49)
    parser.add_argument("--examples", type=int, default=1, metavar="COUNT")
    parser.add_argument("--tables", action="store_true", help="without validators")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    releases = load(options.before), load(options.after)
    programs = [] if options.tables else [require_binary(r.name) for r in releases]
    cases = read_objects(options.folder)
    found = by_kind(
        contradictions(releases, programs, cases, options.mutants, options.seed)
    )
    print(f"{len(cases):,} objects of {options.folder}, {options.mutants:,} mutants")
    for (group, kind), items in found.items():
        print(f"{group:8}{len(items):6}  {kind}")
        for item in items[: options.examples]:
            print(f"{'':16}{item.where}\n{'':18}{item.detail}")
    print(f"{time.monotonic() - started:.0f} s")
    return int(any(group != "gap" for group, _ in found))


if __name__ == "__main__":
    sys.exit(main())
