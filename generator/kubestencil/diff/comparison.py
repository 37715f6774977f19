"""Two releases, or two API versions, compared: every change with its meaning."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from kubestencil.diff.align import (
    Side,
    align_names,
    all_definitions,
    api_version_subset,
    kind_hint,
)
from kubestencil.diff.compare import differences
from kubestencil.diff.rules import SEVERITIES, Context, Rule, classify
from kubestencil.errors import UsageError, nearest
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.graph import RootKinds, root_kinds
from kubestencil.schema.kinds import (
    api_versions,
    non_list_kinds,
    precedence,
    served_kinds,
)
from kubestencil.schema.types import Raw


@dataclass(frozen=True, slots=True)
class Change:
    """One difference, and what it means.

    The first seven fields are those of ``kubestencil.diff.compare.Difference``.
    ``rule`` decided the ``severity``; ``stability`` is the level concerned;
    ``kinds`` are the top-level kinds that lead to the definition in either
    release, and ``home`` the one that it belongs to, if there is one.
    """

    change: str
    definition: str
    field: str | None
    at: tuple[str, ...]
    keyword: str | None
    before: Raw | None
    after: Raw | None
    severity: str
    stability: str
    rule: Rule
    kinds: tuple[GroupVersionKind, ...]
    home: GroupVersionKind | None


@dataclass(frozen=True, slots=True)
class Graduation:
    """Kinds of a group that are served in another version than before.

    They were served as ``before`` in the first release, and are as ``after`` in
    the second; ``left`` says that ``before`` is gone. ``changes`` is what differs
    between the two versions.
    """

    group: str
    before: str
    after: str
    left: bool
    kinds: tuple[str, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes from ``before`` to ``after``, which are names of releases, or of
    API versions in releases (``1.35/resource.k8s.io/v1``)."""

    before: str
    after: str
    changes: tuple[Change, ...]
    versions_added: tuple[str, ...] = ()
    versions_removed: tuple[str, ...] = ()
    graduations: tuple[Graduation, ...] = ()

    @property
    def summary(self) -> Mapping[str, int]:
        """How many changes there are of each severity, the gravest first."""
        counts = dict.fromkeys(SEVERITIES, 0)
        for change in self.changes:
            counts[change.severity] += 1
        return counts

    def narrowed(
        self,
        *,
        kind: str | None = None,
        group: str | None = None,
        severities: Collection[str] = SEVERITIES,
    ) -> Comparison:
        """The part that concerns a kind or a definition (by the last part of its
        name), a group, and some severities."""

        def wanted(change: Change) -> bool:
            return (
                change.severity in severities
                and (kind is None or kind in _kind_names(change))
                and (group is None or group in _group_names(change))
            )

        def kept(api_version: str) -> bool:
            own = api_version.rpartition("/")[0] or "core"
            return kind is None and (group is None or own == group)

        graduations = (
            replace(each, changes=tuple(filter(wanted, each.changes)))
            for each in self.graduations
            if (kind is None or kind in each.kinds)
            and (group is None or group == (each.group or "core"))
        )
        return replace(
            self,
            changes=tuple(filter(wanted, self.changes)),
            versions_added=tuple(filter(kept, self.versions_added)),
            versions_removed=tuple(filter(kept, self.versions_removed)),
            graduations=tuple(graduations),
        )


def compare(before: Release, after: Release) -> Comparison:
    """What changed from one release to another."""
    reaches = root_kinds(before), root_kinds(after)
    old, new = api_versions(before), api_versions(after)
    return Comparison(
        before.name,
        after.name,
        tuple(_changes(all_definitions(before), all_definitions(after), reaches)),
        tuple(sorted(new - old, key=_version_order)),
        tuple(sorted(old - new, key=_version_order)),
        tuple(_graduations(before, after, reaches)),
    )


def compare_versions(
    before: Release, from_version: str, after: Release, to_version: str
) -> Comparison:
    """What differs between an API version (``apps/v1``) and another, or the same
    in another release.

    Types correspond by the last part of their names, and appear under the names
    that the second has for them. Raises UsageError for a version that its release
    does not have.
    """
    old, new = api_version_subset(before, from_version), api_version_subset(
        after, to_version
    )
    changes = _changes(
        align_names(old, new), new, (root_kinds(before), root_kinds(after))
    )
    return Comparison(old.label, new.label, tuple(changes))


def check_kind(kind: str, releases: Iterable[Release]) -> None:
    """Raise UsageError where no definition of the releases is called ``kind``."""
    known = {each.kind for release in releases for each in release.definitions.values()}
    if kind not in known:
        raise UsageError(
            f"there is no kind or type {kind!r}", hint=kind_hint(kind, known)
        )


def check_group(group: str, releases: Iterable[Release]) -> None:
    """Raise UsageError where no release serves a kind of ``group``."""
    known = {
        kind.group or "core"
        for release in releases
        for kind, _ in served_kinds(release)
    }
    if group not in known:
        raise UsageError(f"there is no group {group!r}", hint=nearest(group, known))


def _changes(
    before: Side, after: Side, reaches: tuple[RootKinds, RootKinds]
) -> Iterator[Change]:
    context = Context(before.fragments, after.fragments)
    known = {*non_list_kinds(before.release), *non_list_kinds(after.release)}
    for name, found in groupby(
        differences(before.fragments, after.fragments), key=lambda each: each.definition
    ):
        old, new = before.names.get(name), after.names.get(name)
        ways = reaches[0].of(old or ""), reaches[1].of(new or "")
        kinds = tuple(sorted(ways[0].keys() | ways[1].keys()))
        home = _home(name, ways[1] or ways[0], known)
        # What is removed is known by the name that it had.
        shown = new or old or name
        version = _version((before, after), old, new)
        for each in found:
            verdict = classify(each, context, version)
            yield Change(
                change=each.change,
                definition=shown,
                field=each.field,
                at=each.at,
                keyword=each.keyword,
                before=each.before,
                after=each.after,
                severity=verdict.severity,
                stability=verdict.stability,
                rule=verdict.rule,
                kinds=kinds,
                home=home,
            )


def _version(sides: tuple[Side, Side], old: str | None, new: str | None) -> str:
    """The version concerned: the one that people used, where there was one."""
    for side, name in zip(sides, (old, new), strict=True):
        if name is not None:
            return side.release.definitions[name].version
    raise AssertionError("a definition is on one side at least")


def _home(
    definition: str,
    ways: Mapping[GroupVersionKind, int],
    known: Collection[GroupVersionKind],
) -> GroupVersionKind | None:
    """The kind that a definition belongs to: the nearest of its own API version,
    or the only one that there is. A list belongs to the kind that it lists."""
    version = definition.split(".")[-2:-1]
    group = definition.split(".")[-3:-2]
    own = [
        kind
        for kind in ways
        if [kind.version] == version
        and [kind.group.partition(".")[0] or "core"] == group
    ]
    if not own and len(ways) != 1:
        return None
    home = min(own or ways, key=lambda kind: (ways[kind], kind))
    item = replace(home, kind=home.kind.removesuffix("List"))
    return item if item in known else home


def _graduations(
    before: Release, after: Release, reaches: tuple[RootKinds, RootKinds]
) -> Iterator[Graduation]:
    moves: dict[tuple[str, str, str, bool], list[str]] = {}
    old, new = _served_versions(before), _served_versions(after)
    for (group, kind), versions in sorted(old.items()):
        for move in _moves(versions, new.get((group, kind), frozenset())):
            moves.setdefault((group, *move), []).append(kind)
    for (group, start, end, left), kinds in moves.items():
        names = [f"{group}/{version}".lstrip("/") for version in (start, end)]
        sides = api_version_subset(before, names[0]), api_version_subset(
            after, names[1]
        )
        changes = _changes(align_names(*sides), sides[1], reaches)
        yield Graduation(
            group,
            start,
            end,
            left,
            tuple(kinds),
            tuple(each for each in changes if _is_part_of(each, group, kinds)),
        )


def _moves(old: frozenset[str], new: frozenset[str]) -> Iterator[tuple[str, str, bool]]:
    """From which version to which, and whether the first is gone.

    A version that went leads to the best there is now. Where the best there was is
    still there, it leads to one that came, if that is better.
    """
    if not new:
        return
    best = max(new, key=precedence)
    for version in sorted(old - new, key=precedence):
        yield version, best, True
    former = max(old, key=precedence)
    if former in new and precedence(best) > precedence(former):
        yield former, best, False


def _served_versions(release: Release) -> Mapping[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for kind in non_list_kinds(release):
        found.setdefault((kind.group, kind.kind), set()).add(kind.version)
    return {key: frozenset(versions) for key, versions in found.items()}


def _is_part_of(change: Change, group: str, kinds: Collection[str]) -> bool:
    return any(each.group == group and each.kind in kinds for each in change.kinds)


def _kind_names(change: Change) -> set[str]:
    return {change.definition.rpartition(".")[2], *(kind.kind for kind in change.kinds)}


def _group_names(change: Change) -> set[str]:
    return {kind.group or "core" for kind in change.kinds}


def _version_order(api_version: str) -> tuple[str, tuple[int, int, int, str]]:
    group, _, version = api_version.rpartition("/")
    return group, precedence(version)
