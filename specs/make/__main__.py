"""The command ``python -m specs.make``: ``release`` makes all that is known of a release
of Kubernetes, the name of a table makes that one, and ``next`` says which release is to be
made."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kubestencil.errors import KubestencilError
from kubestencil.source.releases import (
    is_after,
    listed_previews,
    listed_releases,
    next_minor_version,
    version_name,
)
from specs.make.checkouts import Checkout
from specs.make.makers import MAKERS, make_tables
from specs.make.release.modules import next_release
from specs.make.release.run import add_arguments, make_release


def main(arguments: Sequence[str]) -> int:
    """Run what the arguments name. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m specs.make", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_arguments(commands.add_parser("release", help="all tables of a release"))
    commands.add_parser("next", help="print the release that is not listed yet, if any")
    for table, maker in sorted(MAKERS.items()):
        command = commands.add_parser(
            table, help=f"{', '.join(maker.tables)} of some releases"
        )
        command.add_argument(
            "releases", nargs="+", metavar="RELEASE", help="1.38, 1.29..1.37"
        )
        command.add_argument(
            "--sources",
            type=Path,
            required=True,
            metavar="DIR",
            help="a folder with modules, such as k8s.io/api@v0.38.0: that of "
            "`go env GOMODCACHE`",
        )
    options = parser.parse_args(arguments)
    try:
        if options.command == "release":
            return make_release(options)
        if options.command == "next":
            print(next_release({*listed_releases(), *listed_previews()}) or "")
            return 0
        for text in options.releases:
            for release in _expand(text):
                checkout = Checkout(options.sources, release)
                make_tables(MAKERS[options.command], checkout)
    except KubestencilError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _expand(text: str) -> list[str]:
    """The releases of ``FROM..TO``, or the one that ``text`` is."""
    first, dots, last = text.partition("..")
    releases = [version_name(first)]
    if dots:
        end = version_name(last)
        while is_after(end, following := next_minor_version(releases[-1])):
            releases.append(following)
        releases.append(end)
    return releases


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
