"""Refuses rows of tables of facts that cannot be true of successive releases.

A fact of a field that ends, and is there again two releases later, is a hole of what was
asked, unless a feature gate changed its default in the same releases. A field that accepts
more values while a gate is on has other limits then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.gates import gate_rows, gated_field_rows
from kubestencil.schema.knowledge.snapshots import Line, TableDifference, ranged
from kubestencil.source.releases import (
    ReleaseRange,
    previous_minor_version,
    release_order,
)

RangedLine = tuple[ReleaseRange, Line]
#: Of which tables the rows are about fields: the last cell says how they were found.
TABLES = ("enums", "defaults", "limits")


class _Row(NamedTuple):
    releases: ReleaseRange
    cells: tuple[str, ...]

    @property
    def fact(self) -> tuple[str, ...]:
        """All but how it was found."""
        return self.cells[:-1]


def require_consistent(table: str, changes: Mapping[str, TableDifference]) -> None:
    """Raise UsageError for the first row that contradicts others, or the gates: ``changes``
    has what differs in the releases that were looked at."""
    for row, reason in contradictions(ranged(changes), changes.keys()):
        raise UsageError(
            f"{row[0]} {' '.join(row[1].split())}: {reason}",
            where=f"specs/facts: {table}",
            hint="ask the API server's own code of the releases, and write what it says",
        )


def contradictions(
    rows: Iterable[RangedLine], looked_at: Collection[str]
) -> Iterator[tuple[RangedLine, str]]:
    """Each row that cannot be true of the releases that were looked at, and why."""
    by_fact: dict[Sequence[str], list[_Row]] = defaultdict(list)
    by_limit: dict[Sequence[str], list[_Row]] = defaultdict(list)
    for releases, line in rows:
        row = _Row(releases, tuple(line.split("\t")))
        by_fact[row.fact].append(row)
        by_limit[row.cells[:2]].append(row)
    for row, reason in _contradictions(by_fact, by_limit, looked_at):
        yield (row.releases, "\t".join(row.cells)), reason


def _contradictions(
    by_fact: Mapping[Sequence[str], list[_Row]],
    by_limit: Mapping[Sequence[str], list[_Row]],
    looked_at: Collection[str],
) -> Iterator[tuple[_Row, str]]:
    flips = set(_flips_of_gates())
    for same in by_fact.values():
        same.sort(key=lambda row: release_order(row.releases.first))
        for former, row in pairwise(same):
            last, first = former.releases.last, row.releases.first
            middle = previous_minor_version(first)
            if last is None or release_order(last) >= release_order(first):
                yield row, f"the releases are among those of {former.releases}"
            elif (
                middle in looked_at
                and previous_minor_version(middle) == last
                and (_package(row.cells[0]), middle) not in flips
            ):
                yield row, f"it does not hold in {middle} alone"
    relaxed = {
        (row.definition, row.field, gate)
        for row in gated_field_rows()
        if row.decides == "values"
        for gate in row.gates
    }
    for definition, field, gate in sorted(relaxed):
        yield from _kept(by_limit.get((definition, field), ()), gate)


def _kept(rows: Sequence[_Row], gate: str) -> Iterator[tuple[_Row, str]]:
    """The rows that begin while a gate is on, and say what held until it was."""
    on = [
        row.releases for row in gate_rows() if (row.gate, row.default) == (gate, "on")
    ]

    def is_on(release: str) -> bool:
        return any(releases.includes(release) for releases in on)

    ends = ((row.fact, row.releases.last) for row in rows)
    before = {fact for fact, last in ends if last is not None and not is_on(last)}
    for row in rows:
        if row.fact in before and is_on(row.releases.first):
            yield row, f"{gate} is on, which accepts other values"


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
