"""The names of changes: what differs, and whether it was added, changed or removed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product
from typing import Literal, get_args

# fmt: off
# Keywords of JSON Schema as names of changes spell them: ``maxLength`` is ``max-length``.
_STANDARD_KEYWORDS = (
    "type", "format", "items", "all-of", "any-of", "one-of", "not", "default", "enum",
    "description", "title", "example", "external-docs", "nullable", "read-only",
    "pattern", "maximum", "minimum", "exclusive-maximum", "exclusive-minimum",
    "max-length", "min-length", "max-items", "min-items", "unique-items",
    "max-properties", "min-properties", "multiple-of",
)
# Keywords that begin with ``x-kubernetes-``.
_EXTENSIONS = (
    "embedded-resource", "group-version-kind", "int-or-string", "list-map-keys",
    "list-type", "map-type", "patch-merge-key", "patch-strategy",
    "preserve-unknown-fields", "selectable-fields", "unions",
)
#: The parts of a CustomResourceDefinition beside its schemas.
RESOURCE_PARTS = (
    "scope", "plural", "short-names", "categories", "served", "storage", "deprecated",
    "deprecation-warning", "printer-columns", "conversion",
)
# The changes of whole kinds, types and fields, of requests, stages and CEL rules, and of
# the texts that the API server accepts.
_OTHERS = (
    "kind-added", "kind-removed", "kind-deprecated", "definition-added",
    "definition-removed", "field-added", "field-removed", "field-required",
    "field-optional", "required-order-changed", "subresource-added",
    "subresource-removed", "stage-changed", "stage-lowered", "field-deprecated",
    "field-migrated", "field-ended", "field-mutable", "operation-added",
    "operation-removed", "parameter-added", "parameter-removed", "validation-added",
    "validation-changed", "validation-removed", "validation-message-changed",
    "validations-order-changed", "text-format-changed", "combination-added",
)
# fmt: on
#: What happened to a keyword: the end of the name of its change.
Presence = Literal["added", "changed", "removed"]

#: The name of a change: one of ``CHANGE_NAMES``, ``max-length-changed``.
ChangeName = str


def camel_case(spelling: str) -> str:
    """The keyword that a name of a change spells: ``maxLength`` for ``max-length``."""
    return re.sub("-([a-z])", lambda match: match[1].upper(), spelling)


#: How names of changes spell the keywords of schemas.
KEYWORD_SPELLINGS: Mapping[str, str] = {
    "$ref": "reference",
    "additionalProperties": "values",
    "properties": "properties",
    "x-nullable": "nullable",
    **{camel_case(keyword): keyword for keyword in _STANDARD_KEYWORDS},
    **{f"x-kubernetes-{keyword}": keyword for keyword in _EXTENSIONS},
}

#: The names of all changes; a ``keyword`` is one that is unknown.
CHANGE_NAMES = frozenset(_OTHERS).union(
    f"{keyword}-{presence}"
    for keyword, presence in product(
        (*KEYWORD_SPELLINGS.values(), *RESOURCE_PARTS, "keyword"), get_args(Presence)
    )
)
