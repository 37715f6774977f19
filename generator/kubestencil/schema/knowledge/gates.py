"""What is known of feature gates: their stage and default in a release, the fields and
kinds that they guard, and what is accepted only with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from kubestencil.schema.facts.feature_gates import (
    GatedFieldRow,
    GatedValue,
    GateRow,
    GateStage,
    gate_rows,
    gated_field_rows,
)
from kubestencil.schema.facts.tables import rows
from kubestencil.source.releases import release_order

__all__ = ["GateRow", "GateStage", "GatedValue"]


def gate_of(definition: str, field: str, release: str) -> GateStage | None:
    """The feature gate that guards a field, by the full name of its definition.

    ``field`` is the JSON name, or empty for a kind that is served only with its gate.
    While the gate is off, the API server drops the values of the field or refuses them.
    Where several gates are needed, it is the one that is off, or is the least stable.
    None where there is no gate, or the facts have none of the release.
    """
    gates = [
        stage
        for row in _fields().get((definition, field), ())
        if row.releases.includes(release)
        for gate in row.gates
        if (stage := gate_in(gate, release)) is not None
    ]
    return min(gates, key=_precedence, default=None)


def gate_in(gate: str, release: str) -> GateStage | None:
    """A feature gate in a release; None where the release does not have it."""
    for row in _gates().get(gate, ()):
        if row.releases.includes(release):
            return row.stage
    return None


def gate_known(gate: str) -> bool:
    """Whether any release in the facts has a feature gate of this name."""
    return gate in _gates()


def gate_names() -> Iterable[str]:
    """The names of all gates of all releases in the facts, in their order."""
    return _gates().keys()


def gate_releases() -> Sequence[str]:
    """The releases of the table, oldest first: each added a gate or changed one."""
    names = {row.releases.first for rows in _gates().values() for row in rows}
    return sorted(names, key=release_order)


def gate_components(gate: str) -> tuple[str, ...]:
    """The components whose code asks for a gate: ``kubelet``."""
    return _gates()[gate][0].components


def former_gates(definition: str, field: str, release: str) -> tuple[str, ...]:
    """The gates that guarded a field in earlier releases, where none does in
    ``release``; empty for any other field."""
    rows_of_field = _fields().get((definition, field), ())
    order = release_order(release)
    for row in rows_of_field:
        last = row.releases.last
        if last is None or release_order(last) >= order:
            return ()
    return tuple(gate for row in rows_of_field[-1:] for gate in row.gates)


def gate_history(definition: str, field: str) -> Mapping[str, Sequence[GateRow]]:
    """The stages of each gate that guards a field in any release, oldest first, by the
    gate's name: those of a gate can begin before the field, and end after it."""
    gates = dict.fromkeys(
        gate for row in _fields().get((definition, field), ()) for gate in row.gates
    )
    return {gate: _gates().get(gate, ()) for gate in gates}


def gated_fields(release: str) -> Mapping[tuple[str, str], GateStage]:
    """The gates of all fields in a release, by definition and field."""
    fields = ((key, gate_of(*key, release)) for key in _fields())
    return {key: gate for key, gate in fields if gate is not None}


def guarded_fields(release: str) -> Iterator[tuple[str, str, str]]:
    """Each definition and field with each of the gates that guard it in a release; the
    field is empty for a kind."""
    for (definition, field), fields in _fields().items():
        for row in fields:
            if row.releases.includes(release):
                for gate in row.gates:
                    yield definition, field, gate


def guarded_until(release: str) -> Iterator[tuple[str, str, str]]:
    """The same of all releases up to one, each once."""
    order = release_order(release)
    yield from dict.fromkeys(
        (definition, field, gate)
        for (definition, field), rows_of_field in _fields().items()
        for row in rows_of_field
        if release_order(row.releases.first) <= order
        for gate in row.gates
    )


@cache
def gated_values() -> Mapping[tuple[str, str], GatedValue]:
    """The rows of ``specs/gated-values.tsv``, by definition and field."""
    table = rows("gated-values", GatedValue)
    return {(row.definition, row.field): row for row in table}


def _precedence(gate: GateStage) -> tuple[bool, tuple[int, bool]]:
    return gate.enabled, gate.order


@cache
def _gates() -> Mapping[str, Sequence[GateRow]]:
    gates = defaultdict(list)
    for row in gate_rows():
        gates[row.gate].append(row)
    return gates


@cache
def _fields() -> Mapping[tuple[str, str], Sequence[GatedFieldRow]]:
    fields = defaultdict(list)
    for row in gated_field_rows():
        fields[row.definition, row.field].append(row)
    return fields
