"""The tables of facts about fields contradict neither each other nor the feature gates.

A fact of a field that ends, and is there again two releases later, is a hole of what was
asked, unless a feature gate changed its default in the same releases. A field that accepts
more values while a gate is on has other limits then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import pytest

from kubestencil.schema.knowledge.coverage import looked_at
from kubestencil.schema.knowledge.gates import gate_rows, gated_field_rows
from kubestencil.schema.knowledge.tables import ranged_cells
from kubestencil.source.releases import ReleaseRange, previous_minor_version


class Fact(NamedTuple):
    """A row without how it was found."""

    releases: ReleaseRange
    cells: Sequence[str]


def facts(table: str) -> Iterator[Fact]:
    for releases, cells in ranged_cells(table, 4):
        yield Fact(releases, tuple(cells[:-1]))


def holes(rows: Iterable[Fact], asked: Sequence[str]) -> Iterator[tuple[str, Fact]]:
    """The releases that alone lack a fact, of those that were asked."""
    by_fact: dict[Sequence[str], list[Fact]] = defaultdict(list)
    for row in rows:
        by_fact[row.cells].append(row)
    flips = set(_flips_of_gates())
    for same in by_fact.values():
        for former, row in pairwise(same):
            middle = previous_minor_version(row.releases.first)
            is_alone = previous_minor_version(middle) == former.releases.last
            if is_alone and (_package(row.cells[0]), middle) not in flips:
                yield from [(middle, row)] if middle in asked else ()


def _flips_of_gates() -> Iterator[tuple[str, str]]:
    """The releases in which alone the default of a gate was another than before and after,
    with the packages of what it guards."""
    packages = defaultdict(set)
    for guarded in gated_field_rows():
        for gate in guarded.gates:
            packages[gate].add(_package(guarded.definition))
    stages = list(gate_rows())
    for former, row, later in zip(stages, stages[1:], stages[2:], strict=False):
        is_one = former.gate == row.gate == later.gate
        if is_one and former.default == later.default != row.default:
            for package in packages[row.gate]:
                yield package, row.releases.first
                # A patch may have begun with it.
                yield package, previous_minor_version(later.releases.first)


def _package(definition: str) -> str:
    return definition.rpartition(".")[0]


def kept_limits(rows: Iterable[Fact]) -> Iterator[tuple[str, Fact]]:
    """The gates that are on, with what held until they were, and begins again."""
    limits: dict[Sequence[str], list[Fact]] = defaultdict(list)
    for row in rows:
        limits[row.cells[:2]].append(row)
    on = [(row.gate, row.releases) for row in gate_rows() if row.default == "on"]

    def is_on(gate: str, release: str) -> bool:
        return any(name == gate and when.includes(release) for name, when in on)

    for guarded in gated_field_rows():
        for gate in guarded.gates if guarded.decides == "values" else ():
            of_field = limits[guarded.definition, guarded.field]
            before = {
                cells
                for releases, cells in of_field
                if releases.last and not is_on(gate, releases.last)
            }
            for row in of_field:
                if row.cells in before and is_on(gate, row.releases.first):
                    yield gate, row


@pytest.mark.parametrize("table", ["enums", "defaults", "limits"])
def test_no_row_contradicts_others_or_gates(table: str) -> None:
    rows = [*facts(table)]
    assert not [*holes(rows, looked_at(table))]
    assert not [*kept_limits(rows)]


def _rows(name: str, *releases: str) -> list[Fact]:
    cells = ("io.k8s.api.core.v1.PodDNSConfig", name, "", "format", "dns")
    return [Fact(ReleaseRange.parse(each), cells) for each in releases]


def test_a_row_that_cannot_be_true_is_named() -> None:
    rows = _rows("hostname", "1.25..1.30", "1.32..")
    assert [*holes(rows, ["1.31"])] == [("1.31", rows[1])]
    assert [*holes(rows, ["1.30"])] == []
    rows = _rows("searches", "1.25..1.32", "1.35..")
    assert {*kept_limits(rows)} == {("RelaxedDNSSearchValidation", rows[1])}
