"""What a change means for each audience of the API, and the severities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

#: What a change means for users of the API; see ``SEVERITY_MEANINGS``.
Severity = Literal["breaking", "warning", "safe", "docs"]

#: The severities, most severe first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

SEVERITY_MEANINGS: Mapping[Severity, str] = {
    "breaking": "manifests, clients or controllers that worked can fail",
    "warning": "behaviour can change, or code has to be adapted; also any breaking "
    "change of an alpha version or field",
    "safe": "backward compatible",
    "docs": "only descriptions or other wording changed",
}

#: Those who apply manifests, those who compile a client against the models, and those
#: who write a controller.
AudienceName = Literal["apply", "compile", "controller"]

AUDIENCE_NAMES: tuple[AudienceName, ...] = get_args(AudienceName)

AUDIENCE_MEANINGS: Mapping[AudienceName, str] = {
    "apply": "those who apply manifests",
    "compile": "those who compile a client against the models",
    "controller": "those who write a controller",
}


class Impact(NamedTuple):
    """The severity of a change for one audience, and what it means in a sentence."""

    severity: Severity
    meaning: str


class Audience(NamedTuple):
    """What a change means for each audience; see ``AUDIENCE_MEANINGS``."""

    apply: Impact
    compile: Impact
    controller: Impact

    @property
    def severity(self) -> Severity:
        """The headline: the most severe of the three."""
        return min((impact.severity for impact in self), key=SEVERITIES.index)
