"""The target ``jsonschema``: its schemas are valid, and refuse what is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.conftest import RELEASES, full_specs, load, make_release
from tests.test_model_view import kind

jsonschema = pytest.importorskip("jsonschema")
referencing = pytest.importorskip("referencing")

DEPLOYMENT: Mapping[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    # As "kubectl create --dry-run=client -o yaml" prints it.
    "metadata": {"name": "web", "creationTimestamp": None},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "resources": {"limits": {"cpu": 1, "memory": "1Gi"}},
                        "livenessProbe": {"httpGet": {"port": "http"}},
                        "readinessProbe": {"httpGet": {"port": 80}},
                    }
                ]
            }
        },
    },
    "status": {},
}
CRD: Mapping[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "spec": {
        "group": "example.com",
        "names": {"plural": "foos", "kind": "Foo"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"properties": {"a": {"items": {"type": "x"}}}}
                },
            }
        ],
    },
}


def generate_schemas(document: Release, strict: bool = False) -> dict[str, Any]:
    options = {"strict": str(strict).lower()}
    target = load_targets(None)["jsonschema"].with_options(options)
    return {
        file.path: json.loads(file.data)
        for file in generate_files(document, target)
        if file.path.endswith(".json")
    }


@cache
def schemas(name: str, strict: bool = False) -> dict[str, Any]:
    return generate_schemas(load(name, full_specs()), strict)


def registry_of(files: Mapping[str, Any]) -> referencing.Registry[Any]:
    return referencing.Registry().with_resources(
        (name, referencing.Resource.from_contents(schema))
        for name, schema in files.items()
    )


def errors(files: Mapping[str, Any], path: str, instance: Any) -> list[str]:
    validator = jsonschema.Draft7Validator(files[path], registry=registry_of(files))
    return [error.message for error in validator.iter_errors(instance)]


@pytest.mark.parametrize("name", RELEASES)
def test_every_schema_is_valid_and_every_reference_leads_somewhere(name: str) -> None:
    files = schemas(name)
    definitions = files["_definitions.json"]["definitions"]
    assert definitions.keys() == load(name, full_specs()).definitions.keys()
    for schema in files.values():
        jsonschema.Draft7Validator.check_schema(schema)
    pending: list[Any] = list(files.values())
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            reference = value.get("$ref", "")
            if isinstance(reference, str) and reference:
                path, _, pointer = reference.partition("#/definitions/")
                assert not path or path in files
                assert not pointer or pointer in definitions
            pending += value.values()
        elif isinstance(value, list):
            pending += value


@pytest.mark.parametrize("path", ["deployment-apps-v1.json", "all.json"])
@pytest.mark.parametrize("strict", [False, True])
def test_a_deployment_is_valid(path: str, strict: bool) -> None:
    assert errors(schemas("1.35", strict), path, DEPLOYMENT) == []


def test_a_recursive_definition_is_valid() -> None:
    path = "customresourcedefinition-apiextensions.k8s.io-v1.json"
    assert errors(schemas("1.35", True), path, CRD) == []


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("apiVersion",), "apps/v2"),
        (("kind",), "Pod"),
        (("spec", "replicas"), "2"),
        (("spec", "selector"), None),
        (("spec", "template", "spec", "containers"), {}),
        (("spec", "template", "spec", "containers"), [{"image": "nginx"}]),
        (("metadata", "labels"), {"a": 1}),
    ],
)
def test_a_mistake_in_a_manifest_is_refused(keys: tuple[str, ...], value: Any) -> None:
    wrong = json.loads(json.dumps(DEPLOYMENT))
    inner = wrong
    for key in keys[:-1]:
        inner = inner.setdefault(key, {})
    inner[keys[-1]] = value
    assert errors(schemas("1.35"), "deployment-apps-v1.json", wrong)
    assert errors(schemas("1.35"), "all.json", wrong)


def test_only_strict_schemas_refuse_unknown_fields() -> None:
    wrong = {**DEPLOYMENT, "specs": {}}
    assert errors(schemas("1.35"), "deployment-apps-v1.json", wrong) == []
    (error,) = errors(schemas("1.35", True), "deployment-apps-v1.json", wrong)
    assert "'specs' was unexpected" in error


def test_keywords_of_any_document_keep_their_meaning() -> None:
    name = "com.example.v1.Foo"
    document = make_release(
        {
            name: {
                "properties": {
                    "a": {
                        "type": "integer",
                        "minimum": 1,
                        "exclusiveMinimum": True,
                        "maximum": 9,
                        "exclusiveMaximum": False,
                    },
                    "b": {"type": "string", "pattern": "^x$", "example": "y"},
                    "c": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                    "d": {
                        "properties": {"e": {"enum": ["f"]}},
                        "x-kubernetes-preserve-unknown-fields": True,
                    },
                    "g": {"properties": {}, "additionalProperties": {"type": "string"}},
                    'h"\n': {"$ref": f"#/definitions/{name}"},
                },
                "required": [],
                **kind("example.com", "v1", "Foo"),
            }
        }
    )
    files = generate_schemas(document, strict=True)
    for schema in files.values():
        jsonschema.Draft7Validator.check_schema(schema)

    def accepts(**fields: Any) -> bool:
        manifest = {"apiVersion": "example.com/v1", "kind": "Foo"}
        definition = files["_definitions.json"]["definitions"][name]
        definition["properties"] |= {key: {} for key in manifest}
        return not errors(files, "foo-example.com-v1.json", {**manifest, **fields})

    assert accepts(a=2, b="x", c={"y": 1}, d={"e": "f", "y": 1}, g={"y": "z"})
    assert accepts(a=9, b=None, d={"e": None})
    assert accepts(**{'h"\n': {"a": 5}})
    for wrong in (
        {"a": 1},
        {"a": 10},
        {"b": "y"},
        {"d": {"e": "g"}},
        {"g": {"y": 1}},
        {'h"\n': {"a": 1}},
        {"z": 1},
    ):
        assert not accepts(**wrong), wrong


@pytest.mark.skipif(
    shutil.which("kubeconform") is None, reason="needs kubeconform (Go)"
)
def test_kubeconform_reads_the_schemas_as_the_readme_says(tmp_path: Path) -> None:
    target = load_targets(None)["jsonschema"]
    for file in generate_files(load("1.35"), target):
        (tmp_path / file.path).write_bytes(file.data)
    readme = (tmp_path / "README.md").read_text()
    locations = [
        line.strip(" \\").split("'")[1].replace("path/to/this/folder", str(tmp_path))
        for line in readme.splitlines()
        if "-schema-location" in line
    ]
    assert len(locations) == 2
    arguments = [f"-schema-location={location}" for location in locations]

    def verdict(manifest: Mapping[str, Any]) -> tuple[int, str]:
        done = subprocess.run(
            ["kubeconform", *arguments, "-"],
            input=json.dumps(manifest),
            capture_output=True,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout

    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a"}]}}
    for manifest in (DEPLOYMENT, CRD, pod):
        assert verdict(manifest) == (0, "")
    code, output = verdict({**pod, "spec": {}})
    assert code == 1
    assert "missing property 'containers'" in output
