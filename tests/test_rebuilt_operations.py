"""Operations rebuilt from facts beside those of full documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.knowledge.resources import Parameter, query_parameters
from kubestencil.schema.load import load_release
from kubestencil.schema.operations.rebuilt import RebuiltOperation, rebuild_operations
from kubestencil.schema.resources.operation import operations
from kubestencil.source.inputs import read_location
from tests.conftest import SOME_RELEASES, full_specs, load


@pytest.fixture(params=SOME_RELEASES)
def release(request: pytest.FixtureRequest) -> str:
    if full_specs() is None:
        pytest.skip("KUBESTENCIL_SPECS names no folder of full documents")
    return str(request.param)


def rebuilt_operations(release: Release) -> list[RebuiltOperation]:
    return rebuild_operations(release.resources.values(), release.name)


def test_rebuilt_operations_are_those_of_the_full_document(release: str) -> None:
    full = load(release, full_specs())
    expected = [operation for operation in operations(full) if operation.kind]
    rebuilt = rebuilt_operations(load(release))
    assert [item.operation for item in rebuilt] == expected


def test_rebuilt_operations_have_the_parameters_of_the_full_document(
    release: str,
) -> None:
    document = load(release, full_specs()).document
    for operation, parameters, _, _ in rebuilt_operations(load(release)):
        methods = document["paths"][operation.path]
        own = methods[operation.method].get("parameters", ())
        shared = methods.get("parameters", ())
        expected = list(_parameters([*own, *shared], document))
        assert list(parameters) == sorted(expected), operation


def _parameters(
    raw: list[Mapping[str, Any]], document: Mapping[str, Any]
) -> Iterator[Parameter]:
    for parameter in raw:
        if "$ref" in parameter:
            parameter = document["parameters"][parameter["$ref"].rpartition("/")[2]]
        yield Parameter(parameter["name"], parameter["in"], parameter.get("type", ""))


def test_operations_of_a_pod() -> None:
    named = {item.operation.name: item for item in rebuilt_operations(load("1.35"))}
    log = named["readCoreV1NamespacedPodLog"]
    assert (log.operation.method, log.operation.path, log.operation.action) == (
        "get",
        "/api/v1/namespaces/{namespace}/pods/{name}/log",
        "get",
    )
    assert Parameter("stream", "query", "string") in log.parameters
    eviction = named["createCoreV1NamespacedPodEviction"].operation
    assert eviction.kind is not None
    assert (eviction.kind.api_version, eviction.kind.kind) == ("policy/v1", "Eviction")
    assert "connectCoreV1HeadNamespacedPodProxyWithPath" in named
    assert "connectCoreV1HeadNamespacedPodExec" not in named


def test_a_parameter_comes_with_a_release() -> None:
    stream = Parameter("stream", "query", "string")
    assert stream not in query_parameters("get", "pods", "log", "1.31")
    assert stream in query_parameters("get", "pods", "log", "1.32")
    assert stream not in query_parameters("get", "pods", "", "1.32")


def test_operations_of_custom_resources(tmp_path: Path) -> None:
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.my-shop.example.com"},
        "spec": {
            "group": "my-shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                    "subresources": {"status": {}},
                }
            ],
        },
    }
    path = tmp_path / "crd.json"
    path.write_text(json.dumps(crd))
    release = load_release(read_location(str(path), None, unserved=False))
    names = {item.operation.name for item in rebuilt_operations(release)}
    assert {
        "listMyShopExampleComV1NamespacedWidget",
        "listMyShopExampleComV1WidgetForAllNamespaces",
        "replaceMyShopExampleComV1NamespacedWidgetStatus",
    } <= names
