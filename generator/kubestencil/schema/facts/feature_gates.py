"""The feature gates of Kubernetes, and the fields that they guard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from kubestencil.schema.facts.tables import rows
from kubestencil.schema.kinds import STAGES, Stage, StageSpelling, stage_spelling
from kubestencil.source.releases import ReleaseRange


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


class GatedValue(NamedTuple):
    """A field of a definition that accepts more while a gate is on: ``values``, or
    ``changes`` of objects that are there. ``source`` is the file that asks for it."""

    gate: str
    definition: str
    field: str
    accepts: str
    source: str


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
