"""Finds changes that no difference between definitions shows.

They are in the tables of facts: kinds that are deprecated, or served by default, from a
release on, and the feature gates of fields; or they are operations of the API.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kubestencil.diff.comparison import Change
from kubestencil.diff.differences.operations import OperationChange, operation_changes
from kubestencil.diff.labels import kind_name
from kubestencil.diff.releases.facts import ReleaseFacts
from kubestencil.diff.releases.owning_kinds import owner_of
from kubestencil.diff.releases.served_versions import successor
from kubestencil.diff.releases.stages import (
    Stage,
    StageChange,
    least_stable,
    version_stage,
)
from kubestencil.diff.rules.audience import at_most
from kubestencil.diff.rules.reasons import outlook_words, stage_words
from kubestencil.diff.rules.replacement import NO_OUTLOOK, Outlook
from kubestencil.diff.rules.rule_context import trend
from kubestencil.diff.rules.table import ALPHA, Rule, rules_by_name
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.facts.lifecycle import Lifecycle, lifecycle, served_by_default
from kubestencil.schema.kinds import kind_definitions, level
from kubestencil.schema.types import JsonObject

#: The names of rules that tell the stage of a field or kind.
_STAGE_RULES = frozenset({"stage-changed", "stage-lowered"})


def notices(
    before: Release,
    after: Release,
    facts: tuple[ReleaseFacts, ReleaseFacts],
    changes: Collection[Change],
) -> Iterator[Change]:
    """The changes that ``changes``, those between the definitions of two releases, do
    not have: of kinds, of fields, of operations."""
    reader = _Notices(before, after, *facts)
    reported = {
        (change.definition, change.field, change.rule.name) for change in changes
    }
    for notice in (*reader.kinds(), *reader.fields()):
        key = notice.definition, notice.field
        names = (
            {notice.rule.name} if notice.change == "kind-deprecated" else _STAGE_RULES
        )
        if reported.isdisjoint((*key, name) for name in names):
            yield notice
    yield from reader.operations()


@dataclass(frozen=True)
class _Notices:
    before: Release
    after: Release
    old: ReleaseFacts
    new: ReleaseFacts

    def kinds(self) -> Iterator[Change]:
        """The kinds of both releases that are deprecated now, or are served by default
        in one of the releases only."""
        old, new = self.old.stages.kubernetes, self.new.stages.kubernetes
        if old is None or new is None:
            return
        for kind in sorted(self.old.kinds & self.new.kinds & self._definitions.keys()):
            facts = lifecycle(kind)
            if facts is None:
                continue
            if facts.is_deprecated_between(old, new):
                yield self._deprecated(kind, facts, new)
            enabled = served_by_default(kind, old), served_by_default(kind, new)
            stage = version_stage(kind.version)
            stages = StageChange(*(stage._replace(enabled=value) for value in enabled))
            if trend(*stages) is not None:
                yield self._stage(self._definitions[kind], None, stages)

    def fields(self) -> Iterator[Change]:
        """The fields of both releases whose stages differ."""
        if self.old.stages.kubernetes is None or self.new.stages.kubernetes is None:
            return
        old, new = self.old.stages, self.new.stages
        for definition, field in sorted(
            old.gated.keys() | new.gated.keys() | old.described_gates
        ):
            stages = StageChange(
                self._field_stage(self.before, self.old, definition, field),
                self._field_stage(self.after, self.new, definition, field),
            )
            if trend(*stages) is not None:
                yield self._stage(definition, field, stages)

    def operations(self) -> Iterator[Change]:
        """The operations and parameters that only one of the releases has."""
        common = self.old.kinds & self.new.kinds
        for change in operation_changes(self.before, self.after, common):
            yield self._operation(change)

    @cached_property
    def _definitions(self) -> Mapping[GroupVersionKind, str]:
        return {kind: name for name, kind in kind_definitions(self.after).items()}

    def _field_stage(
        self, release: Release, facts: ReleaseFacts, definition: str, field: str
    ) -> Stage | None:
        item = release.definitions.get(definition)
        if item is None:
            return None
        schema: JsonObject | None = item.schema.raw.get("properties", {}).get(field)
        if schema is None:
            return None
        return facts.stages.field_stage(definition, field, schema)

    def _deprecated(
        self, kind: GroupVersionKind, facts: Lifecycle, release: str
    ) -> Change:
        rule = rules_by_name()["deprecated"]
        target = successor(kind, release, self.new.versions)
        outlook = Outlook(
            facts.deprecated,
            facts.removed,
            None if target is None else kind_name(target),
        )
        reason = " ".join([rule.reason, *outlook_words(outlook, is_removed=False)])
        return self._change(
            "kind-deprecated",
            self._definitions[kind],
            None,
            rule,
            reason,
            outlook=outlook,
        )

    def _stage(self, definition: str, field: str | None, stages: StageChange) -> Change:
        is_lower = trend(*stages) == "lower"
        rule = rules_by_name()["stage-lowered" if is_lower else "stage-changed"]
        reason = f"{rule.reason} {stage_words(stages)}"
        return self._change(rule.name, definition, field, rule, reason, stages=stages)

    def _operation(self, change: OperationChange) -> Change:
        rule = rules_by_name()[f"operation-{'added' if change.is_added else 'removed'}"]
        definition = (
            "" if change.kind is None else self._definitions.get(change.kind, "")
        )
        stages = None
        if change.path.endswith("/status"):
            # The status is all that the subresource is for.
            before = self._field_stage(self.before, self.old, definition, "status")
            stages = None if before is None else StageChange(before, None)
        return self._change(
            change.name,
            definition,
            None,
            rule,
            f"{rule.reason} {change.detail}",
            stages=stages,
            path=change.path,
        )

    def _change(
        self,
        name: str,
        definition: str,
        field: str | None,
        rule: Rule,
        reason: str,
        *,
        stages: StageChange | None = None,
        outlook: Outlook = NO_OUTLOOK,
        path: str | None = None,
    ) -> Change:
        kinds = self.new.roots.of(definition)
        owner = owner_of(definition, kinds, self.old.kinds | self.new.kinds)
        audience = rule.audience
        stability = level("")
        if definition:
            stability = least_stable(
                self.new.stages.stability(definition),
                *(stage.stability for stage in (stages or ())[:1] if stage),
            )
        if audience.severity == "breaking" and stability == "alpha":
            rule, audience = ALPHA, at_most("warning", audience)
        return Change(
            change=name,
            definition=definition,
            field=field,
            schema_path=() if field is None else ("properties", field),
            keyword=None,
            before=None,
            after=None,
            rule=rule,
            reason=reason,
            policy=rule.policy,
            audience=audience,
            severity=audience.severity,
            stability=stability,
            stage=stages,
            replacement=outlook.replacement,
            deprecated_in=outlook.deprecated_in,
            removed_in=outlook.removed_in,
            kinds=tuple(sorted(kinds)),
            owner=owner,
            users_path=path or self.new.paths.path(owner, definition, field),
        )
