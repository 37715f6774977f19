"""The versions in which a release serves kinds, and which of them to use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from kubestencil.schema.facts.lifecycle import replacement
from kubestencil.schema.kinds import precedence
from kubestencil.schema.types import GroupVersionKind

#: The versions in which a release serves each kind, by group and kind.
Versions = Mapping[tuple[str, str], frozenset[str]]


def served_versions(kinds: Iterable[GroupVersionKind]) -> Versions:
    """The versions of each kind, by group and kind."""
    versions: dict[tuple[str, str], set[str]] = {}
    for kind in kinds:
        versions.setdefault((kind.group, kind.kind), set()).add(kind.version)
    return {key: frozenset(names) for key, names in versions.items()}


def most_stable_version(kind: GroupVersionKind, versions: Versions) -> str | None:
    """The version of a kind that Kubernetes prefers; None where none is served."""
    return _preferred(versions.get((kind.group, kind.kind), frozenset()))


@lru_cache(maxsize=256)
def _preferred(versions: frozenset[str]) -> str | None:
    """Kept, since it is asked for with each version that a release adds or removes."""
    return max(versions, key=precedence, default=None)


def successor(
    kind: GroupVersionKind, release: str | None, versions: Versions
) -> GroupVersionKind | None:
    """The kind to use instead of another one: its most stable version, or that of the
    kind that replaces it by the facts. None where there is no other.

    ``versions`` are what the release serves; ``release`` is its minor version, None
    where the facts do not apply.
    """
    target = None if release is None else replacement(kind, release)
    target = target or kind
    version = most_stable_version(target, versions) or target.version
    result = target._replace(version=version)
    return None if result == kind else result
