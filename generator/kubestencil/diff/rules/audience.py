"""What a change means for each audience of the API, and the severities."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
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
        return _most_severe(self)


@cache
def _most_severe(judged: Audience) -> Severity:
    """One of some ten combinations, each of which thousands of changes have."""
    return min((impact.severity for impact in judged), key=SEVERITIES.index)


_MEANINGS: Mapping[AudienceName, Mapping[Severity, str]] = {
    "apply": {
        "breaking": "Manifests that worked are rejected, or lose what they say.",
        "warning": "Manifests are accepted, and may have another effect.",
        "safe": "Manifests work as before.",
        "docs": "Manifests work as before.",
    },
    "compile": {
        "breaking": "The models no longer have what the code uses.",
        "warning": "The models differ: the code may have to be adapted.",
        "safe": "The code compiles as before.",
        "docs": "The code compiles as before.",
    },
    "controller": {
        "breaking": "Requests fail, or what is read is no longer there.",
        "warning": "Values or behaviour can be met that were not there before.",
        "safe": "Controllers work as before.",
        "docs": "Controllers work as before.",
    },
}


def audience(
    apply_: Severity,
    compile_: Severity,
    controller_: Severity,
    **meanings: str,
) -> Audience:
    """The severities for the three audiences. What they mean is among ``meanings``, by
    the name of the audience, where it is not what the severity mostly means."""
    severities = zip(AUDIENCE_NAMES, (apply_, compile_, controller_), strict=True)
    return Audience(
        *(
            Impact(severity, meanings.get(name) or _MEANINGS[name][severity])
            for name, severity in severities
        )
    )


def at_most(severity: Severity, judged: Audience) -> Audience:
    """``judged``, in which nothing is more severe than ``severity``."""
    apply, compile_, controller = (
        SEVERITIES[max(SEVERITIES.index(severity), SEVERITIES.index(impact.severity))]
        for impact in judged
    )
    return audience(apply, compile_, controller)
