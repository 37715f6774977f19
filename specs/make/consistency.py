"""Refuses rows of tables of facts that cannot be true of successive releases.

A fact of a field that ends, and is there again two releases later, is a hole of what was
asked, unless a feature gate changed its default in the same releases. A field that accepts
more values while a gate is on has other limits then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kubestencil.errors import UsageError
from kubestencil.schema.knowledge.gates import (
    gate_rows,
    gated_field_rows,
    gated_values,
)
from kubestencil.source.releases import ReleaseRange, release_order
from specs.make.ranges import previous

#: Of which tables the rows are about fields: the last cell says how they were found.
TABLES = ("enums", "defaults", "limits")


def require_consistent(table: str, rows: Iterable[Sequence[str]]) -> None:
    """Raise UsageError for the first row that contradicts others, or the gates."""
    for row, reason in contradictions(rows):
        raise UsageError(
            f"{' '.join(cell or '-' for cell in row)}: {reason}",
            where=f"specs/{table}.tsv",
            hint="ask the API server's own code of the releases, and write what it says",
        )


def contradictions(
    rows: Iterable[Sequence[str]],
) -> Iterator[tuple[Sequence[str], str]]:
    """Each row that cannot be true, and why: cells, of which the first has the releases."""
    by_fact: dict[Sequence[str], list[Sequence[str]]] = defaultdict(list)
    by_limit: dict[Sequence[str], list[Sequence[str]]] = defaultdict(list)
    for row in rows:
        by_fact[row[1:-1]].append(row)
        by_limit[row[1:3]].append(row)
    flips = set(_flips_of_gates())
    for same in by_fact.values():
        same.sort(key=lambda row: release_order(_releases(row).first))
        for former, row in pairwise(same):
            last, first = _releases(former).last, _releases(row).first
            if last is None or release_order(last) >= release_order(first):
                yield row, f"the releases are among those of {_releases(former)}"
            elif (
                previous(previous(first)) == last
                and (_package(row[1]), previous(first)) not in flips
            ):
                yield row, f"it does not hold in {previous(first)} alone"
    for (definition, field), relaxed in gated_values().items():
        if relaxed.accepts == "values":
            yield from _kept(by_limit.get((definition, field), ()), relaxed.gate)


def _kept(
    rows: Sequence[Sequence[str]], gate: str
) -> Iterator[tuple[Sequence[str], str]]:
    """The rows that begin while a gate is on, and say what held until it was."""
    on = [
        row.releases for row in gate_rows() if (row.gate, row.default) == (gate, "on")
    ]

    def is_on(release: str) -> bool:
        return any(releases.includes(release) for releases in on)

    ends = ((row[1:-1], _releases(row).last) for row in rows)
    before = {fact for fact, last in ends if last is not None and not is_on(last)}
    for row in rows:
        if row[1:-1] in before and is_on(_releases(row).first):
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


def _package(definition: str) -> str:
    return definition.rpartition(".")[0]


def _releases(row: Sequence[str]) -> ReleaseRange:
    return ReleaseRange.parse(row[0])
