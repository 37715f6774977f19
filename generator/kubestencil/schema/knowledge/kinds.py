"""What is known of the kinds of Kubernetes: when they came and went, what to use instead,
how they are served, and what people call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from kubestencil.schema.facts.lifecycle import Lifecycle, lifecycle, lifecycles
from kubestencil.schema.facts.resources import resource_facts, resource_in
from kubestencil.schema.facts.tables import read_cells, rows
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.source.releases import ReleaseRange, release_order

__all__ = [
    "KnownKind",
    "Lifecycle",
    "lifecycle",
    "lifecycles",
    "resource_facts",
    "resource_in",
]


class KnownKind(NamedTuple):
    """A kind with its lifecycle in a release; ``lifecycle`` is None for one that is not of
    Kubernetes. ``release`` is None where no release is meant, and nothing reached; names
    that are no versions count as the newest release."""

    kind: GroupVersionKind
    release: str | None
    lifecycle: Lifecycle | None

    @property
    def is_deprecated(self) -> bool:
        """Whether the API server of the release warns of it."""
        return self._reached(self.lifecycle and self.lifecycle.deprecated)

    @property
    def is_removed(self) -> bool:
        """Whether the release no longer serves it."""
        return self._reached(self.lifecycle and self.lifecycle.removed)

    @property
    def is_future(self) -> bool:
        """Whether a later release is the first one that serves it."""
        known = self.lifecycle
        return bool(known and self.release) and not self._reached(
            known and known.introduced
        )

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

    def _reached(self, change: str | None) -> bool:
        release = self.release
        return bool(change and release) and ReleaseRange(change or "").includes(
            release or ""
        )


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
