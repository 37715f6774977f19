"""What the model makes of a document, and which documents it refuses, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestencil.errors import SpecError
from kubestencil.schema import GroupVersionKind, operations, parse, validate
from kubestencil.schema.validate import _mark
from kubestencil.source import Source
from tests.conftest import POD, SMALL, document, full_specs, load, release, source


def test_a_definition_knows_its_group_version_and_kinds() -> None:
    spec = load("1.35")
    deployment = spec.definitions["io.k8s.api.apps.v1.Deployment"]
    assert (deployment.group, deployment.version, deployment.kind) == (
        "apps",
        "v1",
        "Deployment",
    )
    assert deployment.kinds == (GroupVersionKind("apps", "v1", "Deployment"),)
    assert deployment.kinds[0].api_version == "apps/v1"
    raw = spec.definitions["io.k8s.apimachinery.pkg.runtime.RawExtension"]
    assert (raw.group, raw.version, raw.kinds) == ("runtime", "", ())


def test_the_extensions_of_a_field() -> None:
    spec = load("1.35").definitions["io.k8s.api.core.v1.PodSpec"]
    containers = next(each for each in spec.fields if each.name == "containers")
    assert containers.required
    assert containers.schema.list_type == "map"
    assert containers.schema.list_map_keys == ("name",)
    assert containers.schema.patch_strategy == ("merge",)
    assert containers.schema.patch_merge_key == "name"
    assert containers.schema.items is not None
    assert containers.schema.items.ref == "io.k8s.api.core.v1.Container"


def test_int_or_string_is_told_from_a_string() -> None:
    spec = load("1.35")
    name = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
    assert spec.definitions[name].schema.int_or_string


def test_nothing_of_upstreams_specs_is_unknown() -> None:
    assert load("1.29").unknown == load("1.35").unknown == ()


def test_an_unknown_keyword_is_reported_once_with_its_first_place() -> None:
    spec = release(
        {
            "v1.A": {"type": "object", "properties": {"x": {"x-new": 1}}},
            "v1.B": {"type": "object", "x-new": 2},
        }
    )
    assert [(each.keyword, each.count, each.pointer) for each in spec.unknown] == [
        ("x-new", 2, "/definitions/v1.A/properties/x")
    ]


@pytest.mark.parametrize(
    ("definitions", "message", "pointer"),
    [
        ({"a/b": {}}, "not a name", "/definitions/a~1b"),
        ({"../../etc/passwd": {}}, "not a name", "/definitions/..~1..~1etc~1passwd"),
        ({"/etc/passwd": {}}, "not a name", "/definitions/~1etc~1passwd"),
        ({"..": {}}, "not a name", "/definitions/.."),
        ({"a..b": {}}, "not a name", "/definitions/a..b"),
        ({"a\0b": {}}, "not a name", "/definitions/a\\x00b"),
        ({"": {}}, "not a name", "/definitions/"),
        ({"x" * 300: {}}, "not a name", "/definitions/xxx"),
        ({"A": 3}, "must be an object", "/definitions/A"),
        ({"A": {"type": "strin"}}, "cannot have", "/definitions/A/type"),
        ({"A": {"properties": []}}, "cannot have", "/definitions/A/properties"),
        (
            {"A": {"properties": {"x": {"$ref": "#/definitions/Nope"}}}},
            "does not define",
            "/definitions/A/properties/x/$ref",
        ),
        (
            {"A": {"items": {"$ref": "other.json#/A"}}},
            "can be followed",
            "/definitions/A/items/$ref",
        ),
        (
            {"A": {"x-kubernetes-group-version-kind": [{"kind": "A"}]}},
            "group, version and kind",
            "/definitions/A/x-kubernetes-group-version-kind/0",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(
    definitions: dict[str, Any], message: str, pointer: str
) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        release(definitions)
    assert caught.value.where.startswith(f"test.json#{pointer}")


def test_a_type_that_is_a_list_of_itself_has_no_end() -> None:
    circle = {
        "v1.A": {"type": "array", "items": {"$ref": "#/definitions/v1.B"}},
        "v1.B": {
            "type": "object",
            "additionalProperties": {"$ref": "#/definitions/v1.A"},
        },
    }
    with pytest.raises(SpecError, match=r"without an end: v1\.A -> v1\.B -> v1\.A"):
        release(circle)


def test_a_definition_may_have_itself_as_a_field() -> None:
    assert release(SMALL).definitions[POD].fields[1].schema.ref == POD


def test_deep_nesting_is_refused_rather_than_a_crash() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "array", "items": schema}
    with pytest.raises(SpecError, match="nested more than"):
        release({"A": schema})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"openapi": "3.0.0", "info": {}}, "is OpenAPI 3.0.0"),
        ({"name": "left-pad", "version": "1.0.0"}, "is not an OpenAPI 2.0"),
        ({"swagger": "2.0", "definitions": {}}, "has no definitions"),
        ({"swagger": "2.0"}, "has no definitions"),
    ],
)
def test_a_document_of_another_kind(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse(Source("x", "x.json", json.dumps(raw).encode()))


def test_validation_finds_what_is_not_openapi(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bad = release(SMALL, info={"title": "no version"})
    with pytest.raises(SpecError, match="not valid OpenAPI"):
        validate(bad)
    assert not _mark(bad.sha256).exists()


def test_a_valid_document_is_validated_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = release(SMALL)
    validate(spec)

    def fail(*_: object) -> None:
        raise AssertionError("validated again")

    monkeypatch.setattr("openapi_spec_validator.OpenAPIV2SpecValidator", fail)
    validate(spec)


def test_operations_are_read_from_the_paths() -> None:
    kind = {"group": "apps", "version": "v1", "kind": "Deployment"}
    path = "/apis/apps/v1/namespaces/{namespace}/deployments"
    get = {
        "operationId": "listDeployment",
        "x-kubernetes-action": "list",
        "x-kubernetes-group-version-kind": kind,
        "responses": {},
    }
    (operation,) = operations(release(SMALL, paths={path: {"get": get}}))
    assert operation.kind == GroupVersionKind("apps", "v1", "Deployment")
    assert (operation.action, operation.method) == ("list", "get")
    assert operation.namespaced


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
def test_a_full_spec_has_the_operations_of_pods() -> None:
    pod = GroupVersionKind("", "v1", "Pod")
    actions = {
        each.action
        for each in operations(load("1.35", full_specs()))
        if each.kind == pod
    }
    assert {"list", "get", "post", "put", "patch", "delete"} <= actions


def test_the_document_is_kept_for_those_who_need_all_of_it() -> None:
    assert release(SMALL).document == document(SMALL)
    assert len(source(SMALL).sha256) == 64
