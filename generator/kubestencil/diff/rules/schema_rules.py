"""The rules for keywords of schemas, as data; the first one that matches decides.

The file is longer than others, since it is a table.
"""

from __future__ import annotations

from kubestencil.diff.rules import conditions, policies
from kubestencil.diff.rules.audience import audience, everyone
from kubestencil.diff.rules.rule import Rule, any_change_of, changes

_UPPER = ("maximum", "max-length", "max-items", "max-properties")
_LOWER = ("minimum", "min-length", "min-items", "min-properties")
_LOGIC = ("all-of", "any-of", "one-of", "not")

SCHEMA_RULES: tuple[Rule, ...] = (
    Rule(
        "kind-removed",
        everyone("breaking"),
        changes("kind-removed"),
        "The server no longer serves the kind in this version: manifests and clients "
        "that use it are rejected.",
        policies.VERSION_LIFETIMES,
    ),
    Rule(
        "part-removed",
        audience("safe", "warning", "safe"),
        changes("definition-removed"),
        "Code that uses the type no longer compiles. What happens to requests is "
        "reported at the fields that used it.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-removed",
        everyone("breaking"),
        changes("field-removed properties-removed"),
        "Values that clients send in the field are dropped or rejected, and responses"
        " no longer contain it.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "field-required-with-default",
        audience("safe", "warning", "safe"),
        changes("field-required"),
        "The API server fills in the default where manifests leave the field out; "
        "clients must set it.",
        policies.COMPATIBILITY,
        conditions.has_default,
    ),
    Rule(
        "field-required",
        audience("breaking", "warning", "breaking"),
        changes("field-required"),
        "Objects without the field were valid and are now rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "field-optional",
        audience("safe", "warning", "warning"),
        changes("field-optional"),
        "Clients that rely on the field being present may receive objects without it.",
        policies.OPTIONAL_FIELDS,
    ),
    Rule(
        "field-typed",
        audience("warning", "safe", "warning"),
        changes("field-added"),
        "Unknown fields are kept, so that objects may have the field with a value that "
        "is now rejected.",
        policies.COMPATIBILITY,
        conditions.preserves_unknown_fields,
    ),
    Rule(
        "added",
        everyone("safe"),
        changes("kind-added definition-added field-added"),
        "Backward compatible: existing manifests and clients work as before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "properties-listed",
        everyone("warning"),
        changes("properties-added"),
        "The object now lists its fields, and fields that are not listed may be "
        "dropped.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "type-renamed",
        audience("safe", "warning", "safe"),
        changes("reference-changed"),
        "The new type accepts everything that the old one did: code must use the new "
        "name, manifests stay as they are.",
        policies.COMPATIBILITY,
        conditions.is_compatible_rename,
    ),
    Rule(
        "type-named",
        audience("safe", "warning", "safe"),
        changes("type-added type-removed reference-added reference-removed"),
        "The type got a definition of its own, or lost it: code must use the other "
        "name, manifests stay as they are.",
        policies.COMPATIBILITY,
        conditions.names_object,
    ),
    Rule(
        "inner-wording",
        everyone("docs"),
        changes("items-changed values-changed")
        | changes("all-of-changed any-of-changed one-of-changed not-changed"),
        "Only nested descriptions differ.",
        policies.COMPATIBILITY,
        conditions.changes_only_documentation,
    ),
    Rule(
        "looser",
        audience("safe", "safe", "warning"),
        any_change_of(*_UPPER, *_LOWER, *_LOGIC, "pattern", "multiple-of")
        | any_change_of("exclusive-maximum", "exclusive-minimum", "unique-items")
        | changes("items-changed values-changed"),
        "Clients may receive a value that was not valid before.",
        policies.COMPATIBILITY,
        conditions.loosens,
    ),
    Rule(
        "wider-number",
        audience("safe", "warning", "warning"),
        changes("format-changed"),
        "Clients may receive numbers that do not fit into the old format.",
        policies.COMPATIBILITY,
        conditions.widens_number_format,
    ),
    Rule(
        "type-changed",
        everyone("breaking"),
        any_change_of("type", "format", "reference", "items", "values")
        | any_change_of("int-or-string"),
        "Values of the old type are rejected, or interpreted differently.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "default-changed",
        audience("warning", "safe", "warning"),
        any_change_of("default"),
        "Objects that omit the field get a different value than before.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-shrunk",
        audience("breaking", "warning", "breaking"),
        changes("enum-changed"),
        "A value that was valid is now rejected.",
        policies.COMPATIBILITY,
        conditions.removes_enum_value,
    ),
    Rule(
        "enum-grown",
        audience("safe", "warning", "warning"),
        changes("enum-changed enum-removed"),
        "Clients may receive a value that they do not handle.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "enum-added",
        audience("breaking", "warning", "breaking"),
        changes("enum-added"),
        "Any value was valid, and now only the listed ones are.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "null-allowed",
        audience("safe", "warning", "warning"),
        any_change_of("nullable"),
        "Clients may receive null instead of a value.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "null-refused",
        audience("breaking", "warning", "breaking"),
        any_change_of("nullable"),
        "Null was valid and is now rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "read-only",
        audience("breaking", "safe", "breaking"),
        any_change_of("read-only"),
        "Clients could set the field and no longer can.",
        policies.COMPATIBILITY,
        conditions.sets_keyword,
    ),
    Rule(
        "writable",
        audience("safe", "safe", "warning"),
        any_change_of("read-only"),
        "The field may now be set by clients, not only by the server.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "stricter",
        audience("breaking", "safe", "breaking"),
        any_change_of(*_UPPER, *_LOWER, *_LOGIC, "pattern", "multiple-of")
        | any_change_of("exclusive-maximum", "exclusive-minimum", "unique-items"),
        "A value that was valid may now be rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-removed",
        audience("safe", "safe", "warning"),
        changes("validation-removed"),
        "Clients may receive a value that the CEL rule did not allow.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-added",
        audience("breaking", "safe", "breaking"),
        changes("validation-added"),
        "A value that was valid is now rejected where it violates the CEL rule.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-changed",
        audience("breaking", "safe", "breaking"),
        changes("validation-changed"),
        "A value that was valid may now be rejected by the other expression.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "cel-message",
        everyone("docs"),
        changes("validation-message-changed validations-order-changed"),
        "The same values are valid; what is reported of others changed.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "unions-changed",
        audience("breaking", "safe", "breaking"),
        changes("unions-added unions-changed"),
        "A value that was valid may now be rejected.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "unions-dropped",
        audience("safe", "safe", "warning"),
        changes("unions-removed"),
        "The document no longer says which fields exclude each other.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "merge-spelled-out",
        everyone("safe"),
        changes("list-type-added list-map-keys-added"),
        "The document now states what server-side apply already assumed.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_list_type,
    ),
    Rule(
        "granular-spelled-out",
        everyone("safe"),
        changes("map-type-added map-type-removed"),
        "The document states the default of server-side apply.",
        policies.MERGE_STRATEGY,
        conditions.states_assumed_map_type,
    ),
    Rule(
        "item-key-changed",
        audience("breaking", "safe", "breaking"),
        changes("list-map-keys-changed patch-merge-key-changed"),
        "List items are identified by a different key, so that a patch or an apply "
        "may change a different item.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "items-unique",
        audience("breaking", "safe", "breaking"),
        changes("list-type-added list-type-changed"),
        "Lists with equal items, or items with equal keys, were valid and are now "
        "rejected.",
        policies.MERGE_STRATEGY,
        conditions.requires_unique_items,
    ),
    Rule(
        "merge-changed",
        audience("warning", "safe", "warning"),
        any_change_of("list-type", "list-map-keys", "map-type"),
        "Server-side apply merges the value differently, and the ownership of fields "
        "may change.",
        policies.MERGE_STRATEGY,
    ),
    Rule(
        "patch-changed",
        audience("warning", "safe", "warning"),
        any_change_of("patch-strategy", "patch-merge-key"),
        "A strategic merge patch (client-side kubectl apply) merges the value "
        "differently.",
        policies.STRATEGIC_MERGE_PATCH,
    ),
    Rule(
        "unknown-fields-pruned",
        audience("breaking", "safe", "breaking"),
        changes("preserve-unknown-fields-removed preserve-unknown-fields-changed"),
        "Fields that the schema does not list were preserved and are now dropped.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "unknown-fields-kept",
        audience("warning", "safe", "warning"),
        changes("preserve-unknown-fields-added") | any_change_of("embedded-resource"),
        "The server preserves or validates unknown fields differently.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "no-kind-any-more",
        everyone("breaking"),
        any_change_of("group-version-kind"),
        "The type is no longer served as a kind.",
        policies.VERSION_LIFETIMES,
        conditions.removes_all_served_kinds,
    ),
    Rule(
        "fewer-kinds",
        audience("warning", "safe", "warning"),
        any_change_of("group-version-kind"),
        "The type is no longer served in some group and version.",
        policies.VERSION_LIFETIMES,
        conditions.removes_served_kind,
    ),
    Rule(
        "more-kinds",
        everyone("safe"),
        any_change_of("group-version-kind"),
        "The type is also served in another group and version.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "wording",
        everyone("docs"),
        any_change_of("description", "title", "example", "external-docs")
        | any_change_of("deprecation-warning"),
        "The schema is unchanged. The new documentation may describe a change in "
        "behaviour.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "order",
        everyone("docs"),
        changes("required-order-changed"),
        "The same fields are required, in a different order.",
        policies.COMPATIBILITY,
    ),
)
