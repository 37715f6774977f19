"""What changed at the metrics that components promise to keep, and at their command line
flags, by the tables of facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from kubestencil.diff.rules.audience import Severity
from kubestencil.schema.facts.components import Flag, Metric, flags, metrics
from kubestencil.schema.facts.configurations.table import (
    configuration_definitions,
    fields_on_path,
)

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
