"""All rules that judge changes, in their order: the first one that matches decides.

A rule has all that the program says and does about its changes, so that a new rule is
an entry in ``RuleName`` and one in ``RULES``. The file is long because it is a table.
``kubestencil.diff.rules.classify`` applies the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from kubestencil.diff.differences.names import (
    ChangeName,
    Keyword,
    Presence,
    change_name,
)
from kubestencil.diff.rules import (
    conditions,
    deprecation,
    details,
    lifecycle_conditions,
    policies,
)
from kubestencil.diff.rules.audience import Audience, Severity, audience, everyone
from kubestencil.diff.rules.policies import Policy
from kubestencil.diff.rules.rule_context import Condition

# fmt: off
#: The names of all rules.
RuleName = Literal[
    "never-set", "gated-values", "part-of-kind", "removed-with-replacement", "field-moved", "document-catches-up",
    "alternative-required", "merge-without-effect", "item-key-extended",
    "server-written", "kinds-of-shared-type", "union-extended", "no-longer-functional",
    "deprecated", "mutable", "limit-changed", "stated-default-changed", "stage-lowered",
    "stage-changed", "ended", "migrated", "removed-with-field", "still-sent",
    "kind-removed", "part-removed", "field-removed",
    "field-required-with-default", "field-required", "field-optional", "field-typed",
    "added", "properties-listed", "type-renamed", "type-named", "inner-wording",
    "looser", "wider-type", "type-changed", "default-changed", "enum-shrunk",
    "enum-grown", "enum-added", "null-allowed", "null-refused", "read-only", "writable",
    "stricter", "cel-removed", "cel-added", "cel-changed", "cel-message",
    "unions-changed", "unions-dropped", "merge-spelled-out", "granular-spelled-out",
    "item-key-changed", "items-unique", "merge-changed", "patch-changed",
    "unknown-fields-pruned", "unknown-fields-kept", "no-kind-any-more", "fewer-kinds",
    "more-kinds", "text-format-relaxed", "text-format-changed", "wording", "order", "not-served", "storage-changed",
    "conversion-dropped", "conversion-changed", "renamed-resource",
    "subresource-removed", "status-added",
    "selectable-fields-removed", "operation-removed", "operation-added",
    "kubectl-name-removed", "resource-extended", "alpha", "unknown",
]
# fmt: on

#: The lists of what to know before an upgrade, in their order. ``removed-optional`` was
#: not served by default; ``soon`` was deprecated before, and will be removed. What was
#: ``added`` needs no decision.
UpgradeTopic = Literal[
    "removed",
    "removed-optional",
    "deprecated",
    "soon",
    "promoted",
    "limits",
    "required",
    "migrated",
    "other",
    "added",
]

#: What the site shows beside a field that changed.
Badge = Literal["label", "stages"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Judges the differences that it matches.

    These are the differences whose ``change`` is one of ``changes`` and for which
    ``condition`` holds. ``audience`` is what the change means for each
    audience. ``reason`` says what the change does to users of the API, in one sentence,
    and ``detail`` what is known of one change; ``policy`` is the policy that the rule
    follows. ``deprecation`` finds when what changed was deprecated, and what replaces
    it.

    ``label`` is what reports call the change of a keyword, empty where the keyword says
    it. ``topic`` is the list of what to know before an upgrade that has the changes; None
    for that of other breaking changes, and for none if they do not break anything.
    ``is_minor`` is whether users of the API need not know them. ``badge`` is what the
    site shows beside the field, None where that depends on the keyword. ``deprecates``
    is whether what changed is deprecated from now on.
    """

    name: RuleName
    audience: Audience
    changes: frozenset[ChangeName]
    reason: str
    policy: Policy = policies.COMPATIBILITY
    condition: Condition = conditions.always
    detail: details.Detail = details.nothing
    deprecation: deprecation.Finder = deprecation.unknown
    label: str = ""
    topic: UpgradeTopic | None = None
    badge: Badge | None = None
    is_minor: bool = False
    deprecates: bool = False

    @property
    def severity(self) -> Severity:
        """The most severe of those for the audiences."""
        return self.audience.severity


def changes(*names: ChangeName) -> frozenset[ChangeName]:
    """The changes with these names."""
    return frozenset(names)


def any_change_of(*keywords: Keyword) -> frozenset[ChangeName]:
    """The changes of keywords that were added, changed or removed."""
    return frozenset(
        change_name(keyword, presence)
        for keyword in keywords
        for presence in get_args(Presence)
    )


_BOUNDS = any_change_of(
    *("maximum", "max-length", "max-items", "max-properties", "exclusive-maximum"),
    *("minimum", "min-length", "min-items", "min-properties", "exclusive-minimum"),
    *("all-of", "any-of", "one-of", "not"),
    *("pattern", "multiple-of", "unique-items"),
)
_MERGING = any_change_of("list-type", "list-map-keys", "map-type")
_PATCHING = any_change_of("patch-strategy", "patch-merge-key")

RULES: tuple[Rule, ...] = (
    # Lifecycles, what descriptions state, and what is a change of the document only.
    Rule(
        "never-set",
        everyone("safe"),
        changes("field-added", "field-removed", "description-changed"),
        "The API server refuses every object that has the field.",
        condition=lifecycle_conditions.is_refused,
        is_minor=True,
    ),
    Rule(
        "gated-values",
        everyone("safe"),
        changes("description-changed"),
        "A feature gate makes the API server accept more values of the field, or changes "
        "of it.",
        policy=policies.STABILITY_LEVELS,
        condition=lifecycle_conditions.is_gated_value,
        label="accepts more by a feature gate",
    ),
    Rule(
        "part-of-kind",
        everyone("safe"),
        changes("kind-added", "kind-removed", "definition-added", "definition-removed")
        | changes("description-changed"),
        "A part of kinds, or the list of a kind: what happened to the kinds is reported "
        "there.",
        policy=policies.VERSION_LIFETIMES,
        condition=lifecycle_conditions.is_part_of_kind,
        is_minor=True,
    ),
    Rule(
        "removed-with-replacement",
        everyone("breaking"),
        changes("kind-removed"),
        "The server no longer serves the kind in this version: manifests and clients "
        "have to use the replacement.",
        policy=policies.VERSION_LIFETIMES,
        condition=lifecycle_conditions.has_replacement,
        detail=details.removed_version,
        topic="removed",
    ),
    Rule(
        "field-moved",
        everyone("breaking"),
        changes("field-removed"),
        "The value is in another field now: what clients send in the former one is "
        "dropped or rejected.",
        policy=policies.API_ELEMENTS,
        condition=lifecycle_conditions.is_moved,
        detail=details.replacement,
        deprecation=deprecation.of_moved_field,
        topic="removed",
    ),
    Rule(
        "document-catches-up",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The API server always refused objects without the field; only the document "
        "says so now.",
        policy=policies.OPTIONAL_FIELDS,
        condition=lifecycle_conditions.was_always_required,
        is_minor=True,
    ),
    Rule(
        "alternative-required",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The field replaces others, which are deprecated: objects that have those "
        "instead are still accepted.",
        condition=lifecycle_conditions.is_alternative,
    ),
    Rule(
        "merge-without-effect",
        everyone("docs"),
        _MERGING | _PATCHING,
        "The value is not merged, so that the keyword has no effect.",
        policy=policies.MERGE_STRATEGY,
        condition=lifecycle_conditions.has_no_items,
    ),
    Rule(
        "item-key-extended",
        everyone("safe"),
        changes("list-map-keys-changed"),
        "Another, optional field identifies list items as well: items without it are "
        "the same as before.",
        policy=policies.MERGE_STRATEGY,
        condition=lifecycle_conditions.adds_optional_keys,
        is_minor=True,
    ),
    Rule(
        "server-written",
        everyone("safe"),
        changes("field-required", "enum-changed", "enum-added") | _MERGING | _PATCHING,
        "Servers and controllers write the value, clients never send it.",
        policy=policies.STATUS,
        condition=lifecycle_conditions.is_server_written,
        is_minor=True,
    ),
    Rule(
        "kinds-of-shared-type",
        everyone("docs"),
        any_change_of("group-version-kind"),
        "Every group serves the type; the document lists the groups that exist.",
        policy=policies.VERSION_LIFETIMES,
        condition=lifecycle_conditions.is_shared_by_groups,
    ),
    Rule(
        "union-extended",
        everyone("safe"),
        changes("unions-added", "unions-changed"),
        "The document names another field of which one is chosen.",
        condition=lifecycle_conditions.adds_union_members,
    ),
    Rule(
        "no-longer-functional",
        audience("warning", "safe", "warning"),
        changes("description-changed"),
        "The field is accepted, and does nothing any more.",
        policy=policies.API_ELEMENTS,
        condition=lifecycle_conditions.loses_effect,
        label="no longer functional",
        detail=details.replacement,
        deprecation=deprecation.as_described,
        topic="deprecated",
        badge="label",
    ),
    Rule(
        "deprecated",
        everyone(
            "warning",
            apply="Manifests work as before, with a warning where the server has one.",
            compile="The code compiles as before, with a warning in some languages.",
            controller="Controllers work as before, and need a replacement in time.",
        ),
        changes("description-changed", "deprecated-changed", "kind-deprecated")
        | changes("field-deprecated"),
        "It works as before, and should no longer be used.",
        policy=policies.VERSION_LIFETIMES,
        condition=lifecycle_conditions.is_newly_deprecated,
        label="deprecated",
        detail=details.deprecation,
        deprecation=deprecation.as_described,
        topic="deprecated",
        badge="label",
        deprecates=True,
    ),
    Rule(
        "ended",
        audience(
            *("breaking", "safe", "breaking"),
            apply="Manifests are accepted, and what they ask for no longer happens.",
        ),
        changes("field-ended"),
        "The API server accepts the field, and what it is for no longer works, or not by "
        "default.",
        policy=policies.API_ELEMENTS,
        label="no longer works",
        detail=details.deprecation,
        topic="removed",
        badge="label",
    ),
    Rule(
        "migrated",
        audience(
            *("warning", "safe", "safe"),
            apply="Manifests work where the CSI driver is installed.",
        ),
        changes("field-migrated"),
        "A CSI driver serves the volume now, and has to be installed.",
        policy=policies.API_ELEMENTS,
        label="served by a CSI driver",
        topic="migrated",
        badge="label",
    ),
    Rule(
        "mutable",
        everyone("safe"),
        changes("field-mutable"),
        "The field can be changed in objects that are there; before, it was as it had "
        "been created.",
        label="can be changed",
    ),
    Rule(
        "stage-lowered",
        audience("warning", "safe", "warning"),
        changes("description-changed", "stage-lowered"),
        "It is less stable than before, or disabled by default now.",
        policy=policies.STABILITY_LEVELS,
        condition=lifecycle_conditions.lowers_stage,
        label="stage lowered",
        detail=details.stages,
        topic="promoted",
        badge="stages",
    ),
    Rule(
        "limit-changed",
        everyone("docs"),
        changes("description-changed"),
        "Only the description states another limit: the API server may have had it "
        "before.",
        condition=lifecycle_conditions.changes_limit,
        label="limit in the description changed",
        detail=details.limits,
    ),
    Rule(
        "stated-default-changed",
        everyone("docs"),
        changes("description-changed"),
        "Only the description states another default: the API server may have had it "
        "before.",
        condition=lifecycle_conditions.changes_stated_default,
        label="default in the description changed",
        detail=details.defaults,
    ),
    Rule(
        "stage-changed",
        everyone("safe"),
        changes("description-changed", "kind-added", "stage-changed"),
        "It is at another stage of its life, more stable than before.",
        policy=policies.STABILITY_LEVELS,
        condition=lifecycle_conditions.changes_stage,
        label="stage changed",
        detail=details.stages,
        topic="promoted",
        badge="stages",
    ),
    # Kinds, fields and the keywords of their schemas.
    Rule(
        "kind-removed",
        everyone("breaking"),
        changes("kind-removed"),
        "The server no longer serves the kind in this version: manifests and clients "
        "that use it are rejected.",
        policy=policies.VERSION_LIFETIMES,
        detail=details.deprecation,
        topic="removed",
    ),
    Rule(
        "part-removed",
        audience("safe", "warning", "safe"),
        changes("definition-removed"),
        "Code that uses the type no longer compiles. What happens to requests is "
        "reported at the fields that used it.",
        policy=policies.API_ELEMENTS,
    ),
    Rule(
        "field-removed",
        everyone("breaking"),
        changes("field-removed", "properties-removed"),
        "Values that clients send in the field are dropped or rejected, and responses"
        " no longer contain it.",
        policy=policies.API_ELEMENTS,
        deprecation=deprecation.of_removed_field,
        topic="removed",
    ),
    Rule(
        "field-required-with-default",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The API server fills in the default where manifests leave the field out; "
        "clients must set it.",
        condition=conditions.has_default,
    ),
    Rule(
        "field-required",
        audience("breaking", "warning", "breaking"),
        changes("field-required"),
        "Objects without the field were valid and are now rejected.",
        topic="required",
    ),
    Rule(
        "removed-with-field",
        everyone("docs"),
        changes("field-optional"),
        "The field was removed, which is reported as a change of its own.",
        condition=conditions.lacks_field,
        is_minor=True,
    ),
    Rule(
        "still-sent",
        audience("safe", "warning", "safe"),
        changes("field-optional"),
        "Manifests may leave the field out; the API server goes on sending it.",
        policy=policies.OPTIONAL_FIELDS,
        condition=conditions.is_part_of_kubernetes,
        detail=details.alternatives,
    ),
    Rule(
        "field-optional",
        audience("safe", "warning", "warning"),
        changes("field-optional"),
        "Clients that rely on the field being present may receive objects without it.",
        policy=policies.OPTIONAL_FIELDS,
    ),
    Rule(
        "field-typed",
        audience("warning", "safe", "warning"),
        changes("field-added"),
        "Unknown fields are kept, so that objects may have the field with a value that "
        "is now rejected.",
        condition=conditions.preserves_unknown_fields,
    ),
    Rule(
        "added",
        everyone("safe"),
        changes("kind-added", "definition-added", "field-added"),
        "Backward compatible: existing manifests and clients work as before.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "properties-listed",
        everyone("warning"),
        changes("properties-added"),
        "The object now lists its fields, and fields that are not listed may be "
        "dropped.",
    ),
    Rule(
        "type-renamed",
        audience("safe", "warning", "safe"),
        changes("reference-changed"),
        "The new type accepts everything that the old one did: code must use the new "
        "name, manifests stay as they are.",
        condition=conditions.is_compatible_rename,
    ),
    Rule(
        "type-named",
        audience("safe", "warning", "safe"),
        changes("type-added", "type-removed", "reference-added", "reference-removed"),
        "The type got a definition of its own, or lost it: code must use the other "
        "name, manifests stay as they are.",
        condition=conditions.names_object,
    ),
    Rule(
        "inner-wording",
        everyone("docs"),
        changes("items-changed", "values-changed")
        | changes("all-of-changed", "any-of-changed", "one-of-changed", "not-changed"),
        "Only nested descriptions differ.",
        condition=conditions.changes_only_documentation,
    ),
    Rule(
        "looser",
        audience("safe", "safe", "warning"),
        _BOUNDS | changes("items-changed", "values-changed"),
        "Clients may receive a value that was not valid before.",
        condition=conditions.loosens,
    ),
    Rule(
        "wider-type",
        audience("safe", "warning", "warning"),
        any_change_of("type", "format", "int-or-string"),
        "Clients may receive values that do not fit into the old type or format.",
        condition=conditions.widens_type,
    ),
    Rule(
        "type-changed",
        everyone("breaking"),
        any_change_of("type", "format", "reference", "items", "values")
        | any_change_of("int-or-string"),
        "Values of the old type are rejected, or interpreted differently.",
    ),
    Rule(
        "default-changed",
        audience("warning", "safe", "warning"),
        any_change_of("default"),
        "Objects that omit the field get a different value than before.",
        topic="limits",
    ),
    Rule(
        "enum-shrunk",
        audience("breaking", "warning", "breaking"),
        changes("enum-changed"),
        "A value that was valid is now rejected.",
        condition=conditions.removes_element,
        detail=details.enum_values,
    ),
    Rule(
        "enum-grown",
        audience("safe", "warning", "warning"),
        changes("enum-changed", "enum-removed"),
        "Clients may receive a value that they do not handle.",
        detail=details.enum_values,
    ),
    Rule(
        "enum-added",
        audience("breaking", "warning", "breaking"),
        changes("enum-added"),
        "Any value was valid, and now only the listed ones are.",
    ),
    Rule(
        "null-allowed",
        audience("safe", "warning", "warning"),
        any_change_of("nullable"),
        "Clients may receive null instead of a value.",
        condition=conditions.sets_keyword,
    ),
    Rule(
        "null-refused",
        audience("breaking", "warning", "breaking"),
        any_change_of("nullable"),
        "Null was valid and is now rejected.",
    ),
    Rule(
        "read-only",
        audience("breaking", "safe", "breaking"),
        any_change_of("read-only"),
        "Clients could set the field and no longer can.",
        condition=conditions.sets_keyword,
    ),
    Rule(
        "writable",
        audience("safe", "safe", "warning"),
        any_change_of("read-only"),
        "The field may now be set by clients, not only by the server.",
    ),
    Rule(
        "stricter",
        audience("breaking", "safe", "breaking"),
        _BOUNDS,
        "A value that was valid may now be rejected.",
    ),
    Rule(
        "cel-removed",
        audience("safe", "safe", "warning"),
        changes("validation-removed"),
        "Clients may receive a value that the CEL rule did not allow.",
    ),
    Rule(
        "cel-added",
        audience("breaking", "safe", "breaking"),
        changes("validation-added"),
        "A value that was valid is now rejected where it violates the CEL rule.",
    ),
    Rule(
        "cel-changed",
        audience("breaking", "safe", "breaking"),
        changes("validation-changed"),
        "A value that was valid may now be rejected by the other expression.",
    ),
    Rule(
        "cel-message",
        everyone("docs"),
        changes("validation-message-changed", "validations-order-changed"),
        "The same values are valid; what is reported of others changed.",
    ),
    Rule(
        "unions-changed",
        audience("breaking", "safe", "breaking"),
        changes("unions-added", "unions-changed"),
        "A value that was valid may now be rejected.",
    ),
    Rule(
        "unions-dropped",
        audience("safe", "safe", "warning"),
        changes("unions-removed"),
        "The document no longer says which fields exclude each other.",
    ),
    Rule(
        "merge-spelled-out",
        everyone("safe"),
        changes("list-type-added", "list-map-keys-added"),
        "The document now states what server-side apply already assumed.",
        policy=policies.MERGE_STRATEGY,
        condition=conditions.states_assumed_list_type,
        is_minor=True,
    ),
    Rule(
        "granular-spelled-out",
        everyone("safe"),
        changes("map-type-added", "map-type-removed"),
        "The document states the default of server-side apply.",
        policy=policies.MERGE_STRATEGY,
        condition=conditions.states_assumed_map_type,
        is_minor=True,
    ),
    Rule(
        "item-key-changed",
        audience("breaking", "safe", "breaking"),
        changes("list-map-keys-changed", "patch-merge-key-changed"),
        "List items are identified by a different key, so that a patch or an apply "
        "may change a different item.",
        policy=policies.MERGE_STRATEGY,
    ),
    Rule(
        "items-unique",
        audience("breaking", "safe", "breaking"),
        changes("list-type-added", "list-type-changed"),
        "Lists with equal items, or items with equal keys, were valid and are now "
        "rejected.",
        policy=policies.MERGE_STRATEGY,
        condition=conditions.requires_unique_items,
    ),
    Rule(
        "merge-changed",
        audience("warning", "safe", "warning"),
        _MERGING,
        "Server-side apply merges the value differently, and the ownership of fields "
        "may change.",
        policy=policies.MERGE_STRATEGY,
    ),
    Rule(
        "patch-changed",
        audience("warning", "safe", "warning"),
        _PATCHING,
        "A strategic merge patch (client-side kubectl apply) merges the value "
        "differently.",
        policy=policies.STRATEGIC_MERGE_PATCH,
    ),
    Rule(
        "unknown-fields-pruned",
        audience("breaking", "safe", "breaking"),
        changes("preserve-unknown-fields-removed", "preserve-unknown-fields-changed"),
        "Fields that the schema does not list were preserved and are now dropped.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "unknown-fields-kept",
        audience("warning", "safe", "warning"),
        changes("preserve-unknown-fields-added") | any_change_of("embedded-resource"),
        "The server preserves or validates unknown fields differently.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "no-kind-any-more",
        everyone("breaking"),
        any_change_of("group-version-kind"),
        "The type is no longer served as a kind.",
        policy=policies.VERSION_LIFETIMES,
        condition=conditions.unsets_keyword,
    ),
    Rule(
        "fewer-kinds",
        audience("warning", "safe", "warning"),
        any_change_of("group-version-kind"),
        "The type is no longer served in some group and version.",
        policy=policies.VERSION_LIFETIMES,
        condition=conditions.removes_element,
    ),
    Rule(
        "more-kinds",
        everyone("safe"),
        any_change_of("group-version-kind"),
        "The type is also served in another group and version.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "text-format-relaxed",
        audience("safe", "safe", "warning"),
        changes("text-format-changed"),
        "The API server accepts more texts than before: clients may receive one that was "
        "not valid.",
        condition=conditions.relaxes_format,
        detail=details.text_formats,
    ),
    Rule(
        "text-format-changed",
        audience("warning", "safe", "warning"),
        changes("text-format-changed"),
        "The API server accepts other texts: one that was valid may be rejected, or the "
        "other way round.",
        detail=details.text_formats,
        topic="limits",
    ),
    Rule(
        "wording",
        everyone("docs"),
        any_change_of("description", "title", "example", "external-docs")
        | any_change_of("deprecation-warning"),
        "The schema is unchanged. The new documentation may describe a change in "
        "behaviour.",
    ),
    Rule(
        "order",
        everyone("docs"),
        changes("required-order-changed"),
        "The same fields are required, in a different order.",
    ),
    # How custom resources are served, and the operations on resources.
    Rule(
        "not-served",
        audience("breaking", "warning", "breaking"),
        changes("served-changed"),
        "The server no longer serves the version: manifests and clients that use it are "
        "rejected.",
        policy=policies.VERSION_LIFETIMES,
        condition=conditions.unsets_keyword,
        topic="removed",
    ),
    Rule(
        "storage-changed",
        audience("safe", "safe", "warning"),
        changes("storage-changed"),
        "Objects are stored in another version: those that exist have to be migrated "
        "before the former one can be removed.",
        policy=policies.STORED_VERSIONS,
    ),
    Rule(
        "conversion-dropped",
        audience("breaking", "safe", "breaking"),
        changes("conversion-changed"),
        "Versions are no longer converted by a webhook: fields that a version lacks are "
        "pruned, and those that mean something else keep their values.",
        policy=policies.ROUND_TRIPS,
        condition=conditions.converts_nothing,
    ),
    Rule(
        "conversion-changed",
        audience("warning", "safe", "warning"),
        any_change_of("conversion"),
        "Versions are converted in another way, by a webhook that has to answer.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "renamed-resource",
        audience("breaking", "warning", "breaking"),
        changes("scope-changed", "plural-changed"),
        "Paths and permissions change, and the kind must be deleted to change them.",
    ),
    Rule(
        "subresource-removed",
        audience("safe", "warning", "breaking"),
        changes("subresource-removed"),
        "Requests to the subresource are rejected.",
        policy=policies.API_ELEMENTS,
        topic="removed",
    ),
    Rule(
        "status-added",
        audience("warning", "safe", "warning"),
        changes("subresource-added"),
        "The status is ignored in requests for the object, and the object in those for "
        "its status.",
        condition=conditions.adds_status,
    ),
    Rule(
        "selectable-fields-removed",
        audience("safe", "safe", "breaking"),
        any_change_of("selectable-fields"),
        "Requests that select objects by the field are rejected.",
        policy=policies.API_ELEMENTS,
        condition=conditions.removes_element,
    ),
    Rule(
        "operation-removed",
        audience("safe", "warning", "breaking"),
        changes("operation-removed", "parameter-removed"),
        "Requests for the operation are rejected, or the parameter is ignored.",
        policy=policies.API_ELEMENTS,
    ),
    Rule(
        "operation-added",
        everyone("safe"),
        changes("operation-added", "parameter-added"),
        "The server accepts requests that it did not accept before.",
        policy=policies.ROUND_TRIPS,
    ),
    Rule(
        "kubectl-name-removed",
        audience("warning", "safe", "safe"),
        any_change_of("short-names", "categories"),
        "kubectl no longer accepts the name.",
        policy=policies.API_ELEMENTS,
        condition=conditions.removes_element,
    ),
    Rule(
        "resource-extended",
        everyone("safe"),
        changes("served-changed", "deprecated-changed", "subresource-added")
        | any_change_of("short-names", "categories", "printer-columns")
        | any_change_of("selectable-fields"),
        "The server and kubectl accept, or show, more or something else than before.",
        policy=policies.ROUND_TRIPS,
    ),
)

#: Replaces every breaking rule for alpha API versions and alpha fields.
ALPHA = Rule(
    "alpha",
    everyone("warning"),
    changes(),
    "Alpha versions and alpha fields may change or be removed in any release without "
    "notice.",
    policy=policies.STABILITY_LEVELS,
    detail=details.removed_version,
    deprecation=deprecation.of_removed_field,
)

#: Applies where no other rule matches.
UNKNOWN = Rule(
    "unknown",
    everyone("warning"),
    changes(),
    "kubestencil does not support this keyword.",
)

#: Every rule by its name, ``ALPHA`` and ``UNKNOWN`` included.
RULES_BY_NAME: Mapping[RuleName, Rule] = {
    rule.name: rule for rule in (*RULES, ALPHA, UNKNOWN)
}
