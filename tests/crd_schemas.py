"""CustomResourceDefinitions for tests with a real API server: one written by hand that
has every keyword, and random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_TEXTS = (
    "", "Plain.", "Two\nlines", "ends with a backslash \\", '"quoted" and `code`',
    "# heading", "*/ // {{ x }}", "é \u2028 \U0001f600", "<b>|</b>", "tab\there",
)  # fmt: skip
_NAMES = (
    "a", "b", "name", "port", "spec", "type", "class", "items", "$ref", "x-y", "a.b",
    "with space", "ünï", "apiVersion", "default", "self", "None", "oneOf", "0",
)  # fmt: skip

#: Keywords with values that mean the same as none.
_EMPTY: dict[str, Any] = {
    "description": "", "nullable": False, "pattern": "", "required": [], "anyOf": [],
    "properties": {}, "uniqueItems": False, "x-kubernetes-validations": [], "not": None,
    "default": None, "format": "", "x-kubernetes-embedded-resource": False,
}  # fmt: skip


def definition(
    kind: str,
    *versions: dict[str, Any],
    group: str = "example.com",
    scope: str = "Namespaced",
    **names: Any,
) -> dict[str, Any]:
    """A CustomResourceDefinition; ``names`` are those beside the kind and the plural."""
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"kind": kind, "plural": plural, **names},
            "versions": list(versions),
        },
    }


def version(name: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A served version of a CustomResourceDefinition."""
    return {
        "name": name,
        "served": True,
        "storage": False,
        "schema": {"openAPIV3Schema": schema},
        **more,
    }


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


_INT_OR_STRING = {"x-kubernetes-int-or-string": True}
_TEXT = {"type": "string"}

#: Every keyword of a structural schema, on a value where the API server allows it.
_SPEC = _object(
    text={"type": "string", "minLength": 1, "maxLength": 9, "pattern": "(?i)^[a-z]+$"},
    when={"type": "string", "format": "date-time", "nullable": True},
    mode={"type": "string", "enum": ["A", "", "b c"], "default": "A", "title": "Mode"},
    number={"type": "number", "multipleOf": 2, "maximum": 2.5, "default": 2},
    size={"type": "integer", "format": "int32", "minimum": 0, "exclusiveMinimum": True},
    long={"type": "integer", "format": "int64", "example": 3},
    port=_INT_OR_STRING,
    percent={
        **_INT_OR_STRING,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[0-9]+%?$",
    },
    limit={**_INT_OR_STRING, "anyOf": [{"minimum": 1}, {"pattern": "^x"}]},
    bound={**_INT_OR_STRING, "allOf": [{"maximum": 5}]},
    either={
        "type": "object",
        "properties": {"a": _TEXT, "b": {"type": "string", "default": "x"}},
        "oneOf": [
            {"required": ["a"]},
            {"required": ["b"], "properties": {"b": {"enum": ["x", "y"]}}},
        ],
        "not": {"required": ["a", "b"]},
    },
    labels={"type": "object", "additionalProperties": _TEXT, "maxProperties": 3},
    anything={"type": "object", "additionalProperties": True},
    free={"x-kubernetes-preserve-unknown-fields": True},
    freeObject={
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"a": _TEXT},
    },
    openObject={**_object(a=_TEXT), "additionalProperties": True},
    freeList={
        "type": "array",
        "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
    template={
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "required": ["kind"],
        "properties": {"spec": _object(a=_TEXT)},
    },
    anyObject={
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    nullables={
        "type": "object",
        "nullable": True,
        "properties": {"a": {"type": "string", "nullable": True}},
        "required": ["a"],
    },
    required={
        "type": "object",
        "required": ["a", "b"],
        "properties": {"a": {"type": "string", "nullable": True}, "b": _TEXT},
    },
    set={"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
    map={
        "type": "array",
        "maxItems": 4,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name", "protocol"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": _TEXT,
                "protocol": {"type": "string", "default": "TCP"},
            },
        },
    },
    atomic={"type": "array", "items": _object(a=_TEXT), "minItems": 1}
    | {"x-kubernetes-list-type": "atomic"},
    nested={"type": "array", "items": {"type": "array", "items": _object(a=_TEXT)}},
    whole={**_object(a=_TEXT), "x-kubernetes-map-type": "atomic"},
    hostAliases=_object(a=_TEXT),
    host_aliases=_object(b=_TEXT),
    replicas={"type": "integer"},
    defaults={**_object(a={"type": "string", "default": "x"}), "default": {}},
)

EVERY_KEYWORD = definition(
    "Widget",
    version(
        "v1",
        {
            "type": "object",
            "description": "A widget.\n\n*/ it has `everything`",
            "required": ["spec"],
            "properties": {
                "spec": {
                    **_SPEC,
                    "x-kubernetes-validations": [
                        {
                            "rule": "!has(self.text) || self.text != 'no'",
                            "message": "text is no",
                            "reason": "FieldValueForbidden",
                            "fieldPath": ".text",
                        },
                        {
                            "rule": "!oldSelf.hasValue() || has(self.port)",
                            "optionalOldSelf": True,
                        },
                        {"rule": "true", "messageExpression": "'a' + 'b'"},
                    ],
                },
                "status": _object(replicas={"type": "integer"}, selector=_TEXT),
                "metadata": {
                    "type": "object",
                    "properties": {"name": {"type": "string", "maxLength": 20}},
                },
            },
        },
        storage=True,
        subresources={
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        selectableFields=[{"jsonPath": ".spec.mode"}, {"jsonPath": ".spec.size"}],
        additionalPrinterColumns=[
            {"name": "Mode", "type": "string", "jsonPath": ".spec.mode", "priority": 1}
        ],
    ),
    version(
        "v1beta1",
        {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        deprecated=True,
        deprecationWarning="use v1",
    ),
    version("v1alpha1", {"type": "object"}, served=False),
    shortNames=["wd"],
    categories=["all"],
    singular="widgetling",
    listKind="WidgetCollection",
)
CLUSTER_SCOPED = definition(
    "Gadget",
    version("v2alpha1", {"type": "object"}, storage=True, deprecated=True),
    scope="Cluster",
)


def random_definitions(seed: int, count: int) -> Iterator[dict[str, Any]]:
    """``count`` CustomResourceDefinitions with random schemas, which are structural."""
    maker = _SchemaMaker(random.Random(seed))
    for index in range(count):
        properties = {"spec": maker.object(5), "status": maker.schema(3)}
        yield definition(
            f"Random{index}",
            version("v1", {"type": "object", "properties": properties}, storage=True),
        )


class _SchemaMaker:
    """Makes random structural schemas."""

    def __init__(self, source: random.Random) -> None:
        self._random = source

    def schema(self, depth: int) -> dict[str, Any]:
        """A schema of at most ``depth`` levels."""
        makers = [
            self.string,
            self.number,
            self.boolean,
            self.int_or_string,
            self.untyped,
        ]
        if depth > 0:
            makers += [
                lambda: self.object(depth),
                lambda: self.mapping(depth),
                lambda: self.array(depth),
                lambda: self.list_map(depth),
            ] * 2
        schema = self._random.choice(makers)()
        if self.chance(0.3):
            schema["description"] = self._random.choice(_TEXTS)
        if self.chance(0.1):
            schema["title"] = self._random.choice(_TEXTS)
        if self.chance(0.2):
            schema["nullable"] = True
        if self.chance(0.1):
            schema = {**_EMPTY, **schema}
        return schema

    def string(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string"}
        choice = self._random.randrange(5)
        if choice == 0:
            values = self._random.sample(_TEXTS, 3)
            schema |= {"enum": values}
            if self.chance(0.5):
                schema["default"] = values[0]
        elif choice == 1:
            schema |= {"minLength": 1, "maxLength": 20, "pattern": "(?i)[a-z]"}
        elif choice == 2:
            schema["format"] = self._random.choice(
                ["date-time", "byte", "uri", "uuid", "made-up", "ipv4"]
            )
        elif choice == 3:
            schema["default"] = self._random.choice(_TEXTS)
        return schema

    def number(self) -> dict[str, Any]:
        kind = self._random.choice(["integer", "number"])
        schema: dict[str, Any] = {"type": kind}
        if kind == "integer" and self.chance(0.5):
            schema["format"] = self._random.choice(["int32", "int64"])
        if self.chance(0.3):
            schema |= {"minimum": -3, "maximum": 7, "default": 2}
        if self.chance(0.2):
            schema |= {"exclusiveMaximum": True, "maximum": 9, "multipleOf": 2}
        if self.chance(0.1):
            schema["enum"] = [2, 4, 6]
        return schema

    def boolean(self) -> dict[str, Any]:
        return {"type": "boolean", **({"default": False} if self.chance(0.3) else {})}

    def int_or_string(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"x-kubernetes-int-or-string": True}
        choice = self._random.randrange(5)
        if choice == 0:
            schema["anyOf"] = [{"type": "integer"}, {"type": "string"}]
        elif choice == 1:
            schema["allOf"] = [
                {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                {"maximum": 9},
            ]
        elif choice == 2:
            schema["anyOf"] = [{"minimum": 1}, {"pattern": "x"}]
        elif choice == 3:
            schema |= {"pattern": "^[0-9]+%?$", "default": "3%"}
        return schema

    def untyped(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"x-kubernetes-preserve-unknown-fields": True}
        if self.chance(0.5):
            schema["type"] = "object"
            if self.chance(0.5):
                schema["x-kubernetes-embedded-resource"] = True
        return schema

    def object(self, depth: int) -> dict[str, Any]:
        names = self._random.sample(_NAMES, self._random.randrange(5))
        properties = {name: self.schema(depth - 1) for name in names}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if names and self.chance(0.4):
            schema["required"] = self._random.sample(names, (len(names) + 1) // 2)
        if len(names) > 1 and self.chance(0.3):
            logic = self._random.choice(["oneOf", "anyOf"])
            schema[logic] = [{"required": [names[0]]}, {"required": [names[1]]}]
        if names and self.chance(0.1):
            schema["not"] = {"required": [names[0]]}
        if names and self.chance(0.1):
            schema["allOf"] = [{"required": [names[0]]}]
        if self.chance(0.2):
            schema["x-kubernetes-map-type"] = self._random.choice(
                ["atomic", "granular"]
            )
        if self.chance(0.1):
            schema["x-kubernetes-preserve-unknown-fields"] = True
        if self.chance(0.1):
            schema["x-kubernetes-validations"] = [{"rule": "true", "message": "never"}]
        return schema

    def mapping(self, depth: int) -> dict[str, Any]:
        values = True if self.chance(0.1) else self.schema(depth - 1)
        return {"type": "object", "additionalProperties": values}

    def array(self, depth: int) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "array", "items": self.schema(depth - 1)}
        if self.chance(0.3):
            schema |= {"x-kubernetes-list-type": "atomic", "maxItems": 9}
        if self.chance(0.1):
            schema |= {
                "items": {"type": "string"},
                "x-kubernetes-list-type": "set",
                "default": ["a"],
            }
        return schema

    def list_map(self, depth: int) -> dict[str, Any]:
        items = self.object(depth - 1)
        items["properties"]["name"] = {"type": "string"}
        items["required"] = sorted({*items.get("required", ()), "name"})
        return {
            "type": "array",
            "items": items,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        }

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability
