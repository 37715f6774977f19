"""What conditions may ask besides a difference: definitions, names, stages, kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from kubestencil.diff.differences.definitions import Difference, Schemas
from kubestencil.diff.differences.server_values import ValueChanges
from kubestencil.diff.releases.facts import (
    ReleaseFacts,
    Versions,
    most_stable_version,
)
from kubestencil.diff.releases.stages import FieldStage, StageChange
from kubestencil.schema.kinds import STAGES, only_kind, precedence, version_stage
from kubestencil.schema.knowledge.fields import renamed_field
from kubestencil.schema.knowledge.kinds import known_kind
from kubestencil.schema.types import ANY_VALUE, GroupVersionKind, Schema

#: Whether a stage is more or less stable than before.
Trend = Literal["higher", "lower"]


class RuleContext(NamedTuple):
    """What conditions may ask besides a difference.

    ``before`` and ``after`` are the definitions of both sides, ``moved_fields`` the
    removed fields that are inside of added ones. ``names`` map the names under which
    definitions are compared to those that they have in each release, ``facts`` is what is
    known of both releases. ``is_whole`` is whether these are compared with all that they
    have, and not two API versions. ``value_changes`` are what the tables of facts have as
    changed between them.

    ``owner`` is the kind that the definition at hand belongs to, and ``path`` where it
    is in it, as users write it: ``Node.status``. ``stage`` has the stages of the field
    or kind that differs, None where neither is known.
    """

    before: Schemas
    after: Schemas
    moved_fields: MovedFields
    names: tuple[Mapping[str, str], Mapping[str, str]]
    facts: tuple[ReleaseFacts, ReleaseFacts]
    is_whole: bool
    value_changes: ValueChanges = MappingProxyType({})
    owner: GroupVersionKind | None = None
    path: str = ""
    stage: StageChange | None = None

    @property
    def releases(self) -> tuple[str, str] | None:
        """The minor versions of Kubernetes on both sides, which there are facts for;
        None where a side is something else."""
        before, after = (side.stages.kubernetes for side in self.facts)
        return None if before is None or after is None else (before, after)

    def versions(self, side: Literal[0, 1]) -> Versions:
        """The versions of each kind that a release serves; none where two of these are
        compared."""
        return self.facts[side].versions if self.is_whole else {}

    def name(self, difference: Difference, side: Literal[0, 1]) -> str | None:
        """The name of the definition in a release; None where it does not have it."""
        return self.names[side].get(difference.definition)

    def changed_by_facts(self, difference: Difference) -> frozenset[str]:
        """The keywords that would state what the tables of facts have as changed of the
        field that differs."""
        name = self.name(difference, 1) or ""
        changes = self.value_changes.get((name, difference.field or ""), ())
        return frozenset(change.keyword for change in changes)

    def renamed(self, difference: Difference) -> str | None:
        """Where later versions of the kind have a field, by the facts, or None."""
        if self.owner is None or difference.field is None:
            return None
        path = f"{self.path}.{difference.field}".partition(".")[2]
        renamed = renamed_field(self.owner, path)
        return renamed and renamed.path

    def stage_change(self, difference: Difference) -> StageChange | None:
        """The stages of the field or kind that differs; None where neither is known."""
        read = self._kind_stage if difference.field is None else self._field_stage
        before, after = read(difference, 0), read(difference, 1)
        is_field = difference.field and field_schema(difference, 1) is not None
        if is_field and before is not None and before.gate and after is None:
            # A description no longer states the stage: the gate still has one.
            after = self.facts[1].stages.gate_stage(before.gate)
        return None if before is None and after is None else StageChange(before, after)

    def stage_trend(self, difference: Difference) -> Trend | None:
        """Whether a field or kind is more or less stable than before; None where it is
        as before, was not there, or only the words of a description changed."""
        if self.stage is None:
            return None
        before, after = self.stage
        if difference.field is not None and before is not None and after is None:
            # Descriptions of Kubernetes lag behind the facts. Others are all there is.
            after = None if self.releases else FieldStage("stable")
        return trend(before, after)

    def _field_stage(
        self, difference: Difference, side: Literal[0, 1]
    ) -> FieldStage | None:
        schema = field_schema(difference, side)
        name = self.name(difference, side)
        if schema is None or name is None:
            return None
        return self.facts[side].stages.field_stage(name, difference.field or "", schema)

    def _kind_stage(
        self, difference: Difference, side: Literal[0, 1]
    ) -> FieldStage | None:
        kind = only_kind(difference.schemas[side])
        name = self.name(difference, side)
        if kind is not None and name is not None:
            stages = self.facts[side].stages
            gate = stages.gated.get((name, ""))
            release = stages.kubernetes
            enabled = known_kind(kind, release).served_by_default
            return FieldStage(
                version_stage(kind.version),
                None if gate is None else gate.gate,
                enabled,
            )
        if side == 0 and difference.is_added:
            return self._earlier_stage(difference)
        return None

    def _earlier_stage(self, difference: Difference) -> FieldStage | None:
        """The stage of the most stable version in which the first release served a kind
        that is added in a newer one."""
        kind = only_kind(difference.schemas[1])
        best = None if kind is None else most_stable_version(kind, self.versions(0))
        if kind is None or best is None:
            return None
        is_older = precedence(best) < precedence(kind.version)
        return FieldStage(version_stage(best)) if is_older else None


def field_schema(difference: Difference, side: Literal[0, 1]) -> Schema | None:
    """The schema of the field that a difference is about; None where it is absent."""
    schema = difference.schemas[side]
    if difference.keyword == "required" and difference.field is not None:
        # The schemas are those of the object; the field is one of its properties.
        return schema.field(difference.field.rpartition(".")[2])
    return schema if schema.keywords else None


def trend(before: FieldStage | None, after: FieldStage | None) -> Trend | None:
    """Whether a stage is higher or lower than another one; None where it is neither, or
    one is not known."""
    if before is None or after is None:
        return None
    if before.is_deprecated or after.is_deprecated:
        return None
    old, new = STAGES.index(before.stage), STAGES.index(after.stage)
    if old != new:
        return "higher" if new > old else "lower"
    if before.enabled is None or after.enabled is None:
        return None
    if before.enabled is not after.enabled:
        return "higher" if after.enabled else "lower"
    return None


def turns_on(stages: StageChange) -> bool:
    """Whether what a gate guards is on by default now, and was off."""
    before, after = stages
    is_off = before is not None and before.enabled is False
    return is_off and after is not None and after.enabled is not False


#: Whether a rule applies, or what it applies because of.
Condition = Callable[[Difference, RuleContext], object]


#: The paths of fields below added ones, with their types, by name.
_Index = Mapping[str, Sequence[tuple[str, str | None]]]


class MovedFields:
    """Where the removed fields of definitions are now.

    A definition is indexed when it is asked for, once: thousands of its fields may be
    removed, and thousands added.
    """

    def __init__(self, before: Schemas, after: Schemas) -> None:
        self._before = before
        self._after = after
        self._index = cache(self._fields_below_added_ones)

    def path(self, definition: str, name: str, type_name: object) -> str | None:
        """The path of the first field with a name and type that is inside of an added
        field of a definition; None where there is none."""
        candidates = self._index(definition).get(name, ())
        return next((path for path, other in candidates if other == type_name), None)

    def _fields_below_added_ones(self, definition: str) -> _Index:
        old, new = (
            {field.name: field.schema for field in schema.fields}
            for schema in (
                self._before.get(definition, ANY_VALUE),
                self._after.get(definition, ANY_VALUE),
            )
        )
        removed = old.keys() - new.keys()
        index: dict[str, list[tuple[str, str | None]]] = {}
        for added in sorted(new.keys() - old.keys()):
            for field in resolved(new[added], self._after).fields:
                if field.name in removed:
                    entry = f"{added}.{field.name}", field.schema.type
                    index.setdefault(field.name, []).append(entry)
        return index


def resolved(schema: Schema, definitions: Schemas) -> Schema:
    """A schema, with the keywords of the definition that it refers to, if it refers to
    one that there is."""
    target = None if schema.ref is None else definitions.get(schema.ref)
    return schema if target is None else schema.beside(target)
