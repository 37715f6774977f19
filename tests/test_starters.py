"""The starters of built-in kinds: there is one for each kind that can be created, and a
real API server accepts it."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.schema import Release
from kubestencil.schema.kinds import kind_definitions
from kubestencil.source import embedded
from kubestencil.targets.examples import starters
from tests import api_server as api
from tests.conftest import Command, load

FILE = Path(starters.__file__).with_name("starters.yaml")
# These kinds are sent to a subresource: the method, the path of the API version, the
# resource, and the subresource.
SUBRESOURCES = {
    "autoscaling/v1 Scale": ("PUT", "/apis/apps/v1", "deployments", "scale"),
    "policy/v1 Eviction": ("POST", "/api/v1", "pods", "eviction"),
    "authentication.k8s.io/v1 TokenRequest": (
        "POST",
        "/api/v1",
        "serviceaccounts",
        "token",
    ),
}
# The objects that starters of other kinds refer to, in a namespace.
NEEDED = ("v1 Pod", "v1 ServiceAccount", "apps/v1 Deployment")


def values(release: Release) -> dict[str, Any]:
    """The starters of a release, by apiVersion and kind."""
    made = starters.Starters(release.definitions)
    found = {
        f"{kind.api_version} {kind.kind}": made.starter(release.definitions[name])
        for name, kind in kind_definitions(release).items()
    }
    return {name: value for name, value in found.items() if value is not None}


@pytest.mark.parametrize("release", embedded.releases())
def test_each_kind_that_can_be_created_has_a_starter(release: str) -> None:
    spec = load(release)
    creatable = {
        f"{kind.api_version} {kind.kind}"
        for kind, resource in spec.resources.items()
        if "create" in resource.verbs
    }
    assert len(creatable) > 60
    assert values(spec).keys() == creatable | SUBRESOURCES.keys()


def test_each_manifest_of_the_file_is_the_starter_of_a_kind() -> None:
    made = [
        value for name in embedded.releases() for value in values(load(name)).values()
    ]
    for manifest in yaml.safe_load_all(FILE.read_text()):
        assert any(
            {**manifest, "apiVersion": value["apiVersion"]} == value for value in made
        ), (manifest["apiVersion"], manifest["kind"])


def test_a_definition_that_lacks_a_field_has_no_starter() -> None:
    """That is a document that somebody has changed."""
    spec = load("1.35")
    deployment = spec.definitions["io.k8s.api.apps.v1.Deployment"]
    changed = replace(
        deployment,
        schema=deployment.schema._replace(
            fields=tuple(f for f in deployment.fields if f.name != "spec")
        ),
    )
    assert starters.Starters(spec.definitions).starter(deployment)
    assert not starters.Starters(spec.definitions).starter(changed)


def test_the_check_finds_nothing_but_versions(run: Command, tmp_path: Path) -> None:
    documents = [
        value
        for value in values(load("1.35")).values()
        # The review kinds and subresources have no name.
        if value.get("metadata", {}).get("name")
    ]
    path = tmp_path / "starters.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    done = run("check", str(path), "--to", "1.35", "-f", "json")
    findings = json.loads(done.stdout)["findings"]
    assert {finding["rule"] for finding in findings} <= {
        "deprecated-kind",
        "newer-version",
        "not-served-by-default",
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.Client]:
    """A server whose feature gates are all enabled, since some serve API versions."""
    if reason := api.missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("api-server-with-gates")
    with api.api_server(folder, "AllAlpha=true,AllBeta=true") as client:
        yield client


@pytest.fixture(scope="module")
def server_values(server: api.Client) -> Mapping[str, Any]:
    """The starters of the release that the server is of."""
    binary = os.environ["KUBESTENCIL_APISERVER"]
    version = subprocess.run([binary, "--version"], capture_output=True, text=True)
    match = re.match(r"Kubernetes v(\d+\.\d+)\.", version.stdout)
    assert match, version
    made = values(load(match[1]))
    for name in NEEDED:
        path = server.create_path(made[name])
        reply = server.request("POST", str(path), json.dumps(made[name]).encode())
        assert reply.accepted, reply.message
    return made


@pytest.mark.nightly
def test_the_server_accepts_each_starter(
    server: api.Client, server_values: Mapping[str, Any]
) -> None:
    sent = {
        name: value if name not in NEEDED else {**value, "metadata": {"name": "other"}}
        for name, value in server_values.items()
        if name not in SUBRESOURCES
    }
    replies = dict(zip(sent, server.submit_all(sent.values()), strict=True))
    assert {n: r.message for n, r in replies.items() if not r.accepted} == {}
    assert len(replies) > 70


@pytest.mark.parametrize("name", SUBRESOURCES)
def test_the_server_accepts_the_starters_of_subresources(
    server: api.Client, server_values: Mapping[str, Any], name: str
) -> None:
    method, version, resource, subresource = SUBRESOURCES[name]
    path = f"{version}/namespaces/default/{resource}/web/{subresource}"
    body = json.dumps(server_values[name]).encode()
    query = "?dryRun=All&fieldValidation=Strict"
    reply = server.request(method, path + query, body)
    assert reply.status in (200, 201), reply.message
