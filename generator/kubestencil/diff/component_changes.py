"""What changed at the feature gates of components, at the metrics that they promise to
keep, and at their command line flags, by the tables of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, Literal, NamedTuple

from kubestencil.diff.labels import Place, uses_json
from kubestencil.diff.releases.facts import ReleaseFacts, owner_of
from kubestencil.diff.rules.audience import Severity
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.facts.combinations import refused_fields
from kubestencil.schema.facts.components import Flag, Metric, flags, metrics
from kubestencil.schema.facts.configurations.table import (
    configuration_definitions,
    fields_on_path,
)
from kubestencil.schema.facts.feature_gates import (
    GateStage,
    gate_components,
    gate_in,
    gate_names,
    gate_releases,
    gated_values,
    guarded_fields,
)
from kubestencil.source.releases import release_order

#: What happened to a gate: what it guards is on by default now, or off; the gate was
#: removed, so that a component that is started with it exits; its default can no longer
#: be changed; it is at another stage with the same default; it was added, and is off.
GateEvent = Literal["on", "off", "removed", "locked", "stage", "added"]

_WITHOUT_EFFECT: frozenset[GateEvent] = frozenset({"stage", "added"})


class GateStep(NamedTuple):
    """The ``stage`` of a gate from a ``release`` on (``1.33``); None where it was
    removed."""

    release: str
    stage: GateStage | None

    def to_dict(self) -> dict[str, Any]:
        """The step as a JSON object."""
        return {"release": self.release, "stage": self.stage and self.stage.to_dict()}


class GuardedPath(NamedTuple):
    """A field or kind that a gate guards: its definition and the JSON name in it, empty
    for a kind; where users write it, the kind that it belongs to, and the kinds that it
    is part of."""

    definition: str
    field: str
    path: str
    owner: GroupVersionKind | None
    kinds: tuple[GroupVersionKind, ...]


@dataclass(frozen=True, slots=True)
class GateChange:
    """A feature gate that differs between two releases.

    ``before`` and ``after`` are its stages in them, None where it is not there. ``steps``
    are the releases after the first one in which it changed. ``components`` are those
    whose code asks for it, ``guards`` the fields and kinds that it guards; both are
    empty where none is known. ``uses`` is that of ``Change``.
    """

    gate: str
    before: GateStage | None
    after: GateStage | None
    steps: tuple[GateStep, ...]
    components: tuple[str, ...]
    guards: tuple[GuardedPath, ...]
    uses: tuple[Place, ...] = ()

    @property
    def event(self) -> GateEvent:
        """What happened to it; the first one that matters of several."""
        was_on = self.before is not None and self.before.enabled
        stages = (step.stage for step in reversed(self.steps))
        last = next((stage for stage in stages if stage is not None), self.before)
        if last is not None and last.enabled is not was_on:
            return "on" if last.enabled else "off"
        if self.after is None:
            return "removed"
        if self.before is None:
            return "added"
        return "locked" if self.after.locked and not self.before.locked else "stage"

    @property
    def severity(self) -> Severity:
        """``breaking`` for one that was removed: a component that is started with it
        exits. ``warning`` where clusters can behave differently, or a component may not
        start."""
        if self.event == "removed":
            return "breaking"
        return "safe" if self.event in _WITHOUT_EFFECT else "warning"

    @property
    def id(self) -> str:
        """Identifies the change: the gate, and the releases in which it changed."""
        return ":".join((self.gate, *(step.release for step in self.steps)))

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object; ``guards`` are the paths of what it guards."""
        return {
            "id": self.id,
            "gate": self.gate,
            "event": self.event,
            "severity": self.severity,
            "before": self.before and self.before.to_dict(),
            "after": self.after and self.after.to_dict(),
            "steps": [step.to_dict() for step in self.steps],
            "components": list(self.components),
            "guards": list(dict.fromkeys(guard.path for guard in self.guards)),
            **uses_json(self.uses),
        }

    @property
    def kinds(self) -> frozenset[GroupVersionKind]:
        """The kinds that what it guards is part of."""
        return frozenset(kind for guard in self.guards for kind in guard.kinds)


def gate_changes(before: ReleaseFacts, after: ReleaseFacts) -> Iterator[GateChange]:
    """The gates that differ, by name; none for what is no release of Kubernetes."""
    old, new = before.stages.kubernetes, after.stages.kubernetes
    if old is None or new is None:
        return
    first, last = map(release_order, (old, new))
    known = gate_releases()
    if min(first, last) < release_order(known[0]):
        return
    between = [name for name in known if first < release_order(name) < last]
    guards: dict[str, dict[tuple[str, str], GuardedPath]] = {}
    for facts, release in ((after, new), (before, old)):
        refused = refused_fields(release)
        values = gated_values().values()
        for definition, field, gate in chain(
            guarded_fields(release),
            ((row.definition, row.field, row.gate) for row in values),
        ):
            guard = _guard(facts, definition, field)
            if guard is not None and (definition, field) not in refused:
                guards.setdefault(gate, {}).setdefault((definition, field), guard)
    releases = [old, *between, new]
    for gate in gate_names():
        stages = [gate_in(gate, release) for release in releases]
        steps = tuple(
            GateStep(release, stage)
            for release, (former, stage) in zip(
                releases[1:], pairwise(stages), strict=True
            )
            if stage != former
        )
        if steps:
            yield GateChange(
                gate,
                stages[0],
                stages[-1],
                steps,
                gate_components(gate),
                tuple(guards.get(gate, {}).values()),
            )


def _guard(facts: ReleaseFacts, definition: str, field: str) -> GuardedPath | None:
    kinds = facts.roots.of(definition)
    if not kinds:
        return None
    owner = owner_of(definition, kinds, facts.kinds)
    path = facts.paths.path(owner, definition, field or None)
    return GuardedPath(definition, field, path, owner, tuple(sorted(kinds)))


#: What happened to a metric or a flag; ``changed`` is everything else that is known.
ComponentEvent = Literal["removed", "deprecated", "changed", "added"]


class ComponentChange(NamedTuple):
    """A stable or beta metric, or a flag (``cloud-config``) of a ``component``, that
    differs between two releases. ``component`` is empty for a metric; ``before`` and
    ``after`` are None where it is not there, or a metric is neither stable nor beta.
    ``field`` is the field of a configuration file that says the same as a flag in the
    newer release; empty where there is none."""

    component: str
    name: str
    before: Metric | Flag | None
    after: Metric | Flag | None
    field: str = ""

    @property
    def id(self) -> str:
        """Identifies the change: the component, the name and what happened."""
        return ":".join(filter(None, (self.component, self.name, self.event)))

    @property
    def event(self) -> ComponentEvent:
        """What happened to it. A flag that is ``changed`` is no longer deprecated, or got
        a field; of a metric these are its type and stability."""
        if self.after is None:
            return "removed"
        if self.before is None:
            return "added"
        is_new = self.after.deprecated and not self.before.deprecated
        return "deprecated" if is_new else "changed"

    @property
    def severity(self) -> Severity:
        """``breaking`` for a flag that was removed: a component that is started with it
        exits. ``warning`` where dashboards and alerts lack a metric, or later will."""
        if self.event == "removed" and self.component:
            return "breaking"
        return "warning" if self.event in ("removed", "deprecated") else "safe"

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object."""
        if self.component:
            of_flag = {"component": self.component, "flag": self.name}
            return {
                "id": self.id,
                **of_flag,
                "event": self.event,
                "severity": self.severity,
                "field": self.field or None,
            }
        before, after = (
            side.to_dict() if isinstance(side, Metric) else None
            for side in (self.before, self.after)
        )
        return {
            "id": self.id,
            "name": self.name,
            "event": self.event,
            "severity": self.severity,
            "before": before,
            "after": after,
        }


def metric_changes(before: str | None, after: str | None) -> Iterator[ComponentChange]:
    """The metrics that differ, by name; none of releases that the table lacks."""
    if before is not None and after is not None:
        old, new = (
            {("", name): metric for name, metric in metrics(release).items()}
            for release in (before, after)
        )
        yield from _differing(old, new)


def flag_changes(before: str | None, after: str | None) -> Iterator[ComponentChange]:
    """The flags that differ, by component and name; none of releases that the table
    lacks."""
    if before is not None and after is not None:
        for change in _differing(flags(before), flags(after)):
            side = change.after or change.before
            path = side.field if isinstance(side, Flag) else ""
            if path and not fields_on_path(configuration_definitions(after), path):
                path = ""
            yield change._replace(field=path)


def _differing(
    old: Mapping[tuple[str, str], Metric | Flag],
    new: Mapping[tuple[str, str], Metric | Flag],
) -> Iterator[ComponentChange]:
    """What differs, apart from the releases that have it; nothing where either side is
    empty."""
    for key in sorted({*old, *new}) if old and new else ():
        sides = old.get(key), new.get(key)
        before, after = (() if side is None else side[1:] for side in sides)
        if before != after:
            yield ComponentChange(*key, *sides)
