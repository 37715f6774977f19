"""The names of changes: what differs, and whether it was added, changed or removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, get_args

#: What a name begins with where a whole schema was added or removed.
Noun = Literal["kind", "definition", "field"]
# fmt: off
#: Keywords of JSON Schema as names of changes spell them: ``maxLength`` is
#: ``max-length``.
StandardKeyword = Literal[
    "type", "format", "items", "all-of", "any-of", "one-of", "not", "default", "enum",
    "description", "title", "example", "external-docs", "nullable", "read-only",
    "pattern", "maximum", "minimum", "exclusive-maximum", "exclusive-minimum",
    "max-length", "min-length", "max-items", "min-items", "unique-items",
    "max-properties", "min-properties", "multiple-of",
]
#: Keywords that begin with ``x-kubernetes-``.
Extension = Literal[
    "embedded-resource", "group-version-kind", "int-or-string", "list-map-keys",
    "list-type", "map-type", "patch-merge-key", "patch-strategy",
    "preserve-unknown-fields", "selectable-fields", "unions",
]
#: The parts of a CustomResourceDefinition beside its schemas.
ResourcePart = Literal[
    "scope", "plural", "short-names", "categories", "served", "storage", "deprecated",
    "deprecation-warning", "printer-columns", "conversion",
]
#: What a name begins with where a keyword differs; ``keyword`` is one that is unknown.
Keyword = Literal[
    "reference", "properties", "values", StandardKeyword, Extension, ResourcePart,
    "keyword",
]
#: The end of the name of a change of a keyword.
Presence = Literal["added", "changed", "removed"]

#: The names of all changes: those of whole kinds, types and fields, of requests, stages
#: and CEL rules, and of the texts that the API server accepts; then those of keywords.
ChangeName = Literal[
    "kind-added", "kind-removed", "kind-deprecated", "definition-added",
    "definition-removed", "field-added", "field-removed", "field-required",
    "field-optional", "required-order-changed", "subresource-added",
    "subresource-removed", "stage-changed", "stage-lowered", "field-deprecated", "field-migrated",
    "field-ended", "field-mutable", "operation-added",
    "operation-removed", "parameter-added", "parameter-removed", "validation-added",
    "validation-changed", "validation-removed", "validation-message-changed",
    "validations-order-changed", "text-format-changed",
    "reference-added", "reference-changed", "reference-removed", "properties-added",
    "properties-changed", "properties-removed", "values-added", "values-changed",
    "values-removed", "type-added", "type-changed", "type-removed", "format-added",
    "format-changed", "format-removed", "items-added", "items-changed", "items-removed",
    "all-of-added", "all-of-changed", "all-of-removed", "any-of-added",
    "any-of-changed", "any-of-removed", "one-of-added", "one-of-changed",
    "one-of-removed", "not-added", "not-changed", "not-removed", "default-added",
    "default-changed", "default-removed", "enum-added", "enum-changed", "enum-removed",
    "description-added", "description-changed", "description-removed", "title-added",
    "title-changed", "title-removed", "example-added", "example-changed",
    "example-removed", "external-docs-added", "external-docs-changed",
    "external-docs-removed", "nullable-added", "nullable-changed", "nullable-removed",
    "read-only-added", "read-only-changed", "read-only-removed", "pattern-added",
    "pattern-changed", "pattern-removed", "maximum-added", "maximum-changed",
    "maximum-removed", "minimum-added", "minimum-changed", "minimum-removed",
    "exclusive-maximum-added", "exclusive-maximum-changed", "exclusive-maximum-removed",
    "exclusive-minimum-added", "exclusive-minimum-changed", "exclusive-minimum-removed",
    "max-length-added", "max-length-changed", "max-length-removed", "min-length-added",
    "min-length-changed", "min-length-removed", "max-items-added", "max-items-changed",
    "max-items-removed", "min-items-added", "min-items-changed", "min-items-removed",
    "unique-items-added", "unique-items-changed", "unique-items-removed",
    "max-properties-added", "max-properties-changed", "max-properties-removed",
    "min-properties-added", "min-properties-changed", "min-properties-removed",
    "multiple-of-added", "multiple-of-changed", "multiple-of-removed",
    "embedded-resource-added", "embedded-resource-changed", "embedded-resource-removed",
    "group-version-kind-added", "group-version-kind-changed",
    "group-version-kind-removed", "int-or-string-added", "int-or-string-changed",
    "int-or-string-removed", "list-map-keys-added", "list-map-keys-changed",
    "list-map-keys-removed", "list-type-added", "list-type-changed",
    "list-type-removed", "map-type-added", "map-type-changed", "map-type-removed",
    "patch-merge-key-added", "patch-merge-key-changed", "patch-merge-key-removed",
    "patch-strategy-added", "patch-strategy-changed", "patch-strategy-removed",
    "preserve-unknown-fields-added", "preserve-unknown-fields-changed",
    "preserve-unknown-fields-removed", "selectable-fields-added",
    "selectable-fields-changed", "selectable-fields-removed", "unions-added",
    "unions-changed", "unions-removed", "scope-added", "scope-changed", "scope-removed",
    "plural-added", "plural-changed", "plural-removed", "short-names-added",
    "short-names-changed", "short-names-removed", "categories-added",
    "categories-changed", "categories-removed", "served-added", "served-changed",
    "served-removed", "storage-added", "storage-changed", "storage-removed",
    "deprecated-added", "deprecated-changed", "deprecated-removed",
    "deprecation-warning-added", "deprecation-warning-changed",
    "deprecation-warning-removed", "printer-columns-added", "printer-columns-changed",
    "printer-columns-removed", "conversion-added", "conversion-changed",
    "conversion-removed", "keyword-added", "keyword-changed", "keyword-removed",
]
# fmt: on

_NAMES: Mapping[str, ChangeName] = {name: name for name in get_args(ChangeName)}


def change_name(subject: Noun | Keyword, presence: Presence) -> ChangeName:
    """The name of the change of a whole schema, or of a keyword in it: ``kind-added``,
    ``max-length-changed``."""
    return _NAMES[f"{subject}-{presence}"]


def camel_case(spelling: str) -> str:
    """The keyword that a name of a change spells: ``maxLength`` for ``max-length``."""
    return re.sub("-([a-z])", lambda match: match[1].upper(), spelling)


#: How names of changes spell the keywords of schemas.
KEYWORD_SPELLINGS: Mapping[str, Keyword] = {
    "$ref": "reference",
    "additionalProperties": "values",
    "properties": "properties",
    "x-nullable": "nullable",
    **{camel_case(keyword): keyword for keyword in get_args(StandardKeyword)},
    **{f"x-kubernetes-{keyword}": keyword for keyword in get_args(Extension)},
}
