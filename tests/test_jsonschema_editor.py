"""The flavour ``editor`` of the target ``jsonschema``: what it knows, and that it refuses
nothing that an API server accepts."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from tests.conftest import NEWEST, OLDEST, full_specs, load
from tests.manifests import manifests
from tests.test_jsonschema import DEPLOYMENT, errors, generate_schemas, jsonschema

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "web", "image": "nginx"}]},
}
CONTAINER = "io.k8s.api.core.v1.Container"


@cache
def editor_schemas(release: str) -> dict[str, Any]:
    """The schemas of the flavour by file name."""
    files = generate_schemas(load(release, full_specs()), "editor")
    names = {path.rpartition("/")[2]: path for path in files if "-editor/" in path}
    return {name: files[path] for name, path in names.items()}


def path_of(manifest: dict[str, Any]) -> str:
    group, _, version = manifest["apiVersion"].rpartition("/")
    parts = filter(None, (manifest["kind"], group.partition(".")[0], version))
    return f"{'-'.join(parts).lower()}.json"


def changed(**fields: Any) -> dict[str, Any]:
    """The Pod with other fields of its container."""
    pod: dict[str, Any] = json.loads(json.dumps(POD))
    pod["spec"]["containers"][0].update(fields)
    return pod


@pytest.mark.parametrize("release", [OLDEST, NEWEST])
def test_every_schema_is_valid(release: str) -> None:
    seen: dict[str, Any] = {}
    for name, schema in editor_schemas(release).items():
        if name == "all.json":
            jsonschema.Draft7Validator.check_schema(schema)
            continue
        definitions = schema["definitions"]
        jsonschema.Draft7Validator.check_schema({**schema, "definitions": {}})
        for reference in _references(schema):
            assert reference.removeprefix("#/definitions/") in definitions
        for definition, text in definitions.items():
            if definition not in seen:
                jsonschema.Draft7Validator.check_schema(text)
            assert seen.setdefault(definition, text) == text


def _references(value: Any) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(_references, value))
    if not isinstance(value, dict):
        return set()
    inner = set().union(*map(_references, value.values()))
    reference = value.get("$ref")
    return inner | {reference} if isinstance(reference, str) else inner


def test_objects_that_a_server_accepts_are_valid() -> None:
    checked = 0
    for manifest in (*manifests(), POD, {**POD, "status": {"conditions": [{}]}}):
        path = path_of(manifest)
        if path in editor_schemas(NEWEST):
            checked += 1
            manifest = json.loads(json.dumps(manifest, default=str))
            assert errors(editor_schemas(NEWEST), path, manifest) == [], manifest
    assert checked > 40


@pytest.mark.parametrize(
    "fields",
    [
        {"imagePullPolicy": "Alway"},
        {"name": "Web"},
        {"name": ""},
        {"name": None},
        {"ports": [{"containerPort": 70000}]},
        {"ports": [{"containerPort": 80, "protocol": "tcp"}]},
        {"env": [{"name": ""}]},
        {"livenessProbe": {"periodSeconds": -1}},
        {"volumeMounts": [{"name": "a"}]},
        {"colour": "red"},
    ],
)
def test_what_a_server_refuses_is_refused(fields: dict[str, Any]) -> None:
    assert errors(editor_schemas(NEWEST), "pod-v1.json", changed(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"imagePullPolicy": ""},
        {"imagePullPolicy": None},
        {"ports": [{"containerPort": 80, "protocol": None}]},
        {"securityContext": None, "resources": {"limits": {"cpu": 1}}},
        {"args": [], "env": None},
    ],
)
def test_nothing_is_the_same_as_an_empty_value(fields: dict[str, Any]) -> None:
    assert errors(editor_schemas(NEWEST), "pod-v1.json", changed(**fields)) == []


def test_facts_of_a_place_hold_in_its_kind_only() -> None:
    never = json.loads(json.dumps(POD))
    never["spec"]["restartPolicy"] = "Never"
    schemas = editor_schemas(NEWEST)
    assert errors(schemas, "pod-v1.json", never) == []
    deployment = json.loads(json.dumps(DEPLOYMENT))
    deployment["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    assert errors(schemas, "deployment-apps-v1.json", deployment)


def test_defaults_and_proposals_are_in_the_schema() -> None:
    definitions = editor_schemas(NEWEST)["deployment-apps-v1.json"]["definitions"]
    spec = definitions["io.k8s.api.apps.v1.DeploymentSpec"]["properties"]
    assert (spec["replicas"]["default"], spec["replicas"]["minimum"]) == (1, 0)
    assert "description" in spec["selector"]
    pull_policy = definitions[CONTAINER]["properties"]["imagePullPolicy"]
    # It depends on the tag of the image.
    assert "default" not in pull_policy
    assert pull_policy["enum"][:3] == ["Always", "IfNotPresent", "Never"]


def test_files_of_other_flavours_are_as_without_it() -> None:
    release = load(NEWEST)
    both = generate_schemas(release, "local,editor")
    alone = generate_schemas(release, "local")
    assert {path: both[path] for path in alone} == alone
    # Beside it are those of configuration files.
    folders = {path.partition("/")[0] for path in both.keys() - alone.keys()}
    assert {folder for folder in folders if not folder.endswith(".k8s.io")} == {
        f"v{NEWEST}.0-editor",
        # EncryptionConfig of v1, a configuration file.
        "core",
    }


def test_a_required_time_that_was_never_set_is_null() -> None:
    event = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "a", "creationTimestamp": None},
        **{"action": "a", "reason": "b", "type": "Normal", "eventTime": None},
        **{"reportingController": "a.b/c", "reportingInstance": "d"},
    }
    schemas = editor_schemas(NEWEST)
    assert errors(schemas, path_of(event), event) == []
    del event["eventTime"]
    assert errors(schemas, path_of(event), event) == [
        "'eventTime' is a required property"
    ]
