"""The command ``python -m specs.make``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
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
    required_fields,
    resources,
    strategies,
    volume_plugins,
)
from specs.make.checkouts import Checkout
from specs.make.tables import write_table


class Table(NamedTuple):
    """A table that can be made: its header, and what makes its rows of checkouts."""

    header: str
    make_rows: Callable[..., Sequence[Sequence[str]]]


TABLES = {
    "changed-fields": Table(changed_fields.HEADER, changed_fields.make_rows),
    "configurations": Table(configurations.HEADER, configurations.make_rows),
    "feature-gates": Table(gates.HEADER, gates.make_rows),
    "flags": Table(flags.HEADER, flags.make_rows),
    "gated-fields": Table(gated_fields.HEADER, gated_fields.make_rows),
    "go-fields": Table(go_fields.HEADER, go_fields.make_rows),
    "go-modules": Table(go_modules.HEADER, go_modules.make_rows),
    "lifecycle": Table(lifecycle.HEADER, lifecycle.make_rows),
    "metrics": Table(metrics.HEADER, metrics.make_rows),
    "parameters": Table(parameters.HEADER, parameters.make_rows),
    "required-fields": Table(required_fields.HEADER, required_fields.make_rows),
    "resources": Table(resources.HEADER, resources.make_rows),
    "strategies": Table(strategies.HEADER, strategies.make_rows),
    "volume-plugins": Table(volume_plugins.HEADER, volume_plugins.make_rows),
}


def main(arguments: Sequence[str]) -> None:
    """Make the table that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m specs.make", description=__doc__)
    parser.add_argument("table", choices=sorted(TABLES))
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
        help="continue the present table with these releases, the next ones",
    )
    options = parser.parse_args(arguments)
    try:
        checkouts = [
            Checkout(options.sources, release)
            for text in options.releases
            for release in _expand(text)
        ]
        table = TABLES[options.table]
        rows = table.make_rows(checkouts, append=options.append)
    except KubestencilError as error:
        sys.exit(str(error))
    write_table(options.table, table.header, rows)


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
