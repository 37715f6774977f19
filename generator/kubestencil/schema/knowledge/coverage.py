"""How far the facts about releases go, by aspect: what an answer about a release that they
do not reach has to say.

A section of ``specs/facts/<release>.tsv`` says that the release was looked at;
``specs/coverage.tsv`` has the newest release of tables about all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Literal, NamedTuple

from kubestencil.schema.knowledge.components import components_without_flags
from kubestencil.schema.knowledge.snapshots import base_of, snapshots
from kubestencil.schema.knowledge.tables import HISTORIES, rows
from kubestencil.source.releases import (
    ReleaseRange,
    has_reached,
    is_after,
    is_prerelease,
    is_version,
    minor_of_patch,
    minor_version_in,
    release_order,
)

#: What facts are about, as reports in JSON name it.
Aspect = Literal[
    "documents", "fields", "gates", "flags", "metrics", "limits", "defaults", "values", "required",
    "immutable", "warnings", "lifecycle", "configurations", "operations", "rules",
]  # fmt: skip


class _AspectTables(NamedTuple):
    """What an aspect is in words, and the tables that it needs."""

    words: str
    tables: tuple[str, ...]


_ASPECTS: Mapping[Aspect, _AspectTables] = {
    "documents": _AspectTables("the OpenAPI spec", ()),
    "gates": _AspectTables("feature gates", ("feature-gates",)),
    "flags": _AspectTables("flags", ("flags",)),
    "metrics": _AspectTables("metrics", ("metrics",)),
    "fields": _AspectTables("when fields came and went", ("changed-fields",)),
    "limits": _AspectTables("limits", ("limits",)),
    "defaults": _AspectTables("defaults", ("defaults",)),
    "values": _AspectTables("allowed values", ("enums",)),
    "required": _AspectTables("required fields", ("limits",)),
    "immutable": _AspectTables("fields that cannot change", ("immutable-fields",)),
    "warnings": _AspectTables("warnings", ("warnings", "volume-plugins")),
    "lifecycle": _AspectTables("lifecycles of kinds", ("lifecycle",)),
    "configurations": _AspectTables("configuration files", ("configurations",)),
    "operations": _AspectTables("operations", ("resources", "parameters")),
    "rules": _AspectTables(
        "reviewed rules (combinations, renamed fields, changed meanings)",
        (
            *("combinations", "renamed-fields", "changed-meanings"),
            *("conditional-changes", "unvalidated-fields", "unreadable-kinds"),
        ),
    ),
}


class _Row(NamedTuple):
    """A row of ``specs/coverage.tsv``."""

    table: str
    until: str | None
    interpolated: tuple[ReleaseRange, ...]


class Gap(NamedTuple):
    """An ``aspect`` of which no facts about a ``release`` were looked for, so that those of
    another one stand for them: ``nearest`` is the last or the first one that has any, or
    the newest one before a patch. ``components`` are those that the gap is about, where it
    is about some only."""

    aspect: Aspect
    release: str
    nearest: str
    components: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What the facts are about."""
        words = _ASPECTS[self.aspect].words
        return f"{words} of {_listed(self.components)}" if self.components else words

    @property
    def in_words(self) -> _Words:
        """What is said of it, but for the aspect."""
        if minor_of_patch(self.release) == minor_version_in(self.nearest):
            subject = f"Facts of {self.release}"
            return _Words(subject, "are those", "of", "what the patch changed")
        if is_after(self.release, self.nearest):
            return _Words("Facts", "end", "at", "what changed later")
        return _Words("Facts", "begin", "at", "what was there before")


class _Words(NamedTuple):
    subject: str
    verb: str
    preposition: str
    unknown: str


class Coverage(NamedTuple):
    """How far an answer about ``releases``, which needs facts on some ``aspects``, knows.
    Names that are no versions have the newest facts, which are the best for them.
    ``patches`` are those of the releases whose document is that of their minor version.
    """

    releases: tuple[str, ...] = ()
    aspects: frozenset[Aspect] = frozenset()
    patches: frozenset[str] = frozenset()

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What is missing, in the order of aspects."""
        documents = (
            Gap("documents", release, minor_of_patch(release))
            for release in sorted(self.patches, key=release_order)
        )
        nearest = (
            Gap(aspect, release, min(known, key=release_order))
            for aspect, (_, tables) in _ASPECTS.items()
            if aspect in self.aspects
            for release in dict.fromkeys(self.releases)
            for known in [[_nearest(table, release) for table in tables]]
        )
        flags = (
            Gap(
                "flags", release, base_of(release, looked_at("flags")) or "", components
            )
            for release in dict.fromkeys(
                self.releases if "flags" in self.aspects else ()
            )
            if covers("flags", release)
            and (components := components_without_flags(release))
        )
        # 1.35.0 is 1.35.
        return tuple(
            gap
            for gap in chain(documents, nearest, flags)
            if release_order(gap.nearest)[:-1] != release_order(gap.release)[:-1]
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to say of pre-releases and of what is missing, without full stops; none
        where everything is known."""
        previews = (
            f"{release} is a preview of {minor_version_in(release)}, and can differ from it"
            for release in dict.fromkeys(self.releases)
            if is_prerelease(release)
        )
        by_words: dict[_Words, dict[Aspect, Gap]] = {}
        for gap in self.gaps:
            by_words.setdefault(gap.in_words, {})[gap.aspect] = gap
        facts = (
            self._sentence(words, [*gaps.values()]) for words, gaps in by_words.items()
        )
        return (*previews, *facts)

    def _sentence(self, words: _Words, gaps: Sequence[Gap]) -> str:
        """What to say of aspects; most of them are not listed where the others are."""
        lacking = {gap.aspect for gap in self.gaps}
        known = [
            aspect.words
            for name, aspect in _ASPECTS.items()
            if name in self.aspects - lacking
        ]
        nearest = {gap.nearest for gap in gaps}
        if known and len(known) < len(gaps) and len(nearest) == 1:
            (release,) = nearest
            return (
                f"{words.subject} but for {_listed(known)} {words.verb} "
                f"{words.preposition} {release}: {words.unknown} is not known"
            )
        has_rest = not known and 1 < len(self.aspects) < 2 * len(gaps)
        return _by_release(words, gaps, has_rest)

    def to_dict(self) -> dict[str, str]:
        """The release whose facts were used, by aspect, where it is another one than that
        of the answer; of several releases that of the newest."""
        return {gap.aspect: gap.nearest for gap in self.gaps}


#: That of an answer that needs no facts.
NO_COVERAGE = Coverage()


def _by_release(words: _Words, gaps: Sequence[Gap], has_rest: bool) -> str:
    """``Facts on metrics end at 1.36, on limits at 1.37: what changed later is not known``;
    with ``has_rest``, the newest release is that of all other aspects."""
    aspects: dict[str, list[str]] = {}
    for gap in sorted(gaps, key=lambda gap: release_order(gap.nearest)):
        aspects.setdefault(gap.nearest, []).append(gap.words)
    has_documents = any(gap.aspect == "documents" for gap in gaps)
    beyond = "" if has_documents else " beyond the OpenAPI spec"
    verb = f" {words.verb}"
    parts: list[str] = []
    for release, names in aspects.items():
        is_rest = has_rest and release == [*aspects][-1]
        on = f" on all else{beyond}" if is_rest else f" on {_listed(names)}"
        if is_rest and not parts:
            on = beyond
        parts.append(f"{on}{verb} {words.preposition} {release}")
        verb = ""
    return f"{words.subject}{','.join(parts)}: {words.unknown} is not known"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


@cache
def looked_at(table: str) -> tuple[str, ...]:
    """The releases that a table was made or reviewed for, oldest first; of a table about
    all releases only the newest."""
    row = next((row for row in rows("coverage", _Row) if row.table == table), None)
    interpolated = row.interpolated if row else ()
    found = tuple(
        name
        for name, snapshot in snapshots().items()
        if table in snapshot.sections
        and not any(releases.includes(name) for releases in interpolated)
    )
    if table in HISTORIES:
        found = found[-1:]
    return found or ((row.until,) if row and row.until else ())


def next_looked_at(table: str, release: str) -> str | None:
    """The first release not before ``release`` that a table was made for, or None."""
    later = (name for name in looked_at(table) if not is_after(release, name))
    return next(later, None)


def covers(table: str, release: str) -> bool:
    """Whether facts about a release were looked for: a patch has those of its minor
    version, and a release between two that were looked at what holds in both."""
    nearest = _nearest(table, release)
    return nearest == release or minor_version_in(nearest) == minor_of_patch(release)


def covers_both(table: str, before: str, after: str) -> bool:
    """Whether what a table has of two releases can be compared."""
    return covers(table, before) and covers(table, after)


def _nearest(table: str, release: str) -> str:
    """The release whose facts a table has for ``release``: itself where that was looked
    at, or is between two that were."""
    known = looked_at(table)
    if not is_version(release) or release in known:
        return release
    if is_after(release, known[-1]):
        return known[-1]
    if len(known) == 1:
        return minor_of_patch(release)
    if not has_reached(release, known[0]):
        return known[0]
    of_minor = (
        name for name in known if minor_version_in(name) == minor_of_patch(release)
    )
    before = [name for name in of_minor if release_order(name) < release_order(release)]
    return before[-1] if before else release
