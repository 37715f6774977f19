"""Parts of a comparison: what concerns types or an audience, or is at some stage."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.releases.stages import FieldStage
from kubestencil.diff.rules.audience import AudienceName
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import StageSpelling, version_stage
from kubestencil.schema.lookup import TypeMatch


def of_types(comparison: Comparison, types: Collection[TypeMatch]) -> Comparison:
    """The changes of ``types``, and of kinds among them that are part of others."""

    def is_of_type(kind: GroupVersionKind) -> bool:
        return any(
            match.includes(kind.kind, kind.group or "core", kind.version)
            for match in types
        )

    def is_included(change: Change) -> bool:
        package, _, name = change.definition.rpartition(".")
        return any(map(is_of_type, change.kinds)) or any(
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
        metrics=(),
        flags=(),
        gates=tuple(
            gate for gate in comparison.gates if any(map(is_of_type, gate.kinds))
        ),
        going_soon=tuple(
            item for item in comparison.going_soon if is_of_type(item.kind)
        ),
    )


def without(comparison: Comparison, ids: Collection[str]) -> Comparison:
    """The comparison without what has one of these ids; API versions are their own."""
    changes = comparison.with_changes(
        partial(filter, lambda change: change.id not in ids)
    )
    added, removed = comparison.api_versions_added, comparison.api_versions_removed
    return replace(
        changes,
        api_versions_added=tuple(name for name in added if name not in ids),
        api_versions_removed=tuple(name for name in removed if name not in ids),
        graduations=tuple(item for item in changes.graduations if item.id not in ids),
        gates=tuple(item for item in comparison.gates if item.id not in ids),
        metrics=tuple(item for item in comparison.metrics if item.id not in ids),
        flags=tuple(item for item in comparison.flags if item.id not in ids),
        going_soon=tuple(item for item in comparison.going_soon if item.id not in ids),
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
    gates = tuple(
        gate
        for gate in comparison.gates
        if {stage.level for stage in (gate.before, gate.after) if stage} & {*stages}
    )
    return replace(
        changes,
        api_versions_added=added,
        api_versions_removed=removed,
        gates=gates,
        metrics=(),
        flags=(),
        going_soon=tuple(
            item
            for item in comparison.going_soon
            if {_stage_of_version(item.kind.api_version), "deprecated"} & {*stages}
        ),
    )


def _stage_of_version(api_version: str) -> StageSpelling:
    return FieldStage(version_stage(api_version.rpartition("/")[2])).level


def _stages_of(change: Change) -> set[StageSpelling]:
    if change.stage is None:
        stages = {FieldStage(change.stability).level}
    else:
        stages = {stage.level for stage in change.stage if stage is not None}
    return {*stages, "deprecated"} if change.rule.deprecates else stages
