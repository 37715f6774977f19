"""When kinds were introduced, deprecated and removed, and what a default server
serves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.configuration_files import configuration_kinds
from kubestencil.schema.facts.tables import rows
from kubestencil.schema.kinds import precedence
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import (
    ReleaseRange,
    is_between,
    next_minor_version,
    release_order,
)


class Lifecycle(NamedTuple):
    """The releases at which a kind of Kubernetes changes.

    ``introduced`` is the first release that can serve it. ``deprecated`` is the release
    from which the API server warns of it, ``removed`` the first one that no longer
    serves it; both may lie in the future, since upstream plans them, and are None where
    nothing is planned. ``served_by_default`` are the releases whose API server serves it without
    ``--runtime-config`` and ``--feature-gates``.

    Kinds of alpha and beta versions are removed nine months or three releases after
    their deprecation, see https://kubernetes.io/docs/reference/using-api/deprecation-policy/.
    """

    api_version: str
    kind: str
    introduced: str
    deprecated: str | None
    removed: str | None
    served_by_default: tuple[ReleaseRange, ...]
    replacement_name: str

    @property
    def replacement(self) -> GroupVersionKind | None:
        """The kind to use instead, None where there is none."""
        name = self.replacement_name
        return group_version_kind(*name.split()) if name else None

    def is_deprecated_between(self, before: str, after: str) -> bool:
        """Whether the kind is deprecated from a release on that comes after ``before``,
        and not after ``after``."""
        return is_between(self.deprecated, before, after)

    def serves(self, release: str) -> bool:
        """Whether a server of ``release`` can serve the kind."""
        order = release_order(release)
        return release_order(self.introduced) <= order and (
            self.removed is None or order < release_order(self.removed)
        )


def lifecycle(kind: GroupVersionKind) -> Lifecycle | None:
    """The lifecycle of a kind of Kubernetes; that of its items for a list kind.

    None for a kind that is not in the table, such as custom resources. That of the kind
    of a configuration file is known where it came or went in a release of its table.
    """
    table = lifecycles()
    if kind in table or not kind.kind.endswith("List"):
        return table.get(kind) or _configurations().get(kind)
    item = kind.kind.removesuffix("List")
    return table.get(GroupVersionKind(kind.group, kind.version, item))


@cache
def lifecycles() -> Mapping[GroupVersionKind, Lifecycle]:
    """The lifecycles of all kinds in ``specs/lifecycle.tsv``."""
    table = rows("lifecycle", Lifecycle)
    return {group_version_kind(row.api_version, row.kind): row for row in table}


# The kinds of configuration files that are older than their table, and were removed: the
# first release of k8s.io/kubernetes (cmd/kubeadm/app/apis/kubeadm) or k8s.io/kube-scheduler
# (config) with a package of the version.
_INTRODUCED = {
    "kubeadm.k8s.io/v1beta2": "1.15",
    "kubeadm.k8s.io/v1beta3": "1.22",
    "kubescheduler.config.k8s.io/v1beta2": "1.22",
    "kubescheduler.config.k8s.io/v1beta3": "1.23",
}


@cache
def _configurations() -> Mapping[GroupVersionKind, Lifecycle]:
    """The lifecycles of configuration files, where they are known."""
    kinds = configuration_kinds()
    oldest = min((facts.releases.first for facts in kinds.values()), key=release_order)
    lifecycles: dict[GroupVersionKind, Lifecycle] = {}
    for kind, (releases, deprecated) in kinds.items():
        first = _INTRODUCED.get(kind.api_version, releases.first)
        if first == oldest:
            continue
        removed = next_minor_version(releases.last) if releases.last else None
        newer = [
            other
            for other, facts in kinds.items()
            if (other.group, other.kind) == (kind.group, kind.kind)
            and removed
            and facts.releases.includes(removed)
        ]
        newest = max(newer, key=lambda other: precedence(other.version), default=None)
        name = f"{newest.api_version} {newest.kind}" if newest else ""
        lifecycles[kind] = Lifecycle(
            kind.api_version, kind.kind, first, deprecated, removed, (releases,), name
        )
    return lifecycles
