"""CustomResourceDefinitions beside what a real, running API server makes of them.

The server is that of ``tests/api_server.py``; the CRDs are small ones of the tests, and
those of the archive KUBESTENCIL_CLUSTER.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from kubestencil.errors import SpecError
from kubestencil.schema.custom_resources.crd import custom_resource
from kubestencil.schema.custom_resources.standard_fields import StandardFields
from kubestencil.schema.documents.openapi3 import as_openapi2
from kubestencil.schema.documents.published import published_definition
from kubestencil.schema.load import load_release
from kubestencil.schema.types import Resource, schema_of
from kubestencil.source.inputs import read_location
from tests.api_server import Client, proxy
from tests.cluster import comparable
from tests.conftest import Command, load, load_with_crds
from tests.crd_schemas import (
    CLUSTER_SCOPED,
    EVERY_KEYWORD,
    definition,
    random_definitions,
    version,
)

Crds = list[dict[str, Any]]


TEXT: dict[str, Any] = {"type": "string"}
NAMED = {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}
ATOMIC = {**NAMED, "x-kubernetes-map-type": "atomic"}


def merged(
    items: dict[str, Any], list_type: str | None, *keys: str, type_: str = "array"
) -> dict[str, Any]:
    """The schema of a list that is merged in a way."""
    schema: dict[str, Any] = {"type": type_, "items": items}
    if list_type is not None:
        schema["x-kubernetes-list-type"] = list_type
    if keys:
        schema["x-kubernetes-list-map-keys"] = list(keys)
    return schema


@pytest.fixture(scope="module")
def small_crds(api_server: Client) -> Crds:
    """CRDs that have every keyword, and 100 with random schemas."""
    crds = [EVERY_KEYWORD, CLUSTER_SCOPED, *random_definitions(seed=12, count=100)]
    api_server.install(crds)
    return crds


def test_small_crds_are_read_as_openapi_3_has_them(
    api_server: Client, small_crds: Crds
) -> None:
    assert compare_openapi3(api_server, small_crds) == 2 * 3 + 2 * 100


def test_small_crds_are_read_as_openapi_2_has_them(
    api_server: Client, small_crds: Crds
) -> None:
    assert compare_openapi2(api_server, small_crds) == 2 * 3 + 2 * 100


@pytest.mark.parametrize(
    "schema",
    [
        merged(TEXT, "atomic"),
        merged(TEXT, "set"),
        merged(TEXT, "bag"),
        merged(TEXT, "set", type_="object"),
        merged(TEXT, "map", "name"),
        merged(NAMED, "map", "name"),
        merged(NAMED, "map"),
        merged(NAMED, "map", "name", "name"),
        merged(NAMED, "map", "other"),
        merged(NAMED, None, "name"),
        merged(NAMED, "set"),
        merged(ATOMIC, "set"),
        merged(merged(TEXT, "set"), "set"),
        merged(merged(TEXT, None), "set"),
        merged({**NAMED, "required": []}, "map", "name"),
        merged(
            {**NAMED, "properties": {"name": {**TEXT, "default": "a"}}}, "map", "name"
        ),
        merged({**NAMED, "properties": {"name": NAMED}}, "map", "name"),
        {**NAMED, "x-kubernetes-map-type": "granular"},
        {**NAMED, "x-kubernetes-map-type": "odd"},
        {**TEXT, "x-kubernetes-map-type": "atomic"},
    ],
)
def test_what_the_server_refuses_about_merging_is_refused(
    api_server: Client, schema: dict[str, Any]
) -> None:
    root = {"type": "object", "properties": {"spec": schema}}
    crd = definition("Merged", version("v1", root, storage=True))
    reply = api_server.submit(crd)
    assert reply.status in (201, 422), reply.message
    try:
        custom_resource(crd, "crd.json", StandardFields.of({}), unserved=False)
    except SpecError:
        assert not reply.accepted
    else:
        assert reply.accepted, reply.message


@pytest.mark.nightly
def test_published_crds_are_read_as_openapi_3_has_them(
    api_server: Client, custom_resources: Crds
) -> None:
    assert compare_openapi3(api_server, custom_resources) == 356


@pytest.mark.nightly
def test_published_crds_are_read_as_openapi_2_has_them(
    api_server: Client, custom_resources: Crds
) -> None:
    assert compare_openapi2(api_server, custom_resources) == 356


def test_resources_are_as_discovery_has_them(
    api_server: Client, small_crds: Crds, custom_resources: Crds
) -> None:
    count = 0
    for crd, resources in _read_resources([*small_crds, *custom_resources]):
        storage = {
            version["name"]: version.get("storage", False)
            for version in crd["spec"]["versions"]
        }
        for resource in resources:
            assert resource.storage == storage[resource.kind.version]
            served = api_server.get(resource.api_path)["resources"]
            assert _names_of(resource) == _served_names(served, resource.plural)
            assert _subresources(resource) == _served_subresources(
                served, resource.plural
            )
            count += 1
    assert count == 3 + 100 + 178


@pytest.mark.nightly
def test_deprecated_versions_are_those_that_the_server_warns_of(
    api_server: Client, small_crds: Crds, custom_resources: Crds
) -> None:
    deprecated = 0
    for _, resources in _read_resources([*small_crds[:3], *custom_resources]):
        for resource in resources:
            path = f"{resource.api_path}/{resource.plural}"
            warnings = api_server.request("GET", path).warnings
            if not resource.deprecated:
                assert warnings == (), resource
                continue
            kind = resource.kind
            usual = f"{kind.api_version} {kind.kind} is deprecated"
            assert [warning.partition(";")[0] for warning in warnings] == [
                (resource.deprecation_warning or usual).partition(";")[0]
            ]
            deprecated += 1
    assert deprecated > 2


def test_a_running_api_server_is_read_as_its_crds_are(
    api_server: Client, custom_resources: Crds
) -> None:
    with proxy(api_server) as url:
        live = load_release(read_location(url, "live"))
    crds = load_with_crds("1.35", custom_resources)
    custom = crds.definitions.keys() - load("1.35").definitions.keys()
    assert len(custom) > 10_000
    for name in custom:
        live_definition = live.definitions[name]
        expected = comparable(crds.definitions[name].schema.raw)
        assert differences(expected, comparable(live_definition.schema.raw)) == []
        assert live_definition.kinds == crds.definitions[name].kinds


@pytest.mark.nightly
def test_a_running_api_server_is_rendered(
    api_server: Client, small_crds: Crds, run: Command
) -> None:
    with proxy(api_server) as url:
        for address in (url, f"{url}/openapi/v3", f"{url}/openapi/v2"):
            done = run("render", "live", "--spec", address, "-t", "typescript")
            assert done.returncode == 0, done.stderr
            folder = run.folder / "generated" / "live" / "typescript"
            text = "".join(path.read_text() for path in folder.rglob("*.ts"))
            assert "interface WidgetSpecTemplate " in text, address


def compare_openapi3(client: Client, crds: Crds) -> int:
    """Compare the definitions of CRDs with /openapi/v3; returns how many there are."""
    core = as_openapi2(client.get("/openapi/v3/api/v1"), "api/v1")
    standard = StandardFields.of(core["definitions"])
    served: dict[str, Any] = {}
    for path in {path for crd in crds for path in _served_versions(crd)}:
        document = client.get(f"/openapi/v3/{path}")
        served |= as_openapi2(document, path)["definitions"]
    count = 0
    for crd in crds:
        definitions = custom_resource(crd, "", standard, unserved=False).definitions
        for name, schema in definitions.items():
            assert differences(comparable(schema), comparable(served[name])) == []
            count += 1
    return count


def compare_openapi2(client: Client, crds: Crds) -> int:
    """Compare the definitions of CRDs, without what OpenAPI 2.0 cannot express, with
    /openapi/v2; returns how many there are."""
    served = client.get("/openapi/v2")["definitions"]
    standard = StandardFields.of(served)
    count = 0
    for crd in crds:
        definitions = custom_resource(crd, "", standard, unserved=False).definitions
        for name, schema in definitions.items():
            expected = comparable(published_definition(name, schema_of(schema)).raw)
            assert differences(expected, comparable(served[name])) == []
            count += 1
    return count


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where two JSON values differ."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            difference
            for key in sorted(expected.keys() | actual.keys())
            for difference in differences(
                expected.get(key, "absent"), actual.get(key, "absent"), f"{path}/{key}"
            )
        ]
    return [] if expected == actual else [f"{path}: {expected!r}, {actual!r}"]


def _read_resources(crds: Iterable[dict[str, Any]]) -> Iterator[Any]:
    standard = StandardFields.of({})
    for crd in crds:
        yield crd, custom_resource(crd, "", standard, unserved=False).resources


def _names_of(resource: Resource) -> dict[str, Any]:
    return {
        "kind": resource.kind.kind,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "shortNames": list(resource.short_names),
        "categories": list(resource.categories),
        "verbs": list(resource.verbs),
    }


def _served_names(served: Iterable[Mapping[str, Any]], plural: str) -> dict[str, Any]:
    for resource in served:
        if resource["name"] == plural:
            return {
                "kind": resource["kind"],
                "singularName": resource["singularName"],
                "namespaced": resource["namespaced"],
                "shortNames": resource.get("shortNames", []),
                "categories": resource.get("categories", []),
                "verbs": sorted(resource["verbs"]),
            }
    raise AssertionError(f"{plural} is not served")


def _subresources(resource: Resource) -> dict[str, tuple[Any, ...]]:
    return {
        subresource.name: (
            (subresource.kind or resource.kind).kind,
            list(subresource.verbs),
        )
        for subresource in resource.subresources
    }


def _served_subresources(
    served: Iterable[Mapping[str, Any]], plural: str
) -> dict[str, tuple[Any, ...]]:
    return {
        resource["name"].partition("/")[2]: (
            resource["kind"],
            sorted(resource["verbs"]),
        )
        for resource in served
        if resource["name"].startswith(f"{plural}/")
    }


def _served_versions(crd: Mapping[str, Any]) -> list[str]:
    return [
        f"apis/{crd['spec']['group']}/{version['name']}"
        for version in crd["spec"]["versions"]
        if version["served"]
    ]
