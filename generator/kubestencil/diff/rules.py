"""The rules that assign a severity to a difference, as data.

Each rule has its reason and the part of Kubernetes' policies that it follows. Their
conditions are in ``kubestencil.diff.conditions``; ``kubestencil.diff.classify`` applies
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kubestencil.diff import conditions, policies
from kubestencil.diff.audience import Severity
from kubestencil.diff.conditions import ComparedDefinitions, Condition
from kubestencil.diff.differences import Difference
from kubestencil.diff.policies import Policy


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
_LOGIC = ("all-of", "any-of", "one-of", "not")

#: The rules; the first one that matches a difference decides.
RULES: tuple[Rule, ...] = (
    Rule(
        "kind-removed",
        "breaking",
        _changes("kind-removed"),
        "The server no longer serves the kind in this version: manifests and clients "
        "that use it are rejected.",
        policies.VERSION_LIFETIMES,
    ),
    Rule(
        "part-removed",
        "warning",
        _changes("definition-removed"),
        "Code that uses the type no longer compiles. What happens to requests is "
        "reported at the fields that used it.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-removed",
        "breaking",
        _changes("field-removed properties-removed"),
        "Values that clients send in the field are dropped or rejected, and responses"
        " no longer contain it.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-required-with-default",
        "warning",
        _changes("field-required"),
        "The API server fills in the default where manifests leave the field out; "
        "clients must set it.",
        policies.COMPATIBILITY,
        conditions.has_default,
    ),
    Rule(
        "field-required",
        "breaking",
        _changes("field-required"),
        "Objects without the field were valid and are now rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "field-optional",
        "warning",
        _changes("field-optional"),
        "Clients that rely on the field being present may receive objects without it.",
        policies.OPTIONAL_FIELDS,
    ),
    Rule(
        "field-typed",
        "warning",
        _changes("field-added"),
        "Unknown fields are kept, so that objects may have the field with a value that "
        "is now rejected.",
        policies.COMPATIBILITY,
        conditions.preserves_unknown_fields,
    ),
    Rule(
        "added",
        "safe",
        _changes("kind-added definition-added field-added"),
        "Backward compatible: existing manifests and clients work as before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "properties-listed",
        "warning",
        _changes("properties-added"),
        "The object now lists its fields, and fields that are not listed may be "
        "dropped.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "type-renamed",
        "warning",
        _changes("reference-changed"),
        "The new type accepts everything that the old one did: code must use the new "
        "name, manifests stay as they are.",
        policies.COMPATIBILITY,
        conditions.is_compatible_rename,
    ),
    Rule(
        "type-named",
        "warning",
        _changes("type-added type-removed reference-added reference-removed"),
        "The type got a definition of its own, or lost it: code must use the other "
        "name, manifests stay as they are.",
        policies.COMPATIBILITY,
        conditions.names_object,
    ),
    Rule(
        "inner-wording",
        "docs",
        _changes("items-changed values-changed")
        | _changes("all-of-changed any-of-changed one-of-changed not-changed"),
        "Only nested descriptions differ.",
        policies.COMPATIBILITY,
        conditions.changes_only_documentation,
    ),
    Rule(
        "looser",
        "warning",
        _any_change_of(*_UPPER, *_LOWER, *_LOGIC, "pattern", "multiple-of")
        | _any_change_of("exclusive-maximum", "exclusive-minimum", "unique-items")
        | _changes("items-changed values-changed"),
        "Clients may receive a value that was not valid before.",
        policies.COMPATIBILITY,
        conditions.loosens,
    ),
    Rule(
        "wider-number",
        "warning",
        _changes("format-changed"),
        "Clients may receive numbers that do not fit into the old format.",
        policies.COMPATIBILITY,
        conditions.widens_number_format,
    ),
    Rule(
        "type-changed",
        "breaking",
        _any_change_of("type", "format", "reference", "items", "values")
        | _any_change_of("int-or-string"),
        "Values of the old type are rejected, or interpreted differently.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "default-changed",
        "warning",
        _any_change_of("default"),
        "Objects that omit the field get a different value than before.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-shrunk",
        "breaking",
        _changes("enum-changed"),
        "A value that was valid is now rejected.",
        policies.COMPATIBILITY,
        conditions.removes_enum_value,
    ),
    Rule(
        "enum-grown",
        "warning",
        _changes("enum-changed enum-removed"),
        "Clients may receive a value that they do not handle.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-added",
        "breaking",
        _changes("enum-added"),
        "Any value was valid, and now only the listed ones are.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "null-allowed",
        "warning",
        _any_change_of("nullable"),
        "Clients may receive null instead of a value.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "null-refused",
        "breaking",
        _any_change_of("nullable"),
        "Null was valid and is now rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "read-only",
        "breaking",
        _any_change_of("read-only"),
        "Clients could set the field and no longer can.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "writable",
        "warning",
        _any_change_of("read-only"),
        "The field may now be set by clients, not only by the server.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "stricter",
        "breaking",
        _any_change_of(*_UPPER, *_LOWER, *_LOGIC, "pattern", "multiple-of")
        | _any_change_of("exclusive-maximum", "exclusive-minimum", "unique-items"),
        "A value that was valid may now be rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-removed",
        "warning",
        _changes("validation-removed"),
        "Clients may receive a value that the CEL rule did not allow.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-added",
        "breaking",
        _changes("validation-added"),
        "A value that was valid is now rejected where it violates the CEL rule.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-changed",
        "breaking",
        _changes("validation-changed"),
        "A value that was valid may now be rejected by the other expression.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-message",
        "docs",
        _changes("validation-message-changed validations-order-changed"),
        "The same values are valid; what is reported of others changed.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "unions-changed",
        "breaking",
        _changes("unions-added unions-changed"),
        "A value that was valid may now be rejected.",
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
        "The document now states what server-side apply already assumed.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_list_type,
    ),
    Rule(
        "granular-spelled-out",
        "safe",
        _changes("map-type-added map-type-removed"),
        "The document states the default of server-side apply.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_map_type,
    ),
    Rule(
        "item-key-changed",
        "breaking",
        _changes("list-map-keys-changed patch-merge-key-changed"),
        "List items are identified by a different key, so that a patch or an apply "
        "may change a different item.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "items-unique",
        "breaking",
        _changes("list-type-added list-type-changed"),
        "Lists with equal items, or items with equal keys, were valid and are now "
        "rejected.",
        policies.MERGE_STRATEGY,
        conditions.requires_unique_items,
    ),
    Rule(
        "merge-changed",
        "warning",
        _any_change_of("list-type", "list-map-keys", "map-type"),
        "Server-side apply merges the value differently, and the ownership of fields "
        "may change.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "patch-changed",
        "warning",
        _any_change_of("patch-strategy", "patch-merge-key"),
        "A strategic merge patch (client-side kubectl apply) merges the value "
        "differently.",
        policies.STRATEGIC_MERGE_PATCH,
    ),
    Rule(
        "unknown-fields-pruned",
        "breaking",
        _changes("preserve-unknown-fields-removed preserve-unknown-fields-changed"),
        "Fields that the schema does not list were preserved and are now dropped.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "unknown-fields-kept",
        "warning",
        _changes("preserve-unknown-fields-added") | _any_change_of("embedded-resource"),
        "The server preserves or validates unknown fields differently.",
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
        "The type is no longer served in some group and version.",
        policies.VERSION_LIFETIMES,
        conditions.removes_served_kind,
    ),
    Rule(
        "more-kinds",
        "safe",
        _any_change_of("group-version-kind"),
        "The type is also served in another group and version.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "not-served",
        "breaking",
        _changes("served-changed"),
        "The server no longer serves the version: manifests and clients that use it are "
        "rejected.",
        policies.VERSION_LIFETIMES,
        conditions.unsets_keyword,
    ),
    Rule(
        "storage-changed",
        "warning",
        _changes("storage-changed"),
        "Objects are stored in another version: those that exist have to be migrated "
        "before the former one can be removed.",
        policies.STORED_VERSIONS,
    ),
    Rule(
        "version-deprecated",
        "warning",
        _changes("deprecated-changed"),
        "The server warns of requests for the version, which may be removed.",
        policies.VERSION_LIFETIMES,
        conditions.sets_keyword,
    ),
    Rule(
        "renamed-resource",
        "breaking",
        _changes("scope-changed plural-changed"),
        "Paths and permissions change, and the kind must be deleted to change them.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "subresource-removed",
        "breaking",
        _changes("subresource-removed"),
        "Requests to the subresource are rejected.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "status-added",
        "warning",
        _changes("subresource-added"),
        "The status is ignored in requests for the object, and the object in those for "
        "its status.",
        policies.COMPATIBILITY,
        conditions.adds_status,
    ),
    Rule(
        "selectable-fields-removed",
        "breaking",
        _any_change_of("selectable-fields"),
        "Requests that select objects by the field are rejected.",
        policies.API_ELEMENTS,
        conditions.removes_element,
    ),
    Rule(
        "kubectl-name-removed",
        "warning",
        _any_change_of("short-names", "categories"),
        "kubectl no longer accepts the name.",
        policies.API_ELEMENTS,
        conditions.removes_element,
    ),
    Rule(
        "resource-extended",
        "safe",
        _changes("served-changed deprecated-changed subresource-added")
        | _any_change_of("short-names", "categories", "printer-columns")
        | _any_change_of("selectable-fields"),
        "The server and kubectl accept, or show, more or something else than before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "wording",
        "docs",
        _any_change_of("description", "title", "example", "external-docs")
        | _any_change_of("deprecation-warning"),
        "The schema is unchanged. The new documentation may describe a change in "
        "behaviour.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "order",
        "docs",
        _changes("required-order-changed"),
        "The same fields are required, in a different order.",
        policies.COMPATIBILITY,
    ),
)

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = Rule(
    "alpha",
    "warning",
    frozenset(),
    "Alpha versions and alpha fields may change or be removed in any release without "
    "notice.",
    policies.STABILITY_LEVELS,
)

#: Applies where no other rule matches.
UNKNOWN = Rule(
    "unknown",
    "warning",
    frozenset(),
    "kubestencil does not support this keyword.",
    policies.COMPATIBILITY,
)


def rules_by_name() -> Mapping[str, Rule]:
    """Every rule, ``ALPHA`` and ``UNKNOWN`` included."""
    return {rule.name: rule for rule in (*RULES, ALPHA, UNKNOWN)}
