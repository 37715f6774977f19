"""What makes the tables of ``specs/facts/``, and how one of them is made for a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.snapshots import base_of, lines_of_releases
from kubestencil.schema.knowledge.tables import cells_of
from kubestencil.validator.binaries import find_binary, require_binary
from specs.make import (
    changed_fields,
    configurations,
    flags,
    gates,
    go_fields,
    go_modules,
    lifecycle,
    metrics,
    parameters,
    resources,
    server_warnings,
    strategies,
    unreadable_kinds,
    volume_plugins,
)
from specs.make.checkouts import Checkout
from specs.make.combinations import tables as combinations
from specs.make.corrections import without_corrections
from specs.make.examples import tables as examples
from specs.make.facts import write_facts
from specs.make.gated import tables as gated
from specs.make.values import tables as values

Rows = Iterable[Sequence[str]]

#: What makes a table from the sources of a release.
FACTS: Mapping[str, Callable[[Checkout], Rows]] = {
    "configurations": configurations.make_rows,
    "feature-gates": gates.make_rows,
    "flags": flags.make_rows,
    "gate-dependencies": gates.dependency_rows,
    "go-modules": go_modules.make_rows,
    "metrics": metrics.make_rows,
    "parameters": parameters.make_rows,
    "resources": resources.make_rows,
    # These read tables of the release that are made before.
    "strategies": strategies.make_rows,
    "unreadable-kinds": unreadable_kinds.make_rows,
}
#: What makes a table about all releases: of the sources of one, and the rows of its base.
CONTINUED: Mapping[str, Callable[[Checkout, Rows], Rows]] = {
    "changed-fields": changed_fields.make_rows,
    "go-fields": go_fields.make_rows,
    "lifecycle": lifecycle.make_rows,
    "volume-plugins": volume_plugins.make_rows,
}
#: All tables that are made from sources, in the order in which they can be made: gates
#: decide what is served, and lifecycles what can no longer be read.
TABLES = tuple(
    sorted((*FACTS, *CONTINUED), key=lambda table: table == "unreadable-kinds")
)


class Asked(NamedTuple):
    """Tables that are made together by asking the program of a release about objects, those
    in folders included; ``read`` makes them where there is no program."""

    tables: tuple[str, ...]
    make: Callable[[Checkout, Path, Sequence[Path]], Mapping[str, Rows]]
    read: Callable[[Checkout], Mapping[str, Rows]] | None = None


#: What makes tables by asking, in the order in which they can be made: a field is asked
#: about with what is known of its gates and values.
ASKED = (
    Asked(("gated-fields",), gated.ask_tables, gated.read_tables),
    Asked(("defaults", "enums", "immutable-fields", "limits"), values.ask_tables),
    Asked(("warnings",), server_warnings.ask_tables),
    Asked(("combinations",), combinations.ask_tables),
    Asked(("examples",), examples.ask_tables),
)


def make_table(table: str, checkout: Checkout) -> None:
    """Make a table for a release from its sources, and write it. Raises KubestencilError
    where sources cannot be read, or the base of the release has no such table."""
    if table in FACTS:
        rows = FACTS[table](checkout)
    else:
        rows = CONTINUED[table](checkout, _rows_of_base(table, checkout.release))
    write_facts(table, {checkout.release: rows})


def ask_tables(asked: Asked, checkout: Checkout, folders: Sequence[Path] = ()) -> None:
    """Make tables by asking the program of a release, and write them. Raises
    KubestencilError where there is none, and no other way."""
    if asked.read and find_binary(checkout.release) is None:
        made = asked.read(checkout)
    else:
        made = asked.make(checkout, require_binary(checkout.release), folders)
    for table, rows in made.items():
        write_facts(table, {checkout.release: rows})


def _rows_of_base(table: str, release: str) -> Rows:
    known = lines_of_releases(table)
    base = base_of(release, known)
    if base is None:
        raise UsageError(
            f"continues that of the release before {release}, which there is not",
            where=table,
            hint="make the releases in their order",
        )
    return without_corrections(table, map(cells_of, known[base]))
