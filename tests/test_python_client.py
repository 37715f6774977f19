"""The official clients send the generated objects as they send their own.

``KUBESTENCIL_CLIENTS`` is a folder with clients, each installed with
``pip install --target $KUBESTENCIL_CLIENTS/kubernetes-35 'kubernetes==35.*'``
(likewise ``kubernetes-31``, ``-36`` and ``-37``, ``kubernetes_asyncio-31`` and ``-35``).
Each runs in a process of its own, against an HTTP server on loopback that records
requests. What follows a slash is the module of a client.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import load, rest_nightly
from tests.packages import generate_package

CLIENTS = os.environ.get("KUBESTENCIL_CLIENTS", "")

SENDER = """\
import asyncio, datetime, http.server, importlib, inspect, json, sys, threading
client_name = sys.argv[1]
client = importlib.import_module(client_name + ".client")
import ours

received = []

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def receive(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        line = f"{self.command} {self.path} {self.headers['Content-Type']}"
        received.append((line, body.decode()))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PUT = do_PATCH = receive

    def log_message(self, *arguments):
        pass

def time(microsecond=0):
    zone = datetime.timezone.utc
    return datetime.datetime(2024, 1, 31, 12, 0, 0, microsecond, tzinfo=zone)

def template(m):
    return m.V1PodTemplateSpec(
        metadata=m.V1ObjectMeta(labels={"app": "web"}, creation_timestamp=time()),
        spec=m.V1PodSpec(
            restart_policy="Never",
            host_aliases=[],
            node_selector={},
            security_context=m.V1PodSecurityContext(),
            containers=[
                m.V1Container(
                    name="main",
                    image="web:1",
                    env=[m.V1EnvVar(name="A", value="\\u00e9 \\"quoted\\"")],
                    ports=[m.V1ContainerPort(container_port=80)],
                    resources=m.V1ResourceRequirements(limits={"cpu": "500m"}),
                    liveness_probe=m.V1Probe(
                        _exec=m.V1ExecAction(command=["true"]),
                        initial_delay_seconds=0,
                    ),
                )
            ],
        ),
    )

def attribute(model, json_name):
    names = model.attribute_map.items()
    return next(name for name, candidate in names if candidate == json_name)

def calls(m):
    core, apps = client.CoreV1Api, client.AppsV1Api
    batch, leases = client.BatchV1Api, client.CoordinationV1Api
    meta = m.V1ObjectMeta(name="a", namespace="x", annotations={"k": ""})
    pod = m.V1Pod(
        api_version="v1", kind="Pod", metadata=meta, spec=template(m).spec
    )
    selector = m.V1LabelSelector(match_labels={"app": "web"})
    yield core, "create_namespaced_pod", ("x", pod)
    yield core, "replace_namespaced_pod", ("a", "x", pod)
    yield core, "patch_namespaced_pod", ("a", "x", m.V1Pod(metadata=meta))
    yield core, "create_namespaced_service", ("x", m.V1Service(
        metadata=meta,
        spec=m.V1ServiceSpec(
            ports=[
                m.V1ServicePort(port=80, target_port="http"),
                m.V1ServicePort(port=81, target_port=81),
            ],
            # The clients have different names for this attribute.
            **{attribute(m.V1ServiceSpec, "clusterIPs"): ["10.0.0.1"]},
        ),
    ))
    yield core, "create_namespaced_config_map", (
        "x", m.V1ConfigMap(data={"a": "b"}, immutable=False, metadata=meta))
    yield core, "create_namespaced_secret", (
        "x", m.V1Secret(data={"a": "Yg=="}, string_data={}, metadata=meta))
    yield core, "create_namespaced_event", ("x", m.CoreV1Event(
        metadata=meta, count=1, event_time=time(5), first_timestamp=time(),
        involved_object=m.V1ObjectReference(kind="Pod", name="a"), message="m",
        series=m.CoreV1EventSeries(count=2, last_observed_time=time(999999))))
    yield apps, "create_namespaced_deployment", ("x", m.V1Deployment(
        api_version="apps/v1", kind="Deployment", metadata=meta,
        spec=m.V1DeploymentSpec(
            replicas=0, selector=selector, template=template(m),
            strategy=m.V1DeploymentStrategy(
                rolling_update=m.V1RollingUpdateDeployment(
                    max_surge="25%", max_unavailable=1)))))
    yield apps, "create_namespaced_controller_revision", ("x",
        m.V1ControllerRevision(
            metadata=meta, revision=3, data={"spec": {"a": [1, 2.5, None, {}]}}))
    yield batch, "create_namespaced_job", ("x", m.V1Job(
        metadata=meta, spec=m.V1JobSpec(template=template(m)),
        status=m.V1JobStatus(start_time=time(), active=1)))
    yield batch, "create_namespaced_cron_job", ("x", m.V1CronJob(
        metadata=meta, spec=m.V1CronJobSpec(
            schedule="* * * * *", suspend=True,
            job_template=m.V1JobTemplateSpec(
                spec=m.V1JobSpec(template=template(m))))))
    yield leases, "create_namespaced_lease", ("x", m.V1Lease(
        metadata=meta, spec=m.V1LeaseSpec(
            acquire_time=time(5), renew_time=time(123456),
            lease_duration_seconds=15, holder_identity="me")))
    yield leases, "replace_namespaced_lease", ("a", "x", m.V1Lease(
        metadata=meta, spec=m.V1LeaseSpec(renew_time=time())))

async def main(host):
    configuration = client.Configuration()
    configuration.host = host
    api = client.ApiClient(configuration)
    for models in (client, ours):
        for group, method, arguments in calls(models):
            response = getattr(group(api), method)(*arguments)
            if inspect.isawaitable(response):
                await response
        received.append(None)
    closing = api.close()
    if inspect.isawaitable(closing):
        await closing

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
asyncio.run(main(f"http://127.0.0.1:{server.server_port}"))
print(json.dumps(received))
"""


def send_requests(client: str, folder: Path) -> tuple[list[Any], list[Any]]:
    """The requests of a client with its own objects, and with the generated ones."""
    client, _, module = client.partition("/")
    name, _, major = client.rpartition("-")
    installed = Path(CLIENTS) / client
    if not CLIENTS or not installed.is_dir():
        pytest.skip(f"KUBESTENCIL_CLIENTS has no {client}")
    generate_package(load(f"1.{major}"), folder, "ours")
    process = subprocess.run(
        [sys.executable, "-c", SENDER, module or name],
        env={**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{folder}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    received = json.loads(process.stdout)
    separator = received.index(None)
    return received[:separator], received[separator + 1 : -1]


@pytest.mark.peer
@pytest.mark.parametrize(
    "client",
    rest_nightly(
        [
            "kubernetes-35",
            "kubernetes-31",
            "kubernetes-36",
            "kubernetes-37",
            "kubernetes-37/kubernetes.aio",
            "kubernetes_asyncio-31",
            "kubernetes_asyncio-35",
        ]
    ),
)
def test_the_official_client_sends_the_same_bytes(client: str, tmp_path: Path) -> None:
    theirs, ours = send_requests(client, tmp_path)
    assert len(theirs) == 13
    assert ours[:-1] == theirs[:-1]
    # The one difference: the official MicroTime has no digits on a whole second,
    # which the API server refuses.
    line, body = theirs[-1]
    assert '"renewTime": "2024-01-31T12:00:00+00:00"' in body
    six_digits = body.replace("12:00:00+00:00", "12:00:00.000000+00:00")
    assert ours[-1] == [line, six_digits]
