"""Reading OpenAPI 2.0: definitions, fields, operations, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestencil.errors import SpecError
from kubestencil.schema import GroupVersionKind, UnknownKeyword, parse
from kubestencil.schema.documents.validate import validate
from kubestencil.schema.resources.operation import operations
from kubestencil.source import Source
from tests.conftest import (
    POD,
    SMALL,
    full_specs,
    load,
    make_document,
    make_release,
    make_source,
)

GROUP_VERSION_KIND = "x-kubernetes-group-version-kind"


def test_a_definition_has_the_group_and_version_of_its_name() -> None:
    spec = load("1.35")
    deployment = spec.definitions["io.k8s.api.apps.v1.Deployment"]
    assert (deployment.group_label, deployment.version, deployment.kind) == (
        "apps",
        "v1",
        "Deployment",
    )
    assert deployment.kinds == (GroupVersionKind("apps", "v1", "Deployment"),)
    assert deployment.kinds[0].api_version == "apps/v1"
    raw = spec.definitions["io.k8s.apimachinery.pkg.runtime.RawExtension"]
    assert (raw.group_label, raw.version, raw.kinds) == ("runtime", "", ())


def test_the_extensions_of_a_field() -> None:
    spec = load("1.35").definitions["io.k8s.api.core.v1.PodSpec"]
    containers = next(field for field in spec.fields if field.name == "containers")
    assert containers.required
    assert containers.schema.list_type == "map"
    assert containers.schema.list_map_keys == ("name",)
    assert containers.schema.patch_strategy == ("merge",)
    assert containers.schema.patch_merge_key == "name"
    assert containers.schema.items is not None
    assert containers.schema.items.ref == "io.k8s.api.core.v1.Container"


def test_int_or_string_is_not_a_plain_string() -> None:
    spec = load("1.35")
    name = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
    assert spec.definitions[name].schema.int_or_string


def test_all_keywords_of_kubernetes_are_known() -> None:
    assert load("1.29").unknown_keywords == load("1.35").unknown_keywords == ()


def test_an_unknown_keyword_is_counted_with_its_first_position() -> None:
    spec = make_release(
        {
            "v1.A": {"type": "object", "properties": {"x": {"x-new": 1}}},
            "v1.B": {"type": "object", "x-new": 2},
        }
    )
    assert spec.unknown_keywords == (
        UnknownKeyword("x-new", 2, "test.json#/definitions/v1.A/properties/x"),
    )


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
        ({"A": 3}, "must be a schema, which is an object", "/definitions/A"),
        ({"A": {"type": "strin"}}, "invalid value: 'strin'", "/definitions/A/type"),
        ({"A": {"properties": []}}, "invalid value", "/definitions/A/properties"),
        (
            {"A": {"oneOf": [{"pattern": 5}]}},
            "invalid",
            "/definitions/A/oneOf/0/pattern",
        ),
        (
            {"A": {"not": {"anyOf": [{"items": 1}]}}},
            "invalid",
            "/definitions/A/not/anyOf/0/items",
        ),
        (
            {"A": {"properties": {"x": {"$ref": "#/definitions/Nope"}}}},
            "does not define",
            "/definitions/A/properties/x/$ref",
        ),
        (
            {"A": {"items": {"$ref": "other.json#/A"}}},
            "only references to",
            "/definitions/A/items/$ref",
        ),
        (
            {"A": {"x-kubernetes-group-version-kind": [{"kind": "A"}]}},
            "group, version and kind",
            "/definitions/A/x-kubernetes-group-version-kind/0",
        ),
    ],
)
def test_a_mistake_is_reported_with_its_position(
    definitions: dict[str, Any], message: str, pointer: str
) -> None:
    with pytest.raises(SpecError, match=message) as caught:
        make_release(definitions)
    assert caught.value.where.startswith(f"test.json#{pointer}")


def test_an_alias_cycle_is_refused() -> None:
    definitions = {
        "v1.Start": {"$ref": "#/definitions/v1.A"},
        "v1.A": {"type": "array", "items": {"$ref": "#/definitions/v1.B"}},
        "v1.B": {
            "type": "object",
            "additionalProperties": {"$ref": "#/definitions/v1.A"},
        },
    }
    with pytest.raises(
        SpecError, match=r"in between: v1\.A -> v1\.B -> v1\.A$"
    ) as caught:
        make_release(definitions)
    assert caught.value.where == "test.json#/definitions/v1.A"


def test_a_reference_to_itself_is_refused_even_beside_fields() -> None:
    """``Release.resolve`` follows references, whatever else is beside them."""
    definition = {"$ref": "#/definitions/A", "properties": {"x": {"type": "string"}}}
    with pytest.raises(SpecError, match=r"in between: A -> A$"):
        make_release({"A": definition})


def test_resolve_follows_references_to_the_end() -> None:
    spec = make_release(
        {
            "A": {"$ref": "#/definitions/B"},
            "B": {"$ref": "#/definitions/C"},
            "C": {"type": "string"},
        }
    )
    assert spec.resolve(spec.definitions["A"].schema).type == "string"


def test_a_definition_may_have_itself_as_a_field() -> None:
    assert make_release(SMALL).definitions[POD].fields[1].schema.ref == POD


def test_a_reference_without_target_has_a_hint() -> None:
    definitions = {"v1.Pod": {"$ref": "#/definitions/v2.Pod"}, "v1.Node": {}}
    with pytest.raises(SpecError, match="does not define") as caught:
        make_release(definitions)
    assert caught.value.hint == "did you mean v1.Pod?\n  available: v1.Pod"


def test_deep_nesting_is_refused() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "array", "items": schema}
    with pytest.raises(SpecError, match="nested more than"):
        make_release({"A": schema})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"openapi": "3.1.0", "info": {}}, "is not OpenAPI 3.0"),
        ({"name": "left-pad", "version": "1.0.0"}, "is not an OpenAPI 2.0"),
        ({"swagger": "2.0", "definitions": {}}, "has no definitions"),
        ({"swagger": "2.0"}, "has no definitions"),
    ],
)
def test_other_documents_are_refused(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        parse(Source("x", "x.json", json.dumps(raw).encode()))


def test_an_invalid_document_is_not_remembered_as_valid(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    invalid = make_release(SMALL, info={"title": "no version"})
    for _ in range(2):
        with pytest.raises(SpecError, match="not valid OpenAPI"):
            validate(invalid.document, invalid.sha256, invalid.origin)


def test_a_valid_document_is_validated_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = make_release(SMALL)
    validate(spec.document, spec.sha256, spec.origin)

    def fail(*_: object) -> None:
        raise AssertionError("validated again")

    monkeypatch.setattr("openapi_spec_validator.OpenAPIV2SpecValidator", fail)
    validate(spec.document, spec.sha256, spec.origin)


def test_operations_are_read_from_the_paths() -> None:
    kind = {"group": "apps", "version": "v1", "kind": "Deployment"}
    path = "/apis/apps/v1/namespaces/{namespace}/deployments"
    get = {
        "operationId": "listDeployment",
        "x-kubernetes-action": "list",
        "x-kubernetes-group-version-kind": kind,
        "responses": {},
    }
    (operation,) = operations(make_release(SMALL, paths={path: {"get": get}}))
    assert operation.kind == GroupVersionKind("apps", "v1", "Deployment")
    assert (operation.action, operation.method) == ("list", "get")
    assert operation.namespaced


@pytest.mark.parametrize("kind", ["Pod", {"group": "", "version": "v1"}, None])
def test_an_operation_with_an_invalid_kind_is_refused(kind: object) -> None:
    spec = make_release(SMALL, paths={"/a": {"get": {GROUP_VERSION_KIND: kind}}})
    with pytest.raises(SpecError, match="group, version and kind") as caught:
        list(operations(spec))
    assert caught.value.where == f"test.json#/paths/~1a/get/{GROUP_VERSION_KIND}"


@pytest.mark.skipif(full_specs() is None, reason="KUBESTENCIL_SPECS is not set")
def test_a_full_spec_has_the_operations_of_pods() -> None:
    pod = GroupVersionKind("", "v1", "Pod")
    actions = {
        operation.action
        for operation in operations(load("1.35", full_specs()))
        if operation.kind == pod
    }
    assert {"list", "get", "post", "put", "patch", "delete"} <= actions


def test_a_release_has_its_document_and_digest() -> None:
    assert make_release(SMALL).document == make_document(SMALL)
    assert len(make_source(SMALL).sha256) == 64
