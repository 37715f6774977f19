"""Comparisons as template variables: what a report lists, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple, TypedDict

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.labels import kind_name
from kubestencil.diff.rules.audience import (
    AUDIENCE_MEANINGS,
    SEVERITIES,
    SEVERITY_MEANINGS,
    AudienceName,
    Severity,
)
from kubestencil.diff.rules.table import Rule
from kubestencil.schema.kinds import STAGES, Stage, version_stage
from kubestencil.targets.diff.changes import (
    ChangeFormatter,
    FormattedChange,
    ReleasesOfChanges,
    SeverityCount,
    change_key,
)
from kubestencil.targets.diff.links import NO_LINKS, LinkResolver
from kubestencil.targets.diff.sections import (
    GraduationSection,
    GroupSection,
    graduation_section,
    group_sections,
    split_alpha,
)
from kubestencil.targets.diff.upgrade import (
    UpgradeList,
    added_list,
    headline,
    upgrade_lists,
)
from kubestencil.text.controls import one_line


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
    summary: tuple[SeverityCount, ...]
    api_versions: tuple[ApiVersionChange, ...]
    lists: tuple[UpgradeList, ...]


class ComparisonVariables(TypedDict):
    """The variables of a report on a comparison."""

    before: Annotated[str, "the older release or document"]
    after: Annotated[str, "the newer one"]
    headline: Annotated[str, "a sentence that sums up the changes"]
    total: Annotated[int, "the number of changes"]
    summary: Annotated[
        tuple[SeverityCount, ...], "the number of changes of every severity"
    ]
    levels: Annotated[tuple[Stage, ...], "all levels of stability"]
    api_versions: Annotated[
        tuple[ApiVersionChange, ...], "the API versions that were removed or added"
    ]
    upgrade: Annotated[
        tuple[UpgradeList, ...], "the lists of what to know before an upgrade"
    ]
    added: Annotated[
        UpgradeList | None,
        "the kinds and fields that were added and are at least beta, none without any",
    ]
    steps: Annotated[
        tuple[Step, ...],
        "the releases in between, empty where two neighbours were compared",
    ]
    graduations: Annotated[
        tuple[GraduationSection, ...], "the changes between versions of a kind"
    ]
    groups: Annotated[
        tuple[GroupSection, ...],
        "the changes by group and kind, without those in alpha",
    ]
    alpha: Annotated[
        tuple[GroupSection, ...], "the changes of alpha versions and fields"
    ]
    alpha_total: Annotated[int, "the number of these"]
    kinds: Annotated[tuple[str, ...], "all kinds that have changes"]
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
    kinds = sorted({kind for change in changes for kind in change.kinds})
    releases = _releases_of_changes(steps)
    formatter = ChangeFormatter(
        kinds, links, (comparison.after, comparison.before), releases
    )
    stable, alpha = split_alpha(changes)
    groups = group_sections(stable, formatter, "")
    alpha_groups = group_sections(alpha, formatter, "alpha:")
    anchors = _anchors((*groups, *alpha_groups))

    def anchor_of(change: Change) -> str:
        return anchors.get((one_line(change.users_path), change.rule.name), "")

    lists = upgrade_lists(comparison, formatter, anchor_of)
    return {
        "before": one_line(comparison.before),
        "after": one_line(comparison.after),
        "headline": headline(comparison, lists),
        "total": len(changes),
        "summary": summary_counts(comparison),
        "levels": STAGES,
        "api_versions": api_version_changes(comparison),
        "upgrade": lists,
        "added": added_list(comparison, formatter),
        "steps": tuple(_step(step, ChangeFormatter(kinds)) for step in steps),
        "graduations": tuple(
            graduation_section(graduation, formatter)
            for graduation in comparison.graduations
        ),
        "groups": groups,
        "alpha": alpha_groups,
        "alpha_total": len(alpha),
        "kinds": tuple(one_line(kind_name(kind)) for kind in kinds),
        "severity_meanings": SEVERITY_MEANINGS,
        "audience_meanings": AUDIENCE_MEANINGS,
        "rules": _applied_rules(comparison),
    }


def summary_counts(comparison: Comparison) -> tuple[SeverityCount, ...]:
    """The number of changes of every severity, most severe first."""
    counts = comparison.summary.items()
    return tuple(SeverityCount(severity, count) for severity, count in counts)


def api_version_changes(comparison: Comparison) -> tuple[ApiVersionChange, ...]:
    """The API versions that were removed, then those that were added."""
    return (
        *_api_versions("removed", comparison.api_versions_removed),
        *_api_versions("added", comparison.api_versions_added),
    )


def _step(comparison: Comparison, formatter: ChangeFormatter) -> Step:
    lists = upgrade_lists(comparison, formatter)
    return Step(
        one_line(comparison.before),
        one_line(comparison.after),
        headline(comparison, lists),
        summary_counts(comparison),
        api_version_changes(comparison),
        lists,
    )


def _releases_of_changes(steps: Iterable[Comparison]) -> ReleasesOfChanges:
    releases: dict[tuple[str, ...], list[str]] = {}
    for step in steps:
        for change in (*step.changes, *step.notices):
            releases.setdefault(change_key(change), []).append(step.after)
    return releases


def _anchors(groups: Iterable[GroupSection]) -> Mapping[tuple[str, str], str]:
    """The anchors of changes by their path and rule."""
    changes: list[FormattedChange] = [
        change for group in groups for kind in group.kinds for change in kind.changes
    ]
    return {(change.path, change.rule.name): change.anchor for change in changes}


def _api_versions(
    change: Literal["added", "removed"], api_versions: Iterable[str]
) -> Iterable[ApiVersionChange]:
    return (
        ApiVersionChange(change, one_line(name), version_stage(name.rpartition("/")[2]))
        for name in api_versions
    )


def _applied_rules(comparison: Comparison) -> tuple[Rule, ...]:
    changes = [
        *comparison.changes,
        *comparison.notices,
        *(
            change
            for graduation in comparison.graduations
            for change in graduation.changes
        ),
    ]
    rules = {change.rule.name: change.rule for change in changes}
    return tuple(
        sorted(
            rules.values(),
            key=lambda rule: (SEVERITIES.index(rule.severity), rule.name),
        )
    )
