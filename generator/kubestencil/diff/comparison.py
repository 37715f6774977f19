"""A comparison as values: its changes and graduations, each with what it means."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Self

from kubestencil.diff.component_changes import FlagChange, GateChange, MetricChange
from kubestencil.diff.differences.definitions import Difference
from kubestencil.diff.differences.names import ChangeName
from kubestencil.diff.labels import DocumentInfo, Place, kind_name, uses_json
from kubestencil.diff.releases.stages import StageChange
from kubestencil.diff.rules.audience import SEVERITIES, Audience, Severity
from kubestencil.diff.rules.classify import Classification
from kubestencil.diff.rules.table import RULES_BY_NAME, Policy, Rule
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import Stage
from kubestencil.schema.pointer import json_pointer
from kubestencil.schema.types import JsonObject
from kubestencil.version import __version__

#: The version of the format of a comparison.
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """One difference and what it means.

    ``change`` names it: ``field-added``, ``type-changed``. ``definition`` is the full
    name of the definition that differs, ``field`` the JSON name of its field, with dots
    between those of nested objects (``spec.size``), or None for a change of the
    definition itself. ``schema_path`` are the steps from the definition to the schema
    that differs (``("properties", "spec")``), ``keyword`` is the keyword in it, or None
    where the whole schema was added or removed.

    ``before`` and ``after`` are fragments of the documents: the whole schema where it
    was added or removed, else an object with the one keyword; None where it is absent.

    ``rule`` is the rule that judges the change, and ``detail`` what is known of it beside
    the reason of the rule. ``audience`` has the severity for each audience, ``severity``
    is the most severe of them. ``stability`` is the stage of the API version, or of the
    field where that is lower. ``stage`` has the stages in both releases where one is
    known.

    ``deprecated_in`` and ``removed_in`` are releases (``1.33``), of which the second
    may be a planned one. ``replacement`` is what to use instead: a kind
    (``discovery.k8s.io/v1/EndpointSlice``) or the path of a field. They are None where
    nothing is known.

    ``kinds`` are the top-level kinds that the definition is part of, in either release,
    and ``owner`` is the one among them that it belongs to; None where it is shared.
    ``users_path`` is where users write it: ``Node.status.declaredFeatures``, or
    ``ObjectMeta.name`` for a definition that is shared. ``uses`` are the places in the
    manifests that the comparison was reduced to.
    """

    change: ChangeName
    definition: str
    field: str | None
    schema_path: tuple[str, ...]
    keyword: str | None
    before: JsonObject | None
    after: JsonObject | None
    rule: Rule
    detail: str
    audience: Audience
    severity: Severity
    stability: Stage
    stage: StageChange | None
    replacement: str | None
    deprecated_in: str | None
    removed_in: str | None
    kinds: tuple[GroupVersionKind, ...]
    owner: GroupVersionKind | None
    users_path: str
    uses: tuple[Place, ...] = ()

    @classmethod
    def of(
        cls,
        difference: Difference,
        judgement: Classification,
        definition: str,
        kinds: Iterable[GroupVersionKind] = (),
        owner: GroupVersionKind | None = None,
        users_path: str = "",
    ) -> Self:
        """A difference with its judgement. ``definition`` is its name in the release
        that has it; the last three are attributes."""
        return cls(
            change=difference.change,
            definition=definition,
            field=difference.field,
            schema_path=difference.schema_path,
            keyword=difference.keyword,
            before=difference.before,
            after=difference.after,
            rule=judgement.rule,
            detail=judgement.detail,
            audience=judgement.audience,
            severity=judgement.severity,
            stability=judgement.stability,
            stage=judgement.stage,
            replacement=judgement.deprecation.replacement,
            deprecated_in=judgement.deprecation.deprecated_in,
            removed_in=judgement.deprecation.removed_in,
            kinds=tuple(sorted(kinds)),
            owner=owner,
            users_path=users_path,
        )

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<Change {self.severity}: {self.users_path} {self.change}>"

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies a change in the comparisons of different releases."""
        path = "/".join(self.schema_path)
        return self.definition, path, self.change, self.rule.name

    @property
    def id(self) -> str:
        """Twelve hexadecimal digits that identify the change as long as it is the same
        one, whatever is said of it: its severity and words are not part of it, nor is
        its path but for operations."""
        is_operation = self.change.startswith(("operation-", "parameter-"))
        path = self.users_path if is_operation else ""
        what = (
            *(self.definition, self.field, path, self.change, self.keyword),
            *(self.schema_path, self.before, self.after),
        )
        text = json.dumps(what, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        """The change as a JSON object, as ``kubestencil diff -f json`` has it; ``at`` is
        the JSON pointer from the definition to the schema that differs."""
        return {
            "id": self.id,
            "change": self.change,
            "severity": self.severity,
            "stability": self.stability,
            "rule": self.rule.name,
            "reason": self.reason,
            "audience": {
                name: impact._asdict()
                for name, impact in self.audience._asdict().items()
            },
            "stage": self.stage and self.stage.to_dict(),
            "deprecated_in": self.deprecated_in,
            "removed_in": self.removed_in,
            "replacement": self.replacement,
            "definition": self.definition,
            "field": self.field,
            "path": self.users_path,
            "keyword": self.keyword,
            "at": json_pointer(self.schema_path),
            "before": self.before,
            "after": self.after,
            "kinds": [kind_name(kind) for kind in self.kinds],
            **uses_json(self.uses),
        }

    @property
    def reason(self) -> str:
        """What the change does to users of the API, in words."""
        return f"{self.rule.reason} {self.detail}".rstrip()

    @property
    def policy(self) -> Policy:
        """The policy that the rule follows."""
        return self.rule.policy

    @property
    def kind_names(self) -> set[str]:
        """The names of ``kinds``, and of the definition without its package."""
        return {self.definition.rpartition(".")[2], *(kind.kind for kind in self.kinds)}

    @property
    def group_names(self) -> set[str]:
        """The groups of ``kinds``, ``core`` for the core group."""
        return {kind.group or "core" for kind in self.kinds}


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
    stable and beta metrics, ``flags`` the command line flags, and ``documents`` the two
    documents. ``going_soon`` are the kinds that were deprecated before, and are to be
    removed within the next three releases.
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
    metrics: tuple[MetricChange, ...] = ()
    flags: tuple[FlagChange, ...] = ()
    going_soon: tuple[GoingSoon, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.summary.items())
        return f"<Comparison {self.before} → {self.after}: {counts or 'no changes'}>"

    @property
    def summary(self) -> Mapping[Severity, int]:
        """The number of changes of each severity, most severe first; notices, the changes
        of graduations, gates, metrics and flags count."""
        return count_severities(self.judged)

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
            "changes": [change_json(change) for change in self.changes],
            "notices": [change_json(change) for change in self.notices],
            "summary": dict(self.summary),
            "versions": {
                "added": list(self.api_versions_added),
                "removed": list(self.api_versions_removed),
            },
            "graduations": [item.to_dict() for item in self.graduations],
            "gates": [gate.to_dict() for gate in self.gates],
            "metrics": [metric.to_dict() for metric in self.metrics],
            "flags": [flag.to_dict() for flag in self.flags],
            "going_soon": [item.to_dict() for item in self.going_soon],
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

        def is_of(kind_names: Iterable[str], group_names: Iterable[str]) -> bool:
            return (not kinds or not kinds.isdisjoint(kind_names)) and (
                not groups or not groups.isdisjoint(group_names)
            )

        def is_version_included(api_version: str) -> bool:
            version_group = api_version.rpartition("/")[0] or "core"
            return not kinds and (not groups or version_group in groups)

        return self.where(
            lambda item: item.severity in severities
            and is_of(item.kind_names, item.group_names),
            api_version=is_version_included,
            graduation=lambda item: is_of(item.kinds, [item.group or "core"]),
            gate=lambda item: item.severity in severities
            and is_of(
                (kind.kind for kind in item.kinds),
                (kind.group or "core" for kind in item.kinds),
            ),
            component=lambda item: item.severity in severities
            and not (kinds or groups),
            going_soon=lambda item: "warning" in severities
            and is_of([item.kind.kind], [item.kind.group or "core"]),
        )

    def where(
        self,
        change: Callable[[Change], object],
        *,
        api_version: Callable[[str], object],
        gate: Callable[[GateChange], object],
        component: Callable[[MetricChange | FlagChange], object],
        going_soon: Callable[[GoingSoon], object],
        graduation: Callable[[Graduation], object] = bool,
    ) -> Comparison:
        """What functions accept of each list; changes of graduations are changes."""
        included = self.with_changes(partial(filter, change))
        return replace(
            included,
            api_versions_added=tuple(filter(api_version, self.api_versions_added)),
            api_versions_removed=tuple(filter(api_version, self.api_versions_removed)),
            graduations=tuple(filter(graduation, included.graduations)),
            gates=tuple(filter(gate, self.gates)),
            metrics=tuple(filter(component, self.metrics)),
            flags=tuple(filter(component, self.flags)),
            going_soon=tuple(filter(going_soon, self.going_soon)),
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
Judged = Change | GateChange | MetricChange | FlagChange


def count_severities(changes: Iterable[Judged]) -> Mapping[Severity, int]:
    """The number of changes of each severity, most severe first."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for change in changes:
        counts[change.severity] += 1
    return counts


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
