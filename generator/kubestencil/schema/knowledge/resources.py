"""What is known of the resources of Kubernetes and the query parameters of their operations,
by release (``resources`` in ``specs/facts``, ``parameters`` in ``specs/facts``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from kubestencil.schema.knowledge.tables import ranged_rows
from kubestencil.schema.types import (
    GroupVersionKind,
    PrinterColumn,
    Resource,
    Subresource,
    group_version_kind,
)
from kubestencil.source.releases import ReleaseRange, has_reached


class ResourceFacts(NamedTuple):
    """A resource, or a subresource, in a range of releases: ``pods``, ``pods/log``.

    ``kind_name`` is the kind that it takes and returns: ``Pod`` of ``api_version``, or
    ``policy/v1 Eviction``.
    """

    releases: ReleaseRange
    api_version: str
    name: str
    kind_name: str
    scope: str
    verbs: tuple[str, ...]
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    columns: str

    @property
    def plural(self) -> str:
        """The name of the resource."""
        return self.name.partition("/")[0]

    @property
    def subresource(self) -> str:
        """The name of the subresource; empty for the resource itself."""
        return self.name.partition("/")[2]

    @property
    def kind(self) -> GroupVersionKind:
        """The kind that it takes and returns."""
        api_version, _, kind = self.kind_name.rpartition(" ")
        return group_version_kind(api_version or self.api_version, kind)

    @property
    def namespaced(self) -> bool:
        """Whether its objects are in a namespace."""
        return self.scope == "namespaced"

    @property
    def printer_columns(self) -> Iterator[PrinterColumn]:
        """What ``kubectl get`` shows; the server computes values, and they have no path."""
        for column in filter(None, self.columns.split("; ")):
            name, _, priority = column.partition("/")
            name, _, column_type = name.partition(":")
            yield PrinterColumn(
                name, column_type or "string", priority=int(priority or 0)
            )


@cache
def resource_in(kind: GroupVersionKind, release: str) -> Resource | None:
    """How an API server of ``release`` serves a kind of Kubernetes.

    Where the release is not in the table, or does not have the kind, the facts are
    those of the nearest release that has it: a document that has the kind is of a
    release that serves it. None for a kind that is no resource of Kubernetes.
    """
    candidates = _resources().get(kind)
    if candidates is None:
        return None
    begun = [row for row in candidates if has_reached(release, row.releases.first)]
    facts = begun[-1] if begun else candidates[0]
    return _resource(facts, facts.releases.nearest(release))


def _resource(facts: ResourceFacts, release: str) -> Resource:
    subresources = _subresources().get((facts.api_version, facts.plural), ())
    return Resource(
        kind=facts.kind,
        plural=facts.plural,
        # The command that makes the table verifies that.
        singular=facts.kind.kind.lower(),
        namespaced=facts.namespaced,
        short_names=facts.short_names,
        categories=facts.categories,
        verbs=facts.verbs,
        printer_columns=tuple(facts.printer_columns),
        subresources=tuple(
            Subresource(
                name=row.subresource,
                verbs=row.verbs,
                kind=None if row.kind == facts.kind else row.kind,
            )
            for row in subresources
            if row.releases.includes(release)
        ),
    )


@cache
def _resources() -> Mapping[GroupVersionKind, Sequence[ResourceFacts]]:
    """The rows of each kind that is a resource, oldest first."""
    resources = defaultdict(list)
    for facts in resource_facts():
        if not facts.subresource:
            resources[facts.kind].append(facts)
    return resources


@cache
def _subresources() -> Mapping[tuple[str, str], Sequence[ResourceFacts]]:
    """The rows of the subresources by apiVersion and plural, sorted by their names."""
    subresources = defaultdict(list)
    for facts in resource_facts():
        if facts.subresource:
            subresources[facts.api_version, facts.plural].append(facts)
    return subresources


def resource_facts() -> Iterator[ResourceFacts]:
    """The rows of the table, sorted by apiVersion, plural, subresource, release."""
    return ranged_rows("resources", ResourceFacts, 2)


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


def parameters_of(release: str) -> set[tuple[str, str, str]]:
    """The resource, action and name of the query parameters of a release."""
    return {
        (row.resource, row.action, row.name)
        for row in parameter_rows()
        if row.releases.includes(release)
    }


def parameter_rows() -> Iterator[ParameterFact]:
    """The rows of the table ``parameters``."""
    return ranged_rows("parameters", ParameterFact, 3)


@cache
def _parameters() -> Mapping[tuple[str, str], Sequence[ParameterFact]]:
    parameters = defaultdict(list)
    for row in parameter_rows():
        parameters[row.action, row.resource].append(row)
    return parameters
