"""The rules that assign a severity to a difference, as data.

Each rule has its reason and the part of Kubernetes' policies that it follows. Their
conditions are in ``kubestencil.diff.conditions``; ``kubestencil.diff.classify`` applies
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from kubestencil.diff import conditions, policies
from kubestencil.diff.conditions import ComparedDefinitions, Condition
from kubestencil.diff.differences import Difference
from kubestencil.diff.policies import Policy

#: What a change means for users of the API:
#:
#: - ``breaking``: manifests or clients that worked may fail or behave differently
#: - ``warning``: they may need attention
#: - ``safe``: backward compatible
#: - ``docs``: only the documentation differs
Severity = Literal["breaking", "warning", "safe", "docs"]

#: The severities, most severe first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True)
class Rule:
    """Assigns ``severity`` to the differences that it matches.

    These are the differences whose ``change`` is one of ``changes`` and for which
    ``condition``, if there is one, holds. ``reason`` says what the change does to
    users of the API, in one sentence; ``policy`` is the policy that the rule follows.
    """

    name: str
    severity: Severity
    changes: frozenset[str]
    reason: str
    policy: Policy
    condition: Condition | None = None

    def matches(self, difference: Difference, definitions: ComparedDefinitions) -> bool:
        """Whether the rule applies to a difference."""
        return difference.change in self.changes and (
            self.condition is None or self.condition(difference, definitions)
        )


def _changes(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _any_change_of(*keywords: str) -> frozenset[str]:
    return frozenset(
        f"{keyword}-{suffix}"
        for keyword in keywords
        for suffix in ("added", "changed", "removed")
    )


_UPPER = ("maximum", "max-length", "max-items", "max-properties")
_LOWER = ("minimum", "min-length", "min-items", "min-properties")

#: The rules; the first one that matches a difference decides.
RULES: tuple[Rule, ...] = (
    Rule(
        "kind-removed",
        "breaking",
        _changes("kind-removed"),
        "The server no longer knows the kind in this version: manifests and clients "
        "that name it are refused.",
        policies.VERSION_LIFETIMES,
    ),
    Rule(
        "part-removed",
        "warning",
        _changes("definition-removed"),
        "Code that names the type no longer compiles; what happens on the wire is "
        "reported at the fields that used it.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-removed",
        "breaking",
        _changes("field-removed properties-removed"),
        "What is sent in the field is dropped or refused, and nobody gets it back.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-required",
        "breaking",
        _changes("field-required"),
        "Objects without the field were valid and are refused.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "field-optional",
        "warning",
        _changes("field-optional"),
        "Readers that rely on the field being there may meet objects without it.",
        policies.OPTIONAL_FIELDS,
    ),
    Rule(
        "added",
        "safe",
        _changes("kind-added definition-added field-added"),
        "What worked before works as before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "properties-listed",
        "warning",
        _changes("properties-added"),
        "The object lists its fields now, and others may be dropped.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "type-renamed",
        "warning",
        _changes("reference-changed"),
        "The value has a type of another name that takes all the old one took: code "
        "has to name the new one, manifests stay as they are.",
        policies.COMPATIBILITY,
        conditions.is_compatible_rename,
    ),
    Rule(
        "inner-wording",
        "docs",
        _changes("items-changed values-changed all-of-changed"),
        "Only descriptions inside differ.",
        policies.COMPATIBILITY,
        conditions.changes_only_documentation,
    ),
    Rule(
        "wider-number",
        "warning",
        _changes("format-changed"),
        "Numbers may come that do not fit into the old type.",
        policies.COMPATIBILITY,
        conditions.widens_number_format,
    ),
    Rule(
        "type-changed",
        "breaking",
        _any_change_of("type", "format", "reference", "items", "values", "all-of")
        | _any_change_of("int-or-string"),
        "Values of the old type are refused, or read as something else.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "default-changed",
        "warning",
        _any_change_of("default"),
        "Who leaves the field empty gets another value than before.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-shrunk",
        "breaking",
        _changes("enum-changed"),
        "A value that was valid is refused.",
        policies.COMPATIBILITY,
        conditions.removes_enum_value,
    ),
    Rule(
        "enum-grown",
        "warning",
        _changes("enum-changed enum-removed"),
        "Clients may meet a value that they do not know.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-added",
        "breaking",
        _changes("enum-added"),
        "Any value was valid, and only those listed are now.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "null-allowed",
        "warning",
        _any_change_of("nullable"),
        "Clients may meet null where a value was.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "null-refused",
        "breaking",
        _any_change_of("nullable"),
        "Null was valid and is refused.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "read-only",
        "breaking",
        _any_change_of("read-only"),
        "The field could be set and cannot be any more.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "writable",
        "warning",
        _any_change_of("read-only"),
        "Somebody else than the server may set the field now.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "looser",
        "warning",
        _any_change_of(*_UPPER, *_LOWER)
        | _changes("pattern-removed multiple-of-removed"),
        "Clients may meet a value that was not valid.",
        policies.COMPATIBILITY,
        conditions.loosens_bound,
    ),
    Rule(
        "stricter",
        "breaking",
        _any_change_of(*_UPPER, *_LOWER, "exclusive-maximum", "exclusive-minimum")
        | _any_change_of("pattern", "multiple-of", "unique-items"),
        "A value that was valid may be refused.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "validations-dropped",
        "warning",
        _changes("validations-removed"),
        "Clients may meet a value that was not valid.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "validations-changed",
        "breaking",
        _changes("validations-added validations-changed unions-added unions-changed"),
        "A value that was valid may be refused.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "unions-dropped",
        "warning",
        _changes("unions-removed"),
        "The document no longer says which fields exclude each other.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "merge-spelled-out",
        "safe",
        _changes("list-type-added list-map-keys-added"),
        "The document says now what server-side apply assumed before.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_list_type,
    ),
    Rule(
        "granular-spelled-out",
        "safe",
        _changes("map-type-added map-type-removed"),
        "The document says what server-side apply assumes anyway.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_map_type,
    ),
    Rule(
        "item-key-changed",
        "breaking",
        _changes("list-map-keys-changed patch-merge-key-changed"),
        "An item is found by another key, so that a patch or an apply hits another "
        "item than before.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "merge-changed",
        "warning",
        _any_change_of("list-type", "list-map-keys", "map-type"),
        "Server-side apply merges the value another way, and its owners may change.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "patch-changed",
        "warning",
        _any_change_of("patch-strategy", "patch-merge-key"),
        "A strategic merge patch (kubectl apply on the client's side) merges the value "
        "another way.",
        policies.STRATEGIC_MERGE_PATCH,
    ),
    Rule(
        "unknown-fields-pruned",
        "breaking",
        _changes("preserve-unknown-fields-removed preserve-unknown-fields-changed"),
        "Fields that the schema does not name were kept, and are dropped.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "unknown-fields-kept",
        "warning",
        _changes("preserve-unknown-fields-added") | _any_change_of("embedded-resource"),
        "The server keeps, or checks, other fields than before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "no-kind-any-more",
        "breaking",
        _any_change_of("group-version-kind"),
        "The type is no longer served as a kind.",
        policies.VERSION_LIFETIMES,
        conditions.removes_all_served_kinds,
    ),
    Rule(
        "fewer-kinds",
        "warning",
        _any_change_of("group-version-kind"),
        "The type is no longer served for some group and version.",
        policies.VERSION_LIFETIMES,
        conditions.removes_served_kind,
    ),
    Rule(
        "more-kinds",
        "safe",
        _any_change_of("group-version-kind"),
        "The type is served for another group and version as well.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "wording",
        "docs",
        _any_change_of("description", "title", "example", "external-docs"),
        "The schema is the same; what is written about it is not, and may tell of "
        "another behaviour.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "order",
        "docs",
        _changes("required-order-changed"),
        "The same fields are required, listed another way.",
        policies.COMPATIBILITY,
    ),
)

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = Rule(
    "alpha",
    "warning",
    frozenset(),
    "An alpha version or field may change or go in any release, without notice.",
    policies.STABILITY_LEVELS,
)

#: Applies where no other rule matches.
UNKNOWN = Rule(
    "unknown",
    "warning",
    frozenset(),
    "kubestencil does not know what the keyword means.",
    policies.COMPATIBILITY,
)


def rules_by_name() -> Mapping[str, Rule]:
    """Every rule, ``ALPHA`` and ``UNKNOWN`` included."""
    return {rule.name: rule for rule in (*RULES, ALPHA, UNKNOWN)}
