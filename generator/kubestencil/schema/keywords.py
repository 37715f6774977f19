"""The schema keywords that kubestencil supports, and the check of each one's value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

#: The keyword with the groups, versions and kinds that a definition is served as.
KINDS_KEYWORD = "x-kubernetes-group-version-kind"
#: The keyword of objects whose unknown fields the API server keeps.
PRESERVE = "x-kubernetes-preserve-unknown-fields"
#: The keyword of objects that are Kubernetes objects themselves.
EMBEDDED = "x-kubernetes-embedded-resource"
#: The keyword of values that are an integer or a string.
INT_OR_STRING = "x-kubernetes-int-or-string"
#: The keyword with the CEL rules of a value.
VALIDATIONS = "x-kubernetes-validations"
#: The keywords that combine schemas.
LOGIC = ("allOf", "anyOf", "oneOf", "not")
#: The keywords with the schema of what a list or a map contains.
CONTENT = ("items", "additionalProperties")
#: The beginning of a ``$ref``, before the name of a definition.
REFERENCE_PREFIX = "#/definitions/"

_TYPES = frozenset({"array", "boolean", "integer", "number", "object", "string"})


def _instance_of(*types: type) -> Check:
    """A check for values of ``types``; a boolean is not an integer."""

    def check(value: Any) -> bool:
        if isinstance(value, bool) and bool not in types:
            return False
        return isinstance(value, types)

    return check


def _list_of(item_type: type) -> Check:
    return lambda value: (
        isinstance(value, list) and all(isinstance(item, item_type) for item in value)
    )


def _is_type(value: Any) -> bool:
    return isinstance(value, str) and value in _TYPES


def _anything(_: Any) -> bool:
    return True


_STRING, _NUMBER, _INTEGER = (
    _instance_of(str),
    _instance_of(int, float),
    _instance_of(int),
)
_BOOLEAN, _LIST, _OBJECT = _instance_of(bool), _instance_of(list), _instance_of(dict)
_STRINGS, _OBJECTS = _list_of(str), _list_of(dict)

#: Every known keyword with the check of its value: the schema object of OpenAPI 2.0
#: (https://spec.openapis.org/oas/v2.0#schema-object), and what Kubernetes adds to it
#: (kube-openapi and apiextensions-apiserver).
KEYWORDS: Mapping[str, Check] = {
    keyword: check
    for check, keywords in (
        (
            _STRING,
            (
                "$ref", "format", "title", "description", "pattern",
                "x-kubernetes-list-type", "x-kubernetes-map-type",
                "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
            ),
        ),
        (_is_type, ("type",)),
        (_anything, ("default", "example")),
        (_LIST, ("enum",)),
        (_STRINGS, ("required", "x-kubernetes-list-map-keys")),
        (_OBJECT, ("properties", "items", "not", "externalDocs")),
        (_instance_of(dict, bool), ("additionalProperties",)),
        (
            _OBJECTS,
            (
                "allOf", "anyOf", "oneOf", KINDS_KEYWORD,
                "x-kubernetes-selectable-fields", "x-kubernetes-unions",
                VALIDATIONS,
            ),
        ),
        (_NUMBER, ("multipleOf", "maximum", "minimum")),
        (
            _INTEGER,
            (
                "maxLength", "minLength", "maxItems", "minItems", "maxProperties",
                "minProperties",
            ),
        ),
        (
            _BOOLEAN,
            (
                "exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "readOnly",
                "nullable", "x-nullable", EMBEDDED, INT_OR_STRING, PRESERVE,
            ),
        ),
    )
    for keyword in keywords
}  # fmt: skip
