"""The table ``lifecycle.tsv``: one row for each kind of Kubernetes.

Releases are read in order. What the document of a release has decides what is served;
upstream's own lifecycle methods, which the newest sources have in their best version,
add what is deprecated, planned and replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from kubestencil.schema.kinds import precedence
from kubestencil.schema.knowledge.kinds import lifecycles
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import (
    ReleaseRange,
    previous_minor_version,
    release_order,
)
from specs.make.checkouts import Checkout
from specs.make.default_server import default_kinds
from specs.make.documents import operated_kinds
from specs.make.upstream_lifecycle import UpstreamLifecycle, upstream_lifecycles

HEADER = """
The lifecycle of the kinds of Kubernetes, one row for each, tab-separated:

  apiVersion, kind
  introduced   the first release that can serve it
  deprecated   the release from which the API server warns of it
  removed      the first release that does not serve it; later releases are planned
  default      the releases whose server serves it without flags: FIRST..LAST, or
               FIRST.. until the newest release
  replacement  apiVersion and kind

Made by `python -m specs.make lifecycle` (specs/README.md) from sources of Kubernetes:
the OpenAPI document, DefaultAPIResourceConfigSource and the gates of resources of
k8s.io/kubernetes, and the APILifecycle methods of k8s.io/api,
k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator.
"""

# Documents name the kinds of subresources from this release on, and there are none
# before 1.5, so that a kind may be older than the first document that has it.
_FIRST_COMPLETE = "1.9"
# Kinds that are older than that and have no lifecycle methods (api/swagger-spec and
# pkg/apis of k8s.io/kubernetes 1.1 to 1.4), and kinds whose documents are made by a
# server without the flag or the gate that they need.
_OLDER = {
    GroupVersionKind("authentication.k8s.io", "v1", "TokenRequest"): "1.10",
    GroupVersionKind("batch", "v2alpha1", "Job"): "1.3",
    GroupVersionKind("batch", "v2alpha1", "ScheduledJob"): "1.4",
    GroupVersionKind("certificates.k8s.io", "v1alpha1", "CertificateSigningRequest"): (
        "1.4"
    ),
    GroupVersionKind("extensions", "v1beta1", "HorizontalPodAutoscaler"): "1.1",
    GroupVersionKind("extensions", "v1beta1", "Job"): "1.1",
    GroupVersionKind("extensions", "v1beta1", "ThirdPartyResource"): "1.1",
    GroupVersionKind("rbac.authorization.k8s.io", "v1alpha1", "ClusterRole"): "1.3",
    GroupVersionKind("rbac.authorization.k8s.io", "v1alpha1", "ClusterRoleBinding"): (
        "1.3"
    ),
    GroupVersionKind("rbac.authorization.k8s.io", "v1alpha1", "Role"): "1.3",
    GroupVersionKind("rbac.authorization.k8s.io", "v1alpha1", "RoleBinding"): "1.3",
    GroupVersionKind("storage.k8s.io", "v1alpha1", "CSIStorageCapacity"): "1.19",
}
# Kinds that a subresource takes beside the one that documents name, with the last
# release in which it does (pkg/registry/core/pod/storage/eviction.go).
_ALSO_TAKEN = {GroupVersionKind("policy", "v1beta1", "Eviction"): "1.24"}
# Kinds that were replaced before there were lifecycle methods, or by another kind
# (https://kubernetes.io/docs/reference/using-api/deprecation-guide/ and the changelogs
# of 1.6 and 1.8).
_REPLACEMENTS = {
    GroupVersionKind("batch", "v2alpha1", "ScheduledJob"): GroupVersionKind(
        "batch", "v1", "CronJob"
    ),
    GroupVersionKind("extensions", "v1beta1", "HorizontalPodAutoscaler"): (
        GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler")
    ),
    GroupVersionKind("extensions", "v1beta1", "Job"): GroupVersionKind(
        "batch", "v1", "Job"
    ),
    GroupVersionKind("extensions", "v1beta1", "ThirdPartyResource"): GroupVersionKind(
        "apiextensions.k8s.io", "v1", "CustomResourceDefinition"
    ),
    # https://kep.k8s.io/4381: device classes of 1.31 are what resource classes were.
    GroupVersionKind("resource.k8s.io", "v1alpha2", "ResourceClass"): GroupVersionKind(
        "resource.k8s.io", "v1alpha3", "DeviceClass"
    ),
}
# Methods that return a kind that there is not: that of the list, or one that was never
# in the version.
_WRONG_REPLACEMENTS = {
    GroupVersionKind("networking.k8s.io", "v1", "IngressClassList"): GroupVersionKind(
        "networking.k8s.io", "v1", "IngressClass"
    ),
    GroupVersionKind("apps", "v1", "DeploymentRollback"): None,
}


@dataclass
class Row:
    """A row of the table. ``gone`` is the first release whose document lacks the
    kind; ``planned`` is the removal that upstream states."""

    kind: GroupVersionKind
    introduced: str
    deprecated: str | None = None
    planned: str | None = None
    gone: str | None = None
    default: list[ReleaseRange] = field(default_factory=list)
    replacement: GroupVersionKind | None = None

    @property
    def removed(self) -> str | None:
        """The first release that does not serve the kind.

        Some kinds could still be enabled for two releases after a default server had
        stopped to serve them, which is what upstream calls their removal.
        """
        if self.gone is None or self.planned is None or not self.default:
            return self.gone or self.planned
        last_default = self.default[-1].last
        stopped = last_default is not None and _before(last_default, self.planned)
        return (
            self.planned if stopped and _before(self.planned, self.gone) else self.gone
        )


def make_rows(checkouts: Sequence[Checkout], *, append: bool) -> list[tuple[str, ...]]:
    """The rows of the table for these releases, oldest first.

    With ``append`` they continue the table that there is.
    """
    rows = _existing() if append else _before_documents()
    for checkout in checkouts:
        _advance(rows, checkout)
    for row in rows.values():
        _start_default(row)
    _replace_removed(rows)
    return [_cells(rows[kind]) for kind in sorted(rows)]


def _before_documents() -> dict[GroupVersionKind, Row]:
    """The kinds that no release with a document has (api/swagger-spec and
    pkg/master/master.go of k8s.io/kubernetes 1.3 and 1.4)."""
    pet_set = GroupVersionKind("apps", "v1alpha1", "PetSet")
    budget = GroupVersionKind("policy", "v1alpha1", "PodDisruptionBudget")
    return {
        pet_set: Row(
            kind=pet_set,
            introduced="1.3",
            gone="1.5",
            default=[ReleaseRange("1.3", "1.4")],
            replacement=GroupVersionKind("apps", "v1", "StatefulSet"),
        ),
        budget: Row(
            kind=budget,
            introduced="1.4",
            gone="1.5",
            default=[ReleaseRange("1.4", "1.4")],
        ),
    }


def _existing() -> dict[GroupVersionKind, Row]:
    """The rows of the present table."""
    return {
        kind: Row(
            kind=kind,
            introduced=facts.introduced,
            deprecated=facts.deprecated,
            planned=facts.removed,
            gone=facts.removed,
            default=list(facts.served_by_default),
            replacement=facts.replacement,
        )
        for kind, facts in lifecycles().items()
    }


def _advance(rows: dict[GroupVersionKind, Row], checkout: Checkout) -> None:
    """Add the facts of the next release."""
    release = checkout.release
    present = set(operated_kinds(checkout.document))
    default = default_kinds(checkout)
    for kind, last in _ALSO_TAKEN.items():
        if kind in rows and not _before(last, release):
            present.add(kind)
            default.add(kind)
    for kind in present:
        row = rows.setdefault(kind, Row(kind, _OLDER.get(kind, release)))
        row.gone = None
        _extend(row, release, served=kind in default)
    for kind, row in rows.items():
        if kind not in present and (row.gone is None or _before(release, row.gone)):
            row.gone = release
            _extend(row, release, served=False)
    _add_upstream(rows, upstream_lifecycles(checkout))


def _extend(row: Row, release: str, *, served: bool) -> None:
    """Open or close the last range of releases with a default server."""
    is_open = bool(row.default) and row.default[-1].last is None
    if served and not is_open:
        row.default.append(ReleaseRange(release))
    if not served and is_open:
        first = row.default.pop().first
        row.default.append(ReleaseRange(first, previous_minor_version(release)))


def _start_default(row: Row) -> None:
    """Let a default server serve a kind from its introduction on, where that is before
    the documents that have it."""
    if row.default and _before(row.default[0].first, _FIRST_COMPLETE):
        row.default[0] = row.default[0]._replace(first=row.introduced)


def _add_upstream(
    rows: dict[GroupVersionKind, Row],
    lifecycles: Mapping[GroupVersionKind, UpstreamLifecycle],
) -> None:
    for kind, upstream in lifecycles.items():
        if kind not in rows:
            continue
        row = rows[kind]
        early = _before(row.introduced, _FIRST_COMPLETE)
        if (
            upstream.introduced
            and early
            and _before(upstream.introduced, row.introduced)
        ):
            row.introduced = upstream.introduced
        row.deprecated = upstream.deprecated
        row.planned = upstream.removed
        row.replacement = upstream.replacement
        if row.replacement in _WRONG_REPLACEMENTS:
            row.replacement = _WRONG_REPLACEMENTS[row.replacement]


def _replace_removed(rows: dict[GroupVersionKind, Row]) -> None:
    """Name the replacements that upstream does not: the preferred version of the same
    kind in the same group that is still served."""

    def name(kind: GroupVersionKind) -> tuple[str, str]:
        return kind.group, kind.kind

    for _, group in groupby(sorted(rows, key=name), key=name):
        versions = sorted(group, key=lambda kind: precedence(kind.version))
        preferred = [kind for kind in versions if rows[kind].gone is None][-1:]
        for kind in versions:
            row = rows[kind]
            if row.replacement is None and row.removed is not None:
                row.replacement = _REPLACEMENTS.get(kind) or next(
                    (other for other in preferred if other != kind), None
                )


def _cells(row: Row) -> tuple[str, ...]:
    removed = row.removed
    deprecated = row.deprecated
    if deprecated and removed and not _before(deprecated, removed):
        deprecated = None  # It was removed before the release that upstream planned.
    return (
        row.kind.api_version,
        row.kind.kind,
        row.introduced,
        deprecated or "",
        removed or "",
        " ".join(map(str, row.default)),
        (
            f"{row.replacement.api_version} {row.replacement.kind}"
            if row.replacement
            else ""
        ),
    )


def _before(release: str, other: str) -> bool:
    return release_order(release) < release_order(other)
