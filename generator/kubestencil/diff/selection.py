"""Parts of a comparison: what concerns types or an audience, or is at some stage."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from typing import Protocol

from kubestencil.diff.comparison import Change, Comparison
from kubestencil.diff.releases.stages import FieldStage
from kubestencil.diff.rules.audience import AudienceName
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import StageSpelling, version_stage
from kubestencil.schema.lookup import TypeMatch


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


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

    return comparison.where(
        is_included,
        api_version=_none,
        graduation=lambda item: any(
            match.kind in item.kinds and match.group == (item.group or "core")
            for match in types
        ),
        gate=lambda item: any(map(is_of_type, item.kinds)),
        component=_none,
        going_soon=lambda item: is_of_type(item.kind),
    )


def without(comparison: Comparison, ids: Collection[str]) -> Comparison:
    """The comparison without what has one of these ids; API versions are their own."""

    def is_other(item: _Identified) -> bool:
        return item.id not in ids

    return comparison.where(
        is_other,
        api_version=lambda name: name not in ids,
        graduation=is_other,
        gate=is_other,
        component=is_other,
        going_soon=is_other,
    )


def for_audience(comparison: Comparison, audience: AudienceName) -> Comparison:
    """The comparison with the severities that changes have for an audience."""

    def judged(change: Change) -> Change:
        impact = getattr(change.audience, audience)
        return replace(change, severity=impact.severity)

    return comparison.with_changes(partial(map, judged))


def at_stages(comparison: Comparison, stages: Collection[StageSpelling]) -> Comparison:
    """The changes of what is, or was before, at one of ``stages``."""
    selected = {*stages}
    return comparison.where(
        lambda change: _stages_of(change) & selected,
        api_version=lambda name: _stage_of_version(name) in selected,
        gate=lambda item: (
            {stage.level for stage in (item.before, item.after) if stage} & selected
        ),
        component=_none,
        going_soon=lambda item: (
            {_stage_of_version(item.kind.api_version), "deprecated"} & selected
        ),
    )


def _none(_: object) -> bool:
    return False


def _stage_of_version(api_version: str) -> StageSpelling:
    return FieldStage(version_stage(api_version.rpartition("/")[2])).level


def _stages_of(change: Change) -> set[StageSpelling]:
    if change.stage is None:
        stages = {FieldStage(change.stability).level}
    else:
        stages = {stage.level for stage in change.stage if stage is not None}
    return {*stages, "deprecated"} if change.rule.deprecates else stages
