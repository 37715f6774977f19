"""Comparisons as template variables: what a report lists, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypedDict

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import Comparison, Graduation, releases_of_changes
from kubestencil.diff.labels import kind_name
from kubestencil.diff.rules.audience import (
    AUDIENCE_MEANINGS,
    SEVERITIES,
    SEVERITY_MEANINGS,
    AudienceName,
    Severity,
)
from kubestencil.diff.rules.table import Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import STAGES, Stage, precedence, version_stage
from kubestencil.source.releases import shown_name
from kubestencil.targets.reports.behaviour import (
    ReleaseNotes,
    behaviour_lists,
    component_items,
    release_notes,
)
from kubestencil.targets.reports.changes import (
    NO_LINKS,
    ChangeFormatter,
    ChangeSection,
    ItemList,
    LinkResolver,
    SeverityCount,
    severity_counts,
)
from kubestencil.targets.reports.steps import (
    UpgradeStep,
    other_lists,
    upgrade_steps,
)
from kubestencil.targets.reports.upgrade import (
    added_list,
    headline,
    upgrade_lists,
)
from kubestencil.text.controls import one_line

_SHARED = "Shared by several kinds"
# A comment of GitHub has 65,536 characters.
_MAX_LISTED = 150  # changes
_MAX_NAMED = 600

#: Which changes a report lists.
Extent = Literal["all", "names", "severe"]


class ApiVersionChange(NamedTuple):
    """An API version (``apps/v1``), its stage, and whether it was added or
    removed."""

    change: Literal["added", "removed"]
    api_version: str
    stability: Stage


class Step(NamedTuple):
    """What one release of several changed: ``headline`` sums it up, ``lists`` are what
    to know before the upgrade to it."""

    before: str
    after: str
    headline: str
    api_versions: tuple[ApiVersionChange, ...]
    lists: tuple[ItemList, ...]


class ComparisonVariables(TypedDict):
    """The variables of a report on a comparison."""

    before: Annotated[str, "the older release or document"]
    after: Annotated[str, "the newer one"]
    headline: Annotated[str, "a sentence that sums up the changes"]
    caveats: Annotated[
        tuple[str, ...],
        "sentences on what is not known of these releases; none where all facts are",
    ]
    total: Annotated[int, "the number of changes"]
    summary: Annotated[
        tuple[SeverityCount, ...], "the number of changes of every severity"
    ]
    levels: Annotated[tuple[Stage, ...], "all levels of stability"]
    api_versions: Annotated[
        tuple[ApiVersionChange, ...], "the API versions that were removed or added"
    ]
    upgrade: Annotated[
        tuple[ItemList, ...],
        "the lists of what to know before an upgrade, what stops components or objects first",
    ]
    upgrade_steps: Annotated[
        tuple[UpgradeStep, ...],
        "the same by what an upgrade does: it stops components, breaks manifests, "
        "changes behaviour, or announces removals",
    ]
    other_lists: Annotated[
        tuple[ItemList, ...], "the lists of both kinds that are in none of these steps"
    ]
    behaviour: Annotated[
        tuple[ItemList, ...],
        "the other feature gates and flags that differ, by what happened to them, and "
        "metrics",
    ]
    components: Annotated[
        tuple[ItemList, ...],
        "all feature gates, flags and metrics of both, as lists",
    ]
    notes: Annotated[
        tuple[ReleaseNotes, ...],
        "where the notes of the releases are: behaviour without a gate "
        "are in no data",
    ]
    added: Annotated[
        ItemList | None,
        "the kinds and fields that were added and are at least beta, none without any",
    ]
    steps: Annotated[
        tuple[Step, ...],
        "the releases in between, empty where two neighbours were compared",
    ]
    graduations: Annotated[
        tuple[ChangeSection, ...], "the changes between versions of a kind"
    ]
    groups: Annotated[
        tuple[ChangeSection, ...],
        "the changes by group and kind, without those in alpha",
    ]
    alpha: Annotated[
        tuple[ChangeSection, ...], "the changes of alpha versions and fields"
    ]
    extent: Annotated[
        Extent,
        "what a list of at most 65,536 characters can have: all changes, the safe ones "
        "by name, or only the severe ones",
    ]
    alpha_total: Annotated[int, "the number of these"]
    kinds: Annotated[
        tuple[str, ...], "the kinds that have changes, without their lists"
    ]
    severity_meanings: Annotated[Mapping[Severity, str], "what each severity means"]
    audience_meanings: Annotated[Mapping[AudienceName, str], "who the audiences are"]
    rules: Annotated[tuple[Rule, ...], "all rules that were applied, most severe first"]


def comparison_variables(
    comparison: Comparison,
    links: LinkResolver = NO_LINKS,
    steps: Sequence[Comparison] = (),
) -> ComparisonVariables:
    """The template variables of a comparison; ``steps`` are those of the releases in
    between, each with the next."""
    changes = (*comparison.changes, *comparison.notices)
    changed = {kind for change in changes for kind in change.kinds}
    kinds = sorted(kind for kind in changed if not _is_list_of(kind, changed))
    releases = releases_of_changes(steps)
    formatter = ChangeFormatter(
        kinds, links, (comparison.after, comparison.before), releases
    )
    alpha = [change for change in changes if change.is_alpha]
    stable = [change for change in changes if not change.is_alpha]
    groups = _group_sections(stable, formatter, "")
    alpha_groups = _group_sections(alpha, formatter, "alpha:")
    anchors = {
        (change.path, change.rule.name): change.anchor
        for group in (*groups, *alpha_groups)
        for kind in group.kinds
        for change in kind.changes
    }
    components = component_items(comparison, formatter)
    lists = upgrade_lists(comparison, formatter, anchors, components)
    behaviour = behaviour_lists(components)
    return {
        "before": one_line(shown_name(comparison.before)),
        "after": one_line(shown_name(comparison.after)),
        "headline": headline(comparison, lists),
        "caveats": comparison.coverage.sentences,
        "total": sum(comparison.summary.values()),
        "summary": summary_counts(comparison),
        "levels": STAGES,
        "api_versions": api_version_changes(comparison),
        "upgrade": lists,
        "upgrade_steps": upgrade_steps(comparison, (*lists, *behaviour)),
        "other_lists": other_lists(comparison, (*lists, *behaviour)),
        "behaviour": behaviour,
        "components": tuple(
            item for item in (*lists, *behaviour) if item.topic in components
        ),
        "notes": release_notes(comparison),
        "added": added_list(comparison, formatter),
        "steps": tuple(_step(step, ChangeFormatter(kinds)) for step in steps),
        "graduations": tuple(
            _graduation_section(graduation, formatter)
            for graduation in comparison.graduations
        ),
        "groups": groups,
        "alpha": alpha_groups,
        "extent": _extent(len(changes)),
        "alpha_total": len(alpha),
        "kinds": tuple(one_line(kind_name(kind)) for kind in kinds),
        "severity_meanings": SEVERITY_MEANINGS,
        "audience_meanings": AUDIENCE_MEANINGS,
        "rules": _applied_rules(comparison),
    }


def upgrade_steps_of(comparison: Comparison) -> tuple[UpgradeStep, ...]:
    """What an upgrade does, without links into a report."""
    formatter = ChangeFormatter(())
    components = component_items(comparison, formatter)
    lists = upgrade_lists(comparison, formatter, {}, components)
    return upgrade_steps(comparison, (*lists, *behaviour_lists(components)))


def _is_list_of(kind: GroupVersionKind, kinds: Collection[GroupVersionKind]) -> bool:
    """Whether a kind is the list of one of these kinds."""
    item = kind.kind.removesuffix("List")
    return item != kind.kind and kind._replace(kind=item) in kinds


def _extent(changes: int) -> Extent:
    if changes <= _MAX_LISTED:
        return "all"
    return "names" if changes <= _MAX_NAMED else "severe"


def summary_counts(comparison: Comparison) -> tuple[SeverityCount, ...]:
    """The number of changes of every severity, most severe first."""
    counts = comparison.summary.items()
    return tuple(SeverityCount(severity, count) for severity, count in counts)


def api_version_changes(comparison: Comparison) -> tuple[ApiVersionChange, ...]:
    """The API versions that were removed, then those that were added."""
    changes: Mapping[Literal["added", "removed"], tuple[str, ...]] = {
        "removed": comparison.api_versions_removed,
        "added": comparison.api_versions_added,
    }
    return tuple(
        ApiVersionChange(change, one_line(name), version_stage(name.rpartition("/")[2]))
        for change, names in changes.items()
        for name in names
    )


def _step(comparison: Comparison, formatter: ChangeFormatter) -> Step:
    lists = upgrade_lists(comparison, formatter, {}, {})
    return Step(
        one_line(comparison.before),
        one_line(comparison.after),
        headline(comparison, lists),
        api_version_changes(comparison),
        lists,
    )


def _applied_rules(comparison: Comparison) -> tuple[Rule, ...]:
    def order(rule: Rule) -> tuple[int, str]:
        return SEVERITIES.index(rule.severity), rule.name

    return tuple(sorted(comparison.rules.values(), key=order))


def _group_sections(
    changes: Iterable[Change], formatter: ChangeFormatter, prefix: str
) -> tuple[ChangeSection, ...]:
    """Changes by group and kind, the most severe ones first; those of shared types
    last. ``prefix`` begins the anchors of sections."""
    groups: dict[str, list[Change]] = {}
    for change in changes:
        group = _SHARED if change.owner is None else change.owner.group or "core"
        groups.setdefault(group, []).append(change)

    def order(group: str) -> tuple[bool, int, str]:
        name = "" if group == "core" else group
        return group == _SHARED, _severity(groups[group]), name

    return tuple(
        ChangeSection(
            one_line(group),
            formatter.anchor(f"{prefix}{group}"),
            counts=severity_counts(groups[group]),
            kinds=_kind_sections(group, groups[group], formatter, prefix),
        )
        for group in sorted(groups, key=order)
    )


def _graduation_section(
    graduation: Graduation, formatter: ChangeFormatter
) -> ChangeSection:
    """A graduation with the differences between the two versions."""
    group = graduation.group or "core"
    versions = graduation.before, graduation.after
    return ChangeSection(
        one_line(f"{group}: {' → '.join(versions)}"),
        about=one_line(", ".join(graduation.kinds)),
        counts=severity_counts(graduation.changes),
        changes=formatter.merged(
            graduation.changes, f"{'-'.join((group, *versions))}:"
        ),
        both_served=not graduation.before_removed,
    )


def _kind_sections(
    group: str,
    changes: Iterable[Change],
    formatter: ChangeFormatter,
    prefix: str,
) -> tuple[ChangeSection, ...]:
    kinds: dict[str, list[Change]] = {}
    for change in changes:
        kinds.setdefault(_kind(change), []).append(change)
    ordered = sorted(kinds.items(), key=lambda item: (_severity(item[1]), item[0]))
    sections: list[ChangeSection] = []
    for kind, of_kind in ordered:
        versions = {change.owner.version for change in of_kind if change.owner}
        sections.append(
            ChangeSection(
                one_line(kind),
                formatter.anchor(f"{prefix}{group}:{kind}"),
                one_line(", ".join(sorted(versions, key=precedence, reverse=True))),
                severity_counts(of_kind),
                formatter.merged(change for change in of_kind if not change.is_minor),
                formatter.merged(change for change in of_kind if change.is_minor),
            )
        )
    return tuple(sections)


def _kind(change: Change) -> str:
    if change.owner is None:
        return change.definition.rpartition(".")[2]
    return change.owner.kind


def _severity(changes: Iterable[Change]) -> int:
    """The most severe severity of changes as a number, 0 for the most severe one; what
    users need not know counts as the least severe."""
    return min(
        len(SEVERITIES) if change.is_minor else SEVERITIES.index(change.severity)
        for change in changes
    )
