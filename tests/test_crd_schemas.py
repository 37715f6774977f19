"""JSON Schemas of custom resources accept what the API server accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hypothesis
import jsonschema
import pytest
from hypothesis import given, settings

from kubestencil.checking.run import check
from kubestencil.schema.kinds import kind_definitions
from kubestencil.targets.examples.trees import ExampleTrees
from tests.api_server import Client
from tests.cluster import load_crds, stored_crds
from tests.conftest import load_with_crds
from tests.crd_schemas import definition, version
from tests.packages import generate_package, import_package
from tests.strategies import STRUCTURAL_SCHEMAS
from tests.test_crd_examples import SHAPES, example, small_release, widget
from tests.test_jsonschema import errors, generate_schemas

WIDGET_FILE = "example.com/widget_v1.json"
TEXT = {"type": "string"}


def flavour(strict: bool) -> str:
    return "standalone-strict" if strict else "standalone"


def accepts(schema: dict[str, Any], spec: Any, strict: bool = False) -> bool:
    """Whether the JSON Schema of a kind accepts a spec."""
    files = generate_schemas(small_release(widget(schema)), flavour(strict))
    assert list(files) == [WIDGET_FILE]
    jsonschema.Draft7Validator.check_schema(files[WIDGET_FILE])
    manifest = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec}
    return errors(files, WIDGET_FILE, manifest) == []


@settings(max_examples=25)
@given(STRUCTURAL_SCHEMAS)
@hypothesis.example({"type": "array", "items": TEXT, "minItems": 1, "maxItems": 0})
def test_every_example_is_accepted(schema: dict[str, Any]) -> None:
    release = small_release(widget(schema))
    files = generate_schemas(release)
    jsonschema.Draft7Validator.check_schema(files[WIDGET_FILE])
    definition = release.definitions["com.example.v1.Widget"]
    for shape in SHAPES:
        value = example(ExampleTrees(release), shape, definition)
        if value is not None:
            assert errors(files, WIDGET_FILE, value) == []


@pytest.mark.parametrize(
    ("field", "right", "wrong"),
    [
        ({**TEXT, "pattern": "^(?i)(on|off)$"}, ["ON", None], ["maybe", 1]),
        ({**TEXT, "enum": ["A", "B"]}, ["A", None], ["C"]),
        ({**TEXT, "nullable": True, "enum": ["A", None]}, ["A", None], ["C"]),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, [2], [1]),
        ({"type": "integer", "multipleOf": 2, "maximum": 4}, [4], [3, 6]),
        ({"type": "array", "items": TEXT, "maxItems": 1}, [["a"]], [["a", "b"], [1]]),
        ({"type": "object", "additionalProperties": TEXT}, [{"a": "b"}], [{"a": 1}]),
        (
            {**TEXT, "oneOf": [{"pattern": "a"}, {"pattern": "b"}]},
            ["a", "b", None],
            ["ab", "c"],
        ),
        ({**TEXT, "not": {"enum": ["x"]}}, ["y", None], ["x"]),
        (
            {"x-kubernetes-int-or-string": True, "pattern": "^[0-9]+%$"},
            [5, "5%", None],
            ["5", 1.5, []],
        ),
        (
            {
                "x-kubernetes-int-or-string": True,
                "allOf": [
                    {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                    {"anyOf": [{"minimum": 9}]},
                ],
            },
            [9, "a", None],
            [8, True],
        ),
        (
            {
                "type": "object",
                "properties": {"a": TEXT, "b": {"type": "integer"}},
                "oneOf": [
                    {"required": ["a"]},
                    {
                        "required": ["b"],
                        "properties": {"b": {"minimum": 1, "exclusiveMinimum": True}},
                    },
                ],
            },
            [{"a": "x"}, {"b": 2}, None],
            [{"b": 1}, {"a": "x", "b": 2}, {}],
        ),
        (
            {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"a": TEXT},
            },
            [{"a": "x", "z": 1}],
            [{"a": 1}],
        ),
        ({"x-kubernetes-preserve-unknown-fields": True}, [1, [], {"a": 1}], []),
    ],
)
def test_a_value_is_accepted_as_the_api_server_does(
    field: dict[str, Any], right: list[Any], wrong: list[Any]
) -> None:
    schema = {"type": "object", "properties": {"field": field}}
    for strict in (False, True):
        for value in right:
            assert accepts(schema, {"field": value}, strict), value
        for value in wrong:
            assert not accepts(schema, {"field": value}, strict), value


def test_what_has_a_default_may_be_absent() -> None:
    """The API server adds defaults before it validates."""
    mode = {**TEXT, "default": "A"}
    schema = {
        "type": "object",
        "required": ["mode", "name"],
        "properties": {"mode": mode, "name": TEXT},
    }
    assert accepts(schema, {"name": "x"})
    assert accepts(schema, {"name": "x", "mode": None})
    assert not accepts(schema, {"mode": "A"})


def test_only_strict_schemas_refuse_unknown_fields() -> None:
    schema = {
        "type": "object",
        "properties": {"a": TEXT},
        "oneOf": [{"required": ["a"]}, {"properties": {"a": {"maxLength": 1}}}],
    }
    assert accepts(schema, {"a": "long", "z": 1})
    assert not accepts(schema, {"a": "long", "z": 1}, strict=True)
    assert accepts(schema, {"a": "long"}, strict=True)


#: Fields that are objects without properties, and values with fields that no schema has.
HOLLOW = {
    "none": {"type": "object"},
    "nothing": {"type": "object", "nullable": True},
    "list": {"type": "array", "items": {"type": "object"}},
    "map": {"type": "object", "additionalProperties": {"type": "object"}},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "values": {"type": "object", "additionalProperties": True},
    "kept": {
        "type": "object",
        "additionalProperties": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "template": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"spec": {"type": "object"}},
    },
}
HOLLOW_VALUES: list[dict[str, Any]] = [
    *({name: {}} for name in ("none", "nothing", "any", "values", "map")),
    *({name: {"a": {}}} for name in ("none", "nothing", "any", "values", "map")),
    *({name: {"a": {"b": 1}}} for name in ("map", "any", "values", "kept")),
    *({name: {"a": [1, {}, [[{"b": 1}]]]}} for name in ("any", "values", "kept")),
    *({name: {"a": [1, {}, [["b"]], None]}} for name in ("any", "values", "kept")),
    {"nothing": None},
    {"list": []},
    {"list": [{}]},
    {"list": [{}, {"a": 1}]},
    {"template": {"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}}},
    {"template": {"apiVersion": "v1", "kind": "A", "spec": {"a": 1}}},
]


@pytest.mark.nightly
def test_a_server_refuses_fields_that_no_schema_has(
    api_server: Client, tmp_path: Path
) -> None:
    """So do strict schemas, the check, and classes of Python that read strictly."""
    spec_schema = {"type": "object", "properties": HOLLOW}
    root = {"type": "object", "properties": {"spec": spec_schema}}
    crd = definition("Hollow", version("v1", root, storage=True))
    api_server.install([crd])
    release = load_with_crds("1.35", [crd])
    files = generate_schemas(release, flavour(strict=True))
    models = import_package(generate_package(release, tmp_path, "hollow"), "hollow")
    outcomes = []
    for spec in HOLLOW_VALUES:
        manifest = {"apiVersion": "example.com/v1", "kind": "Hollow", "spec": spec}
        named = {**manifest, "metadata": {"name": "a"}}
        accepted = api_server.submit(named).accepted
        problems = errors(files, "example.com/hollow_v1.json", named)
        assert (problems == []) == accepted, spec
        (tmp_path / "hollow.yaml").write_text(json.dumps(named))
        report = check([f"{tmp_path}/hollow.yaml"], release)
        assert (report.findings == ()) == accepted, spec
        try:
            models.example_com.v1.Hollow.from_dict(named, strict=True)
            is_read = True
        except models.ModelError:
            is_read = False
        assert is_read == accepted, spec
        models.example_com.v1.Hollow.from_dict(named)
        outcomes.append(accepted)
    assert outcomes.count(False) == 9


@pytest.mark.nightly
def test_the_examples_of_real_crds_are_accepted() -> None:
    """By the strict schemas of 127 CRDs that an API server accepted."""
    crds = stored_crds()
    release = load_crds(*crds)
    files = generate_schemas(release)
    trees = ExampleTrees(release)
    count = 0
    for name, kind in kind_definitions(release).items():
        file = f"{kind.group}/{kind.kind.lower()}_{kind.version}.json"
        if count % 20 == 0:
            jsonschema.Draft7Validator.check_schema(files[file])
        validator = jsonschema.Draft7Validator(files[file])
        for shape in SHAPES:
            value = example(trees, shape, release.definitions[name])
            assert list(validator.iter_errors(value)) == [], (name, shape)
            count += 1
    assert count == 356
    assert len(files) == 178
