"""Changes of what values are valid: those that reject a value are breaking.

Of generated schemas, a validator of JSON Schema decides which values both accept.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from kubestencil.diff import Change, compare
from kubestencil.schema import Release
from kubestencil.schema.acceptance import is_looser
from tests.cluster import load_crds
from tests.conftest import make_release
from tests.crd_validation import errors
from tests.test_crd import SCHEMA, WIDGET, change

# What the schemas of custom resources say of the values of a type.
_CONSTRAINTS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "string": {
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "(?i)^x"]),
        "enum": st.lists(st.sampled_from(["a", "b", ""]), min_size=1, unique=True),
        "default": st.sampled_from(["a", "b"]),
        "format": st.sampled_from(["date-time", "uuid"]),
    },
    "integer": {
        "minimum": st.integers(-2, 2),
        "maximum": st.integers(-2, 2),
        "exclusiveMinimum": st.booleans(),
        "exclusiveMaximum": st.booleans(),
        "multipleOf": st.integers(1, 4),
        "enum": st.lists(st.integers(0, 2), min_size=1, unique=True),
        "default": st.integers(0, 2),
    },
    "array": {
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "x-kubernetes-list-type": st.sampled_from(["atomic", "set"]),
    },
    "object": {
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "x-kubernetes-preserve-unknown-fields": st.just(True),
        "x-kubernetes-map-type": st.sampled_from(["atomic", "granular"]),
    },
}
_BRANCHES = st.lists(
    st.one_of(
        st.fixed_dictionaries({"minimum": st.integers(-1, 2)}),
        st.fixed_dictionaries({"maxLength": st.integers(0, 2)}),
        st.fixed_dictionaries(
            {"required": st.lists(st.sampled_from("ab"), unique=True)}
        ),
    ),
    min_size=1,
    max_size=3,
)
_ANY_TYPE: dict[str, st.SearchStrategy[Any]] = {
    "description": st.sampled_from(["One.", "Two."]),
    "nullable": st.booleans(),
    "allOf": _BRANCHES,
    "anyOf": _BRANCHES,
    "oneOf": _BRANCHES,
    "not": _BRANCHES.map(lambda branches: branches[0]),
    "x-kubernetes-validations": st.lists(
        st.fixed_dictionaries(
            {"rule": st.sampled_from(["self == self", "true"])},
            optional={"message": st.sampled_from(["One.", "Two."])},
        ),
        max_size=2,
    ),
}


def constrained(kind: str, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Structural schemas of a type with constraints, and required keywords besides.

    A default that breaks the constraints is left out, as the API server demands.
    """
    return st.fixed_dictionaries(
        {"type": st.just(kind), **more}, optional={**_ANY_TYPE, **_CONSTRAINTS[kind]}
    ).map(_without_wrong_default)


def _without_wrong_default(schema: dict[str, Any]) -> dict[str, Any]:
    if "default" not in schema or not errors(schema, schema["default"]):
        return schema
    return {key: value for key, value in schema.items() if key != "default"}


# Values at which the constraints of generated schemas change their minds.
_VALUES: dict[str, list[Any]] = {
    "string": ["", "a", "b", "ab", "aab", "aaab", "x", "X", None],
    "integer": [*range(-3, 7), 8, 12, None],
    "array": [
        list(items) for count in range(4) for items in product("ab", repeat=count)
    ]
    + [None],
    "object": [
        {},
        {"a": 1},
        {"b": 1},
        {"a": 1, "b": 1},
        {"a": 1, "b": 1, "c": 1},
        None,
    ],
}


def field_release(schema: dict[str, Any]) -> Release:
    """A custom kind with one field."""
    kinds = [{"group": "example.com", "version": "v1", "kind": "A"}]
    definition = {
        "type": "object",
        "properties": {"field": schema},
        "x-kubernetes-group-version-kind": kinds,
    }
    return make_release({"com.example.v1.A": definition})


def field_changes(before: dict[str, Any], after: dict[str, Any]) -> tuple[Change, ...]:
    return compare(field_release(before), field_release(after)).changes


def accepts(schema: dict[str, Any], value: Any) -> bool:
    if value is None:
        return bool(schema.get("nullable"))
    return bool(Draft4Validator(schema).is_valid(value))


def schema_pairs(kind: str) -> st.SearchStrategy[tuple[str, Any, Any]]:
    # What no validator of JSON Schema checks is left out.
    ignored = ("x-kubernetes-validations", "x-kubernetes-list-type", "format")
    schemas = constrained(
        kind, **({"items": st.just({})} if kind == "array" else {})
    ).map(lambda schema: {key: schema[key] for key in schema if key not in ignored})
    # One keyword differs, so that no other one explains a severity.
    return st.tuples(schemas, schemas).flatmap(
        lambda pair: st.sampled_from(sorted(pair[0].keys() | pair[1].keys())).map(
            lambda keyword: (kind, pair[0], _with_keyword(pair[0], pair[1], keyword))
        )
    )


def _with_keyword(schema: Any, other: Any, keyword: str) -> Any:
    """``schema`` with a keyword as ``other`` has it."""
    rest = {key: value for key, value in schema.items() if key != keyword}
    return {**rest, keyword: other[keyword]} if keyword in other else rest


@pytest.mark.nightly
@settings(max_examples=100)
@given(st.sampled_from(list(_VALUES)).flatmap(schema_pairs))
def test_a_change_that_rejects_a_value_is_breaking(pair: tuple[str, Any, Any]) -> None:
    kind, before, after = pair
    rejected = [
        value
        for value in _VALUES[kind]
        if accepts(before, value) and not accepts(after, value)
    ]
    severities = {change.severity for change in field_changes(before, after)}
    assert not rejected or "breaking" in severities, rejected
    assert not rejected or not is_looser(before, after), rejected


TIGHTENED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"pattern": "^a"}),
    ({"pattern": "^a"}, {"pattern": "^ab"}),
    ({}, {"minimum": 0}),
    ({"minimum": 0}, {"minimum": 1}),
    ({"maximum": 2}, {"maximum": 1}),
    ({"maximum": 2}, {"maximum": 2, "exclusiveMaximum": True}),
    ({}, {"maxLength": 3}),
    ({"minLength": 1}, {"minLength": 2}),
    ({"maxItems": 3}, {"maxItems": 2}),
    ({}, {"minItems": 1}),
    ({"maxProperties": 3}, {"maxProperties": 2}),
    ({}, {"minProperties": 1}),
    ({"multipleOf": 2}, {"multipleOf": 4}),
    ({}, {"multipleOf": 2}),
    ({}, {"uniqueItems": True}),
    ({"nullable": True}, {}),
    ({"enum": ["a", "b"]}, {"enum": ["a"]}),
    ({}, {"enum": ["a"]}),
    ({}, {"anyOf": [{"minimum": 0}]}),
    ({"anyOf": [{"minimum": 0}, {"maximum": 9}]}, {"anyOf": [{"minimum": 0}]}),
    ({}, {"oneOf": [{"required": ["a"]}]}),
    ({"oneOf": [{"maximum": 5}]}, {"oneOf": [{"maximum": 5}, {"maximum": 3}]}),
    ({"allOf": [{"minimum": 0}]}, {"allOf": [{"minimum": 0}, {"maximum": 9}]}),
    ({"allOf": [{"minimum": 0}]}, {"allOf": [{"minimum": 1}]}),
    ({}, {"not": {"required": ["a"]}}),
    ({"not": {"minimum": 9}}, {"not": {"minimum": 8}}),
    ({"additionalProperties": {"type": "string"}}, {"properties": {}}),
    ({"properties": {"a": {}}}, {"additionalProperties": {"type": "string"}}),
    ({"x-kubernetes-preserve-unknown-fields": True}, {}),
    ({"items": {"type": "string"}}, {"items": {"type": "string", "maxLength": 3}}),
    ({}, {"x-kubernetes-list-type": "set"}),
    ({}, {"x-kubernetes-validations": [{"rule": "self > 0"}]}),
    (
        {"x-kubernetes-validations": [{"rule": "self > 0", "message": "positive"}]},
        {"x-kubernetes-validations": [{"rule": "self > 1", "message": "positive"}]},
    ),
]
LOOSENED = [
    *(
        (after, before)
        for before, after in TIGHTENED
        if "additionalProperties" not in {*before, *after}
        and not (
            before.get("oneOf")
            or before.get("pattern")
            or "x-kubernetes-validations" in before
        )
    ),
    ({"minLength": 0}, {}),
    ({}, {"minItems": 0}),
    ({"multipleOf": 4}, {"multipleOf": 2}),
    ({"exclusiveMaximum": True}, {"exclusiveMaximum": False}),
    ({"enum": ["a"]}, {"enum": ["b", "a"]}),
    ({"default": 1}, {"default": 2}),
    ({"additionalProperties": {"type": "string"}}, {"additionalProperties": True}),
    (
        {"x-kubernetes-validations": [{"rule": "self > 0"}, {"rule": "self < 9"}]},
        {"x-kubernetes-validations": [{"rule": "self < 9"}]},
    ),
    (
        {"x-kubernetes-validations": [{"rule": "self > 0", "message": "a"}]},
        {"x-kubernetes-validations": [{"rule": "self > 0", "message": "b"}]},
    ),
]


@pytest.mark.parametrize(("before", "after"), TIGHTENED)
def test_tightening_is_breaking(before: Any, after: Any) -> None:
    severities = [change.severity for change in field_changes(before, after)]
    assert "breaking" in severities


@pytest.mark.parametrize(("before", "after"), LOOSENED)
def test_loosening_is_not_breaking(before: Any, after: Any) -> None:
    changes = field_changes(before, after)
    assert changes
    assert "breaking" not in {change.severity for change in changes}


def rules(*changes: tuple[str, str | None]) -> list[dict[str, Any]]:
    return [
        {"rule": rule, "message": message} if message else {"rule": rule}
        for rule, message in changes
    ]


def test_cel_rules_are_compared_one_by_one() -> None:
    key = "x-kubernetes-validations"
    before = rules(("a", "A"), ("b", "B"), ("c", "C"), ("same", None), ("d", None))
    after = rules(("same", None), ("b2", "B"), ("a", "A2"), ("e", "E"))
    found = [
        (change.change, change.severity, change.before, change.after)
        for change in field_changes({key: before}, {key: after})
    ]
    assert found == [
        (
            "validation-message-changed",
            "docs",
            {key: rules(("a", "A"))},
            {key: rules(("a", "A2"))},
        ),
        (
            "validation-changed",
            "breaking",
            {key: rules(("b", "B"))},
            {key: rules(("b2", "B"))},
        ),
        ("validation-removed", "warning", {key: rules(("c", "C"))}, None),
        ("validation-removed", "warning", {key: rules(("d", None))}, None),
        ("validation-added", "breaking", None, {key: rules(("e", "E"))}),
    ]


def test_a_default_makes_a_required_field_no_break() -> None:
    fields = f"{SCHEMA}/properties/spec/properties"
    required = change(f"{SCHEMA}/properties/spec/required", ["size"])
    with_default = change(f"{fields}/size/default", 1)
    both = change(f"{fields}/size/default", 1)
    spec = both["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"][
        "spec"
    ]
    spec["required"] = ["size"]
    for before, after, severity in (
        (WIDGET, required, "breaking"),
        (with_default, both, "warning"),
    ):
        changes = compare(load_crds(before), load_crds(after)).changes
        assert [(change.change, change.severity) for change in changes] == [
            ("field-required", severity)
        ]


def test_a_description_of_an_inline_object_changes_once() -> None:
    path = f"{SCHEMA}/properties/spec/properties/issuerRef/description"
    changed = load_crds(change(path, "Who signs it."))
    [only] = compare(load_crds(WIDGET), changed).changes
    assert (only.change, only.field) == ("description-changed", "issuerRef")


def test_an_object_that_lists_its_fields_now_keeps_its_type() -> None:
    path = f"{SCHEMA}/properties/spec/properties/extra"
    before = load_crds(change(path, {"type": "object"}))
    listed = {"type": "object", "properties": {"a": {"type": "string"}}}
    after = load_crds(change(path, listed))
    added = compare(before, after).changes
    assert {change.severity for change in added} == {"warning", "safe"}
    # The other way round, what the object has is dropped.
    removed = compare(after, before).changes
    assert "breaking" in {change.severity for change in removed}


VERSION = "spec/versions/0"


@pytest.mark.parametrize(
    ("path", "old", "new", "name", "severity"),
    [
        ("storage", True, False, "storage-changed", "warning"),
        ("deprecated", False, True, "deprecated-changed", "warning"),
        ("deprecated", True, False, "deprecated-changed", "safe"),
        ("served", True, False, "served-changed", "breaking"),
        ("served", False, True, "served-changed", "safe"),
        ("deprecationWarning", "a", "b", "deprecation-warning-changed", "docs"),
        ("subresources", {}, {"status": {}}, "subresource-added", "warning"),
        ("subresources", {}, {"scale": {}}, "subresource-added", "safe"),
        ("subresources", {"scale": {}}, {}, "subresource-removed", "breaking"),
        (
            "additionalPrinterColumns",
            [],
            [{"name": "Age", "type": "date", "jsonPath": ".x"}],
            "printer-columns-added",
            "safe",
        ),
        (
            "additionalPrinterColumns",
            [{"name": "Age", "type": "date", "jsonPath": ".x"}],
            [{"name": "Age", "type": "date", "jsonPath": ".y"}],
            "printer-columns-changed",
            "safe",
        ),
        (
            "subresources",
            {"status": {}},
            {"status": {}, "scale": {}},
            "subresource-added",
            "safe",
        ),
        ("/spec/scope", "Namespaced", "Cluster", "scope-changed", "breaking"),
        ("/spec/names/plural", "widgets", "widgetss", "plural-changed", "breaking"),
        ("/spec/names/shortNames", ["w"], [], "short-names-changed", "warning"),
        ("/spec/names/shortNames", ["w"], ["w", "wi"], "short-names-changed", "safe"),
        ("/spec/names/categories", ["all"], [], "categories-removed", "warning"),
    ],
)
def test_how_a_kind_is_served_is_compared(
    path: str, old: Any, new: Any, name: str, severity: str
) -> None:
    full_path = path[1:] if path.startswith("/") else f"{VERSION}/{path}"
    before, after = (
        load_crds(change(full_path, value), unserved=True) for value in (old, new)
    )
    [only] = [
        change
        for change in compare(before, after).changes
        if change.definition == "com.example.v1.Widget"
    ]
    assert (only.change, only.severity, only.field) == (name, severity, None)


def test_a_field_that_cannot_select_any_more_is_a_break() -> None:
    path = f"{VERSION}/selectableFields"
    before = load_crds(change(path, [{"jsonPath": ".spec.mode"}]))
    changes = compare(before, load_crds(WIDGET)).changes
    assert {(change.change, change.severity) for change in changes} == {
        ("selectable-fields-removed", "breaking")
    }
