"""The answers of docs/python-client.md for operators, run as they are there: at a real API
server, and copying with what a container would print."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kubestencil.engine import load_targets
from kubestencil.targets import generate_files
from tests.api_server import Client
from tests.conftest import ROOT, load

pytest.importorskip("httpcore2", reason="httpcore2 is not installed")

BEFORE = """
from kubernetes_models import V1ConfigMap, V1ObjectMeta
from kubernetes_typed_client import Client, load_config

client = Client(load_config())
config = client.create(
    V1ConfigMap(metadata=V1ObjectMeta(name="for-operators", namespace="default"))
)
"""
AFTER = """
from types import SimpleNamespace
from threading import Timer
from time import sleep

def leads(holder, seconds=15):
    return is_leader(client, "for-operators", "default", holder, seconds)

assert leads("a")
assert not leads("b")
assert leads("a", 1)
while not leads("b"):
    sleep(0.1)
assert not leads("a")

record(client, config, "Reconciled", "all is well")
events = [event.note for event in client.list(EventsV1Event, "default")]
assert "all is well" in events

queue = WorkQueue()
queue.add(("default", "a"))
queue.add(("default", "b"))
queue.add(("default", "a"))
assert [queue.take()[1] for _ in range(2)] == ["a", "b"]
Timer(0.01, queue.add, [("default", "c")]).start()
assert queue.take()[1] == "c"

assert "for-operators" in [row["cells"][0] for row in client.run(call)["rows"]]

packed = io.BytesIO()
with tarfile.open(fileobj=packed, mode="w") as archive:
    member = tarfile.TarInfo("./hello")
    member.size = 2
    archive.addfile(member, io.BytesIO(b"hi"))
done = SimpleNamespace(exit_code=0, stdout=packed.getvalue(), stderr=b"")
core = SimpleNamespace(connect_get_namespaced_pod_exec=lambda *_, **__: done)
copy_from(core, "web", "default", "/etc", "copied")
client.delete(config)
client.close()
"""


def test_answers_for_operators_work_at_an_api_server(
    api_server: Client, tmp_path: Path
) -> None:
    text = (ROOT / "docs/python-client.md").read_text("utf-8")
    section = text.partition("\n## For operators\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    targets = load_targets(None)
    for name in ("python", "python-client"):
        for file in generate_files(load("1.35"), targets[name]):
            path = tmp_path / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
    (tmp_path / "kubeconfig").write_text(json.dumps(api_server.kubeconfig()))
    (tmp_path / "program.py").write_text("\n".join([BEFORE, *blocks, AFTER]))
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        cwd=tmp_path,
        env={"KUBECONFIG": str(tmp_path / "kubeconfig")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "copied/hello").read_bytes() == b"hi"
