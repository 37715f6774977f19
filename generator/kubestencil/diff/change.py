"""A change: a difference, with all that is known of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from kubestencil.diff.differences.definitions import StatedDifference
from kubestencil.diff.labels import Place, kind_name, uses_json
from kubestencil.diff.releases.stages import StageChange
from kubestencil.diff.rules.audience import SEVERITIES, Audience, Severity
from kubestencil.diff.rules.classify import Classification
from kubestencil.diff.rules.table import Policy, Rule, UpgradeTopic
from kubestencil.schema import GroupVersionKind
from kubestencil.schema.kinds import Stage
from kubestencil.schema.pointer import json_pointer

_STATED = tuple(item.name for item in fields(StatedDifference))


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Change(StatedDifference):
    """One difference and what it means; ``definition`` is its name in the release that
    has it.

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
        judged: Classification,
        definition: str,
        kinds: Iterable[GroupVersionKind],
        owner: GroupVersionKind | None,
        users_path: str,
        detail: str = "",
    ) -> Self:
        """A difference with its judgement, without its schemas; its ``detail`` is by default
        that of the rule."""
        stated = {name: getattr(judged.difference, name) for name in _STATED}
        return cls(
            **{**stated, "definition": definition},
            rule=judged.rule,
            detail=detail or judged.rule.detail(judged),
            audience=judged.audience,
            severity=judged.audience.severity,
            stability=judged.stability,
            stage=judged.stage,
            **judged.deprecation._asdict(),
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
    def is_alpha(self) -> bool:
        """Whether it concerns only those who use alpha versions or fields."""
        after = self.stage and self.stage.after
        return (after.stage if after else self.stability) == "alpha"

    @property
    def is_minor(self) -> bool:
        """Whether it matters to no user of the API."""
        is_part = self.change == "definition-added"
        return is_part or self.severity == "docs" or self.rule.is_minor

    @property
    def is_of_kind(self) -> bool:
        """Whether it is about a kind itself, not its list or a part of it."""
        name = self.definition.rpartition(".")[2]
        return self.owner is None or name == self.owner.kind

    @property
    def version(self) -> str:
        """The API version that it concerns, empty where there is none."""
        if self.owner is not None:
            return self.owner.version
        parts = self.definition.rsplit(".", 2)
        return parts[1] if len(parts) == 3 else ""

    @property
    def topic(self) -> UpgradeTopic | None:
        """The list of what to know before an upgrade that has it; None for what needs no
        decision.

        Alpha fields and versions may change at any time. Of them only kinds that are no
        longer served are listed.
        """
        if self.rule.topic == "not-enabled":
            return "not-enabled" if self.is_of_kind else None
        if self.change == "kind-removed":
            if not self.is_of_kind:
                return None
            before = self.stage and self.stage.before
            is_optional = before is not None and before.enabled is False
            return "removed-optional" if is_optional else "removed"
        if self.is_alpha:
            return None
        if self.severity == "breaking":
            return self.rule.topic or "other"
        # For some audiences a removal breaks nothing.
        return None if self.rule.topic == "removed" else self.rule.topic


def count_severities(severities: Iterable[Severity]) -> Mapping[Severity, int]:
    """How often each severity occurs, most severe first."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for severity in severities:
        counts[severity] += 1
    return counts
