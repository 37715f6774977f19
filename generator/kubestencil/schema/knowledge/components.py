"""What is known of the components of Kubernetes: their metrics and command line flags, and
the Go code that their validator is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.knowledge.snapshots import sections_until
from kubestencil.schema.knowledge.tables import ranged_rows
from kubestencil.source.releases import ReleaseRange


class Metric(NamedTuple):
    """A metric in a range of releases: its ``type`` (``Counter``), its ``stability``
    (``stable``, ``beta`` or ``alpha``), and the release from which it is ``deprecated``,
    or None.
    """

    releases: ReleaseRange
    name: str
    type: str
    stability: str
    deprecated: str | None


class Flag(NamedTuple):
    """A command line flag of a component in a range of releases, by its name without
    dashes before it. ``type`` and ``default`` are those that its help has, the default
    ``""`` where that is the empty text; None where only sources were read. ``field`` is the
    field of a configuration file that says the same, after its kind
    (``KubeletConfiguration.maxPods``); empty where there is none."""

    releases: ReleaseRange
    component: str
    name: str
    deprecated: bool
    type: str | None
    default: str | None
    field: str

    def __str__(self) -> str:
        state = " (deprecated)" if self.deprecated else ""
        return f"{self.component} --{self.name}{state}"


class StrategyFacts(NamedTuple):
    """The Go code that prepares and validates objects of a kind in some releases.

    ``expression`` is a variable or a call of a constructor in ``package``, and so is
    ``status``, for what is written through that subresource: empty where there is none.
    ``types`` is the package that adds the types of the group to a scheme. Group and kind
    are ``*`` for custom resources.
    """

    releases: ReleaseRange
    group: str
    kind: str
    package: str
    expression: str
    status: str
    types: str

    @property
    def is_custom(self) -> bool:
        """Whether the row is about all custom resources."""
        return self.kind == "*"


def strategy_rows() -> Iterator[StrategyFacts]:
    """The rows of the table, sorted by group, kind and release."""
    return ranged_rows("strategies", StrategyFacts, 2)


class GoModule(NamedTuple):
    """A module that is published from k8s.io/kubernetes, with the release's version;
    ``go`` is the version of Go that the release needs, the only one with a ``version``.
    """

    releases: ReleaseRange
    name: str
    version: str


def facts_of_program(version: str) -> Iterator[str]:
    """The facts that the program of a version's API server is built from, as text."""
    return sections_until(version, ("go-modules", "resources", "strategies"))


def go_module_rows() -> Iterator[GoModule]:
    """The rows of the second table, sorted by name and release."""
    return ranged_rows("go-modules", GoModule, 1)


@cache
def metrics(release: str) -> Mapping[str, Metric]:
    """The metrics of a release by name; none of one that the table does not have."""
    table = ranged_rows("metrics", Metric, 1)
    return {row.name: row for row in table if row.releases.includes(release)}


@cache
def flags(release: str) -> Mapping[tuple[str, str], Flag]:
    """The flags of a release by component and name; none of one that the table does not
    have. Those of ``components_without_flags`` are the ones of the release before."""
    return {(row.component, row.name): row for row in _flag_rows(release) if row.name}


@cache
def components_without_flags(release: str) -> tuple[str, ...]:
    """The components that nobody has looked at in a release whose flags are known of
    others, since they could not be built."""
    return tuple(row.component for row in _flag_rows(release) if not row.name)


def _flag_rows(release: str) -> Iterator[Flag]:
    # A row without a name says that its component was not looked at.
    table = ranged_rows("flags", Flag, 2)
    return (row for row in table if row.releases.includes(release))
