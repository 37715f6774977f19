"""Checks the names of kinds and groups that a user gives, and suggests similar ones."""

from __future__ import annotations

from collections.abc import Iterable

from kubestencil.errors import UsageError, nearest
from kubestencil.schema import Release
from kubestencil.schema.kinds import served_kinds


def check_kind(kind: str, releases: Iterable[Release]) -> None:
    """Raise UsageError where no definition of the releases is called ``kind``."""
    names = {
        definition.kind
        for release in releases
        for definition in release.definitions.values()
    }
    if kind not in names:
        raise UsageError(
            f"no kind or type called {kind!r}", hint=similar_kind(kind, names)
        )


def check_group(group: str, releases: Iterable[Release]) -> None:
    """Raise UsageError where no release serves a kind of ``group``."""
    names = {
        kind.group or "core"
        for release in releases
        for kind, _ in served_kinds(release)
    }
    if group not in names:
        raise UsageError(
            f"no group called {group!r}", hint=nearest(group, sorted(names))
        )


def similar_kind(name: str, names: Iterable[str]) -> str:
    """A hint with the name most similar to ``name``, regardless of its case; names are
    too many to list all."""
    by_lower_case = {candidate.lower(): candidate for candidate in sorted(names)}
    if name.lower() in by_lower_case:
        return f"did you mean {by_lower_case[name.lower()]}?"
    hint = nearest(name, sorted(by_lower_case.values()))
    return hint if hint.startswith("did") else "kubestencil history lists all kinds"
