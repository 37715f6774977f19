"""Parts of schemas that are odd: legal or not, they must not break anything."""

from __future__ import annotations

import random
from typing import Any

from tests.hostile.texts import Texts

_BIG = 10**30
#: Keywords with values that nobody expects.
KEYWORDS: tuple[tuple[str, Any], ...] = (
    ("type", "array"), ("type", ["string", "null"]), ("type", "null"), ("type", "x"),
    ("type", 1), ("type", None), ("type", "object"), ("type", "file"), ("items", {}),
    ("items", [{}, {}]), ("items", None), ("items", True), ("properties", {}),
    ("properties", []), ("properties", {"": {}}), ("properties", {"a": None}),
    ("additionalProperties", True), ("additionalProperties", False),
    ("additionalProperties", {}), ("additionalProperties", {"type": "array"}),
    ("required", ["x"]), ("required", "x"), ("required", []), ("required", [1]),
    ("required", ["a", "a"]), ("enum", []), ("enum", [None]), ("enum", [1, "1", 1.0, True]),
    ("enum", [{}]), ("enum", "x"), ("enum", ["x"] * 500), ("default", {}), ("default", None),
    ("default", [[]]), ("default", {"a": {"b": [None]}}), ("default", 1e308), ("default", -0.0),
    ("format", "int-or-string"), ("format", "byte"), ("format", "date-time"), ("format", 1),
    ("format", "int32"), ("pattern", "("), ("pattern", "(a+)+$"), ("pattern", "a{1000}{1000}"),
    ("pattern", "[^\\x00-\\x{10FFFF}]"), ("pattern", "(?!x)"), ("pattern", "\\pN{999999}"),
    ("pattern", "((((((((((a*)*)*)*)*)*)*)*)*)*"), ("pattern", None), ("pattern", "^$a"),
    ("pattern", "(" * 200 + ")" * 200), ("pattern", "|" * 3000), ("pattern", "\\Qx"),
    ("minLength", 10**9), ("minLength", -1), ("minLength", _BIG), ("maxLength", 0),
    ("maxLength", 0.5), ("minItems", 10**9), ("maxItems", -1), ("minProperties", 10**9),
    ("minProperties", 40), ("minItems", 40), ("maxProperties", 0), ("uniqueItems", True),
    ("minimum", 5), ("maximum", 3), ("minimum", 1e308), ("maximum", -1e308), ("minimum", _BIG),
    ("exclusiveMinimum", True), ("exclusiveMaximum", 3), ("multipleOf", 0), ("multipleOf", -1),
    ("multipleOf", 1e-300), ("multipleOf", _BIG), ("multipleOf", 0.1), ("minimum", "x"),
    ("oneOf", [{}] * 50), ("anyOf", [{"required": ["a"]}, {"required": ["b"]}]),
    ("allOf", [{"$ref": "#/definitions/x"}]), ("allOf", []), ("not", {}), ("not", {"not": {}}),
    ("oneOf", "x"), ("nullable", True), ("nullable", "x"), ("$ref", "x"), ("$ref", 1),
    ("$ref", "#/definitions/"), ("$ref", "../x"), ("$ref", "http://x"), ("title", 1),
    ("description", 1), ("description", None), ("description", ["x"]), ("readOnly", True),
    ("x-kubernetes-int-or-string", True), ("x-kubernetes-preserve-unknown-fields", True),
    ("x-kubernetes-embedded-resource", True), ("x-kubernetes-list-type", "map"),
    ("x-kubernetes-list-type", "set"), ("x-kubernetes-list-type", 1),
    ("x-kubernetes-list-map-keys", ["x"]), ("x-kubernetes-list-map-keys", 1),
    ("x-kubernetes-patch-merge-key", "x"), ("x-kubernetes-patch-strategy", "merge,retainKeys"),
    ("x-kubernetes-patch-strategy", 1), ("x-kubernetes-map-type", "atomic"),
    ("x-kubernetes-unions", [{"discriminator": "x", "fields-to-discriminateBy": {"a": "b"}}]),
    ("x-kubernetes-validations", [{"rule": "self ==", "message": "x"}]),
    ("x-kubernetes-validations", [1]), ("x-kubernetes-validations", {}),
    ("x-kubernetes-group-version-kind", []), ("x-kubernetes-group-version-kind", {}),
    ("x-kubernetes-group-version-kind", [{}]), ("x-kubernetes-group-version-kind", [1]),
    ("x-kubernetes-group-version-kind", [{"group": "", "version": "v1", "kind": "Pod"}]),
    ("x-kubernetes-group-version-kind", [{"group": 1, "version": None, "kind": []}]),
    ("x-kubernetes-group-version-kind", [{"group": "../x", "version": "v1", "kind": "A"}] * 2),
)  # fmt: skip
#: Keywords whose values are texts that people read or programs compare.
TEXT_KEYWORDS = (
    "description", "description", "description", "title", "default", "format", "pattern",
    "example", "x-kubernetes-patch-merge-key", "x-unknown",
)  # fmt: skip


def text_keyword(texts: Texts, *, readable: bool) -> tuple[str, Any]:
    """A keyword with a hostile value; with ``readable``, one that is shown as it is."""
    choice = texts.source.choice
    keyword = choice(TEXT_KEYWORDS)
    if readable and keyword in ("format", "pattern"):
        keyword = "description"
    if choice((True, False, False, False)):
        return choice(
            (
                ("enum", [texts.name(), texts.name()]),
                ("x-kubernetes-list-map-keys", [texts.text()]),
                ("default", {texts.name(): [texts.text()]}),
                (
                    "x-kubernetes-validations",
                    [{"rule": texts.text(), "message": texts.text()}],
                ),
            )
        )
    return keyword, texts.text()


def nested(source: random.Random, schema: Any, depth: int) -> Any:
    """A schema within ``depth`` others."""
    for _ in range(depth):
        schema = source.choice(
            (
                {"type": "array", "items": schema},
                {"type": "object", "additionalProperties": schema},
                {"type": "object", "properties": {"a": schema}},
                {"allOf": [schema]},
            )
        )
    return schema
