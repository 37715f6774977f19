"""The rules for lifecycles, as data: deprecations, stages, limits, and what is only
apparent in the documents. They come before the rules for keywords."""

from __future__ import annotations

from kubestencil.diff.rules import lifecycle_conditions as conditions
from kubestencil.diff.rules import policies
from kubestencil.diff.rules.audience import audience, everyone
from kubestencil.diff.rules.rule import Rule, any_change_of, changes

LIFECYCLE_RULES: tuple[Rule, ...] = (
    Rule(
        "part-of-kind",
        everyone("safe"),
        changes("kind-added kind-removed definition-added definition-removed")
        | changes("description-changed"),
        "A part of kinds, or the list of a kind: what happened to the kinds is reported "
        "there.",
        policies.VERSION_LIFETIMES,
        conditions.is_part_of_kind,
    ),
    Rule(
        "removed-with-replacement",
        everyone("breaking"),
        changes("kind-removed"),
        "The server no longer serves the kind in this version: manifests and clients "
        "have to use the replacement.",
        policies.VERSION_LIFETIMES,
        conditions.has_replacement,
    ),
    Rule(
        "field-moved",
        everyone("breaking"),
        changes("field-removed"),
        "The value is in another field now: what clients send in the former one is "
        "dropped or rejected.",
        policies.API_ELEMENTS,
        conditions.is_moved,
    ),
    Rule(
        "document-catches-up",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The API server always refused objects without the field; only the document "
        "says so now.",
        policies.OPTIONAL_FIELDS,
        conditions.was_always_required,
    ),
    Rule(
        "alternative-required",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The field replaces others, which are deprecated: objects that have those "
        "instead are still accepted.",
        policies.COMPATIBILITY,
        conditions.is_alternative,
    ),
    Rule(
        "merge-without-effect",
        everyone("docs"),
        any_change_of("list-type", "list-map-keys", "map-type")
        | any_change_of("patch-strategy", "patch-merge-key"),
        "The value is not merged, so that the keyword has no effect.",
        policies.MERGE_STRATEGY,
        conditions.has_no_items,
    ),
    Rule(
        "item-key-extended",
        everyone("safe"),
        changes("list-map-keys-changed"),
        "Another, optional field identifies list items as well: items without it are "
        "the same as before.",
        policies.MERGE_STRATEGY,
        conditions.adds_optional_keys,
    ),
    Rule(
        "server-written",
        everyone("safe"),
        changes("field-required enum-changed enum-added")
        | any_change_of("list-type", "list-map-keys", "map-type")
        | any_change_of("patch-strategy", "patch-merge-key"),
        "Servers and controllers write the value, clients never send it.",
        policies.STATUS,
        conditions.is_server_written,
    ),
    Rule(
        "kinds-of-shared-type",
        everyone("docs"),
        any_change_of("group-version-kind"),
        "Every group serves the type; the document lists the groups that exist.",
        policies.VERSION_LIFETIMES,
        conditions.is_shared_by_groups,
    ),
    Rule(
        "union-extended",
        everyone("safe"),
        changes("unions-added unions-changed"),
        "The document names another field of which one is chosen.",
        policies.COMPATIBILITY,
        conditions.adds_union_members,
    ),
    Rule(
        "no-longer-functional",
        audience("warning", "safe", "warning"),
        changes("description-changed"),
        "The field is accepted, and does nothing any more.",
        policies.API_ELEMENTS,
        conditions.loses_effect,
    ),
    Rule(
        "deprecated",
        everyone("warning"),
        changes("description-changed deprecated-changed kind-deprecated"),
        "It works, and is going away: use what replaces it.",
        policies.VERSION_LIFETIMES,
        conditions.is_newly_deprecated,
    ),
    Rule(
        "limit-changed",
        audience("warning", "safe", "warning"),
        changes("description-changed"),
        "The description states another limit: a value that was valid may be rejected, "
        "or the other way round.",
        policies.COMPATIBILITY,
        conditions.changes_limit,
    ),
    Rule(
        "stated-default-changed",
        audience("warning", "safe", "warning"),
        changes("description-changed"),
        "The description states another default: objects that omit the field may get a "
        "different value than before.",
        policies.COMPATIBILITY,
        conditions.changes_stated_default,
    ),
    Rule(
        "stage-lowered",
        audience("warning", "safe", "warning"),
        changes("description-changed stage-lowered"),
        "It is less stable than before, or disabled by default now.",
        policies.STABILITY_LEVELS,
        conditions.lowers_stage,
    ),
    Rule(
        "stage-changed",
        everyone("safe"),
        changes("description-changed kind-added stage-changed"),
        "It is at another stage of its life, more stable than before.",
        policies.STABILITY_LEVELS,
        conditions.changes_stage,
    ),
)
