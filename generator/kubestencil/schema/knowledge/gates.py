"""What is known of feature gates: their stage and default in a release, the fields and
kinds that they guard, and what is accepted only with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, cast

from kubestencil.schema.kinds import STAGES, Stage, StageSpelling, stage_spelling
from kubestencil.schema.knowledge.snapshots import newest_patch
from kubestencil.schema.knowledge.tables import ranged_rows
from kubestencil.source.releases import (
    ReleaseRange,
    has_reached,
    is_after,
    release_order,
)


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
    def level_name(self) -> str:
        """The stage for people."""
        return "GA" if self.level == "ga" else self.level

    @property
    def in_words(self) -> str:
        """The stage with its default: ``beta (on)``, ``GA``."""
        if self.level == "ga":
            return self.level_name
        return f"{self.level} ({'on' if self.enabled else 'off'})"

    @property
    def order(self) -> tuple[int, bool]:
        """A key that sorts gates by their stage, the least stable first."""
        return STAGES.index(self.stage), not self.is_deprecated

    def to_dict(self) -> dict[str, str | bool]:
        """The stage of the gate as a JSON object."""
        return {"stage": self.level, "enabled": self.enabled, "locked": self.locked}


class GateRow(NamedTuple):
    """A feature gate in a range of releases, as the table has it; ``components`` are
    those whose code asks for it."""

    releases: ReleaseRange
    gate: str
    level: str
    default: str
    locked: bool
    components: tuple[str, ...]

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
    """The gates of a field in a range of releases, all of which are needed; ``field`` is
    empty for a kind.

    ``decides`` is what they decide: empty whether there is a field at all, ``values`` and
    ``changes`` whether more of them are accepted, ``fewer`` whether values or changes are
    no longer. ``found`` is ``asked``, or ``read`` in sources.
    """

    releases: ReleaseRange
    definition: str
    field: str
    decides: str
    gates: tuple[str, ...]
    found: str


class _Dependency(NamedTuple):
    releases: ReleaseRange
    gate: str
    needed: tuple[str, ...]


def gate_rows() -> Iterator[GateRow]:
    """The rows of the table ``feature-gates``."""
    table = ranged_rows("feature-gates", GateRow, 1)
    return iter(sorted(table, key=lambda row: row.gate.casefold()))


def gated_field_rows() -> Iterator[GatedFieldRow]:
    """The rows of the table ``gated-fields``."""
    return ranged_rows("gated-fields", GatedFieldRow, 3)


def gate_of(definition: str, field: str, release: str) -> GateStage | None:
    """The feature gate that guards a field, by the full name of its definition.

    ``field`` is the JSON name, or empty for a kind that is served only with its gate.
    While the gate is off, the API server drops the values of the field or refuses them.
    Where several gates are needed, it is the one that is off, or is the least stable.
    None where there is no gate, or the facts have none of the release.
    """
    stages = gates_of(definition, field, release)
    return min(stages, key=lambda gate: (gate.enabled, gate.order), default=None)


def gates_of(definition: str, field: str, release: str) -> Sequence[GateStage]:
    """All gates that guard a field or, without a name of one, a kind."""
    return [
        stage
        for row in _fields().get((definition, field), ())
        if row.releases.includes(release)
        for gate in row.gates
        if (stage := gate_in(gate, release)) is not None
    ]


@cache
def gate_dependencies(release: str) -> Mapping[str, Sequence[str]]:
    """The gates of a release that depend on others, each with those."""
    table = ranged_rows("gate-dependencies", _Dependency, 1)
    return {row.gate: row.needed for row in table if row.releases.includes(release)}


def with_dependencies(
    gates: Iterable[str], dependencies: Mapping[str, Sequence[str]]
) -> list[str]:
    """Some gates, and all that they depend on, directly or not."""
    found: dict[str, None] = {}
    pending = [*gates]
    while pending:
        gate = pending.pop(0)
        if gate not in found:
            found[gate] = None
            pending.extend(dependencies.get(gate, ()))
    return [*found]


def gate_in(gate: str, release: str) -> GateStage | None:
    """A feature gate in a release; None where the release does not have it. A minor version
    has what its newest patch has, which clusters run by the time that they are upgraded.
    """
    patch = newest_patch("feature-gates", release)
    for row in gates().get(gate, ()):
        if row.releases.includes(patch):
            return row.stage
    return None


def gate_releases() -> Sequence[str]:
    """The releases of the table, oldest first: each added a gate or changed one."""
    names = {row.releases.first for rows in gates().values() for row in rows}
    return sorted(names, key=release_order)


def former_gates(definition: str, field: str, release: str) -> tuple[str, ...]:
    """The gates that guarded a field in earlier releases, where none does in
    ``release``; empty for any other field."""
    rows_of_field = _fields().get((definition, field), ())
    for row in rows_of_field:
        last = row.releases.last
        if last is None or not is_after(release, last):
            return ()
    return tuple(gate for row in rows_of_field[-1:] for gate in row.gates)


def gate_history(definition: str, field: str) -> Mapping[str, Sequence[GateRow]]:
    """The stages of each gate that guards a field in any release, oldest first, by the
    gate's name: those of a gate can begin before the field, and end after it."""
    names = dict.fromkeys(
        gate for row in _fields().get((definition, field), ()) for gate in row.gates
    )
    return {gate: gates().get(gate, ()) for gate in names}


def gated_fields(release: str) -> Mapping[tuple[str, str], GateStage]:
    """The gates of all fields in a release, by definition and field."""
    fields = ((key, gate_of(*key, release)) for key in _fields())
    return {key: gate for key, gate in fields if gate is not None}


def guarded_fields(release: str) -> Iterator[tuple[str, str, str]]:
    """Each definition and field with each of the gates that guard it in a release; the
    field is empty for a kind. Last come those of which gates of any release decide about
    values or changes."""
    for (definition, field), fields in _fields().items():
        for row in fields:
            if row.releases.includes(release):
                for gate in row.gates:
                    yield definition, field, gate
    yield from dict.fromkeys(
        (row.definition, row.field, gate) for row in _deciding() for gate in row.gates
    )


def guarded_until(release: str) -> Iterator[tuple[str, str, str]]:
    """Each definition and field with the gates that guard it or did, until a release."""
    yield from dict.fromkeys(
        (definition, field, gate)
        for (definition, field), rows_of_field in _fields().items()
        for row in rows_of_field
        if has_reached(release, row.releases.first)
        for gate in row.gates
    )


@cache
def relaxing_gates() -> Mapping[tuple[str, str], frozenset[str]]:
    """The gates of any release that make the API server accept more values or changes of
    fields, by definition and field."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in _deciding():
        if row.decides != "fewer":
            found[row.definition, row.field].update(row.gates)
    return {key: frozenset(names) for key, names in found.items()}


@cache
def gates() -> Mapping[str, Sequence[GateRow]]:
    """The stages of all gates of all releases by name, oldest first, in the order of
    their table."""
    found = defaultdict(list)
    for row in gate_rows():
        found[row.gate].append(row)
    return found


@cache
def _deciding() -> Sequence[GatedFieldRow]:
    """The rows of gates that decide about values or changes of a field."""
    return [row for row in gated_field_rows() if row.decides]


@cache
def _fields() -> Mapping[tuple[str, str], Sequence[GatedFieldRow]]:
    fields = defaultdict(list)
    for row in gated_field_rows():
        if not row.decides:
            fields[row.definition, row.field].append(row)
    return fields
