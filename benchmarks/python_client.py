"""The generated Python client beside others: listing Pods, size, import, in one run.

    python -m benchmarks.python_client [PEERS]

PEERS is a folder for the other clients (kubernetes 35 and 37, lightkube) and for the
generated one with its dependencies, which pip installs there if they are missing. The
API server is that of KUBESTENCIL_APISERVER, with KUBESTENCIL_ETCD. Each time is the CPU
time of a list of 10,000 Pods in a new process, after a first request, the best of three
in turns; each client lists in one response and in pages of 500 where it can. The name
of every Pod is read. The floor is what the standard library needs to receive and
unpack the one response, without and with msgspec making the same models of it. Sizes
are the sums of files, compiled modules included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT, environment

sys.path[:0] = [str(ROOT), str(ROOT / "generator")]

from tests.api_server import CONNECTIONS, Client, api_server  # noqa: E402

RELEASE = "1.35"
PODS = 10_000
RUNS = 3
OURS = "kubestencil"
_FIRST = """
import json, sys, time
server = json.loads(sys.argv[1])
uncounted = 0
"""
_OURS = """
from pathlib import Path
from kubernetes_typed_client import Client, Config, CoreV1Api
core = CoreV1Api(Client(Config(
    server=server["url"], token=server["token"],
    certificate_authority=Path(server["authority"]).read_bytes())))
core.list_namespaced_pod("default")
start = time.process_time()
names = {pod.metadata.name for pod in LIST}
"""
_OFFICIAL = """
from kubernetes import client
configuration = client.Configuration()
configuration.host = server["url"]
configuration.ssl_ca_cert = server["authority"]
bearer = "Bearer " + server["token"]
configuration.api_key = {"authorization": bearer, "BearerToken": bearer}
core = client.CoreV1Api(client.ApiClient(configuration))
core.list_namespaced_pod("default")
start = time.process_time()
names = {pod.metadata.name for pod in core.list_namespaced_pod("pods").items}
"""
_LIGHTKUBE = """
from lightkube import Client, KubeConfig
from lightkube.config.models import Cluster, User
from lightkube.resources.core_v1 import Pod
client = Client(config=KubeConfig.from_one(
    cluster=Cluster(server=server["url"], certificate_auth=server["authority"]),
    user=User(token=server["token"])))
list(client.list(Pod, namespace="default"))
start = time.process_time()
names = {pod.metadata.name for pod in client.list(Pod, namespace="pods", LIST)}
"""
_FLOOR = """
import gc, gzip, http.client, ssl
from msgspec.json import Decoder
from kubernetes_typed_client import Client
from kubernetes_models import V1PodList
connection = http.client.HTTPSConnection(
    server["url"].removeprefix("https://"),
    context=ssl.create_default_context(cafile=server["authority"]))

def get(namespace):
    headers = {"authorization": "Bearer " + server["token"], "accept-encoding": "gzip"}
    connection.request("GET", f"/api/v1/namespaces/{namespace}/pods", headers=headers)
    response = connection.getresponse()
    is_packed = response.headers["content-encoding"] == "gzip"
    return gzip.decompress(response.read()) if is_packed else response.read()

decode = Decoder(V1PodList).decode
decode(get("default"))
gc.disable()
start = time.process_time()
data = get("pods")
received = time.process_time()
pods = decode(data).items
decoded = time.process_time()
names = {pod.metadata.name for pod in pods}
uncounted = time.process_time() - END
"""
_LAST = """
print(time.process_time() - start - uncounted)
assert len(names) == 10_000, len(names)
"""


class Task(NamedTuple):
    """A client, and the program in which it lists Pods."""

    name: str
    client: str
    program: str


TASKS = (
    Task(
        f"{OURS}, pages",
        OURS,
        _OURS.replace("LIST", 'core.list_namespaced_pod.items("pods")'),
    ),
    Task(
        f"{OURS}, one response",
        OURS,
        _OURS.replace("LIST", 'core.list_namespaced_pod("pods").items'),
    ),
    Task("floor: response", OURS, _FLOOR.replace("END", "received")),
    Task("floor: response and msgspec", OURS, _FLOOR.replace("END", "decoded")),
    Task("kubernetes 35", "kubernetes==35.*", _OFFICIAL),
    Task("kubernetes 37", "kubernetes==37.*", _OFFICIAL),
    Task("lightkube, pages", "lightkube", _LIGHTKUBE.replace("LIST", "chunk_size=500")),
    Task("lightkube, one response", "lightkube", _LIGHTKUBE.replace(", LIST", "")),
)
#: At least so many times as fast as these.
GOALS = {"kubernetes 35": 20, "kubernetes 37": 5, "lightkube": 5}


def main() -> None:
    peers = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folders = {task.client: install(peers, task.client) for task in TASKS}
    with tempfile.TemporaryDirectory() as folder, api_server(Path(folder)) as client:
        make_pods(client)
        times = measure(client, folders)
    best = min(times[name] for name in times if name.startswith(OURS))
    for name, seconds in times.items():
        goal = GOALS.get(name.partition(",")[0])
        text = f"goal: x {goal}" if goal else ""
        print(f"{name:32} {seconds:8.3f} s  x {seconds / best:6.2f}  {text}".rstrip())
    for requirement, path in folders.items():
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        print(f"{requirement:32} {size / 1e6:8.2f} MB")
    ours = folders[OURS]
    before = import_time(ours, "pass")
    after = import_time(ours, "import kubernetes_typed_client")
    after_class = import_time(ours, "from kubernetes_typed_client import CoreV1Api")
    print(f"{'import kubernetes_typed_client':32} {(after - before) * 1000:8.1f} ms")
    print(f"{'… and CoreV1Api':32} {(after_class - before) * 1000:8.1f} ms")


def install(peers: Path, requirement: str) -> Path:
    """The folder with a client and its dependencies."""
    folder = peers / requirement.partition("=")[0] / requirement.rpartition("=")[2]
    if folder.is_dir():
        return folder
    sources = [requirement]
    if requirement == OURS:
        generated = peers / "generated"
        subprocess.run(
            [
                *(sys.executable, "-m", "kubestencil", "render", RELEASE, "-q"),
                *("-t", "python", "-t", "python-client", "-o", str(generated)),
            ],
            env=environment(),
            check=True,
        )
        targets = ("python", "python-client")
        sources = [str(generated / RELEASE / target) for target in targets]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--target",
            str(folder),
            *sources,
        ],
        check=True,
    )
    return folder


def make_pods(client: Client) -> None:
    """Create the Pods, as an API server completes them."""
    create(client, "/api/v1/namespaces", {"metadata": {"name": "pods"}})
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(lambda number: make_pod(client, number), range(PODS)))


def make_pod(client: Client, number: int) -> None:
    container = {
        "name": "web",
        "image": "nginx:1.27",
        "ports": [{"containerPort": 80, "name": "http"}],
        "env": [{"name": "A", "value": str(number)}],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
        "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
        "volumeMounts": [{"name": "config", "mountPath": "/etc/config"}],
    }
    pod = {
        "metadata": {"name": f"web-{number:05}", "labels": {"app": "web"}},
        "spec": {
            "containers": [container],
            "volumes": [{"name": "config", "configMap": {"name": "web"}}],
        },
    }
    create(client, "/api/v1/namespaces/pods/pods", pod)


def create(client: Client, path: str, value: object) -> None:
    reply = client.request("POST", path, json.dumps(value).encode())
    assert reply.status == 201, reply.message


def measure(client: Client, folders: dict[str, Path]) -> dict[str, float]:
    """The shortest CPU time of each task."""
    server = {
        "url": f"https://127.0.0.1:{client.port}",
        "token": client.token,
        "authority": str(client.authority),
    }
    times: dict[str, float] = {}
    for _ in range(RUNS):
        for task in TASKS:
            program = f"{_FIRST}{task.program}{_LAST}"
            text = run(program, folders[task.client], json.dumps(server))
            times[task.name] = min(times.get(task.name, 1e9), float(text))
    return times


def run(program: str, folder: Path, *arguments: str) -> str:
    process = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONPATH": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    return process.stdout


def import_time(folder: Path, statement: str) -> float:
    """The CPU time of a process with a statement, the best of ten."""
    best = 1e9
    for _ in range(10):
        before = os.times()
        subprocess.run(
            [sys.executable, "-c", statement],
            env={**os.environ, "PYTHONPATH": str(folder)},
            check=True,
        )
        after = os.times()
        used = after.children_user - before.children_user
        best = min(best, used + after.children_system - before.children_system)
    return best


if __name__ == "__main__":
    main()
