"""The rules for how custom resources are served, as data."""

from __future__ import annotations

from kubestencil.diff.rules import conditions, policies
from kubestencil.diff.rules.audience import audience, everyone
from kubestencil.diff.rules.rule import Rule, any_change_of, changes

RESOURCE_RULES: tuple[Rule, ...] = (
    Rule(
        "not-served",
        audience("breaking", "warning", "breaking"),
        changes("served-changed"),
        "The server no longer serves the version: manifests and clients that use it are "
        "rejected.",
        policies.VERSION_LIFETIMES,
        conditions.unsets_keyword,
    ),
    Rule(
        "storage-changed",
        audience("safe", "safe", "warning"),
        changes("storage-changed"),
        "Objects are stored in another version: those that exist have to be migrated "
        "before the former one can be removed.",
        policies.STORED_VERSIONS,
    ),
    Rule(
        "renamed-resource",
        audience("breaking", "warning", "breaking"),
        changes("scope-changed plural-changed"),
        "Paths and permissions change, and the kind must be deleted to change them.",
        policies.COMPATIBILITY,
    ),
    Rule(
        "subresource-removed",
        audience("safe", "warning", "breaking"),
        changes("subresource-removed"),
        "Requests to the subresource are rejected.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "status-added",
        audience("warning", "safe", "warning"),
        changes("subresource-added"),
        "The status is ignored in requests for the object, and the object in those for "
        "its status.",
        policies.COMPATIBILITY,
        conditions.adds_status,
    ),
    Rule(
        "selectable-fields-removed",
        audience("safe", "safe", "breaking"),
        any_change_of("selectable-fields"),
        "Requests that select objects by the field are rejected.",
        policies.API_ELEMENTS,
        conditions.removes_element,
    ),
    Rule(
        "operation-removed",
        audience("safe", "warning", "breaking"),
        changes("operation-removed parameter-removed"),
        "Requests for the operation are rejected, or the parameter is ignored.",
        policies.API_ELEMENTS,
    ),
    Rule(
        "operation-added",
        everyone("safe"),
        changes("operation-added parameter-added"),
        "The server accepts requests that it did not accept before.",
        policies.ROUND_TRIPS,
    ),
    Rule(
        "kubectl-name-removed",
        audience("warning", "safe", "safe"),
        any_change_of("short-names", "categories"),
        "kubectl no longer accepts the name.",
        policies.API_ELEMENTS,
        conditions.removes_element,
    ),
    Rule(
        "resource-extended",
        everyone("safe"),
        changes("served-changed deprecated-changed subresource-added")
        | any_change_of("short-names", "categories", "printer-columns")
        | any_change_of("selectable-fields"),
        "The server and kubectl accept, or show, more or something else than before.",
        policies.ROUND_TRIPS,
    ),
)
