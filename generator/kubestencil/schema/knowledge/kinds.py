"""What is known of the kinds of Kubernetes: when they came and went, what to use instead,
how they are served, and what people call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.kinds import precedence
from kubestencil.schema.knowledge.configurations import configuration_kinds
from kubestencil.schema.knowledge.coverage import covers
from kubestencil.schema.knowledge.resources import resource_facts
from kubestencil.schema.knowledge.tables import (
    newest_rows,
    ranged_rows,
    read_cells,
    rows,
)
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import (
    ReleaseRange,
    has_reached,
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
        and not after ``after``; plans do not count."""
        is_known = covers("lifecycle", self.deprecated or "")
        return is_known and is_between(self.deprecated, before, after)

    def is_optional_in(self, release: str) -> bool:
        """Whether a server of ``release`` serves the kind only where it is enabled."""
        is_default = any(item.includes(release) for item in self.served_by_default)
        return self.serves(release) and not is_default

    def serves(self, release: str) -> bool:
        """Whether a server of ``release`` can serve the kind."""
        return has_reached(release, self.introduced) and not (
            self.removed and has_reached(release, self.removed)
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
    """The lifecycles of all kinds that Kubernetes has or had, sorted."""
    table = newest_rows("lifecycle", Lifecycle)
    found = {group_version_kind(row.api_version, row.kind): row for row in table}
    return dict(sorted(found.items()))


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


class KnownKind(NamedTuple):
    """A kind with its lifecycle in a release; ``lifecycle`` is None for one that is not of
    Kubernetes. ``release`` is None where no release is meant, and nothing reached; names
    that are no versions count as the newest release."""

    kind: GroupVersionKind
    release: str | None
    lifecycle: Lifecycle | None

    @property
    def deprecated(self) -> str | None:
        """The release that deprecated it, or plans to; None where there is none, and where
        it was planned for one that is there, and whose lifecycles are not known."""
        return self._known(self.lifecycle and self.lifecycle.deprecated)

    @property
    def removed(self) -> str | None:
        """The same of its removal, for a kind that the release has."""
        return self._known(self.lifecycle and self.lifecycle.removed)

    @property
    def is_deprecated(self) -> bool:
        """Whether the API server of the release warns of it."""
        return self.has_reached(self.deprecated)

    @property
    def is_removed(self) -> bool:
        """Whether the release no longer serves it, by upstream's plan where no more is
        known."""
        return self.has_reached(self.lifecycle and self.lifecycle.removed)

    @property
    def is_future(self) -> bool:
        """Whether a later release is the first one that serves it."""
        if self.lifecycle is None or self.release is None:
            return False
        return not self.has_reached(self.lifecycle.introduced)

    @property
    def served_by_default(self) -> bool | None:
        """Whether an API server serves it without ``--runtime-config`` and
        ``--feature-gates``; None where that is not known."""
        known, release = self.lifecycle, self.release
        if known is None or release is None:
            return None
        return any(releases.includes(release) for releases in known.served_by_default)

    @property
    def replacement(self) -> GroupVersionKind | None:
        """The kind to use instead, which the release can serve, or None.

        Replacements that were removed later are followed to their own replacements.
        """
        seen, known = {self.kind}, self.lifecycle
        while known and self.release and (successor := known.replacement):
            if successor in seen:
                break
            seen.add(successor)
            known = lifecycle(successor)
            if known is not None and known.serves(self.release):
                return successor
        return None

    def _known(self, change: str | None) -> str | None:
        """A change, unless it was planned for a release that is there, of which no facts
        are."""
        is_known = not self.has_reached(change) or covers("lifecycle", change or "")
        return change if is_known else None

    def has_reached(self, change: str | None) -> bool:
        """Whether a change is in the release or an older one."""
        if not change or self.release is None:
            return False
        return ReleaseRange(change).includes(self.release)


def known_kind(kind: GroupVersionKind, release: str | None) -> KnownKind:
    """What is known of a kind of Kubernetes, or of the items of a list kind."""
    return KnownKind(kind, release, lifecycle(kind))


def removed_kinds(release: str) -> Mapping[GroupVersionKind, str]:
    """The kinds that Kubernetes removed until a release, each with the release that
    did, in their order."""
    removed = {
        kind: known.removed
        for kind, known in lifecycles().items()
        if known.removed and ReleaseRange(known.removed).includes(release)
    }
    return dict(sorted(removed.items(), key=lambda item: release_order(item[1])))


def versions_of(group: str, kind: str, release: str) -> Iterator[str]:
    """The versions in which a release can serve a kind of Kubernetes."""
    for other, known in lifecycles().items():
        if (other.group, other.kind) == (group, kind) and known.serves(release):
            yield other.version


@cache
def kinds_of_group(group: str) -> tuple[GroupVersionKind, ...]:
    """The kinds that a group of Kubernetes has or had; none for another one."""
    return tuple(kind for kind in lifecycles() if kind.group == group)


def kind_names() -> list[str]:
    """The names of all kinds that are resources, sorted."""
    return sorted({facts.kind.kind for facts in resource_facts()})


@cache
def built_in_groups() -> frozenset[str]:
    """The groups that Kubernetes has or had kinds in."""
    return frozenset(kind.group for kind in lifecycles())


class UnreadableRow(NamedTuple):
    """A removed kind that API servers of some releases cannot read from etcd."""

    releases: ReleaseRange
    api_version: str
    kind: str


@cache
def unreadable_kinds() -> frozenset[GroupVersionKind]:
    """The kinds that the first API server without them cannot read from etcd either (the
    table ``unreadable-kinds``)."""
    table = ranged_rows("unreadable-kinds", UnreadableRow, 2)
    kinds = ((group_version_kind(*row[1:]), row.releases) for row in table)
    return frozenset(
        kind
        for kind, releases in kinds
        if (removed := lifecycles()[kind].removed) and releases.includes(removed)
    )


@cache
def custom_kinds() -> frozenset[tuple[str, ...]]:
    """The groups and kinds of ``specs/custom-kinds.tsv``, which are not of Kubernetes."""
    return frozenset(map(tuple, read_cells("custom-kinds")))


def plural_of(kind: GroupVersionKind) -> str:
    """The plural of a kind of Kubernetes (apimachinery, UnsafeGuessKindToResource)."""
    name = kind.kind.lower()
    if name.endswith("endpoints"):
        return name
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


@cache
def concept_pages() -> Mapping[tuple[str, str], str]:
    """The paths of pages of kubernetes.io/docs about kinds, by group and kind
    (``specs/concepts.tsv``)."""
    return {(group, kind): page for group, kind, page in read_cells("concepts")}


def kind_tasks() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """What people do with kinds, each with the groups and names of these (``specs/
    kind-tasks.tsv``)."""
    for task, kinds in read_cells("kind-tasks"):
        parts = (kind.partition("/") for kind in kinds.split())
        yield task, tuple((group, kind) for group, _, kind in parts)


class Synonym(NamedTuple):
    """What people call a kind or, at ``path``, a field or part of it (``specs/
    synonyms.tsv``); ``words`` are phrases."""

    group: str
    kind: str
    path: str
    words: tuple[str, ...]


def synonyms() -> Iterator[Synonym]:
    """The rows of the table, in their order."""
    for group, kind, path, words in read_cells("synonyms"):
        yield Synonym(group, kind, path, tuple(words.split(", ")))


def question_words() -> Mapping[str, list[str]]:
    """The words of questions by what they ask for (``specs/search-words.tsv``)."""
    return {about: words.split() for about, words in read_cells("search-words")}


class ChangedMeaning(NamedTuple):
    """A value at ``path``, as JSON, that means something else in later versions of a kind
    (``specs/changed-meanings.tsv``); ``message`` says what."""

    api_version: str
    kind: str
    path: str
    value: str
    message: str


def changed_meanings() -> Iterator[ChangedMeaning]:
    """The rows of the table, in their order."""
    return rows("changed-meanings", ChangedMeaning)
