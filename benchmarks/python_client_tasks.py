"""What programs do with clients of Kubernetes: the generated one beside four others.

    python -m benchmarks.python_client_tasks [PEERS]

Lists of 10,000 ConfigMaps and of 2,000 Pods, a watch of 500 changes, and 500 creations,
each in a new process, after a first request. The time is the CPU time of the client, the
best of three in turns, at the API server of KUBESTENCIL_APISERVER, with KUBESTENCIL_ETCD.
Every name is read. PEERS is a folder for the clients, as of ``python_client.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import ROOT
from benchmarks.python_client import OURS, create, install, make_pod, run

sys.path[:0] = [str(ROOT), str(ROOT / "generator")]

from tests.api_server import CONNECTIONS, Client, api_server  # noqa: E402

RUNS = 3
MANY, PODS, FEW = 10_000, 2_000, 500
NAMESPACES = ("small", "pods", "watched", "created")
_MAPS = "/api/v1/namespaces"
GOALS = {"kubernetes 37": 10, "kubernetes_asyncio": 10, "lightkube": 1, "kr8s": 1}

_BEGIN = """
import asyncio, sys, time
kubeconfig, version, prefix = sys.argv[1:]
names = []
"""
_END = """
print(time.process_time() - start)
assert len(names) == COUNT, len(names)
"""


class Library(NamedTuple):
    """A client: how it is set up, and its code for each task. ``is_async`` code is the
    body of a coroutine function."""

    requirement: str
    setup: str
    small: str
    pods: str
    watch: str
    create: str
    is_async: bool = False

    def program(self, task: str, count: int) -> str:
        lines = f"{self.setup}\nstart = time.process_time()\n{getattr(self, task)}"
        if self.is_async:
            body = "\n".join(f"    {line}" for line in lines.strip().splitlines())
            lines = f"async def main():\n    global start\n{body}\nasyncio.run(main())"
        return f"{_BEGIN}\n{lines}\n{_END}".replace("COUNT", str(count))


_OURS = """
import os
os.environ["KUBECONFIG"] = kubeconfig
from kubernetes_typed_client import AsyncClient, Client, load_config
from kubernetes_models import V1ConfigMap, V1ObjectMeta, V1Pod
"""
_OFFICIAL_LIST = """
names = [item.metadata.name for item in core.list_namespaced_METHOD.items]
"""
_OFFICIAL_CREATE = """
for number in range(COUNT):
    made = AWAIT core.create_namespaced_config_map("created", client.V1ConfigMap(
        metadata=client.V1ObjectMeta(name=f"{prefix}-{number}"), data={"a": "b"}))
    names.append(made.metadata.name)
"""

LIBRARIES = {
    OURS: Library(
        OURS,
        f"""{_OURS}
client = Client(load_config())
list(client.list(V1ConfigMap, "default"))
""",
        'names = [item.metadata.name for item in client.list(V1ConfigMap, "small")]',
        'names = [item.metadata.name for item in client.list(V1Pod, "pods")]',
        """
for event in client.watch(V1ConfigMap, "watched", resource_version=version):
    names.append(event.object.metadata.name)
    if len(names) == COUNT:
        break
""",
        """
for number in range(COUNT):
    made = client.create(V1ConfigMap(
        metadata=V1ObjectMeta(name=f"{prefix}-{number}", namespace="created"),
        data={"a": "b"}))
    names.append(made.metadata.name)
""",
    ),
    f"{OURS}, asyncio": Library(
        OURS,
        f"""{_OURS}
client = AsyncClient(load_config())
async for item in client.list(V1ConfigMap, "default"): pass
""",
        """
async for item in client.list(V1ConfigMap, "small"):
    names.append(item.metadata.name)
""",
        """
async for item in client.list(V1Pod, "pods"):
    names.append(item.metadata.name)
""",
        """
async for event in client.watch(V1ConfigMap, "watched", resource_version=version):
    names.append(event.object.metadata.name)
    if len(names) == COUNT:
        break
""",
        """
for number in range(COUNT):
    made = await client.create(V1ConfigMap(
        metadata=V1ObjectMeta(name=f"{prefix}-{number}", namespace="created"),
        data={"a": "b"}))
    names.append(made.metadata.name)
""",
        is_async=True,
    ),
    "lightkube": Library(
        "lightkube",
        """
from lightkube import Client, KubeConfig
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import ConfigMap, Pod
client = Client(config=KubeConfig.from_file(kubeconfig))
list(client.list(ConfigMap, namespace="default"))
""",
        """
names = [item.metadata.name for item in client.list(ConfigMap, namespace="small")]
""",
        'names = [item.metadata.name for item in client.list(Pod, namespace="pods")]',
        """
for _, item in client.watch(ConfigMap, namespace="watched", resource_version=version):
    names.append(item.metadata.name)
    if len(names) == COUNT:
        break
""",
        """
for number in range(COUNT):
    made = client.create(ConfigMap(
        metadata=ObjectMeta(name=f"{prefix}-{number}", namespace="created"),
        data={"a": "b"}))
    names.append(made.metadata.name)
""",
    ),
    "kr8s": Library(
        "kr8s",
        """
import kr8s.asyncio
from kr8s.asyncio.objects import ConfigMap
api = await kr8s.asyncio.api(kubeconfig=kubeconfig)
async for item in api.get("configmaps", namespace="default"): pass
""",
        """
async for item in api.get("configmaps", namespace="small"):
    names.append(item.metadata.name)
""",
        """
async for item in api.get("pods", namespace="pods"):
    names.append(item.metadata.name)
""",
        """
async for _, item in api.watch("configmaps", namespace="watched", since=version):
    names.append(item.metadata.name)
    if len(names) == COUNT:
        break
""",
        """
for number in range(COUNT):
    made = await ConfigMap({
        "metadata": {"name": f"{prefix}-{number}", "namespace": "created"},
        "data": {"a": "b"}}, api=api)
    await made.create()
    names.append(made.metadata.name)
""",
        is_async=True,
    ),
    "kubernetes 37": Library(
        "kubernetes==37.*",
        """
from kubernetes import client, config, watch
config.load_kube_config(kubeconfig)
core = client.CoreV1Api()
core.list_namespaced_config_map("default")
""",
        _OFFICIAL_LIST.replace("METHOD", 'config_map("small")'),
        _OFFICIAL_LIST.replace("METHOD", 'pod("pods")'),
        """
for event in watch.Watch().stream(
    core.list_namespaced_config_map, "watched", resource_version=version
):
    names.append(event["object"].metadata.name)
    if len(names) == COUNT:
        break
""",
        _OFFICIAL_CREATE.replace("AWAIT ", ""),
    ),
    "kubernetes_asyncio": Library(
        "kubernetes_asyncio",
        """
from kubernetes_asyncio import client, config, watch
await config.load_kube_config(config_file=kubeconfig)
core = client.CoreV1Api()
await core.list_namespaced_config_map("default")
""",
        """
found = await core.list_namespaced_config_map("small")
names[:] = [item.metadata.name for item in found.items]
""",
        """
found = await core.list_namespaced_pod("pods")
names[:] = [item.metadata.name for item in found.items]
""",
        """
async for event in watch.Watch().stream(
    core.list_namespaced_config_map, "watched", resource_version=version
):
    names.append(event["object"].metadata.name)
    if len(names) == COUNT:
        break
""",
        _OFFICIAL_CREATE.replace("AWAIT", "await"),
        is_async=True,
    ),
}
TASKS = {"small": MANY, "pods": PODS, "watch": FEW, "create": FEW}


def main() -> None:
    peers = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    for library in LIBRARIES.values():
        install(peers, library.requirement)
    with tempfile.TemporaryDirectory() as folder, api_server(Path(folder)) as server:
        kubeconfig = Path(folder, "kubeconfig")
        kubeconfig.write_text(json.dumps(server.kubeconfig()))
        make_objects(server)
        for task, count in TASKS.items():
            best = dict.fromkeys(LIBRARIES, 1e9)
            for number in range(RUNS):
                for name, library in LIBRARIES.items():
                    version = make_changes(server) if task == "watch" else ""
                    prefix = f"{task}-{number}-{list(LIBRARIES).index(name)}"
                    text = run(
                        library.program(task, count),
                        install(peers, library.requirement),
                        *(str(kubeconfig), version, prefix),
                    )
                    best[name] = min(best[name], float(text.split()[-1]))
            print(f"{task}, {count}")
            for name, seconds in best.items():
                goal = f"goal: x {GOALS[name]}" if name in GOALS else ""
                ratio = seconds / best[OURS]
                print(f"  {name:22} {seconds:8.3f} s  x {ratio:6.2f}  {goal}".rstrip())


def make_objects(server: Client) -> None:
    for namespace in NAMESPACES:
        create(server, "/api/v1/namespaces", {"metadata": {"name": namespace}})
    create(server, f"{_MAPS}/watched/configmaps", config_map("watched"))
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        for number in range(MANY):
            item = config_map(f"small-{number}")
            threads.submit(create, server, f"{_MAPS}/small/configmaps", item)
        list(threads.map(lambda number: make_pod(server, number), range(PODS)))


def config_map(name: str) -> dict[str, object]:
    return {"metadata": {"name": name}, "data": {"a": "b"}}


def make_changes(server: Client) -> str:
    """Change an object so many times; the version before that."""
    path = f"{_MAPS}/watched/configmaps/watched"
    before = server.request("GET", path).body
    version: str = before["metadata"]["resourceVersion"]
    for number in range(FEW):
        changed = {**config_map("watched"), "data": {"a": f"{version}-{number}"}}
        reply = server.request("PUT", path, json.dumps(changed).encode())
        assert reply.status == 200, reply.message
    return version


if __name__ == "__main__":
    main()
