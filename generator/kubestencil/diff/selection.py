"""Parts of a comparison: what concerns types or an audience, or is at some stage."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.releases.stages import FieldStage
from kubestencil.diff.rules.audience import AudienceName
from kubestencil.schema.kinds import StageSpelling, version_stage
from kubestencil.schema.lookup import TypeMatch


def of_types(comparison: Comparison, types: Collection[TypeMatch]) -> Comparison:
    """The changes of ``types``, and of kinds among them that are part of others."""

    def is_included(change: Change) -> bool:
        package, _, name = change.definition.rpartition(".")
        return any(
            match.includes(kind.kind, kind.group or "core", kind.version)
            for kind in change.kinds
            for match in types
        ) or any(
            # A change does not have the group of a type that is no kind.
            match.kind == name and match.version in (None, package.rpartition(".")[2])
            for match in types
        )

    changes = comparison.with_changes(partial(filter, is_included))
    return replace(
        changes,
        api_versions_added=(),
        api_versions_removed=(),
        graduations=tuple(
            graduation
            for graduation in changes.graduations
            if any(
                match.kind in graduation.kinds
                and match.group == (graduation.group or "core")
                for match in types
            )
        ),
    )


def for_audience(comparison: Comparison, audience: AudienceName) -> Comparison:
    """The comparison with the severities that changes have for an audience."""

    def judged(change: Change) -> Change:
        impact = getattr(change.audience, audience)
        return replace(change, severity=impact.severity)

    return comparison.with_changes(partial(map, judged))


def at_stages(comparison: Comparison, stages: Collection[StageSpelling]) -> Comparison:
    """The changes of what is, or was before, at one of ``stages``."""
    changes = comparison.with_changes(
        partial(filter, lambda change: _stages_of(change) & {*stages})
    )
    added, removed = (
        tuple(name for name in names if _stage_of_version(name) in stages)
        for names in (changes.api_versions_added, changes.api_versions_removed)
    )
    return replace(changes, api_versions_added=added, api_versions_removed=removed)


def _stage_of_version(api_version: str) -> StageSpelling:
    return FieldStage(version_stage(api_version.rpartition("/")[2])).level


def _stages_of(change: Change) -> set[StageSpelling]:
    if change.stage is None:
        stages = {FieldStage(change.stability).level}
    else:
        stages = {stage.level for stage in change.stage if stage is not None}
    return {*stages, "deprecated"} if change.rule.deprecates else stages
