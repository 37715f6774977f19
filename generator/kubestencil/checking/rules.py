"""The rules of a check: their severities, and why they are rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

#: How bad a finding is, worst first: refused by a server or a strict client; accepted,
#: but not what it seems to be; worth a look.
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

#: What a finding means for an upgrade: it is a problem only after it, before and after
#: it, or only before it.
Change = Literal["new", "both", "fixed"]

#: The names of rules, which people write into comments and configurations.
RuleId = Literal[
    "syntax",
    "duplicate-key",
    "removed-kind",
    "future-kind",
    "unknown-kind",
    "missing-kind",
    "unknown-field",
    "wrong-type",
    "invalid-quantity",
    "invalid-base64",
    "invalid-time",
    "out-of-range",
    "invalid-enum",
    "invalid-name",
    "mismatched-selector",
    "invalid-value",
    "missing-field",
    "duplicate-item",
    "forbidden-field",
    "immutable-field",
    "pod-security",
    "denied-by-policy",
    "server-warning",
    "not-served-by-default",
    "deprecated-kind",
    "deprecated-field",
    "gated-field",
    "no-effect",
    "removed-resource",
    "stored-version",
    "dropped-field",
    "newer-version",
    "changed-meaning",
    "patch-directive",
    "unused-ignore",
]


class CheckRule(NamedTuple):
    """A rule. ``reason`` says what happens to an object that breaks it.

    ``is_for_patches`` is whether a patch can break it, which is a part of an object.
    ``suggests_field`` is whether a hint names the field that may be meant.
    """

    id: RuleId
    severity: Severity
    reason: str
    is_for_patches: bool = True
    suggests_field: bool = False


_RULES: tuple[CheckRule, ...] = (
    CheckRule("syntax", "error", "Kubernetes cannot read the text."),
    CheckRule(
        "duplicate-key",
        "error",
        "A mapping has a key twice: strict clients and servers refuse it, others use "
        "the last value.",
    ),
    CheckRule("removed-kind", "error", "The release no longer serves the kind."),
    CheckRule("future-kind", "error", "The release does not serve the kind yet."),
    CheckRule("unknown-kind", "error", "No release serves the kind."),
    CheckRule(
        "missing-kind",
        "error",
        "The document looks like an object, and no server can tell what it is.",
        is_for_patches=False,
    ),
    CheckRule(
        "unknown-field",
        "error",
        "The kind does not have the field in this release: strict clients and servers "
        "refuse the object, others drop the field without a word.",
        suggests_field=True,
    ),
    CheckRule("wrong-type", "error", "The API server cannot decode the value."),
    CheckRule(
        "invalid-quantity", "error", "The value is not a quantity, such as 500m."
    ),
    CheckRule("invalid-base64", "error", "The value is not encoded in base64."),
    CheckRule("invalid-time", "error", "The value is not a time or duration."),
    CheckRule(
        "out-of-range", "error", "The number does not fit its type, or its limits."
    ),
    CheckRule(
        "invalid-enum", "error", "The value is not one of those that are allowed."
    ),
    CheckRule(
        "invalid-value",
        "error",
        "The value breaks a rule of the API server, or of the custom resource's schema.",
    ),
    CheckRule(
        "invalid-name",
        "error",
        "The text does not have the syntax that names, keys, addresses or paths have "
        "there.",
    ),
    CheckRule(
        "mismatched-selector",
        "error",
        "The selector does not match the labels of the template.",
    ),
    CheckRule(
        "missing-field",
        "error",
        "A required field is absent or empty: the API server refuses the object.",
        is_for_patches=False,
    ),
    CheckRule("duplicate-item", "error", "Two items of a list are the same."),
    CheckRule(
        "forbidden-field",
        "error",
        "The field must not be set here, or not together with what else is set.",
    ),
    CheckRule(
        "pod-security",
        "error",
        "The level of the Pod Security Standards that --pod-security names forbids the "
        "pod, or the pods of the template.",
    ),
    CheckRule(
        "denied-by-policy",
        "error",
        "An admission policy of --policies denies the object.",
    ),
    CheckRule(
        "immutable-field",
        "error",
        "The object is there already, and the API server refuses this change of it.",
    ),
    CheckRule(
        "server-warning", "warning", "The API server accepts the object and warns."
    ),
    CheckRule(
        "not-served-by-default",
        "warning",
        "A server serves the kind only if it is started with --runtime-config.",
    ),
    CheckRule("deprecated-kind", "warning", "The kind will be removed."),
    CheckRule("deprecated-field", "warning", "The field is deprecated."),
    CheckRule(
        "gated-field",
        "warning",
        "The field needs a feature gate that is off by default: without it, the API "
        "server drops the value.",
    ),
    CheckRule("no-effect", "warning", "The field has no effect any more."),
    CheckRule(
        "removed-resource",
        "warning",
        "A rule of RBAC or of a webhook names what the release does not serve any "
        "more: it has no effect.",
    ),
    CheckRule(
        "stored-version",
        "warning",
        "Objects of a custom resource may be stored in a version that its definition no "
        "longer serves, or deprecates.",
    ),
    CheckRule(
        "dropped-field",
        "warning",
        "The kind does not have the field, which the API server drops without a word.",
        suggests_field=True,
    ),
    CheckRule(
        "newer-version", "note", "The release serves a newer version of the kind."
    ),
    CheckRule(
        "changed-meaning",
        "warning",
        "The value means something else in the version that replaces a removed one.",
    ),
    CheckRule(
        "unused-ignore",
        "warning",
        "A comment or an entry of the configuration ignores a finding that is not there.",
    ),
    CheckRule(
        "patch-directive",
        "note",
        "A kustomize patch has a directive, which a server refuses in an object.",
    ),
)

#: All rules by name, in the order in which reports and the documentation list them.
RULES: Mapping[RuleId, CheckRule] = {rule.id: rule for rule in _RULES}


def at_least(severity: Severity) -> tuple[Severity, ...]:
    """The severities that are as bad as ``severity`` or worse."""
    return SEVERITIES[: SEVERITIES.index(severity) + 1]
