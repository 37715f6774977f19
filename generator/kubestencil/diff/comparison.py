"""A comparison as values: its changes and graduations, each with what it means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from typing import Any, NamedTuple

from kubestencil.diff.change import Change, count_severities
from kubestencil.diff.component_changes import ComponentChange, GateChange
from kubestencil.diff.labels import DocumentInfo, Place, kind_name, uses_json
from kubestencil.diff.rules.audience import SEVERITIES, Severity
from kubestencil.diff.rules.table import RULES_BY_NAME, Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.knowledge.components import Flag, Metric
from kubestencil.schema.knowledge.coverage import NO_COVERAGE, Coverage
from kubestencil.version import __version__

#: The version of the format of a comparison.
SCHEMA_VERSION = 1
# The lists of a comparison besides its changes.
_PARTS = ("graduations", "gates", "metrics", "flags", "going_soon")


@dataclass(frozen=True, slots=True)
class Graduation:
    """Kinds of a group that are served in a newer version than before.

    ``group`` is the group, empty for the core group. ``before`` and ``after`` are the
    versions (``v1beta1``, ``v1``): the first release serves ``kinds`` in ``before``,
    the second in ``after``. ``before_removed`` is whether the second release no longer
    serves them in ``before``. ``changes`` are the differences between the two versions.
    """

    group: str
    before: str
    after: str
    before_removed: bool
    kinds: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def id(self) -> str:
        """Identifies the graduation: the group, both versions and the kinds."""
        return ":".join((self.group, self.before, self.after, *self.kinds))

    def to_dict(self) -> dict[str, Any]:
        """The graduation as a JSON object."""
        return {
            "id": self.id,
            "group": self.group,
            "from": self.before,
            "to": self.after,
            "left": self.before_removed,
            "kinds": list(self.kinds),
            "changes": [change.to_dict() for change in self.changes],
        }


class GoingSoon(NamedTuple):
    """A ``kind`` that was deprecated before the newer release, that in which it is to be
    ``removed``, and what to use instead, None where nothing replaces it. ``uses`` is
    that of ``Change``."""

    kind: GroupVersionKind
    deprecated: str
    removed: str
    replacement: GroupVersionKind | None
    uses: tuple[Place, ...] = ()

    @property
    def severity(self) -> Severity:
        """That of what is deprecated, whatever becomes of it later."""
        return "warning"

    @property
    def id(self) -> str:
        """Identifies the plan: the kind and the release that is to remove it."""
        return f"{kind_name(self.kind)}:{self.removed}"

    def to_dict(self) -> dict[str, Any]:
        """The plan as a JSON object."""
        return {
            "id": self.id,
            "kind": kind_name(self.kind),
            "deprecated": self.deprecated,
            "removed": self.removed,
            "replacement": self.replacement and kind_name(self.replacement),
            **uses_json(self.uses),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes between two releases, documents or API versions.

    ``before`` and ``after`` name what was compared: a release (``1.35``), or an API
    version of a release (``1.35/resource.k8s.io/v1``). ``changes`` has each difference
    once, in the order of the definitions' names. ``api_versions_added`` and
    ``api_versions_removed`` are the API versions (``apps/v1``) that only one of the
    releases serves, ``graduations`` the kinds that are served in a newer version; these
    three are empty where two API versions were compared.

    ``notices`` are changes that no difference between the definitions shows: what the
    tables of facts say of deprecations, feature gates, and the values that the API
    server accepts and fills in, and operations that were added or removed. Their
    ``before``, ``after`` and ``keyword`` are None, but for values: these have what a
    document would state. ``gates`` are the feature gates that differ, ``metrics`` the
    metrics of components, ``flags`` the command line flags, and ``documents`` the two
    documents. ``going_soon`` are the kinds that were deprecated before, and are to be
    removed within the next three releases. ``coverage`` is how far the facts go that the
    comparison needs.
    """

    before: str
    after: str
    changes: tuple[Change, ...]
    api_versions_added: tuple[str, ...] = ()
    api_versions_removed: tuple[str, ...] = ()
    graduations: tuple[Graduation, ...] = ()
    notices: tuple[Change, ...] = ()
    documents: tuple[DocumentInfo, ...] = ()
    gates: tuple[GateChange, ...] = ()
    metrics: tuple[ComponentChange[Metric], ...] = ()
    flags: tuple[ComponentChange[Flag], ...] = ()
    going_soon: tuple[GoingSoon, ...] = ()
    coverage: Coverage = NO_COVERAGE

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.summary.items())
        return f"<Comparison {self.before} → {self.after}: {counts or 'no changes'}>"

    @property
    def summary(self) -> Mapping[Severity, int]:
        """The number of changes of each severity, most severe first; notices, the changes
        of graduations, gates, metrics and flags count."""
        return count_severities(item.severity for item in self.judged)

    @property
    def judged(self) -> Iterator[Judged]:
        """All that has a severity."""
        return chain(self.all_changes, self.gates, self.metrics, self.flags)

    @property
    def all_changes(self) -> Iterator[Change]:
        """The changes, the notices and the changes of graduations."""
        graduated = (graduation.changes for graduation in self.graduations)
        return chain(self.changes, self.notices, *graduated)

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules that judge the changes, those of graduations included, by name."""
        return {change.rule.name: change.rule for change in self.all_changes}

    def to_dict(self, steps: Sequence[Comparison] = ()) -> dict[str, Any]:
        """The comparison as a JSON object, as ``kubestencil diff -f json`` has it and
        ``docs/diff-report.schema.json`` describes it.

        ``steps`` are the comparisons of the releases in between, each with the next:
        changes have the releases in which they happened.
        """
        releases = releases_of_changes(steps)
        rules = self.rules

        def change_json(change: Change) -> dict[str, Any]:
            known = releases.get(change.key)
            return {**change.to_dict(), **({"releases": known} if known else {})}

        document: dict[str, Any] = {
            "schema": SCHEMA_VERSION,
            "tool": {"name": "kubestencil", "version": __version__},
            "from": self.before,
            "to": self.after,
            "documents": [document.to_dict() for document in self.documents],
            "coverage": self.coverage.to_dict(),
            "changes": [change_json(change) for change in self.changes],
            "notices": [change_json(change) for change in self.notices],
            "summary": dict(self.summary),
            "versions": {
                "added": list(self.api_versions_added),
                "removed": list(self.api_versions_removed),
            },
            **{
                name: [item.to_dict() for item in getattr(self, name)]
                for name in _PARTS
            },
            "rules": {
                name: {
                    "severity": rule.severity,
                    "reason": rule.reason,
                    "policy": rule.policy.name,
                    "url": rule.policy.url,
                }
                for name, rule in RULES_BY_NAME.items()
                if name in rules
            },
        }
        if steps:
            document["steps"] = [step.to_dict() for step in steps]
        return document

    def filter(
        self,
        *,
        kind: str | Iterable[str] | None = None,
        group: str | Iterable[str] | None = None,
        severities: Collection[Severity] = SEVERITIES,
    ) -> Comparison:
        """The part of the comparison that concerns a kind or another type (``Pod``), a
        group (``apps``, ``core``), or one of several, and some severities.

        API versions that went away are part of it whatever their severity is.
        """
        kinds, groups = _names(kind), _names(group)

        def is_included(part: Part) -> bool:
            if not (isinstance(part, Graduation) or part.severity in severities):
                return False
            if not (kinds or groups):
                return True
            names = {kind.kind for kind in kinds_of(part)}
            if isinstance(part, Change):
                names.add(part.definition.rpartition(".")[2])
            part_groups = (kind.group or "core" for kind in kinds_of(part))
            return (not kinds or not kinds.isdisjoint(names)) and (
                not groups or not groups.isdisjoint(part_groups)
            )

        def is_version_included(api_version: str) -> bool:
            version_group = api_version.rpartition("/")[0] or "core"
            return not kinds and (not groups or version_group in groups)

        return self.where(is_included, is_version_included)

    def where(
        self,
        accepts: Callable[[Part], object],
        api_version: Callable[[str], object] = lambda _: False,
    ) -> Comparison:
        """What functions accept of each list; changes of graduations are changes."""
        included = self.with_changes(partial(filter, accepts))
        lists: dict[str, Any] = {
            name: tuple(filter(accepts, getattr(included, name))) for name in _PARTS
        }
        return replace(
            included,
            **lists,
            api_versions_added=tuple(filter(api_version, self.api_versions_added)),
            api_versions_removed=tuple(filter(api_version, self.api_versions_removed)),
        )

    def with_changes(
        self, function: Callable[[tuple[Change, ...]], Iterable[Change]]
    ) -> Comparison:
        """The comparison with what a function makes of its changes, of the notices and
        of the changes of each graduation."""
        return replace(
            self,
            changes=tuple(function(self.changes)),
            notices=tuple(function(self.notices)),
            graduations=tuple(
                replace(graduation, changes=tuple(function(graduation.changes)))
                for graduation in self.graduations
            ),
        )


#: What has a severity.
Judged = Change | GateChange | ComponentChange[Any]
#: What a comparison has in its lists.
Part = Judged | Graduation | GoingSoon


def kinds_of(part: Part) -> Iterable[GroupVersionKind]:
    """The kinds that a part of a comparison is about; none for one about a component."""
    match part:
        case GoingSoon():
            return [part.kind]
        case ComponentChange():
            return []
        case Graduation(group, before, after):
            names = product((before, after), part.kinds)
            return [GroupVersionKind(group, version, kind) for version, kind in names]
    return part.kinds


def releases_of_changes(
    steps: Iterable[Comparison],
) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The releases in which changes happened, by their keys; ``steps`` are the
    comparisons of each release with the next."""
    releases: dict[tuple[str, ...], list[str]] = {}
    for step in steps:
        for change in (*step.changes, *step.notices):
            releases.setdefault(change.key, []).append(step.after)
    return releases


def _names(names: str | Iterable[str] | None) -> frozenset[str]:
    return frozenset([names] if isinstance(names, str) else names or ())
