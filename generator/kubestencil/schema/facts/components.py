"""The metrics and the command line flags of Kubernetes' components."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import ReleaseRange, rows


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


@cache
def metrics(release: str) -> Mapping[str, Metric]:
    """The metrics of a release by name; none of one that the table does not have."""
    table = rows("metrics", Metric)
    return {row.name: row for row in table if row.releases.includes(release)}


@cache
def flags(release: str) -> Mapping[tuple[str, str], Flag]:
    """The flags of a release by component and name; none of one that the table does not
    have."""
    table = rows("flags", Flag)
    return {
        (row.component, row.name): row
        for row in table
        if row.releases.includes(release)
    }
