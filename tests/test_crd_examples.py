"""Examples of custom resources satisfy what their schemas state."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given

from kubestencil.schema import Definition, Release
from kubestencil.schema.custom_resources.crd import custom_resource
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.documents.inline import name_inline_objects
from kubestencil.schema.kinds import kind_definitions
from kubestencil.schema.well_known import LIST_META, OBJECT_META
from kubestencil.targets.examples.trees import ExampleTrees
from tests.cluster import load_crds, stored_crds
from tests.conftest import make_release
from tests.crd_validation import errors, schema_of
from tests.strategies import STRUCTURAL_SCHEMAS
from tests.test_crd import WIDGET

SHAPES = ("required", "all_fields")


def widget(spec: dict[str, Any]) -> dict[str, Any]:
    """A CustomResourceDefinition whose spec has a schema."""
    crd = copy.deepcopy(WIDGET)
    crd["spec"]["versions"] = crd["spec"]["versions"][:1]
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"] = {"spec": spec}
    return crd


def small_release(crd: dict[str, Any]) -> Release:
    """The release of a CustomResourceDefinition, with small metadata."""
    standard = StandardFields.of({})
    definitions = custom_resource(crd, "crd.json", standard, unserved=False).definitions
    meta = {"type": "object", "properties": {"name": {"type": "string"}}}
    named = name_inline_objects({**definitions, OBJECT_META: meta, LIST_META: meta})
    return make_release(dict(named.definitions))


def example(trees: ExampleTrees, shape: str, definition: Definition) -> Any:
    """The JSON value of an example, None where there is none."""
    build = trees.required if shape == "required" else trees.all_fields
    return build(definition)


def spec_of(schema: dict[str, Any], shape: str = "required") -> Any:
    """The spec of an example, checked; None where the kind has no examples."""
    crd = widget(schema)
    release = small_release(crd)
    definition = release.definitions["com.example.v1.Widget"]
    value = example(ExampleTrees(release), shape, definition)
    if value is None:
        return None
    assert errors(schema_of(crd, "v1"), value) == []
    return value["spec"]


@pytest.mark.nightly
@given(STRUCTURAL_SCHEMAS)
def test_every_example_is_valid(schema: dict[str, Any]) -> None:
    for shape in SHAPES:
        spec_of(schema, shape)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "enum": ["A", "B"], "default": "B"}, "B"),
        ({"type": "string", "enum": ["", "A"]}, "A"),
        ({"type": "string", "maxLength": 3}, "aaa"),
        ({"type": "string", "minLength": 8}, "stringst"),
        ({"type": "string", "pattern": "^(http|https)://.+$"}, "https://example.com"),
        ({"type": "string", "pattern": "^([0-9]+h)?([0-9]+s)?$"}, "10s"),
        ({"type": "string", "pattern": "^[A-F]{4}$"}, "AAAA"),
        ({"type": "string", "pattern": "^(?i)(abort|warn)$"}, "warn"),
        ({"type": "string", "format": "ipv6"}, "2001:db8::1"),
        ({"type": "string", "anyOf": [{"format": "ipv4"}]}, "192.0.2.1"),
        ({"type": "string", "not": {"enum": ["string"]}}, "string2"),
        ({"type": "integer", "minimum": 100, "multipleOf": 8}, 104),
        ({"type": "integer", "maximum": 0, "exclusiveMaximum": True}, -1),
        ({"type": "number", "minimum": 2.1, "maximum": 2.3}, 2.1),
        ({"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%$"}, "80%"),
        ({"x-kubernetes-int-or-string": True, "minimum": 90}, 90),
        ({"x-kubernetes-int-or-string": True, "default": "5%"}, "5%"),
    ],
)
def test_a_scalar_satisfies_its_limits(schema: dict[str, Any], value: Any) -> None:
    spec = {"type": "object", "required": ["a"], "properties": {"a": schema}}
    assert spec_of(spec) == {"a": value}


TEXT = {"type": "string"}
ITEM = {"type": "object", "required": ["a"], "properties": {"a": TEXT, "b": TEXT}}


@pytest.mark.parametrize(
    ("schema", "required", "all_fields"),
    [
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, ["a"], ["a", "c"]),
        ({"anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, ["b"], ["a", "b", "c"]),
        ({"not": {"required": ["a", "b"]}, "required": ["c"]}, ["c"], ["a", "c"]),
        ({"minProperties": 2}, ["a", "b"], ["a", "b", "c"]),
        ({"maxProperties": 2, "required": ["c"]}, ["c"], ["a", "c"]),
        (
            {
                "allOf": [
                    {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
                    {"oneOf": [{"required": ["a"]}, {"required": ["c"]}]},
                ]
            },
            ["a"],
            ["a"],
        ),
        # Of one or none, the example with all fields has one.
        (
            {
                "required": ["c"],
                "oneOf": [
                    {"not": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}},
                    {"required": ["a"]},
                    {"required": ["b"]},
                ],
            },
            ["c"],
            ["a", "c"],
        ),
    ],
)
def test_an_object_has_the_fields_that_its_conditions_allow(
    schema: dict[str, Any], required: list[str], all_fields: list[str]
) -> None:
    properties = {"a": TEXT, "b": TEXT, "c": TEXT}
    schema = {"type": "object", "properties": properties, **schema}
    assert list(spec_of(schema)) == required
    assert list(spec_of(schema, "all_fields")) == all_fields


def test_a_default_counts_as_a_field() -> None:
    """The API server adds defaults before it validates."""
    schema = {
        "type": "object",
        "required": ["c"],
        "properties": {"a": {**TEXT, "default": "x"}, "b": TEXT, "c": TEXT},
        "not": {"required": ["a", "b"]},
    }
    assert list(spec_of(schema, "all_fields")) == ["a", "c"]


def test_conditions_of_field_values_hold() -> None:
    address = {
        "type": "object",
        "required": ["value"],
        "properties": {"type": {**TEXT, "default": "IP"}, "value": TEXT},
        "oneOf": [
            {"properties": {"type": {"enum": ["IP"]}, "value": {"format": "ipv4"}}},
            {"properties": {"type": {"not": {"enum": ["IP"]}}}},
        ],
    }
    assert spec_of(address, "all_fields") == {"type": "IP", "value": "192.0.2.1"}


def test_lists_and_maps_have_as_many_items_as_they_must() -> None:
    spec = {
        "type": "object",
        "required": ["set", "map", "list", "keys", "none"],
        "properties": {
            "set": {
                "type": "array",
                "items": {"type": "string", "enum": ["A", "B", "C"]},
                "minItems": 2,
                "x-kubernetes-list-type": "set",
            },
            "map": {
                "type": "array",
                "items": ITEM,
                "minItems": 2,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
            },
            "list": {"type": "array", "items": {"type": "boolean"}, "minItems": 3},
            "keys": {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "minProperties": 2,
            },
            "none": {"type": "array", "items": TEXT, "maxItems": 0},
        },
    }
    assert spec_of(spec) == {
        "set": ["A", "B"],
        "map": [{"a": "string"}, {"a": "string2"}],
        "list": [True, True, True],
        "keys": {"key": 1, "key2": 1},
        "none": [],
    }
    assert spec_of(spec, "all_fields")["map"] == [
        {"a": "string", "b": "string"},
        {"a": "string2", "b": "string"},
    ]


def test_an_embedded_object_has_a_kind() -> None:
    embedded = {"type": "object", "x-kubernetes-embedded-resource": True}
    embedded["x-kubernetes-preserve-unknown-fields"] = True
    assert spec_of(embedded) == {"apiVersion": "v1", "kind": "ConfigMap"}


def test_what_no_value_satisfies_is_left_out() -> None:
    never = {"type": "string", "pattern": "a^b"}
    spec = {"type": "object", "required": ["b"], "properties": {"a": never, "b": TEXT}}
    assert spec_of(spec, "all_fields") == {"b": "string"}
    # A kind that requires it has no examples.
    assert spec_of({**spec, "required": ["a"]}) is None


@pytest.mark.nightly
def test_the_examples_of_real_crds_are_valid() -> None:
    crds = stored_crds()
    release = load_crds(*crds)
    by_kind = {
        (crd["spec"]["group"], crd["spec"]["names"]["kind"]): crd for crd in crds
    }
    trees = ExampleTrees(release)
    count = 0
    for name, kind in kind_definitions(release).items():
        crd = by_kind.get((kind.group, kind.kind))
        for shape in SHAPES if crd else ():
            assert crd is not None
            value = example(trees, shape, release.definitions[name])
            assert errors(schema_of(crd, kind.version), value) == [], (name, shape)
            count += 1
    assert count == 356
