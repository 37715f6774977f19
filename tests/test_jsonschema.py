"""The target ``jsonschema``: its schemas are valid, and refuse what is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kubestencil.engine import load_targets
from kubestencil.errors import SpecError, UsageError
from kubestencil.schema import Release
from kubestencil.targets import generate_files
from tests.conftest import full_specs, load, load_with_crds, make_release
from tests.test_model_view import kind

jsonschema = pytest.importorskip("jsonschema")
referencing = pytest.importorskip("referencing")
DRAFT7 = pytest.importorskip("referencing.jsonschema").DRAFT7

#: Flavours that have types in each file are large.
OTHER_FLAVOURS = [
    pytest.param(name, marks=pytest.mark.nightly)
    for name in ("standalone", "standalone-strict")
]
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


def generate_schemas(
    document: Release, flavours: str = "standalone-strict", **options: str
) -> dict[str, Any]:
    target = load_targets(None)["jsonschema"]
    target = target.with_options({"flavours": flavours, **options})
    return {
        file.path: json.loads(file.data)
        for file in generate_files(document, target)
        if file.path.endswith(".json")
    }


@cache
def schemas(flavours: str) -> dict[str, Any]:
    return generate_schemas(load("1.35", full_specs()), flavours, recursive="true")


def errors(files: Mapping[str, Any], path: str, instance: Any) -> list[str]:
    folder = path.rpartition("/")[0]
    name = f"{folder}/_definitions.json"
    registry = referencing.Registry()
    if name in files:
        definitions = referencing.Resource.from_contents(files[name], DRAFT7)
        registry = registry.with_resource(name, definitions)
    schema = {**files[path], "$id": path}
    validator = jsonschema.Draft7Validator(schema, registry=registry)
    return [error.message for error in validator.iter_errors(instance)]


@pytest.mark.parametrize("flavour", ["local", *OTHER_FLAVOURS])
def test_every_schema_is_valid_and_every_reference_leads_somewhere(
    flavour: str,
) -> None:
    document = load("1.35", full_specs())
    options = {"prefix": "_definitions.json", "recursive": "true"}
    files = generate_schemas(document, flavour, **options)
    (folder,) = {path.partition("/")[0] for path in files}
    definitions = files[f"{folder}/_definitions.json"]["definitions"]
    assert definitions.keys() == document.definitions.keys()
    for path, schema in files.items():
        local = schema.get("definitions", {})
        for reference in references(schema):
            file, _, name = reference.partition("#/definitions/")
            assert file in ("", "_definitions.json")
            assert name in (definitions if file else local), path
    # Standalone schemas have the same types again and again, which takes a minute.
    step = 40 if "standalone" in folder else 4
    for path in sorted(files)[::step]:
        jsonschema.Draft7Validator.check_schema(files[path])


def references(schema: Any) -> Iterator[str]:
    pending = [schema]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                yield reference
            pending += value.values()
        elif isinstance(value, list):
            pending += value


@pytest.mark.parametrize("name", ["deployment-apps-v1", "deployment"])
@pytest.mark.parametrize("flavour", ["local", *OTHER_FLAVOURS])
def test_a_deployment_is_valid(name: str, flavour: str) -> None:
    manifest = dict(DEPLOYMENT)
    if flavour == "local":
        # As published, a type that is referred to is not null.
        manifest["metadata"] = {"name": "web"}
    assert errors(schemas(flavour), f"v1.35.0-{flavour}/{name}.json", manifest) == []


@pytest.mark.parametrize("flavour", OTHER_FLAVOURS)
def test_a_recursive_definition_is_valid(flavour: str) -> None:
    path = f"v1.35.0-{flavour}/customresourcedefinition-apiextensions-v1.json"
    assert errors(schemas(flavour), path, CRD) == []
    wrong = json.loads(json.dumps(CRD))
    properties = {"a": {"required": "b"}}
    wrong["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = {
        "a": {"properties": properties}
    }
    assert errors(schemas(flavour), path, wrong)


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
    for flavour in ("local", "standalone"):
        path = f"v1.35.0-{flavour}/deployment-apps-v1.json"
        assert errors(schemas(flavour), path, wrong)


def test_only_strict_schemas_refuse_unknown_fields() -> None:
    wrong = {**DEPLOYMENT, "specs": {}}
    path = "v1.35.0-standalone/deployment-apps-v1.json"
    assert errors(schemas("standalone"), path, wrong) == []
    path = "v1.35.0-standalone-strict/deployment-apps-v1.json"
    (error,) = errors(schemas("standalone-strict"), path, wrong)
    assert "'specs' was unexpected" in error


def test_keywords_of_any_document_keep_their_meaning() -> None:
    """In the schema of a custom kind."""
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
    files = generate_schemas(document)
    assert files.keys() == {"example.com/foo_v1.json"}
    jsonschema.Draft7Validator.check_schema(files["example.com/foo_v1.json"])

    def accepts(**fields: Any) -> bool:
        manifest = {"apiVersion": "example.com/v1", "kind": "Foo"}
        return not errors(files, "example.com/foo_v1.json", {**manifest, **fields})

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


def test_schemas_of_custom_resources_are_those_of_crds_catalog() -> None:
    """What openapi2jsonschema.py of kubeconform prints of this definition; for 155 of the
    156 schemas of 9 projects the bytes are the same, and the last has a key that YAML 1.1
    calls true (y)."""
    crd = copy.deepcopy(CRD)
    port = {"format": "int-or-string", "x-kubernetes-int-or-string": True}
    inner: dict[str, Any] = {
        "type": "object",
        "properties": {"properties": {"type": "string"}},
    }
    spec: dict[str, Any] = {
        "description": "§",
        "type": "object",
        "anyOf": [{"properties": {"port": {"format": "int-or-string"}}}],
        "properties": {"port": port, "inner": inner},
    }
    schema = {"type": "object", "properties": {"spec": spec}}
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    options = {"custom_resources": "crds-catalog"}
    target = load_targets(None)["jsonschema"].with_options(options)
    release = load_with_crds("1.35", [crd])
    file, without_quirk = (
        {file.path: file.data.decode() for file in generate_files(release, used)}[
            "example.com/foo_v1.json"
        ]
        for used in (target, replace(target, quirks={}))
    )
    assert file != without_quirk
    choice = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
    closed = {"additionalProperties": False}
    spec["anyOf"] = [{"properties": {"port": choice}}]
    inner["properties"] |= closed  # The quirk field-called-properties.
    spec["properties"] = {"port": choice, "inner": inner | closed}
    schema["properties"] = {"spec": spec | closed}
    assert file == f"{json.dumps(schema, indent=2)}\n"
    assert "\\u00a7" in file


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"flavours": "strict"}, "unknown flavour 'strict'"),
        ({"flavours": ""}, "unknown flavour ''"),
        ({"patch": "-1"}, "must not be negative"),
    ],
)
def test_wrong_options_are_usage_errors(options: dict[str, str], message: str) -> None:
    target = load_targets(None)["jsonschema"].with_options(options)
    with pytest.raises(UsageError, match=message):
        list(generate_files(load("1.35"), target))


@pytest.mark.parametrize("group", ["../..", "/etc", "a/b", "a\\b", "..", "x\ny"])
def test_no_name_of_a_custom_resource_leaves_the_folder(group: str) -> None:
    document = make_release(
        {"com.example.v1.Foo": {"properties": {}, **kind(group, "v1", "Foo")}}
    )
    with pytest.raises(SpecError, match="cannot be the path of a file"):
        generate_schemas(document)


def doubling(count: int) -> dict[str, Any]:
    """Definitions each of which has the next one twice."""
    return {
        f"io.k8s.api.core.v1.T{index}": {
            "properties": (
                {
                    name: {"$ref": f"#/definitions/io.k8s.api.core.v1.T{index + 1}"}
                    for name in ("a", "b")
                }
                if index < count
                else {"c": {"type": "string"}}
            )
        }
        for index in range(count + 1)
    }


def test_schemas_that_would_be_huge_are_refused() -> None:
    document = make_release(doubling(60))
    with pytest.raises(SpecError, match="too large"):
        generate_schemas(document)
    assert len(generate_schemas(document, "local")) == 2 * 61 + 2


def test_references_that_are_nested_too_deeply_are_refused() -> None:
    definitions = {
        f"io.k8s.api.core.v1.T{index}": {
            "properties": {
                "a": {"$ref": f"#/definitions/io.k8s.api.core.v1.T{index + 1}"}
            }
        }
        for index in range(1000)
    }
    definitions["io.k8s.api.core.v1.T1000"] = {"properties": {}}
    with pytest.raises(SpecError, match="nested too deeply"):
        generate_schemas(make_release(definitions))
