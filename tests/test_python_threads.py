"""Threads read with classes that nothing has read with before.

msgspec makes the type information of a class when it is first needed, without a lock: a
second thread that reads with a part of it ends the process (SIGSEGV). Each try is a
process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.conftest import load_with_crds
from tests.packages import generate_client
from tests.python_crds import GADGET

PROCESSES = 50
REQUIREMENTS = ("httpcore2[asyncio]", "msgspec", "pyyaml", "wsproto")
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "resourceVersion": "7"},
    "spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80}]}]},
    "status": {"phase": "Running"},
}

# What 32 threads do at once; TEXT is a Pod, URL that of a server that has it.
SCRIPT = """\
import faulthandler, itertools, json, os, sys, threading
faulthandler.enable()
folder, task, TEXT, URL = sys.argv[1:]
sys.path.insert(0, folder)
import msgspec
import threads_models as m

data = json.loads(TEXT)

if task in ("read", "lists", "refusals", "informers"):
    import threads_client as c
    client = c.Client(c.Config(server=URL))

def from_json():
    return m.V1Pod.from_json(TEXT)

def from_dict():
    return m.V1Pod.from_dict(data)

def convert():
    return msgspec.convert(data, m.V1Pod)

def decode():
    return msgspec.json.decode(f"[{TEXT}]", type=list[m.V1Pod])[0]

def subclass():
    if next(NUMBERS) % 2 == 0:
        m.V1Deployment, m.V1Node  # imports what annotations name
    return OWN.from_dict(data)

def recursive():
    schema = {"properties": {"a": {"not": {"items": {}}}}}
    versions = [{"name": "v1", "served": True, "storage": True}]
    spec = {"group": "g", "scope": "Cluster", "names": {"kind": "K", "plural": "ks"}}
    versions[0]["schema"] = {"openAPIV3Schema": schema}
    crd = m.V1CustomResourceDefinition.from_dict({"spec": {**spec, "versions": versions}})
    assert crd.to_dict()["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == schema
    return m.V1Pod.from_dict(data)

def custom():
    from threads_models.example_com.v1 import Gadget
    spec = {"mode": "On", "note": None, "since": "2024-01-31T12:00:00.5Z", "mixed": "a", "open": {"x": 1}}
    assert Gadget.from_dict({"spec": spec}).to_dict()["spec"] == spec
    assert Gadget.from_json(json.dumps({"spec": spec})).to_dict()["spec"] == spec
    return m.V1Pod.from_dict(data)

def careful():
    broken = {**data, "spec": {**data["spec"], "new": 1, "containers": None}}
    pod = m.V1Pod.from_json(json.dumps(broken))
    assert pod.spec.unknown_fields == {"new": 1} and pod.spec.containers == []
    return m.V1Pod.from_dict(data)

def read():
    return c.CoreV1Api(client).read_namespaced_pod("a", "b")

def default_client():
    import threads_client as c
    CLIENTS.add(id(c.CoreV1Api().client))
    return m.V1Pod.from_dict(data)

def lists():
    return c.CoreV1Api(client).list_namespaced_pod("b").items[0]

def refusals():
    try:
        client.get(m.V1Node, "none")
    except c.NotFound as error:
        assert error.details.name == "none"
    return client.get(m.V1Pod, "a", "b")

def informers():
    with c.Informer(client, m.V1Pod, "b") as informer:
        return next(iter(informer.store))

def forks():
    # A child of a process in which other threads are at work.
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if m.V1Pod.from_dict(data).metadata.name == "a" else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    return m.V1Pod.from_dict(data)

CLIENTS = set()
NUMBERS = itertools.count()
if task == "subclass":
    class OWN(m.V1Pod, kw_only=True):
        note: str | None = None
        owner: "OWN | None" = None
        deployment: "m.V1Deployment | None" = None
        part: "PART | None" = None

    class PART(m.Model, kw_only=True):
        nodes: "list[m.V1Node] | None" = None

if task == "default_client":
    import tempfile
    folder = tempfile.mkdtemp()
    os.environ["KUBECONFIG"] = os.path.join(folder, "config")
    with open(os.environ["KUBECONFIG"], "w") as file:
        named = {"clusters": "cluster", "contexts": "context", "users": "user"}
        json.dump({
            "clusters": [{"name": "a", "cluster": {"server": URL}}],
            "users": [{"name": "a", "user": {}}],
            "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "current-context": "a",
        }, file)

number = 4 if task in ("forks", "informers") else 32
barrier, errors = threading.Barrier(number), []

def work():
    barrier.wait()
    try:
        pod = globals()[task]()
        assert pod.spec.containers[0].ports[0].container_port == 80, pod
        assert type(pod).__name__ == ("OWN" if task == "subclass" else "V1Pod")
    except BaseException as error:
        errors.append(repr(error))

threads = [threading.Thread(target=work) for _ in range(number)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not errors, errors
assert len(CLIENTS) <= 1
print("ok")
"""
TASKS = (
    "from_json", "from_dict", "convert", "decode", "subclass", "recursive", "custom",
    "careful", "read", "default_client", "lists", "refusals", "informers", "forks",
)  # fmt: skip


def _interpreters() -> dict[str, str]:
    """The Python that runs the tests, the newest that is newer, and one whose threads run
    at the same time; by what they are."""
    folders = [
        *map(str, Path.home().glob(".pyenv/versions/*/bin")),
        *os.get_exec_path(),
    ]
    newest = {
        f"python3.{minor}{kind}": path
        for kind in ("", "t")
        for minor in range(sys.version_info.minor + 1, sys.version_info.minor + 20)
        if (
            path := shutil.which(
                f"python3.{minor}{kind}", path=os.pathsep.join(folders)
            )
        )
        and _runs(path)
    }
    gil = [name for name in newest if not name.endswith("t")]
    free = [name for name in newest if name.endswith("t")]
    return {
        "this": sys.executable,
        **({"newest": newest[gil[-1]]} if gil else {}),
        **({"free-threaded": newest[free[-1]]} if free else {}),
    }


def _runs(path: str) -> bool:
    """Whether a program is more than the stand-in of a version that is not there."""
    return subprocess.run([path, "-c", ""], capture_output=True).returncode == 0


@pytest.fixture(scope="module", params=["this", "newest", "free-threaded"])
def python(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """A Python that has what the packages need."""
    path = _interpreters().get(request.param)
    if path is None:
        pytest.skip(f"no {request.param} Python is installed, or none that is newer")
    if request.param == "this":
        for module in ("httpcore2", "wsproto"):
            pytest.importorskip(module, reason=f"{module} is not installed")
        return path
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([path, "-m", "venv", folder], check=True)
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    installed = subprocess.run([*pip, *REQUIREMENTS], capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"{path} lacks a package: {installed.stderr.strip()[-300:]}")
    return python


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("threads")
    return generate_client(load_with_crds("1.35", [GADGET]), folder, "threads")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server that has one Pod, and no Node."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            target = urlsplit(self.path)
            if parse_qs(target.query).get("watch"):
                self._answer(200, b"")
            elif target.path.endswith("/pods"):
                items = {"metadata": {"resourceVersion": "7"}, "items": [POD] * 20}
                self._answer(200, json.dumps(items).encode())
            elif target.path.endswith("/pods/a"):
                self._answer(200, json.dumps(POD).encode())
            else:
                status = {"kind": "Status", "details": {"name": "none", "causes": [{}]}}
                self._answer(404, json.dumps(status).encode())

        def _answer(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Listener(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    with Listener(("127.0.0.1", 0), Handler) as listener:
        thread = threading.Thread(target=listener.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listener.server_port}"
        listener.shutdown()
        thread.join()


@pytest.mark.nightly
def test_threads_read_with_classes_that_are_new(
    python: str, folder: Path, url: str
) -> None:
    text = json.dumps(POD)
    for number in range(PROCESSES):
        task = TASKS[number % len(TASKS)]
        ended = subprocess.run(
            [python, "-c", SCRIPT, str(folder), task, text, url],
            capture_output=True,
            text=True,
            timeout=120,
        )
        result = (task, ended.returncode, ended.stdout, ended.stderr[-3000:])
        assert ended.returncode == 0, result
