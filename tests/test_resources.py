"""How kinds are served: the table of facts beside full documents and a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from kubestencil.schema import GroupVersionKind, Release, parse
from kubestencil.schema.kinds import non_list_kinds
from kubestencil.schema.resources.paths import ResourcePath, resource_path
from kubestencil.schema.types import Resource, Subresource
from kubestencil.source import Source, embedded
from tests.api_server import Client
from tests.cluster import served_document
from tests.conftest import SOME_RELEASES, full_specs, load, make_release

POD = GroupVersionKind("", "v1", "Pod")
DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")
SCALE = GroupVersionKind("autoscaling", "v1", "Scale")

# Kinds that no resource has: of the API machinery, and of subresources.
_NO_RESOURCES = {
    "APIGroup",
    "APIResourceList",
    "APIVersions",
    "Eviction",
    "Scale",
    "Status",
    "TokenRequest",
}


@pytest.mark.parametrize("version", ["v1", "type", "watch"])
@pytest.mark.parametrize("watch", ["", "watch/"])
def test_a_path_may_have_any_version(version: str, watch: str) -> None:
    """The version of a custom resource is any label."""
    start = f"/apis/example.com/{version}/{watch}"
    assert resource_path(f"{start}watches") == ResourcePath(
        "example.com", version, "watches", "", namespaced=False
    )
    assert resource_path(f"{start}namespaces/{{namespace}}/watch/{{name}}/status") == (
        ResourcePath("example.com", version, "watch", "status", namespaced=True)
    )


@pytest.mark.parametrize("path", ["/version/", "/api/v1/", "/apis/apps/v1/", "/logs/"])
def test_a_path_of_something_else_has_no_resource(path: str) -> None:
    assert resource_path(path) is None


@pytest.mark.parametrize("release", embedded.releases())
def test_every_kind_of_an_embedded_document_has_a_resource(release: str) -> None:
    parsed = load(release)
    kinds = {kind.kind for kind in set(non_list_kinds(parsed)) - set(parsed.resources)}
    assert kinds <= _NO_RESOURCES


@pytest.mark.parametrize("release", SOME_RELEASES)
def test_an_embedded_document_has_the_resources_of_the_full_one(release: str) -> None:
    folder = full_specs()
    if folder is None:
        pytest.skip("KUBESTENCIL_SPECS names no folder of full documents")
    assert dict(load(release).resources) == dict(load(release, folder).resources)


def test_a_resource_has_names_scope_verbs_and_subresources() -> None:
    deployment = load("1.35").resources[DEPLOYMENT]
    assert replace(deployment, printer_columns=()) == Resource(
        kind=DEPLOYMENT,
        plural="deployments",
        singular="deployment",
        namespaced=True,
        short_names=("deploy",),
        categories=("all",),
        verbs=(
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ),
        subresources=(
            Subresource("scale", ("get", "patch", "update"), SCALE),
            Subresource("status", ("get", "patch", "update")),
        ),
    )


def test_subresources_come_with_a_release() -> None:
    resize = Subresource("resize", ("get", "patch", "update"))
    assert resize not in load("1.31").resources[POD].subresources
    assert resize in load("1.32").resources[POD].subresources


def test_deprecated_kinds_are_marked() -> None:
    endpoints = GroupVersionKind("", "v1", "Endpoints")
    assert not load("1.32").resources[endpoints].deprecated
    assert load("1.33").resources[endpoints].deprecated


def _document(*kinds: GroupVersionKind) -> dict[str, Any]:
    return {
        f"io.example.{kind.version}.{kind.kind}": {
            "type": "object",
            "x-kubernetes-group-version-kind": [
                {"group": kind.group, "version": kind.version, "kind": kind.kind}
            ],
        }
        for kind in kinds
    }


def _named(name: str, *kinds: GroupVersionKind) -> Mapping[GroupVersionKind, Resource]:
    """The resources of a document without paths that has these kinds."""
    source = {"swagger": "2.0", "paths": {}, "definitions": _document(*kinds)}
    return parse(Source(name, "a.json", json.dumps(source).encode())).resources


@pytest.mark.parametrize(
    ("name", "release"), [("1.99", "1.35"), ("my-cluster", "1.35"), ("1.9", "1.25")]
)
def test_a_document_of_another_release_has_the_nearest_facts(
    name: str, release: str
) -> None:
    assert _named(name, POD) == {POD: load(release).resources[POD]}


def test_a_kind_that_the_release_does_not_have_has_the_facts_of_the_last_that_had_it() -> (
    None
):
    kind = GroupVersionKind("flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema")
    resource = _named("my-cluster", kind)[kind]
    assert resource.plural == "flowschemas"
    assert [subresource.name for subresource in resource.subresources] == ["status"]


def test_a_document_without_paths_has_no_resources_of_others() -> None:
    widget = GroupVersionKind("example.com", "v1", "Widget")
    assert _named("1.35", widget, POD).keys() == {POD}


def test_the_paths_of_a_document_are_read_before_the_table() -> None:
    pod = {"group": "", "version": "v1", "kind": "Pod"}
    release = make_release(
        _document(POD),
        paths={
            "/api/v1/watch/pods/{name}": {
                "get": {
                    "x-kubernetes-action": "watch",
                    "x-kubernetes-group-version-kind": pod,
                }
            },
            "/api/v1/pods/{name}/proxy/{path}": {
                "post": {
                    "x-kubernetes-action": "connect",
                    "x-kubernetes-group-version-kind": {**pod, "kind": "PodProxy"},
                }
            },
            "/version/": {"get": {}},
        },
    )
    resources = {
        kind: replace(resource, printer_columns=())
        for kind, resource in release.resources.items()
    }
    assert resources == {
        POD: Resource(
            kind=POD,
            plural="pods",
            singular="pod",
            namespaced=False,
            short_names=("po",),
            categories=("all",),
            verbs=("watch",),
            subresources=(
                Subresource("proxy", ("create",), POD._replace(kind="PodProxy")),
            ),
        )
    }


@pytest.fixture(scope="module")
def cluster() -> tuple[Release, dict[str, Any]]:
    """The document and the discovery of a 1.35 API server without flags."""
    document = served_document("openapi-v2.json", "bare")
    discovery = json.loads(served_document("discovery-v2.json", "bare"))
    return parse(Source("1.35", "openapi-v2.json", document)), discovery


def test_a_real_server_discovers_the_resources_of_its_document(
    cluster: tuple[Release, dict[str, Any]],
) -> None:
    release, discovery = cluster
    discovered = {resource.kind: resource for resource in _discovered(discovery)}
    groups = {kind.group for kind in discovered}
    assert len(discovered) == 49
    # The archive has the discovery of /apis, which does not have the core group.
    assert groups == {kind.group for kind in release.resources} - {""}
    for kind, resource in release.resources.items():
        if kind.group:
            named = replace(resource, deprecated=False, printer_columns=())
            assert named == discovered[kind]


def test_the_table_has_the_resources_of_a_real_server(
    cluster: tuple[Release, dict[str, Any]],
) -> None:
    release, _ = cluster
    table = load("1.35").resources
    for kind, resource in release.resources.items():
        assert table[kind] == resource


def _discovered(discovery: Mapping[str, Any]) -> Iterator[Resource]:
    """The resources in a document of aggregated discovery."""
    for group in discovery["items"]:
        for version in group["versions"]:
            for raw in version["resources"]:
                kind = _kind(raw, group["metadata"]["name"], version["version"])
                subresources = [
                    Subresource(
                        name=subresource["subresource"],
                        verbs=tuple(subresource["verbs"]),
                        kind=_kind(subresource, kind.group, kind.version),
                    )
                    for subresource in raw.get("subresources", ())
                ]
                yield Resource(
                    kind=kind,
                    plural=raw["resource"],
                    singular=raw["singularResource"],
                    namespaced=raw["scope"] == "Namespaced",
                    short_names=tuple(raw.get("shortNames", ())),
                    categories=tuple(raw.get("categories", ())),
                    verbs=tuple(raw["verbs"]),
                    subresources=tuple(
                        replace(item, kind=None) if item.kind == kind else item
                        for item in subresources
                    ),
                )


def _kind(raw: Mapping[str, Any], group: str, version: str) -> GroupVersionKind:
    """The kind of a resource: an empty version stands for the group and version of the
    list that it is in."""
    kind = raw["responseKind"]
    if not kind["version"]:
        return GroupVersionKind(group, version, kind["kind"])
    return GroupVersionKind(kind["group"], kind["version"], kind["kind"])


@pytest.mark.parametrize(
    ("fixture", "name"), [("api_server", "1.35"), ("old_api_server", "1.29")]
)
@pytest.mark.server
def test_columns_are_those_of_a_real_server(
    fixture: str, name: str, request: pytest.FixtureRequest
) -> None:
    server: Client = request.getfixturevalue(fixture)
    release = load(name)
    compared = 0
    for resource in release.resources.values():
        path = f"{resource.api_path}/{resource.plural}"
        accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
        status, _, body = server.send("GET", path, accept=accept)
        # Versions that servers have off by default.
        if "list" in resource.verbs and status != 404:
            served = [
                (column["name"], column["type"], column["priority"])
                for column in json.loads(body)["columnDefinitions"]
            ]
            columns = resource.printer_columns
            assert [(c.name, c.type, c.priority) for c in columns] == served, path
            compared += 1
    assert compared >= 55
