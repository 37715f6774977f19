"""The stage of a field or kind: how stable it is, and the feature gate that guards it.

It is that of the tables of facts where they have it, then that of what the field is
in, and last that which its description states: descriptions lag behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from kubestencil.schema import Release
from kubestencil.schema.graph import Graph, reachable, reference_graph, references
from kubestencil.schema.kinds import (
    STAGES,
    Stage,
    StageSpelling,
    list_item,
    stage_spelling,
    version_stage,
)
from kubestencil.schema.knowledge.descriptions import StatedStage, stated_stage
from kubestencil.schema.knowledge.gates import (
    GateStage,
    former_gates,
    gate_in,
    gated_fields,
    gates,
)
from kubestencil.schema.types import Definition, Schema
from kubestencil.schema.well_known import META_V1, is_built_in

#: The default of a feature gate as reports show it beside a stage.
DEFAULT_NAMES: Mapping[bool, str] = {True: "on", False: "off"}

_STATUS = "status"


class FieldStage(NamedTuple):
    """The stage of a field or kind in one release.

    ``gate`` is the feature gate that guards it, None where there is none or none is
    stated; ``enabled`` is the default of the gate, None where it is not known.
    """

    stage: Stage
    gate: str | None = None
    enabled: bool | None = None
    is_deprecated: bool = False

    @classmethod
    def of_gate(cls, gate: GateStage) -> FieldStage:
        """The stage of what a feature gate guards."""
        return cls(gate.stage, gate.gate, gate.enabled, gate.is_deprecated)

    @property
    def level(self) -> StageSpelling:
        """The stage as it is published."""
        return stage_spelling(self.stage, self.is_deprecated)

    def in_words(self, default_names: Mapping[bool, str]) -> str:
        """The stage, with the default of its gate: ``beta (on)``, ``GA``."""
        if self.level == "ga":
            return "GA"
        if self.enabled is None:
            return self.level
        if self.enabled and self.gate is None and self.stage == "alpha":
            # No alpha kind is served by default.
            return "alpha, without a gate of its own"
        return f"{self.level} ({default_names[self.enabled]})"


class StageChange(NamedTuple):
    """The stages of a field or kind in both releases; None where it is not there, or
    nothing is known."""

    before: FieldStage | None
    after: FieldStage | None

    def to_dict(self) -> dict[str, Any]:
        """The stages as JSON objects, None where nothing is known."""
        return {
            side: stage
            and {"level": stage.level, "gate": stage.gate, "enabled": stage.enabled}
            for side, stage in self._asdict().items()
        }


class ReleaseStages:
    """The stages of what is in one release; ``graph`` is its reference graph, which is
    made where it is None and needed."""

    def __init__(self, release: Release, graph: Graph | None = None) -> None:
        self._definitions = release.definitions
        self._given_graph = graph
        #: The minor version of Kubernetes, None where the facts do not apply.
        self.kubernetes = release.kubernetes

    def field_stage(
        self, definition: str, field: str, schema: Schema
    ) -> FieldStage | None:
        """The stage of a field with its own gate or a description that states one;
        ``field`` is its JSON name."""
        if self.kubernetes is not None and is_built_in(definition):
            gate = self.gated.get((definition, field))
            if gate is not None:
                return FieldStage.of_gate(gate)
            former = former_gates(definition, field, self.kubernetes)
            if stage := self._stage_of_gates(former, self.kubernetes):
                return stage
        stated = stated_stage(schema.description, self.kubernetes)
        return None if stated is None else self._with_facts(stated)

    def gate_stage(self, name: str) -> FieldStage | None:
        """The stage of a feature gate; None where the facts do not have it."""
        gate = None if self.kubernetes is None else gate_in(name, self.kubernetes)
        return None if gate is None else FieldStage.of_gate(gate)

    def definition_stage(self, definition: str) -> Stage:
        """The stage of a definition: that of the fields or kinds that lead to it where
        it is less stable than its version."""
        if definition in self._alpha_only:
            return "alpha"
        return version_stage(self._definitions[definition].version)

    def is_server_written(self, definition: str, field: str | None) -> bool:
        """Whether clients send no values of a field, or of a definition: those of list
        kinds, of the status of kinds, and of responses are written by servers and
        controllers."""
        if not is_built_in(definition):
            return False
        if definition in self._server_written:
            return True
        is_status = field is not None and field.partition(".")[0] == _STATUS
        return is_status and bool(self._definitions[definition].kinds)

    @cached_property
    def gated(self) -> Mapping[tuple[str, str], GateStage]:
        """The gates of all fields, by definition and field."""
        return {} if self.kubernetes is None else gated_fields(self.kubernetes)

    @cached_property
    def described_gates(self) -> frozenset[tuple[str, str]]:
        """The fields, with their definitions, whose descriptions mention a feature
        gate."""
        return frozenset(
            (definition.name, field.name)
            for definition in self._definitions.values()
            for field in definition.fields
            if "feature gate" in field.schema.description
        )

    def _stage_of_gates(self, names: Sequence[str], release: str) -> FieldStage | None:
        """The stage of a field that gates guarded before. They are removed, or kept
        without an effect on the field, once it is always available; a gate that was off to
        the end may have become a part of another one, so that nothing is known."""
        stages = [gate_in(name, release) for name in names]
        present = [gate for gate in stages if gate is not None]
        if not present:
            last = [rows[-1] for name in names if (rows := gates().get(name))]
            is_on = last and all(row.default == "on" for row in last)
            return FieldStage("stable") if is_on else None
        gate = min(present, key=lambda gate: gate.order)
        return FieldStage.of_gate(gate)

    def _with_facts(self, stated: StatedStage) -> FieldStage:
        """What is stated, with what is known of the gate that it names."""
        if stated.gate is not None and self.kubernetes is not None:
            stage = self.gate_stage(stated.gate)
            if stage is not None:
                return stage
            if stated.gate in gates():
                return FieldStage("stable")
        return FieldStage(*stated)

    @cached_property
    def _graph(self) -> Graph:
        return self._given_graph or reference_graph(self._definitions)

    @cached_property
    def _alpha_only(self) -> set[str]:
        """What is reachable only through alpha fields."""
        alpha: dict[str, set[str]] = {}
        for (definition, field), gate in self.gated.items():
            if gate.stage == "alpha" and field and definition in self._definitions:
                alpha.setdefault(definition, set()).add(field)
        edges = {
            name: tuple(_references(self._definitions[name], fields))
            for name, fields in alpha.items()
        }
        kinds = [item.name for item in self._definitions.values() if item.kinds]
        return self._reachable_only_through(edges, kinds)

    @cached_property
    def _server_written(self) -> set[str]:
        """What is reachable only from responses or the status of kinds."""
        kinds = {
            item.name: item
            for item in self._definitions.values()
            if item.kinds and not _is_response(item, self._definitions)
        }
        edges = {
            name: tuple(_references(item, {_STATUS})) for name, item in kinds.items()
        }
        return self._reachable_only_through(edges, kinds)

    def _reachable_only_through(
        self, edges: Mapping[str, tuple[str, ...]], starts: Iterable[str]
    ) -> set[str]:
        """What kinds lead to, and ``starts`` do not with the given ``edges``."""
        kinds = (item.name for item in self._definitions.values() if item.kinds)
        others = reachable({**self._graph, **edges}, starts)
        return reachable(self._graph, kinds) - others


# Kinds of meta/v1 that clients send; the others are responses.
_OPTIONS = f"{META_V1}.DeleteOptions"


def _is_response(definition: Definition, definitions: Mapping[str, Definition]) -> bool:
    if definition.name.startswith(f"{META_V1}."):
        return definition.name != _OPTIONS
    return list_item(definition, definitions) is not None


def _references(definition: Definition, left_out: set[str]) -> Iterator[str]:
    for field in definition.fields:
        if field.name not in left_out:
            yield from references(field.schema)


def least_stable(*stages: Stage) -> Stage:
    """The least stable of some stages."""
    return min(stages, key=STAGES.index)
