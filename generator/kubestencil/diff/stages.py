"""The stage of a field or kind: how stable it is, and the feature gate that guards it."""

from __future__ import annotations

from typing import Literal, NamedTuple

#: How stable a field or kind is, least stable first. What is deprecated works, and is
#: going away.
StageLevel = Literal["alpha", "beta", "ga", "deprecated"]


class Stage(NamedTuple):
    """The stage of a field or kind in one release.

    ``gate`` is the feature gate that guards it, None where there is none or none is
    stated; ``enabled`` is the default of the gate, None where it is not known.
    """

    level: StageLevel
    gate: str | None = None
    enabled: bool | None = None


class StageChange(NamedTuple):
    """The stages of a field or kind in both releases; None where it is not there."""

    before: Stage | None
    after: Stage | None
