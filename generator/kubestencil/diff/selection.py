"""Parts of a comparison: what concerns types or an audience, is at some stage, or touches
what objects use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from kubestencil.diff.change import Change
from kubestencil.diff.comparison import (
    Comparison,
    GoingSoon,
    Graduation,
    Judged,
    Part,
    kinds_of,
)
from kubestencil.diff.component_changes import ComponentChange, GateChange
from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.labels import Place, kind_name
from kubestencil.diff.releases.facts import served_versions, successor
from kubestencil.diff.releases.stages import FieldStage
from kubestencil.diff.rules.audience import AudienceName
from kubestencil.diff.rules.classify import Classification, at_stability
from kubestencil.diff.rules.details import Deprecation
from kubestencil.diff.rules.table import RULES_BY_NAME
from kubestencil.schema import GroupVersionKind, Release
from kubestencil.schema.kinds import StageSpelling, served_kinds, version_stage
from kubestencil.schema.knowledge.kinds import known_kind
from kubestencil.schema.lookup import TypeMatch


def of_types(comparison: Comparison, types: Collection[TypeMatch]) -> Comparison:
    """The changes of ``types``, and of kinds among them that are part of others."""

    def is_of_type(kind: GroupVersionKind) -> bool:
        return any(
            match.includes(kind.kind, kind.group or "core", kind.version)
            for match in types
        )

    def is_included(part: Part) -> bool:
        if not isinstance(part, Change):
            return any(map(is_of_type, kinds_of(part)))
        package, _, name = part.definition.rpartition(".")
        return any(map(is_of_type, part.kinds)) or any(
            # A change does not have the group of a type that is no kind.
            match.kind == name and match.version in (None, package.rpartition(".")[2])
            for match in types
        )

    return comparison.where(is_included)


def without(comparison: Comparison, ids: Collection[str]) -> Comparison:
    """The comparison without what has one of these ids; API versions are their own."""
    return comparison.where(
        lambda part: part.id not in ids, lambda name: name not in ids
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
        lambda part: isinstance(part, Graduation) or _stages_of(part) & selected,
        lambda name: _stage_of_version(name) in selected,
    )


def _stage_of_version(api_version: str) -> StageSpelling:
    return FieldStage(version_stage(api_version.rpartition("/")[2])).level


def _stages_of(part: Judged | GoingSoon) -> set[StageSpelling]:
    match part:
        case ComponentChange():
            return set()
        case GoingSoon():
            return {_stage_of_version(part.kind.api_version), "deprecated"}
        case GateChange():
            return {stage.level for stage in (part.before, part.after) if stage}
    if part.stage is None:
        stages = {FieldStage(part.stability).level}
    else:
        stages = {stage.level for stage in part.stage if stage is not None}
    return {*stages, "deprecated"} if part.rule.deprecates else stages


#: What no manifest says, or what the change of the kind says already.
_NOT_WRITTEN = ("operation-", "parameter-", "subresource-", "definition-")
_ANNOTATIONS = "metadata.annotations."
_POD, _TEMPLATE = "io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.PodTemplateSpec"


class UsedObject(NamedTuple):
    """An object of a type, or a part of one: where it is, and its fields; None where
    it can have others, too."""

    place: Place
    fields: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Uses:
    """What objects use.

    ``kinds`` has the places of the objects of each kind. ``fields`` has those of fields,
    by the name of the definition and the JSON name, with dots between those of nested
    objects, as ``Change.field`` has them; ``objects`` has the objects that have fields,
    by the same names, of which the second is empty for the definition itself.
    """

    kinds: dict[GroupVersionKind, list[Place]] = field(default_factory=dict)
    fields: dict[tuple[str, str], list[Place]] = field(default_factory=dict)
    objects: dict[tuple[str, str], list[UsedObject]] = field(default_factory=dict)

    def places(self, definition: str, path: str) -> Iterable[Place]:
        """Where a field is written, or a definition used where ``path`` is empty."""
        if path:
            return self.fields.get((definition, path), ())
        return (item.place for item in self.objects.get((definition, ""), ()))

    def places_of_annotation(self, definition: str, path: str) -> Iterator[Place]:
        """Where an annotation is written, by its path (``metadata.annotations.KEY``); one
        of a Pod in templates, too. A key that ends in a slash is the beginning of keys.
        """
        owners = (definition, _TEMPLATE) if definition == _POD else (definition,)
        for (owner, field_path), places in self.fields.items():
            if owner in owners and (
                field_path == path
                or (path.endswith("/") and field_path.startswith(path))
            ):
                yield from places

    def places_without(self, definition: str, path: str) -> Iterator[Place]:
        """Where an object that could have a field is written without it."""
        parent, _, name = path.rpartition(".")
        for item in self.objects.get((definition, parent), ()):
            if item.fields is not None and name not in item.fields:
                yield item.place

    def places_of_kind(self, group: str, kind: str) -> Iterator[Place]:
        """Where a kind is used, in any version."""
        for used, places in self.kinds.items():
            if (used.group, used.kind) == (group, kind):
                yield from places


def removed_before(
    kinds: Mapping[GroupVersionKind, Sequence[Place]], release: Release
) -> Iterator[Change]:
    """The removals of kinds that are used, and that neither a release nor the one that it
    is compared with serves, by the table of lifecycles."""
    served = served_versions(kind for kind, _ in served_kinds(release))
    for kind, places in kinds.items():
        known = known_kind(kind, release.kubernetes)
        if not known.is_removed:
            continue
        target = successor(kind, release.kubernetes, served)
        package = kind.group.partition(".")[0] or "core"
        definition = f"io.k8s.api.{package}.{kind.version}.{kind.kind}"
        rule = RULES_BY_NAME["removed-with-replacement" if target else "kind-removed"]
        stage = version_stage(kind.version)
        replacement = kind_name(target) if target else None
        judged = Classification(
            Difference("kind-removed", definition, None, (), None, None, None),
            *at_stability(rule, stage),
            stage,
            None,
            Deprecation(known.deprecated, known.removed, replacement),
        )
        change = Change.of(judged, definition, [kind], kind, kind.kind)
        yield replace(change, uses=_unique(places))


def touching(comparison: Comparison, uses: Uses) -> Comparison:
    """The changes, gates and plans that touch what is used, each with its ``uses``."""

    def touched(changes: Iterable[Change]) -> Iterator[Change]:
        for change in changes:
            if places := _unique(_places(change, uses)):
                yield replace(change, uses=places)

    changes = comparison.with_changes(touched)
    by_gate = _places_by_gate((*changes.changes, *changes.notices))
    versions = {kind.api_version for kind in uses.kinds}
    removed = comparison.api_versions_removed
    return replace(
        changes,
        api_versions_added=(),
        api_versions_removed=tuple(name for name in removed if name in versions),
        graduations=tuple(
            graduation
            for item in comparison.graduations
            if (graduation := _used_graduation(item, uses)).kinds
        ),
        metrics=(),
        flags=(),
        gates=tuple(
            gate
            for change in comparison.gates
            if (gate := _used_gate(change, uses, by_gate)).uses
        ),
        going_soon=tuple(
            item._replace(uses=_unique(uses.kinds[item.kind]))
            for item in comparison.going_soon
            if item.kind in uses.kinds
        ),
    )


def _places(change: Change, uses: Uses) -> Iterable[Place]:
    if change.change.startswith(_NOT_WRITTEN):
        return ()
    definition, owner = change.definition, change.owner
    if change.change == "kind-added":
        # Another version of a kind in use.
        if owner is None or definition.rpartition(".")[2] != owner.kind:
            return ()
        return uses.places_of_kind(owner.group, owner.kind)
    if change.field and change.field.startswith(_ANNOTATIONS):
        return uses.places_of_annotation(definition, change.field)
    is_of_field = change.schema_path[-2:-1] == ("properties",)
    if change.field and (
        change.change == "field-required"
        or (is_of_field and change.change.startswith("default-"))
    ):
        # It is about those who do not write the field.
        return uses.places_without(definition, change.field)
    return uses.places(definition, change.field or "")


def _used_graduation(graduation: Graduation, uses: Uses) -> Graduation:
    """A graduation of the kinds whose older version is used, with all that differs."""
    kinds = tuple(
        kind
        for kind in graduation.kinds
        if GroupVersionKind(graduation.group, graduation.before, kind) in uses.kinds
    )
    changes = tuple(
        change
        for change in graduation.changes
        if any(kind.kind in kinds for kind in change.kinds)
    )
    return replace(graduation, kinds=kinds, changes=changes)


def _places_by_gate(changes: Iterable[Change]) -> Mapping[str, Sequence[Place]]:
    """The places of fields whose stages changed, by their gates."""
    places: dict[str, list[Place]] = {}
    for change in changes:
        for stage in change.stage or ():
            if stage is not None and stage.gate is not None:
                places.setdefault(stage.gate, []).extend(change.uses)
    return places


def _used_gate(
    gate: GateChange, uses: Uses, by_gate: Mapping[str, Sequence[Place]]
) -> GateChange:
    """A gate with those of its guarded fields and kinds that are used."""
    places = list(by_gate.get(gate.gate, ()))
    guards = []
    for guard in gate.guards:
        if of_guard := list(uses.places(guard.definition, guard.field)):
            places += of_guard
            guards.append(guard)
    return replace(gate, guards=tuple(guards), uses=_unique(places))


def _unique(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted({*places}))
