"""The query parameters of Kubernetes' operations: ``specs/parameters.tsv``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.tables import rows
from kubestencil.source.releases import ReleaseRange


class Parameter(NamedTuple):
    """A parameter of an operation.

    ``location`` is ``query``, ``path`` or ``body``; ``type`` is that of OpenAPI, empty
    for a body.
    """

    name: str
    location: str
    type: str


class ParameterFact(NamedTuple):
    """A query parameter; ``resource`` is empty for one of all operations with the
    action."""

    releases: ReleaseRange
    action: str
    resource: str
    name: str
    type: str


def query_parameters(
    action: str, plural: str, subresource: str, release: str
) -> list[Parameter]:
    """The query parameters of an operation, sorted by name.

    ``action`` is its ``x-kubernetes-action``. A release that is older than the table
    has none.
    """
    table = _parameters()
    candidates = [
        *table.get((action, ""), ()),
        *table.get((action, f"{plural}/{subresource}"), ()),
    ]
    return sorted(
        Parameter(row.name, "query", row.type)
        for row in candidates
        if row.releases.includes(release)
    )


def parameter_rows() -> Iterator[ParameterFact]:
    """The rows of ``specs/parameters.tsv``."""
    return rows("parameters", ParameterFact)


@cache
def _parameters() -> Mapping[tuple[str, str], Sequence[ParameterFact]]:
    parameters = defaultdict(list)
    for row in parameter_rows():
        parameters[row.action, row.resource].append(row)
    return parameters
