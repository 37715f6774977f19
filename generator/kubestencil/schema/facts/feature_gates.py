"""The feature gates of Kubernetes, and the fields that they guard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, cast

from kubestencil.schema.facts.tables import ReleaseRange, rows
from kubestencil.schema.kinds import STAGES, Stage, StageSpelling, stage_spelling
from kubestencil.source.releases import release_order


class GateStage(NamedTuple):
    """A feature gate in one release.

    ``enabled`` is its default, and ``locked`` says that the default cannot be changed.
    A deprecated gate switches something off that is going away.
    """

    gate: str
    stage: Stage
    enabled: bool
    locked: bool
    is_deprecated: bool = False

    @property
    def level(self) -> StageSpelling:
        """The stage as the table spells it."""
        return stage_spelling(self.stage, self.is_deprecated)

    @property
    def order(self) -> tuple[int, bool]:
        """A key that sorts gates by their stage, the least stable first."""
        return STAGES.index(self.stage), not self.is_deprecated


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


def gated_fields(release: str) -> Mapping[tuple[str, str], GateStage]:
    """The gates of all fields in a release, by definition and field."""
    fields = ((key, gate_of(*key, release)) for key in _fields())
    return {key: gate for key, gate in fields if gate is not None}


class GateRow(NamedTuple):
    """A feature gate in a range of releases, as the table has it."""

    releases: ReleaseRange
    gate: str
    level: str
    default: str
    locked: bool

    @property
    def stage(self) -> GateStage:
        """The gate in each of these releases."""
        is_deprecated = self.level == "deprecated"
        stage = "stable" if is_deprecated or self.level == "ga" else self.level
        is_on = self.default == "on"
        return GateStage(
            self.gate, cast(Stage, stage), is_on, self.locked, is_deprecated
        )


class GatedFieldRow(NamedTuple):
    """The gates of a field in a range of releases; ``field`` is empty for a kind."""

    releases: ReleaseRange
    definition: str
    field: str
    gates: tuple[str, ...]


def gate_rows() -> Iterator[GateRow]:
    """The rows of ``specs/feature-gates.tsv``."""
    return rows("feature-gates", GateRow)


def gated_field_rows() -> Iterator[GatedFieldRow]:
    """The rows of ``specs/gated-fields.tsv``."""
    return rows("gated-fields", GatedFieldRow)


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
