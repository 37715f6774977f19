"""The command ``python -m specs.make``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import KubestencilError
from kubestencil.source.releases import is_after, next_minor_version, version_name
from specs.make import (
    changed_fields,
    configurations,
    flags,
    gated_fields,
    gates,
    go_fields,
    go_modules,
    lifecycle,
    metrics,
    parameters,
    resources,
    strategies,
    volume_plugins,
)
from specs.make.checkouts import Checkout
from specs.make.facts import write_facts
from specs.make.tables import write_table

#: What makes the rows of a table of ``specs/facts/`` for a release.
FACTS: Mapping[str, Callable[[Checkout], Iterable[Sequence[str]]]] = {
    "configurations": configurations.make_rows,
    "feature-gates": gates.make_rows,
    "flags": flags.make_rows,
    "gated-fields": gated_fields.make_rows,
    "go-modules": go_modules.make_rows,
    "metrics": metrics.make_rows,
    "parameters": parameters.make_rows,
    "resources": resources.make_rows,
    "strategies": strategies.make_rows,
}


class Table(NamedTuple):
    """A table of all releases: its header, and what makes its rows of checkouts."""

    header: str
    make_rows: Callable[..., Sequence[Sequence[str]]]


TABLES = {
    "changed-fields": Table(changed_fields.HEADER, changed_fields.make_rows),
    "go-fields": Table(go_fields.HEADER, go_fields.make_rows),
    "lifecycle": Table(lifecycle.HEADER, lifecycle.make_rows),
    "volume-plugins": Table(volume_plugins.HEADER, volume_plugins.make_rows),
}


def main(arguments: Sequence[str]) -> None:
    """Make the table that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m specs.make", description=__doc__)
    parser.add_argument("table", choices=sorted({*FACTS, *TABLES}))
    parser.add_argument(
        "releases", nargs="+", metavar="RELEASE", help="1.38, 1.5..1.37"
    )
    parser.add_argument(
        "--sources",
        type=Path,
        required=True,
        metavar="DIR",
        help="a folder with modules, such as k8s.io/api@v0.38.0: that of "
        "`go env GOMODCACHE`",
    )
    parser.add_argument(
        "--append",
        action="store_true",
        help="continue the present table with these releases, the next ones; facts of a "
        "release are made anew",
    )
    options = parser.parse_args(arguments)
    try:
        checkouts = [
            Checkout(options.sources, release)
            for text in options.releases
            for release in _expand(text)
        ]
        if options.table in FACTS:
            make_rows = FACTS[options.table]
            found = {each.release: list(make_rows(each)) for each in checkouts}
            write_facts(options.table, found)
        else:
            table = TABLES[options.table]
            rows = table.make_rows(checkouts, append=options.append)
            write_table(options.table, table.header, rows)
    except KubestencilError as error:
        sys.exit(str(error))


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


main(sys.argv[1:])
