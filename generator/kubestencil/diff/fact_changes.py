"""Finds changes that no difference between definitions shows.

They are in the tables of facts: kinds and annotations that are deprecated, or kinds that
are served by default, from a release on, the feature gates of fields, and fields that can
be changed; or they are operations of the API.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from kubestencil.diff.change import Change
from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.differences.resources import operation_changes
from kubestencil.diff.labels import kind_name
from kubestencil.diff.releases.facts import ReleaseFacts, owner_of, successor
from kubestencil.diff.releases.stages import (
    FieldStage,
    StageChange,
    least_stable,
)
from kubestencil.diff.rules.classify import Classification, at_stability
from kubestencil.diff.rules.details import Deprecation
from kubestencil.diff.rules.rule_context import trend, turns_on
from kubestencil.diff.rules.table import RULES_BY_NAME
from kubestencil.schema import GroupVersionKind, Schema
from kubestencil.schema.kinds import definitions_of_kinds, version_stage
from kubestencil.schema.knowledge.conditions import (
    Combination,
    combinations,
    refused_fields,
)
from kubestencil.schema.knowledge.coverage import covers_both
from kubestencil.schema.knowledge.descriptions import deprecation
from kubestencil.schema.knowledge.kinds import known_kind, lifecycle
from kubestencil.schema.knowledge.places import field_at, newly_mutable
from kubestencil.schema.knowledge.warnings import (
    NODE_LABELS,
    POD_ANNOTATIONS,
    VOLUMES,
    newly_warned,
    volume_plugin,
    volume_plugins,
)
from kubestencil.source.releases import is_between


def fact_changes(
    before: ReleaseFacts, after: ReleaseFacts, changes: Collection[Change]
) -> Iterator[Change]:
    """The changes that ``changes``, those between the definitions of two releases, do
    not have: of kinds, of fields, of operations."""
    old, new = before.stages.kubernetes, after.stages.kubernetes
    finder = _FactChanges(before, after, (old or "", new or ""))
    reported = set(map(_subject, changes))
    # What is going away is not promoted with what its gate guards besides.
    ending = {
        (change.definition, change.field)
        for change in changes
        if change.rule.topic == "deprecated"
    }
    for change in finder.of_tables() if old and new else ():
        is_promoted = change.rule.topic == "promoted"
        is_ending = is_promoted and (change.definition, change.field) in ending
        if _subject(change) not in reported and not is_ending:
            yield change
    yield from finder.operations()


def _rule_of(row: Combination) -> tuple[object, ...]:
    return row.condition, row.rule, row.fields


def _subject(change: Change) -> tuple[object, ...]:
    """What a change is about: whatever says that a field is at another stage says it."""
    rule = change.rule
    topic = rule.topic or change.change
    return change.definition, change.field, topic, rule.deprecates


_NOT_KNOWN = Deprecation()
# Where users write what is warned of in pods.
_WARNED_PLACES = {
    (POD_ANNOTATIONS, "annotations"): ("io.k8s.api.core.v1.Pod", "annotations"),
    (NODE_LABELS, "nodeSelector"): ("io.k8s.api.core.v1.Node", "labels"),
}


@dataclass(frozen=True)
class _FactChanges:
    old: ReleaseFacts
    new: ReleaseFacts
    #: The minor versions of Kubernetes, empty for what is something else.
    releases: tuple[str, str]

    def of_tables(self) -> Iterator[Change]:
        """What the tables of facts have, of two releases of Kubernetes."""
        yield from self.kinds()
        yield from self.volumes()
        yield from self.fields()
        yield from self.mutable_fields()
        yield from self.warned()
        yield from self.combinations()

    def combinations(self) -> Iterator[Change]:
        """The fields that are accepted now, and only together with others, by the tables.

        A rule about fields that were accepted before is no change: that it has a row may be
        due to what was asked.
        """
        if not covers_both("combinations", *self.releases):
            return
        before, after = map(combinations, self.releases)
        for definition, found in after.items():
            old = {_rule_of(row) for row in before.get(definition, ())}
            words: dict[str, list[str]] = {}
            for row in found:
                field = self._accepted_now(definition, row.names)
                if field is not None and _rule_of(row) not in old:
                    sentence = f"{row.in_words[0].upper()}{row.in_words[1:]}."
                    words.setdefault(field, []).append(sentence)
            for field, sentences in words.items():
                names = "combination-added", "combination-added"
                detail = " ".join(sentences)
                yield self._change(*names, definition, field, detail=detail)

    def _accepted_now(self, definition: str, names: Iterable[str]) -> str | None:
        """The first of some fields of a definition that is accepted now, and was not
        before; None without one, and where a release lacks the definition or a field.
        """
        if definition not in self.old.release.definitions or any(
            _schema(self.new, definition, name) is None for name in names
        ):
            return None
        new = (name for name in sorted(names) if self._is_new(definition, name))
        return next(new, None)

    def _is_new(self, definition: str, field: str) -> bool:
        """Whether a field was added, or its gate is on by default now, without being off."""
        before, after = (
            side.stages.gated.get((definition, field)) for side in (self.old, self.new)
        )
        was_off = before is not None and not before.enabled
        is_on = after is None or after.enabled
        return is_on and (was_off or _schema(self.old, definition, field) is None)

    def kinds(self) -> Iterator[Change]:
        """The kinds of both releases that are deprecated now, or are served by default
        in one of the releases only."""
        old, new = self.releases
        for kind in sorted(self.old.kinds & self.new.kinds & self._definitions.keys()):
            facts = lifecycle(kind)
            if facts is None:
                continue
            if facts.is_deprecated_between(old, new):
                target = successor(kind, new, self.new.versions)
                yield self._change(
                    "kind-deprecated",
                    "deprecated",
                    self._definitions[kind],
                    deprecation=Deprecation(
                        facts.deprecated,
                        known_kind(kind, new).removed,
                        target and kind_name(target),
                    ),
                )
            enabled = [known_kind(kind, name).served_by_default for name in (old, new)]
            stage = version_stage(kind.version)
            stages = StageChange(
                *(FieldStage(stage, enabled=value) for value in enabled)
            )
            if trend(*stages) is not None:
                yield self._stage(self._definitions[kind], None, stages)

    def fields(self) -> Iterator[Change]:
        """The fields of both releases whose stages differ."""
        old, new = self.old.stages, self.new.stages
        for definition, field in sorted(
            (old.gated.keys() | new.gated.keys() | old.described_gates)
            - refused_fields(self.releases[1])
        ):
            former = self._field_stage(self.old, definition, field)
            is_old = _schema(self.old, definition, field) is not None
            if former is None and is_old and (definition, field) in new.gated:
                # No gate guarded it in the older release.
                former = FieldStage(old.definition_stage(definition), enabled=True)
            stages = StageChange(former, self._field_stage(self.new, definition, field))
            if trend(*stages) is not None and not self._is_deprecated(
                definition, field
            ):
                yield self._stage(definition, field, stages)

    def volumes(self) -> Iterator[Change]:
        """The volume plugins that were deprecated, handed over or ended."""
        old, new = self.releases
        for definition, plugin in product(VOLUMES, volume_plugins().values()):
            if _schema(self.new, definition, plugin.field) is None:
                continue
            known = Deprecation(plugin.deprecated)
            if is_between(plugin.ended, old, new):
                names: tuple[ChangeName, str] = "field-ended", "ended"
            elif is_between(plugin.migrated, old, new):
                names = "field-migrated", "migrated"
            elif is_between(plugin.deprecated, old, new):
                names = "field-deprecated", "deprecated"
            else:
                continue
            yield self._change(*names, definition, plugin.field, deprecation=known)

    def mutable_fields(self) -> Iterator[Change]:
        """The fields that can be changed now in objects that are there."""
        old, new = self.releases
        for kind, path in newly_mutable(old, new):
            name = self._definitions.get(kind)
            if name and (field := field_at(self.new.release, name, path)):
                yield self._change("field-mutable", "mutable", *field)

    def warned(self) -> Iterator[Change]:
        """The fields, annotations and labels of nodes of which servers warn now."""
        old, new = self.releases
        for row in newly_warned(old, new):
            place = row.definition, row.field
            definition, field = _WARNED_PLACES.get(place, place)
            field = f"metadata.{field}" if row.is_key_of_metadata else field
            is_known = not row.key and volume_plugin(definition, field)
            if is_known or definition not in self.new.release.definitions:
                continue
            is_key = row.is_key_of_metadata
            kind = definition.rpartition(".")[2]
            yield self._change(
                "field-deprecated",
                "deprecated",
                definition,
                f"{field}.{row.key}" if is_key else field,
                path=f"{kind}.{field}[{row.key}]" if is_key else "",
                detail=f"Its value {row.key}." if row.key and not is_key else "",
                deprecation=Deprecation(row.since, None, row.instead or None),
            )

    def operations(self) -> Iterator[Change]:
        """The operations and parameters that only one of the releases has."""
        common = self.old.kinds & self.new.kinds
        for change in operation_changes(self.old.release, self.new.release, common):
            definition = self._definitions.get(change.kind, "") if change.kind else ""
            stages = None
            if change.path.endswith("/status"):
                # The status is all that the subresource is for.
                stage = self._field_stage(self.old, definition, "status")
                stages = stage and StageChange(stage, None)
            yield self._change(
                change.name,
                "operation-added" if change.is_added else "operation-removed",
                definition,
                stages=stages,
                path=change.path,
                detail=change.detail,
            )

    @cached_property
    def _definitions(self) -> Mapping[GroupVersionKind, str]:
        return definitions_of_kinds(self.new.release)

    def _field_stage(
        self, facts: ReleaseFacts, definition: str, field: str
    ) -> FieldStage | None:
        schema = _schema(facts, definition, field)
        return schema and facts.stages.field_stage(definition, field, schema)

    def _is_deprecated(self, definition: str, field: str) -> bool:
        """Whether the newer release deprecates a field, whatever its gate is for."""
        schema = _schema(self.new, definition, field)
        return schema is not None and bool(deprecation(schema.description))

    def _stage(self, definition: str, field: str | None, stages: StageChange) -> Change:
        is_lower = trend(*stages) == "lower"
        name: ChangeName = "stage-lowered" if is_lower else "stage-changed"
        is_written = self.new.stages.is_server_written(definition, field)
        is_on = field is not None and turns_on(stages) and not is_written
        rule = "gate-on" if is_on else name
        return self._change(name, rule, definition, field, stages=stages)

    def _change(
        self,
        name: ChangeName,
        rule_name: str,
        definition: str,
        field: str | None = None,
        *,
        stages: StageChange | None = None,
        deprecation: Deprecation = _NOT_KNOWN,
        path: str = "",
        detail: str = "",
    ) -> Change:
        schema_path = () if field is None else ("properties", field)
        difference = Difference(name, definition, field, schema_path, None, None, None)
        stability = version_stage("")
        if definition:
            stability = least_stable(
                self.new.stages.definition_stage(definition),
                *(stage.stage for stage in (stages or ())[:1] if stage),
            )
        rule, audience = at_stability(RULES_BY_NAME[rule_name], stability)
        kinds = self.new.roots.of(definition)
        owner = owner_of(definition, kinds, self.old.kinds | self.new.kinds)
        path = path or self.new.paths.path(owner, definition, field)
        judged = Classification(
            difference, rule, audience, stability, stages, deprecation
        )
        return Change.of(judged, definition, kinds, owner, path, detail)


def _schema(facts: ReleaseFacts, definition: str, field: str) -> Schema | None:
    """The schema of a field, None where a release does not have it."""
    item = facts.release.definitions.get(definition)
    return None if item is None else item.schema.field(field)
