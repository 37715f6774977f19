"""The Go code that the validator of a release is made of: ``specs/strategies.tsv`` and
``specs/go-modules.tsv``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows
from kubestencil.source.releases import ReleaseRange


class StrategyFacts(NamedTuple):
    """The Go code that prepares and validates objects of a kind in some releases.

    ``expression`` is a variable or a call of a constructor in ``package``; ``types`` is
    the package that adds the types of the group to a scheme. Group and kind are ``*``
    for custom resources.
    """

    releases: ReleaseRange
    group: str
    kind: str
    package: str
    expression: str
    types: str

    @property
    def is_custom(self) -> bool:
        """Whether the row is about all custom resources."""
        return self.kind == "*"


def strategy_rows() -> Iterator[StrategyFacts]:
    """The rows of the table, sorted by group, kind and release."""
    return rows("strategies", StrategyFacts)


class GoModule(NamedTuple):
    """A module that is published from k8s.io/kubernetes, with the release's version;
    ``go`` is the version of Go that the release needs, the only one with a ``version``.
    """

    releases: ReleaseRange
    name: str
    version: str


def go_module_rows() -> Iterator[GoModule]:
    """The rows of the second table, sorted by name and release."""
    return rows("go-modules", GoModule)
