"""What changed at the metrics that components promise to keep, and at their command line
flags, by the tables of facts."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeVar

from kubestencil.diff.rules.audience import Severity
from kubestencil.schema.facts.components import Flag, Metric, flags, metrics
from kubestencil.schema.facts.configurations.table import (
    configuration_definitions,
    fields_on_path,
)

#: What happened to a metric or a flag; ``changed`` is everything else that is known.
ComponentEvent = Literal["removed", "deprecated", "changed", "added"]

_Key = TypeVar("_Key", bound=Hashable)
_Facts = TypeVar("_Facts", Metric, Flag)


class MetricChange(NamedTuple):
    """A stable or beta metric that differs between two releases: ``before`` and
    ``after`` are None where it is neither stable nor beta, or not there."""

    name: str
    before: Metric | None
    after: Metric | None

    @property
    def id(self) -> str:
        """Identifies the change: the metric and what happened."""
        return f"{self.name}:{self.event}"

    @property
    def event(self) -> ComponentEvent:
        """What happened to it; ``changed`` are its type and stability."""
        return _event(self.before, self.after)

    @property
    def severity(self) -> Severity:
        """``warning`` where dashboards and alerts can lack it now, or later."""
        return "warning" if self.event in ("removed", "deprecated") else "safe"

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object."""
        return {
            "id": self.id,
            "name": self.name,
            "event": self.event,
            "severity": self.severity,
            "before": self.before and self.before.to_dict(),
            "after": self.after and self.after.to_dict(),
        }


class FlagChange(NamedTuple):
    """A flag (``cloud-config``) of a ``component`` that differs between two releases:
    ``before`` and ``after`` are None where the component does not have it. ``field`` is the
    field of a configuration file that says the same in the newer release; empty where there
    is none."""

    component: str
    name: str
    before: Flag | None
    after: Flag | None
    field: str

    @property
    def id(self) -> str:
        """Identifies the change: the component, the flag and what happened."""
        return f"{self.component}:{self.name}:{self.event}"

    @property
    def event(self) -> ComponentEvent:
        """What happened to it; one that is ``changed`` is no longer deprecated, or got a
        field."""
        return _event(self.before, self.after)

    @property
    def severity(self) -> Severity:
        """``breaking`` for one that was removed: a component that is started with it
        exits."""
        if self.event == "removed":
            return "breaking"
        return "warning" if self.event == "deprecated" else "safe"

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object."""
        return {
            "id": self.id,
            "component": self.component,
            "flag": self.name,
            "event": self.event,
            "severity": self.severity,
            "field": self.field or None,
        }


def metric_changes(before: str | None, after: str | None) -> Iterator[MetricChange]:
    """The metrics that differ, by name; none of releases that the table lacks."""
    if before is not None and after is not None:
        for name, sides in _differing(metrics(before), metrics(after)):
            yield MetricChange(name, *sides)


def flag_changes(before: str | None, after: str | None) -> Iterator[FlagChange]:
    """The flags that differ, by component and name; none of releases that the table
    lacks."""
    if before is not None and after is not None:
        for key, (old, new) in _differing(flags(before), flags(after)):
            path = next((side.field for side in (new, old) if side is not None), "")
            if path and not fields_on_path(configuration_definitions(after), path):
                path = ""
            yield FlagChange(*key, old, new, path)


def _differing(
    old: Mapping[_Key, _Facts], new: Mapping[_Key, _Facts]
) -> Iterator[tuple[_Key, tuple[_Facts | None, _Facts | None]]]:
    """What differs, apart from the releases that have it; nothing where either side is
    empty."""
    if old and new:
        for key in sorted({*old, *new}, key=str):
            sides = old.get(key), new.get(key)
            before, after = (() if side is None else side[1:] for side in sides)
            if before != after:
                yield key, sides


def _event(before: Metric | Flag | None, after: Metric | Flag | None) -> ComponentEvent:
    if after is None:
        return "removed"
    if before is None:
        return "added"
    is_new = after.deprecated and not before.deprecated
    return "deprecated" if is_new else "changed"
