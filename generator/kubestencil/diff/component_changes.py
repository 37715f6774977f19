"""What changed at the feature gates, metrics and command line flags of components, by the
tables of facts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from kubestencil.diff.labels import Place, uses_json
from kubestencil.diff.releases.facts import ReleaseFacts, owner_of
from kubestencil.diff.rules.audience import Severity
from kubestencil.events import EVENTS
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.knowledge.components import (
    Flag,
    Metric,
    components_without_flags,
    flags,
    metrics,
)
from kubestencil.schema.knowledge.conditions import refused_fields
from kubestencil.schema.knowledge.configurations import (
    configuration_definitions,
    fields_on_path,
)
from kubestencil.schema.knowledge.coverage import covers_both
from kubestencil.schema.knowledge.gates import (
    GateStage,
    gate_in,
    gate_releases,
    gates,
    guarded_fields,
)
from kubestencil.source.releases import release_order

#: What happened to a gate: what it guards is on by default now, or off; the gate was
#: removed, so that a component that is started with it exits; its default can no longer
#: be changed; it is at another stage with the same default; it was added, and is off.
GateEvent = Literal["on", "off", "removed", "locked", "stage", "added"]


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
        """How bad it is for those who run components, or for the objects that use what
        the gate guards: these are as they were when it is removed or locked."""
        if self.event == "stage" or (self.uses and self.event in ("removed", "locked")):
            return EVENTS["stage-changed"]
        return EVENTS[f"gate-{self.event}"]

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
    """The gates that differ, by name; none where a side is no release of Kubernetes, or
    has no facts."""
    old, new = before.stages.kubernetes, after.stages.kubernetes
    if old is None or new is None or not covers_both("feature-gates", old, new):
        return
    first, last = map(release_order, (old, new))
    between = [name for name in gate_releases() if first < release_order(name) < last]
    guards: dict[str, dict[tuple[str, str], GuardedPath]] = {}
    for facts, release in ((after, new), (before, old)):
        refused = refused_fields(release)
        for definition, field, gate in guarded_fields(release):
            guard = _guard(facts, definition, field)
            if guard is not None and (definition, field) not in refused:
                guards.setdefault(gate, {}).setdefault((definition, field), guard)
    releases = [old, *between, new]
    for gate, rows in gates().items():
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
                rows[0].components,
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
ComponentEvent = Literal["removed", "deprecated", "default-changed", "changed", "added"]

_Key = TypeVar("_Key", bound=Hashable)
_Facts = TypeVar("_Facts", bound=Metric | Flag)


class ComponentChange(NamedTuple, Generic[_Facts]):
    """A metric, or a command line flag (``cloud-config``), that differs between two
    releases.

    ``before`` and ``after`` are None where it is not there. ``component`` is the one that
    has the flag, and ``field`` the field of a configuration file that says the same in the
    newer release; empty where there is none, and for a metric.
    """

    name: str
    before: _Facts | None
    after: _Facts | None
    component: str = ""
    field: str = ""

    @property
    def id(self) -> str:
        """Identifies the change: the component, the name and what happened."""
        return ":".join(filter(None, (self.component, self.name, self.event)))

    @property
    def event(self) -> ComponentEvent:
        """What happened to it; the first one that matters of several. ``changed`` are the
        type and stability of a metric; a flag is no longer deprecated, or got a field.
        """
        if self.after is None:
            return "removed"
        if self.before is None:
            return "added"
        if self.after.deprecated and not self.before.deprecated:
            return "deprecated"
        return "default-changed" if self.defaults else "changed"

    @property
    def defaults(self) -> tuple[str, str] | None:
        """The default of a flag before and after, where it is another one."""
        if not isinstance(self.before, Flag) or not isinstance(self.after, Flag):
            return None
        before, after = self.before.default, self.after.default
        if before is None or after is None or before == after:
            return None
        return before, after

    @property
    def severity(self) -> Severity:
        """``breaking`` for a flag that was removed: a component that is started with it
        exits. ``warning`` where dashboards and alerts can lack a metric now, or later.
        """
        return EVENTS[f"{'flag' if self.component else 'metric'}-{self.event}"]

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object."""
        names, keys, more = {"name": self.name}, _METRIC_KEYS, {}
        if self.component:
            names, keys = {"component": self.component, "flag": self.name}, _FLAG_KEYS
            more = {"field": self.field or None}
        before, after = (
            side and {key: getattr(side, key) for key in keys}
            for side in (self.before, self.after)
        )
        judged = {"event": self.event, "severity": self.severity}
        sides = {"before": before, "after": after}
        return {"id": self.id, **names, **judged, **sides, **more}


_METRIC_KEYS = ("type", "stability", "deprecated")
_FLAG_KEYS = ("type", "default", "deprecated")


def metric_changes(
    before: str | None, after: str | None
) -> Iterator[ComponentChange[Metric]]:
    """The metrics that differ, by name; none where a side has no facts."""
    if before and after and covers_both("metrics", before, after):
        for name, sides in _differing(metrics(before), metrics(after)):
            yield ComponentChange(name, *sides)


def flag_changes(
    before: str | None, after: str | None
) -> Iterator[ComponentChange[Flag]]:
    """The flags that differ, by component and name; none where a side has no facts about
    a component."""
    if before and after and covers_both("flags", before, after):
        definitions = configuration_definitions(after)
        unknown = {*components_without_flags(before), *components_without_flags(after)}
        for (component, name), sides in _differing(flags(before), flags(after)):
            side = sides[1] or sides[0]
            path = side.field if side else ""
            has_field = path and fields_on_path(definitions, path)
            field = path if has_field else ""
            change = ComponentChange(name, *sides, component, field)
            if component not in unknown and not _has_only_another_type(change):
                yield change


def _has_only_another_type(change: ComponentChange[Flag]) -> bool:
    """Whether nobody who sets a flag has to know: ``int`` became ``int32``."""
    before, after = change.before, change.after
    return (
        before is not None
        and after is not None
        and change.defaults is None
        and (before.deprecated, before.field) == (after.deprecated, after.field)
    )


def _differing(
    old: Mapping[_Key, _Facts], new: Mapping[_Key, _Facts]
) -> Iterator[tuple[_Key, tuple[_Facts | None, _Facts | None]]]:
    """What differs, apart from the releases that have it."""
    for key in sorted({*old, *new}, key=str):
        sides = old.get(key), new.get(key)
        before, after = (() if side is None else side[1:] for side in sides)
        if before != after:
            yield key, sides
