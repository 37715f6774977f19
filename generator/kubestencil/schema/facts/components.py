"""The metrics and the command line flags of Kubernetes' components."""

from __future__ import annotations

from typing import NamedTuple

from kubestencil.source.releases import ReleaseRange


class Metric(NamedTuple):
    """A metric in a range of releases: its ``type`` (``Counter``), its ``stability``
    (``stable`` or ``beta``), and the release from which it is ``deprecated``, or None.
    """

    releases: ReleaseRange
    name: str
    type: str
    stability: str
    deprecated: str | None

    def to_dict(self) -> dict[str, str | None]:
        """The metric as a JSON object, without its name and releases."""
        return {
            "type": self.type,
            "stability": self.stability,
            "deprecated": self.deprecated,
        }


class Flag(NamedTuple):
    """A command line flag of a component in a range of releases, by its name without
    dashes before it. ``field`` is the field of a configuration file that says the same,
    after its kind (``KubeletConfiguration.maxPods``); empty where there is none."""

    releases: ReleaseRange
    component: str
    name: str
    deprecated: bool
    field: str

    def __str__(self) -> str:
        state = " (deprecated)" if self.deprecated else ""
        return f"{self.component} --{self.name}{state}"
