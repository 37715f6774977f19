"""The generated client at a real API server: every operation of every kind, custom
resources, lists in pages, watches (``tests/api_server.py`` starts the server)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from kubestencil.schema import Release
from kubestencil.schema.load import load_release
from kubestencil.source.find import DocumentOptions
from kubestencil.source.inputs import read_location
from tests.api_server import CONNECTIONS, Client, proxy
from tests.client_operations import (
    NAMESPACE,
    Calls,
    api_names,
    call_all,
    operations,
)
from tests.conftest import load_with_crds
from tests.crd_schemas import CLUSTER_SCOPED, definition, version
from tests.examples import examples
from tests.kind_examples import KIND_EXAMPLES
from tests.manifests import manifests
from tests.packages import generate_client, import_client
from tests.python_crds import in_group

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")
pytest.importorskip("wsproto", reason="wsproto is not installed")

# A warning cannot be sent from a worker of pytest-xdist: its class is generated.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PREFIX = "called"
OBJECTS = 3_000

#: Kinds that no other test installs.
CRDS = [
    definition(
        "Gizmo",
        version(
            "v1",
            {
                "type": "object",
                "properties": {
                    "spec": {
                        "type": "object",
                        "properties": {"replicas": {"type": "integer"}},
                    },
                    "status": {
                        "type": "object",
                        "properties": {"replicas": {"type": "integer"}},
                    },
                },
            },
            storage=True,
            subresources={
                "status": {},
                "scale": {
                    "specReplicasPath": ".spec.replicas",
                    "statusReplicasPath": ".status.replicas",
                },
            },
        ),
    ),
    definition(
        "Sprocket",
        version(
            "v1",
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            storage=True,
        ),
    ),
    in_group(CLUSTER_SCOPED, "cluster.example.com"),
]
#: API classes that are not served without a feature gate, or a flag.
NOT_SERVED = {
    "CertificatesV1alpha1Api",
    "CertificatesV1beta1Api",
    "LogsApi",
    "SchedulingV1alpha1Api",
    "StoragemigrationApi",
    "StoragemigrationV1beta1Api",
}
#: Operations that the API server forwards to a kubelet, a Pod or a Service, of which
#: there are none; it refuses them with a Status. tests/test_python_client_http.py has
#: them answered.
FORWARDED = ("attach", "exec", "portforward", "proxy", "proxy_with_path")
NOT_THERE = {
    # Scheduler and controller manager, which cannot be watched.
    "CoreV1Api.read_component_status",
    "CoreV1Api.list_component_status.watch",
    # It needs a Pod that is bound to no node yet: see below.
    "CoreV1Api.create_namespaced_binding",
}


@pytest.fixture(scope="module")
def release() -> Release:
    return load_with_crds("1.35", [*CRDS])


@pytest.fixture(scope="module")
def folder(release: Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generate_client(release, tmp_path_factory.mktemp("client"), PREFIX)


@pytest.fixture(scope="module")
def package(folder: Path) -> Any:
    return import_client(folder, PREFIX)[0]


@pytest.fixture(scope="module")
def aio(folder: Path) -> Any:
    return import_client(folder, PREFIX)[1]


@pytest.fixture(scope="module")
def config(api_server: Client, package: Any) -> Any:
    return package.Config(
        server=f"https://127.0.0.1:{api_server.port}",
        certificate_authority=api_server.authority.read_bytes(),
        token=api_server.token,
    )


@pytest.fixture(scope="module")
def client(config: Any, package: Any) -> Iterator[Any]:
    with package.Client(config, timeout=60) as client:
        core = package.CoreV1Api(client)
        core.create_namespace({"metadata": {"name": NAMESPACE}})
        yield client


@pytest.fixture(scope="module")
def kind_examples(release: Release) -> dict[str, Any]:
    """An object of each kind."""
    accepted = {f"{item['apiVersion']} {item['kind']}": item for item in manifests()}
    gizmo = {"apiVersion": "example.com/v1", "kind": "Gizmo", "spec": {"replicas": 1}}
    custom = {"example.com/v1 Gizmo": gizmo}
    return {**examples(release, "required"), **accepted, **KIND_EXAMPLES, **custom}


def call_apis(
    package: Any, client: Any, kind_examples: dict[str, Any], names: list[str]
) -> tuple[int, Calls]:
    """Call every operation of API classes; how many there are, and the outcomes."""
    calls, count = Calls(), 0
    for name in names:
        done = call_all(package, client, kind_examples, name)
        described = operations(getattr(package, name))
        assert {f"{name}.{method}" for method in described} <= done.outcomes.keys()
        calls.outcomes |= done.outcomes
        count += len(described)
    return count, calls


@pytest.mark.nightly
def test_every_operation_of_every_built_in_kind_is_called(
    package: Any, client: Any, kind_examples: dict[str, Any]
) -> None:
    """Every object is created, read, listed in pages, watched, patched in four kinds,
    replaced and deleted, alone and with others, and so are its subresources."""
    built_in = [name for name in api_names(package) if "Example" not in name]
    count, calls = call_apis(package, client, kind_examples, built_in)
    assert count > 980
    refused = {
        name: outcomes
        for name, outcomes in calls.refused().items()
        if name.partition(".")[0] not in NOT_SERVED
        and not (".connect_" in name and name.endswith(FORWARDED))
        and name not in NOT_THERE
    }
    assert refused == {}
    core = package.CoreV1Api(client)
    pod = {**kind_examples["v1 Pod"], "metadata": {"name": "unbound"}}
    core.create_namespaced_pod(NAMESPACE, pod)
    binding = {**kind_examples["v1 Binding"], "metadata": {"name": "unbound"}}
    status = core.create_namespaced_binding(NAMESPACE, binding)
    assert isinstance(status, package.Status)
    assert status.status == "Success"
    forwarded = [name for name in calls.refused() if ".connect_" in name]
    assert len(forwarded) <= 48


def test_every_operation_of_custom_resources_is_called(
    package: Any, client: Any, kind_examples: dict[str, Any], api_server: Client
) -> None:
    api_server.install(CRDS)
    custom = [name for name in api_names(package) if "Example" in name]
    count, calls = call_apis(package, client, kind_examples, custom)
    assert count >= 34
    assert calls.refused() == {}


@pytest.mark.nightly
def test_many_objects_are_listed_in_pages(
    package: Any, aio: Any, client: Any, api_server: Client, config: Any
) -> None:
    path = "/api/v1/namespaces/many/configmaps"
    core = package.CoreV1Api(client)
    core.create_namespace({"metadata": {"name": "many"}})

    def create(number: int) -> None:
        body = json.dumps({"metadata": {"name": f"object-{number:05}"}}).encode()
        assert api_server.request("POST", path, body).status == 201

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(create, range(OBJECTS)))
    pages = list(core.list_namespaced_config_map.pages("many"))
    assert [len(page.items) for page in pages] == [500] * (OBJECTS // 500)
    names = [
        item.metadata.name
        for item in core.list_namespaced_config_map.items("many", limit=3000)
    ]
    assert names == [f"object-{number:05}" for number in range(OBJECTS)]

    async def list_async() -> list[str]:
        async with package.AsyncClient(config) as async_client:
            api = aio.CoreV1Api(async_client)
            return [
                item.metadata.name
                async for item in api.list_namespaced_config_map.items("many")
            ]

    assert asyncio.run(list_async()) == names
    check_too_old_watch(package, core)
    core.delete_collection_namespaced_config_map("many")
    assert core.list_namespaced_config_map("many").items == []


def check_too_old_watch(package: Any, core: Any) -> None:
    """The API server keeps the last changes of a resource. Where there have been more,
    it answers with 410 Gone; the user gets all objects, and the reason."""
    core.create_namespace({"metadata": {"name": "gone"}})
    body = {"metadata": {"name": "object"}}
    core.create_namespaced_config_map("gone", body)
    watch = core.list_namespaced_config_map.watch("gone", resource_version="1")
    listed = next(watch)
    assert isinstance(listed, package.Listed)
    assert listed.reason == "gone"
    assert [item.metadata.name for item in listed.items] == ["object"]
    core.delete_namespaced_config_map("object", "gone")
    deleted = next(event for event in watch if not isinstance(event, package.Bookmark))
    assert isinstance(deleted, package.Deleted)
    assert deleted.object.metadata.name == "object"
    watch.close()


def test_the_same_with_asyncio(
    package: Any, aio: Any, client: Any, config: Any
) -> None:
    """Every list is called; objects are created, watched, changed and deleted."""

    async def use() -> list[str]:
        async with package.AsyncClient(config, timeout=60) as async_client:
            for name in api_names(package):
                if name in NOT_SERVED or "Example" in name:
                    continue
                api = getattr(aio, name)(async_client)
                for method, operation in operations(type(api)).items():
                    if operation.item and "namespace" not in operation.required:
                        await getattr(api, method)(limit=1)
            core = aio.CoreV1Api(async_client)
            await core.create_namespace({"metadata": {"name": "async"}})
            kinds = []
            watch = core.list_namespaced_secret.watch("async", timeout_seconds=30)
            async with aclosing(watch):
                kinds.append(type(await anext(watch)).__name__)
                body = {"metadata": {"name": "a"}}
                await core.create_namespaced_secret("async", body)
                await core.patch_namespaced_secret("a", "async", {"immutable": True})
                await core.apply_namespaced_secret(
                    "a", "async", body, field_manager="tests", force=True
                )
                with pytest.raises(package.Conflict) as conflict:
                    await core.create_namespaced_secret("async", body)
                assert conflict.value.reason == "AlreadyExists"
                await core.delete_namespaced_secret("a", "async")
                async for event in watch:
                    kinds.append(type(event).__name__)
                    if isinstance(event, package.Deleted):
                        break
            return kinds

    kinds = asyncio.run(use())
    assert kinds[:3] == ["Listed", "Added", "Modified"]
    assert kinds[-1] == "Deleted"


def test_a_call_is_a_value(package: Any, client: Any) -> None:
    """The same description, for whoever runs calls in another way."""
    core = package.CoreV1Api(client)
    call = core.list_namespace.call(limit=1)
    assert (call.method, call.target) == ("GET", "/api/v1/namespaces?limit=1")
    assert len(client.run(call).items) == 1
    assert len(list(islice(core.list_namespace.items(limit=1), 3))) == 3


@pytest.mark.nightly
@pytest.mark.parametrize("version", ["v2", "v3"])
def test_a_client_of_a_running_server_patches_custom_resources(
    version: str, api_server: Client, config: Any, client: Any, tmp_path: Path
) -> None:
    """The document of a server, which has its custom resources as definitions like all
    others, says what kinds of patch each operation takes."""
    api_server.install(CRDS)
    options = DocumentOptions(kinds=("Gizmo", "ConfigMap"))
    with proxy(api_server) as url:
        source = read_location(f"{url}/openapi/{version}", "live")
        [source] = options.complete([source])
    prefix = f"live_{version}"
    live, live_aio = import_client(
        generate_client(load_release(source), tmp_path, prefix), prefix
    )
    changes = {"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 2}}
    scale = {"spec": {"replicas": 3}}
    body = {"metadata": {"name": f"gizmo-{version}"}, "spec": {"replicas": 1}}
    configured = live.Config(
        server=config.server,
        certificate_authority=config.certificate_authority,
        token=config.token,
    )
    with live.Client(configured) as live_client:
        gizmos = live.ExampleComV1Api(live_client)
        created = gizmos.create_namespaced_gizmo(NAMESPACE, body)
        name = created.metadata.name
        patched = gizmos.patch_namespaced_gizmo(name, NAMESPACE, changes)
        assert patched.spec.replicas == 2
        scaled = gizmos.patch_namespaced_gizmo_scale(name, NAMESPACE, scale)
        assert scaled["spec"]["replicas"] == 3
        core = live.CoreV1Api(live_client)
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": name}})
        call = core.patch_namespaced_config_map.call(name, NAMESPACE, changes)
        assert call.content_type == "application/strategic-merge-patch+json"

    async def patch() -> Any:
        async with live.AsyncClient(configured) as async_client:
            api = live_aio.ExampleComV1Api(async_client)
            return await api.patch_namespaced_gizmo(name, NAMESPACE, scale)

    assert asyncio.run(patch()).spec.replicas == 3
