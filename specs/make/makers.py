"""What makes the tables of ``specs/facts/``, and how one of them is made for a release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.snapshots import base_of, lines_of_releases
from kubestencil.schema.knowledge.tables import cells_of
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


class Maker(NamedTuple):
    """What makes tables of a release together. Raises KubestencilError where sources cannot
    be read, the base of the release has no such table, or there is no program to ask.
    """

    tables: tuple[str, ...]
    make: Callable[[Checkout], Mapping[str, Rows]]


def _read(table: str, make_rows: Callable[[Checkout], Rows]) -> Maker:
    """A table that is made from the sources of a release."""
    return Maker((table,), partial(_rows_read, table, make_rows))


def _rows_read(
    table: str, make_rows: Callable[[Checkout], Rows], checkout: Checkout
) -> Mapping[str, Rows]:
    return {table: make_rows(checkout)}


def _continued(table: str, make_rows: Callable[[Checkout, Rows], Rows]) -> Maker:
    """A table about all releases: of the sources of one, and the rows of its base."""
    return Maker((table,), partial(_rows_continued, table, make_rows))


def _rows_continued(
    table: str, make_rows: Callable[[Checkout, Rows], Rows], checkout: Checkout
) -> Mapping[str, Rows]:
    return {table: make_rows(checkout, _rows_of_base(table, checkout.release))}


#: What makes tables from sources, in the order in which they can be made: gates decide what
#: is served, and lifecycles what can no longer be read.
READ = (
    _continued("changed-fields", changed_fields.make_rows),
    _read("configurations", configurations.make_rows),
    _read("feature-gates", gates.make_rows),
    _read("flags", flags.make_rows),
    _read("gate-dependencies", gates.dependency_rows),
    _continued("go-fields", go_fields.make_rows),
    _read("go-modules", go_modules.make_rows),
    _continued("lifecycle", lifecycle.make_rows),
    _read("metrics", metrics.make_rows),
    _read("parameters", parameters.make_rows),
    _read("resources", resources.make_rows),
    _read("strategies", strategies.make_rows),
    _read("unreadable-kinds", unreadable_kinds.make_rows),
    _continued("volume-plugins", volume_plugins.make_rows),
)
#: What makes tables by asking the program of a release, in the order in which they can be
#: made: a field is asked about with what is known of its gates and values.
ASKED = (
    Maker(("gated-fields",), gated.ask_tables),
    Maker(("defaults", "enums", "immutable-fields", "limits"), values.ask_tables),
    Maker(("warnings",), server_warnings.ask_tables),
    Maker(("combinations",), combinations.ask_tables),
    Maker(("examples",), examples.ask_tables),
)
#: What makes each table.
MAKERS = {table: maker for maker in (*READ, *ASKED) for table in maker.tables}


def make_tables(maker: Maker, checkout: Checkout) -> None:
    """Make tables of a release, and write them."""
    for table, rows in maker.make(checkout).items():
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
