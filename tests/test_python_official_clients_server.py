"""A real API server accepts the generated objects from the official clients and from kopf.

The clients are those of ``tests/test_python_client.py``, which compares what they send;
kopf is in the folder ``frameworks`` of ``KUBESTENCIL_CLIENTS``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.api_server import Client
from tests.conftest import load, rest_nightly
from tests.packages import generate_package

CLIENTS = os.environ.get("KUBESTENCIL_CLIENTS", "")

# The arguments are the module of a client, the server, and a namespace.
PROGRAM = """\
import asyncio, datetime, importlib, inspect, json, sys
import ours as m

client = importlib.import_module(sys.argv[1] + ".client")
server, namespace = json.loads(sys.argv[2]), sys.argv[3]

async def done(value):
    return await value if inspect.isawaitable(value) else value

def meta(name, **values):
    return m.V1ObjectMeta(name=name, **values)

container = m.V1Container(
    name="main", image="web:1", ports=[m.V1ContainerPort(container_port=80)],
    resources=m.V1ResourceRequirements(limits={"cpu": "500m"}))
deployment = m.V1Deployment(
    metadata=meta("web", labels={"app": "web"}),
    spec=m.V1DeploymentSpec(
        selector=m.V1LabelSelector(match_labels={"app": "web"}),
        template=m.V1PodTemplateSpec(
            metadata=m.V1ObjectMeta(labels={"app": "web"}),
            spec=m.V1PodSpec(containers=[container]))))
noon = datetime.datetime(2024, 1, 31, 12, tzinfo=datetime.timezone.utc)
lease = m.V1Lease(metadata=meta("lease"), spec=m.V1LeaseSpec(renew_time=noon))

async def main():
    configuration = client.Configuration()
    configuration.host = server["url"]
    configuration.ssl_ca_cert = server["authority"]
    bearer = "Bearer " + server["token"]
    configuration.api_key = {"authorization": bearer, "BearerToken": bearer}
    api = client.ApiClient(configuration)
    core, apps = client.CoreV1Api(api), client.AppsV1Api(api)
    coordination = client.CoordinationV1Api(api)
    await done(core.create_namespace(m.V1Namespace(metadata=meta(namespace))))
    await done(coordination.create_namespaced_lease(namespace, lease))
    created = await done(apps.create_namespaced_deployment(namespace, deployment))
    assert created.metadata.uid
    read = await done(apps.read_namespaced_deployment("web", namespace))
    ours = m.V1Deployment.from_dict(api.sanitize_for_serialization(read))
    assert ours.spec.template.spec.containers[0].ports[0].protocol == "TCP"
    ours.spec.replicas = 2
    replaced = await done(apps.replace_namespaced_deployment("web", namespace, ours))
    assert replaced.spec.replicas == 2
    patch = m.V1Deployment(metadata=m.V1ObjectMeta(annotations={"a": "b"}))
    patched = await done(apps.patch_namespaced_deployment("web", namespace, patch))
    assert patched.metadata.annotations["a"] == "b" and patched.spec.replicas == 2
    other = meta("other", labels={"app": "web"})
    other = deployment.replace(metadata=other)
    await done(apps.create_namespaced_deployment(namespace, other))
    options = m.V1DeleteOptions(propagation_policy="Background")
    await done(apps.delete_namespaced_deployment("other", namespace, body=options))
    closing = api.close() if hasattr(api, "close") else None
    await done(closing)

asyncio.run(main())
"""

KOPF = """\
import kopf
import ours as m
from kubernetes import client

@kopf.on.create("configmaps", labels={"app": "owner"})
def make_secret(name, namespace, **_):
    configuration = client.Configuration()
    configuration.host = SERVER["url"]
    configuration.ssl_ca_cert = SERVER["authority"]
    bearer = "Bearer " + SERVER["token"]
    configuration.api_key = {"authorization": bearer, "BearerToken": bearer}
    secret = m.V1Secret(metadata=m.V1ObjectMeta(name=name), string_data={"a": "b"})
    kopf.adopt(secret)
    kopf.label(secret, {"made-by": "kopf"})
    core = client.CoreV1Api(client.ApiClient(configuration))
    core.create_namespaced_secret(namespace, secret)
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package ``ours`` of the release of the server."""
    folder = tmp_path_factory.mktemp("models")
    generate_package(load("1.35"), folder, "ours")
    return folder


def server_argument(api_server: Client) -> str:
    return json.dumps(
        {
            "url": f"https://127.0.0.1:{api_server.port}",
            "token": api_server.token,
            "authority": str(api_server.authority),
        }
    )


def environment(client: str, models: Path) -> dict[str, str]:
    installed = Path(CLIENTS) / client
    if not CLIENTS or not installed.is_dir():
        pytest.skip(f"KUBESTENCIL_CLIENTS has no {client}")
    return {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{models}"}


@pytest.mark.parametrize(
    ("client", "module"),
    rest_nightly(
        [
            ("kubernetes-35", "kubernetes"),
            ("kubernetes-36", "kubernetes"),
            ("kubernetes-37", "kubernetes"),
            ("kubernetes-37", "kubernetes.aio"),
            ("kubernetes_asyncio-35", "kubernetes_asyncio"),
        ]
    ),
)
def test_official_clients_create_read_replace_patch_and_delete_models(
    client: str, module: str, api_server: Client, models: Path
) -> None:
    namespace = f"{client}-{module}".replace("_", "-").replace(".", "-")
    completed = subprocess.run(
        [sys.executable, "-c", PROGRAM, module, server_argument(api_server), namespace],
        env=environment(client, models),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert completed.returncode == 0, completed.stderr[-3000:]
    leases = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases"
    spec = api_server.request("GET", f"{leases}/lease").body["spec"]
    assert spec["renewTime"] == "2024-01-31T12:00:00.000000Z"
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    (deployment,) = api_server.request("GET", deployments).body["items"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == {"limits": {"cpu": "500m"}}
    assert deployment["metadata"]["annotations"]["a"] == "b"
    assert deployment["spec"]["replicas"] == 2


def test_a_kopf_handler_creates_models(
    api_server: Client, models: Path, tmp_path: Path
) -> None:
    values = environment("frameworks", models)
    config = tmp_path / "kubeconfig"
    config.write_text(json.dumps(api_server.kubeconfig()))
    handler = tmp_path / "handler.py"
    handler.write_text(f"SERVER = {server_argument(api_server)}\n{KOPF}")
    create(api_server, "/api/v1/namespaces", {"metadata": {"name": "kopf"}})
    owner = {"metadata": {"name": "owner", "labels": {"app": "owner"}}}
    create(api_server, "/api/v1/namespaces/kopf/configmaps", owner)
    process = subprocess.Popen(
        [sys.executable, "-m", "kopf", "run", "--standalone", "-n", "kopf", handler],
        env={**values, "KUBECONFIG": str(config)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        secret = made_secret(api_server, process)
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=60)
    assert secret, output[-3000:]
    assert secret["data"] == {"a": "Yg=="}
    # kopf gives what it adopts the labels of its owner.
    assert secret["metadata"]["labels"] == {"app": "owner", "made-by": "kopf"}
    (reference,) = secret["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["name"]) == ("ConfigMap", "owner")


def made_secret(api_server: Client, process: subprocess.Popen[str]) -> dict[str, Any]:
    """The Secret that the handler makes, once it is there; empty if it is not in time."""
    path = "/api/v1/namespaces/kopf/secrets/owner"
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        reply = api_server.request("GET", path)
        if reply.status == 200:
            return dict(reply.body)
        time.sleep(0.2)
    return {}


def create(api_server: Client, path: str, value: object) -> None:
    reply = api_server.request("POST", path, json.dumps(value).encode())
    assert reply.status == 201, reply.message
