"""What a change means for each audience of the API, and the severities."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from kubestencil.events import EventSeverity

#: What a change means for users of the API; see ``SEVERITY_MEANINGS``.
Severity = EventSeverity

#: The severities, most severe first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

#: Those who apply manifests, those who compile a client against the models, and those
#: who write a controller.
AudienceName = Literal["apply", "compile", "controller"]

AUDIENCE_NAMES: tuple[AudienceName, ...] = get_args(AudienceName)

_WORDS = tomllib.loads(Path(__file__).with_name("audience.toml").read_text("utf-8"))
SEVERITY_MEANINGS: Mapping[Severity, str] = _WORDS["severities"]
AUDIENCE_MEANINGS: Mapping[AudienceName, str] = _WORDS["audiences"]


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
            Impact(severity, meanings.get(name) or _WORDS["meanings"][name][severity])
            for name, severity in severities
        )
    )


def at_most_warning(judged: Audience) -> Audience:
    """``judged``, in which nothing is more severe than a warning."""
    return audience(
        *(max("warning", impact.severity, key=SEVERITIES.index) for impact in judged)
    )
