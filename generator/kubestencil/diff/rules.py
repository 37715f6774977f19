"""What a difference means for the people who use the API.

All rules are in ``RULES``, each with its reason and the part of Kubernetes' own
policy that it comes from. The first rule that fits a difference decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kubestencil.diff.compare import Definitions, Difference, schemas_differ_in
from kubestencil.schema.kinds import LEVELS, level

#: From the one that breaks people to the one that only words differ in.
SEVERITIES = ("breaking", "warning", "safe", "docs")


@dataclass(frozen=True, slots=True)
class Policy:
    """A part of Kubernetes' published policy."""

    name: str
    url: str


_DEPRECATION = "https://kubernetes.io/docs/reference/using-api/deprecation-policy/"
_VERSIONING = "https://kubernetes.io/docs/reference/using-api/#api-versioning"
_APPLY = "https://kubernetes.io/docs/reference/using-api/server-side-apply/"
_CHANGES = (
    "https://github.com/kubernetes/community/blob/main/contributors/devel/"
    "sig-architecture/api_changes.md"
)
_CONVENTIONS = (
    "https://github.com/kubernetes/community/blob/main/contributors/devel/"
    "sig-architecture/api-conventions.md"
)

ELEMENTS = Policy("Deprecation policy, rule 1: elements of an API", _DEPRECATION)
ROUND_TRIP = Policy("Deprecation policy, rule 2: round trips", _DEPRECATION)
LIFETIMES = Policy("Deprecation policy, rule 4a: lifetimes of versions", _DEPRECATION)
LEVELS_OF_STABILITY = Policy("API versioning: alpha, beta, stable", _VERSIONING)
COMPATIBLE = Policy(
    "Changing the API: on compatibility", f"{_CHANGES}#on-compatibility"
)
MERGING = Policy("Server-side apply: merge strategy", f"{_APPLY}#merge-strategy")
STRATEGIC = Policy(
    "API conventions: strategic merge patch", f"{_CONVENTIONS}#patch-operations"
)
OPTIONAL = Policy(
    "API conventions: optional and required", f"{_CONVENTIONS}#optional-vs-required"
)


@dataclass(frozen=True, slots=True)
class Context:
    """What a rule may look at beside the difference: both sets of definitions."""

    before: Definitions
    after: Definitions


Test = Callable[[Difference, Context], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """Differences of the names in ``changes`` that ``test`` accepts are ``severity``.

    ``reason`` says why, in terms of what happens to somebody.
    """

    name: str
    severity: str
    changes: frozenset[str]
    reason: str
    policy: Policy
    test: Test | None = None

    def fits(self, difference: Difference, context: Context) -> bool:
        """Whether this rule is about the difference."""
        return difference.change in self.changes and (
            self.test is None or self.test(difference, context)
        )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a difference means.

    ``stability`` is the level that is concerned: that of the API version, or of
    the field where its description gives it a lower one.
    """

    stability: str
    rule: Rule

    @property
    def severity(self) -> str:
        """How grave the difference is, as the rule says."""
        return self.rule.severity


def classify(difference: Difference, context: Context, version: str) -> Verdict:
    """The verdict on a difference in a definition of the API version ``version``."""
    stability = min(
        level(version), _level_of_field(_description(difference)), key=LEVELS.index
    )
    rule = next(
        (rule for rule in _rules(difference.change) if rule.fits(difference, context)),
        UNKNOWN,
    )
    if rule.severity == "breaking" and stability == "alpha":
        rule = ALPHA
    return Verdict(stability, rule)


# --- what the rules look at


def _old(difference: Difference) -> Any:
    return (difference.before or {}).get(difference.keyword or "")


def _new(difference: Difference) -> Any:
    return (difference.after or {}).get(difference.keyword or "")


def _is_renamed(difference: Difference, context: Context) -> bool:
    """The new type takes all that the old one took, and asks for no more."""
    old, new = (
        definitions.get(value.removeprefix("#/definitions/"), {})
        for definitions, value in (
            (context.before, _old(difference)),
            (context.after, _new(difference)),
        )
    )
    fields = new.get("properties", {})
    return (
        old.get("type") == new.get("type")
        and old.get("format") == new.get("format")
        and set(new.get("required", ())) <= set(old.get("required", ()))
        and all(
            name in fields and schemas_differ_in(schema, fields[name]) <= _WORDING
            for name, schema in old.get("properties", {}).items()
        )
    )


def _is_worded(difference: Difference, _: Context) -> bool:
    return _wording(_old(difference), _new(difference))


def _wording(old: Any, new: Any) -> bool:
    """Two schemas that differ in nothing but their descriptions, however deep."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return bool(old == new)
    differing = schemas_differ_in(old, new)
    return all(
        keyword in _WORDING or _wording(old.get(keyword), new.get(keyword))
        for keyword in differing
    )


def _is_wider(difference: Difference, _: Context) -> bool:
    return (_old(difference), _new(difference)) in (
        ("int32", "int64"),
        ("float", "double"),
    )


def _loses_values(difference: Difference, _: Context) -> bool:
    kept = [repr(value) for value in _new(difference)]
    return any(repr(value) not in kept for value in _old(difference))


def _is_looser(difference: Difference, _: Context) -> bool:
    """A bound that went, or moved outwards."""
    old, new = _old(difference), _new(difference)
    if new is None or old is None:
        return new is None
    upper = (difference.keyword or "").startswith("max")
    return bool(new > old if upper else new < old)


def _is_set(difference: Difference, _: Context) -> bool:
    return bool(_new(difference))


def _is_implied(difference: Difference, _: Context) -> bool:
    """Server-side apply assumed before what the document says now.

    A list without a type is atomic, but one with the patch strategy "merge" and a
    merge key is a map with that key, and without a key a set.
    """
    old, new = difference.schemas
    if "x-kubernetes-list-type" in old:
        return False
    merges = "merge" in old.get("x-kubernetes-patch-strategy", "").split(",")
    key = old.get("x-kubernetes-patch-merge-key")
    assumed = ("map" if key else "set") if merges else "atomic"
    keys = [key] if assumed == "map" else None
    return (
        new.get("x-kubernetes-list-type") == assumed
        and new.get("x-kubernetes-list-map-keys") == keys
    )


def _is_granular(difference: Difference, _: Context) -> bool:
    """A map without a type is granular."""
    return {_old(difference), _new(difference)} == {None, "granular"}


def _serves_less(difference: Difference, _: Context) -> bool:
    left = [repr(kind) for kind in _new(difference) or ()]
    return any(repr(kind) not in left for kind in _old(difference) or ())


def _serves_nothing(difference: Difference, _: Context) -> bool:
    return not _new(difference)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _all(*words: str) -> frozenset[str]:
    return frozenset(
        f"{word}-{how}" for word in words for how in ("added", "changed", "removed")
    )


_WORDING = frozenset({"description", "title", "example", "externalDocs"})
_UPPER = ("maximum", "max-length", "max-items", "max-properties")
_LOWER = ("minimum", "min-length", "min-items", "min-properties")

RULES: tuple[Rule, ...] = (
    Rule(
        "kind-removed",
        "breaking",
        _names("kind-removed"),
        "The server no longer knows the kind in this version: manifests and clients "
        "that name it are refused.",
        LIFETIMES,
    ),
    Rule(
        "part-removed",
        "warning",
        _names("definition-removed"),
        "Code that names the type no longer compiles; what happens on the wire is "
        "reported at the fields that used it.",
        ELEMENTS,
    ),
    Rule(
        "field-removed",
        "breaking",
        _names("field-removed properties-removed"),
        "What is sent in the field is dropped or refused, and nobody gets it back.",
        ELEMENTS,
    ),
    Rule(
        "field-required",
        "breaking",
        _names("field-required"),
        "Objects without the field were valid and are refused.",
        COMPATIBLE,
    ),
    Rule(
        "field-optional",
        "warning",
        _names("field-optional"),
        "Readers that rely on the field being there may meet objects without it.",
        OPTIONAL,
    ),
    Rule(
        "added",
        "safe",
        _names("kind-added definition-added field-added"),
        "What worked before works as before.",
        ROUND_TRIP,
    ),
    Rule(
        "properties-listed",
        "warning",
        _names("properties-added"),
        "The object lists its fields now, and others may be dropped.",
        COMPATIBLE,
    ),
    Rule(
        "type-renamed",
        "warning",
        _names("reference-changed"),
        "The value has a type of another name that takes all the old one took: code "
        "has to name the new one, manifests stay as they are.",
        COMPATIBLE,
        _is_renamed,
    ),
    Rule(
        "inner-wording",
        "docs",
        _names("items-changed values-changed all-of-changed"),
        "Only descriptions inside differ.",
        COMPATIBLE,
        _is_worded,
    ),
    Rule(
        "wider-number",
        "warning",
        _names("format-changed"),
        "Numbers may come that do not fit into the old type.",
        COMPATIBLE,
        _is_wider,
    ),
    Rule(
        "type-changed",
        "breaking",
        _all("type", "format", "reference", "items", "values", "all-of")
        | _all("int-or-string"),
        "Values of the old type are refused, or read as something else.",
        COMPATIBLE,
    ),
    Rule(
        "default-changed",
        "warning",
        _all("default"),
        "Who leaves the field empty gets another value than before.",
        COMPATIBLE,
    ),
    Rule(
        "enum-shrunk",
        "breaking",
        _names("enum-changed"),
        "A value that was valid is refused.",
        COMPATIBLE,
        _loses_values,
    ),
    Rule(
        "enum-grown",
        "warning",
        _names("enum-changed enum-removed"),
        "Clients may meet a value that they do not know.",
        COMPATIBLE,
    ),
    Rule(
        "enum-added",
        "breaking",
        _names("enum-added"),
        "Any value was valid, and only those listed are now.",
        COMPATIBLE,
    ),
    Rule(
        "null-allowed",
        "warning",
        _all("nullable"),
        "Clients may meet null where a value was.",
        COMPATIBLE,
        _is_set,
    ),
    Rule(
        "null-refused",
        "breaking",
        _all("nullable"),
        "Null was valid and is refused.",
        COMPATIBLE,
    ),
    Rule(
        "read-only",
        "breaking",
        _all("read-only"),
        "The field could be set and cannot be any more.",
        COMPATIBLE,
        _is_set,
    ),
    Rule(
        "writable",
        "warning",
        _all("read-only"),
        "Somebody else than the server may set the field now.",
        COMPATIBLE,
    ),
    Rule(
        "looser",
        "warning",
        _all(*_UPPER, *_LOWER) | _names("pattern-removed multiple-of-removed"),
        "Clients may meet a value that was not valid.",
        COMPATIBLE,
        _is_looser,
    ),
    Rule(
        "stricter",
        "breaking",
        _all(*_UPPER, *_LOWER, "exclusive-maximum", "exclusive-minimum")
        | _all("pattern", "multiple-of", "unique-items"),
        "A value that was valid may be refused.",
        COMPATIBLE,
    ),
    Rule(
        "validations-dropped",
        "warning",
        _names("validations-removed"),
        "Clients may meet a value that was not valid.",
        COMPATIBLE,
    ),
    Rule(
        "validations-changed",
        "breaking",
        _names("validations-added validations-changed unions-added unions-changed"),
        "A value that was valid may be refused.",
        COMPATIBLE,
    ),
    Rule(
        "unions-dropped",
        "warning",
        _names("unions-removed"),
        "The document no longer says which fields exclude each other.",
        COMPATIBLE,
    ),
    Rule(
        "merge-spelled-out",
        "safe",
        _names("list-type-added list-map-keys-added"),
        "The document says now what server-side apply assumed before.",
        MERGING,
        _is_implied,
    ),
    Rule(
        "granular-spelled-out",
        "safe",
        _names("map-type-added map-type-removed"),
        "The document says what server-side apply assumes anyway.",
        MERGING,
        _is_granular,
    ),
    Rule(
        "item-key-changed",
        "breaking",
        _names("list-map-keys-changed patch-merge-key-changed"),
        "An item is found by another key, so that a patch or an apply hits another "
        "item than before.",
        MERGING,
    ),
    Rule(
        "merge-changed",
        "warning",
        _all("list-type", "list-map-keys", "map-type"),
        "Server-side apply merges the value another way, and its owners may change.",
        MERGING,
    ),
    Rule(
        "patch-changed",
        "warning",
        _all("patch-strategy", "patch-merge-key"),
        "A strategic merge patch (kubectl apply on the client's side) merges the value "
        "another way.",
        STRATEGIC,
    ),
    Rule(
        "unknown-fields-pruned",
        "breaking",
        _names("preserve-unknown-fields-removed preserve-unknown-fields-changed"),
        "Fields that the schema does not name were kept, and are dropped.",
        ROUND_TRIP,
    ),
    Rule(
        "unknown-fields-kept",
        "warning",
        _names("preserve-unknown-fields-added") | _all("embedded-resource"),
        "The server keeps, or checks, other fields than before.",
        ROUND_TRIP,
    ),
    Rule(
        "no-kind-any-more",
        "breaking",
        _all("group-version-kind"),
        "The type is no longer served as a kind.",
        LIFETIMES,
        _serves_nothing,
    ),
    Rule(
        "fewer-kinds",
        "warning",
        _all("group-version-kind"),
        "The type is no longer served for some group and version.",
        LIFETIMES,
        _serves_less,
    ),
    Rule(
        "more-kinds",
        "safe",
        _all("group-version-kind"),
        "The type is served for another group and version as well.",
        ROUND_TRIP,
    ),
    Rule(
        "wording",
        "docs",
        _all("description", "title", "example", "external-docs"),
        "The schema is the same; what is written about it is not, and may tell of "
        "another behaviour.",
        COMPATIBLE,
    ),
    Rule(
        "order",
        "docs",
        _names("required-order-changed"),
        "The same fields are required, listed another way.",
        COMPATIBLE,
    ),
)

#: Takes the place of every breaking rule for what is alpha.
ALPHA = Rule(
    "alpha",
    "warning",
    frozenset(),
    "An alpha version or field may change or go in any release, without notice.",
    LEVELS_OF_STABILITY,
)

#: What no rule is about.
UNKNOWN = Rule(
    "unknown",
    "warning",
    frozenset(),
    "kubestencil does not know what the keyword means.",
    COMPATIBLE,
)


@cache
def _rules(change: str) -> tuple[Rule, ...]:
    return tuple(rule for rule in RULES if change in rule.changes)


def rules() -> Mapping[str, Rule]:
    """Every rule by its name."""
    return {rule.name: rule for rule in (*RULES, ALPHA, UNKNOWN)}


def worst(severities: Iterable[str]) -> str | None:
    """The gravest of some severities; None of none."""
    return min(severities, key=SEVERITIES.index, default=None)


# "This is an alpha field and requires …", "This field is beta-level in 1.30": how
# the descriptions of fields say it (API changes: alpha fields in existing versions).
_LEVEL = re.compile(
    r"\bThis (?:(?:field|feature) )?is (?:an? )?(?:optional, )?(alpha|beta)\b"
)


@cache
def _level_of_field(description: str) -> str:
    match = _LEVEL.search(description)
    return match[1] if match else "stable"


def _description(difference: Difference) -> str:
    """What the document said of the field, or says where it is new."""
    if difference.field is None:
        return ""
    if difference.keyword == "required":
        # The schemas are those of the object; the field is one of its properties.
        name = difference.field.rpartition(".")[2]
        found = [each.get("properties", {}).get(name) for each in difference.schemas]
    else:
        found = list(difference.schemas)
    texts = [schema.get("description", "") for schema in found if schema]
    return str(next((text for text in texts if text), ""))
