"""When kinds were introduced, deprecated and removed, and what a default server
serves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.configurations.table import configuration_kinds
from kubestencil.schema.facts.tables import (
    ReleaseRange,
    group_version_kind,
    is_between,
    read_cells,
    rows,
)
from kubestencil.schema.kinds import precedence
from kubestencil.schema.types import GroupVersionKind
from kubestencil.source.releases import next_minor_version, release_order


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


class _Kind(NamedTuple):
    api_version: str
    kind: str


@cache
def unreadable_kinds() -> frozenset[GroupVersionKind]:
    """The kinds that the first API server without them cannot read from etcd either
    (``specs/unreadable-kinds.tsv``)."""
    return frozenset(
        group_version_kind(*row) for row in rows("unreadable-kinds", _Kind)
    )


def served_by_default(kind: GroupVersionKind, release: str) -> bool | None:
    """Whether an API server of ``release`` serves the kind, if it is started without
    ``--runtime-config`` and ``--feature-gates``.

    None for a kind that is not in the table, such as custom resources. ``release`` is a
    minor version, such as 1.35; one that is newer than the table counts as its newest.
    """
    facts = lifecycle(kind)
    if facts is None:
        return None
    return any(releases.includes(release) for releases in facts.served_by_default)


def replacement(kind: GroupVersionKind, release: str) -> GroupVersionKind | None:
    """The kind to use instead of ``kind`` in ``release``.

    Replacements that were removed later are followed to their own replacements. None
    where no kind that the release can serve replaces it.
    """
    seen = {kind}
    facts = lifecycle(kind)
    while facts is not None and facts.replacement not in {None, *seen}:
        assert facts.replacement is not None
        seen.add(facts.replacement)
        successor, facts = facts.replacement, lifecycle(facts.replacement)
        if facts is not None and facts.serves(release):
            return successor
    return None


@cache
def built_in_groups() -> frozenset[str]:
    """The groups that Kubernetes has or had kinds in."""
    return frozenset(kind.group for kind in lifecycles())


def plural_of(kind: GroupVersionKind) -> str:
    """The plural of a kind of Kubernetes (apimachinery, UnsafeGuessKindToResource)."""
    name = kind.kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


@cache
def custom_kinds() -> frozenset[tuple[str, ...]]:
    """The groups and kinds of ``specs/custom-kinds.tsv``, which are not of Kubernetes."""
    return frozenset(map(tuple, read_cells("custom-kinds")))


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
