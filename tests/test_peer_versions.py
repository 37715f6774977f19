"""The newest versions of libraries beside generated code, one program each: whatever their
registries have today. A library that cannot be installed is named, and its test skipped.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kubestencil.schema.select import select
from tests.cargo import Cargo, write_crate
from tests.conftest import full_specs, load
from tests.language_trips import PYDANTIC_TRIP
from tests.languages import generated, write
from tests.packages import generate_package
from tests.test_rust_drop_in import (
    KUBE_FEATURES,
    KUBE_TIMEOUT,
    PROGRAM_KINDS,
    kube_program,
)
from tests.test_typescript import Compiler

pytestmark = pytest.mark.nightly

POM = """
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>peer</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.fabric8</groupId>
      <artifactId>kubernetes-client-api</artifactId>
      <version>[7,8)</version>
    </dependency>
  </dependencies>
</project>
"""
FABRIC8 = """
import com.fasterxml.jackson.databind.ObjectMapper;
import example.kubernetes.apps.v1.Deployment;
import example.kubernetes.meta.v1.ObjectMeta;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

class Beside {
  public static void main(String[] arguments) throws Exception {
    var mapper = new ObjectMapper();
    var theirs = new KubernetesSerialization();
    String read = new String(System.in.readAllBytes());
    Deployment ours = mapper.readValue(read, Deployment.class);
    // From ours to theirs, and back.
    var deployment =
        theirs.unmarshal(
            mapper.writeValueAsString(ours),
            io.fabric8.kubernetes.api.model.apps.Deployment.class);
    deployment.getMetadata().setName("renamed");
    ObjectMeta metadata =
        mapper.readValue(theirs.asJson(deployment), Deployment.class).metadata();
    if (!metadata.name().equals("renamed")) throw new AssertionError(metadata);
    deployment.getMetadata().setName(ours.metadata().name());
    System.out.println(mapper.writeValueAsString(ours));
    System.out.println(theirs.asJson(deployment));
  }
}
"""
CLIENT_NODE = """
import * as client from "@kubernetes/client-node";
import { Deployment } from "kubernetes-api-types/apps/v1";

const deployment: Deployment = Deployment({
  metadata: { name: "web", creationTimestamp: new Date() },
  spec: { selector: {}, template: {} },
});
export const theirs: client.V1Deployment = deployment;
const api = new client.KubeConfig();
api.loadFromOptions({
  clusters: [{ name: "a", server: "http://127.0.0.1:1" }],
  contexts: [{ name: "a", cluster: "a", user: "a" }],
  users: [{ name: "a" }],
  currentContext: "a",
});
const apps = api.makeApiClient(client.AppsV1Api);
export const create = async (): Promise<Deployment> =>
  Deployment(await apps.createNamespacedDeployment({ namespace: "a", body: deployment }));
export const list = async (): Promise<Deployment[]> =>
  (await apps.listNamespacedDeployment({ namespace: "a" })).items.map((item) => Deployment(item));
"""
HYPOTHESIS = """
import hypothesis
from hypothesis import HealthCheck, given, settings, strategies
from peer_models.models import V1Deployment, V1Pod

for model in (V1Pod, V1Deployment):

    @settings(max_examples=20, database=None, deadline=None,
              suppress_health_check=list(HealthCheck))
    @given(strategies.from_type(model))
    def is_written_and_read(value):
        assert model.from_json(value.to_json()).to_json() == value.to_json()

    is_written_and_read()
print(hypothesis.__version__)
"""


# Without times, which libraries write in their own ways.
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {
                        "name": "web",
                        "image": "nginx",
                        "ports": [{"containerPort": 80}],
                        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
                        "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
                    }
                ]
            },
        },
    },
}


def _install(folder: Path, *command: str) -> None:
    """Run a package manager; skips the test where it cannot install."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=600
    )
    if done.returncode:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:]
        pytest.skip(f"{command[0]} cannot install it: {' '.join(last)}")


def _output(folder: Path, *command: str, text: str = "", path: str = "") -> str:
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout


@pytest.mark.peer("mvn", "javac", "java")
def test_records_stand_beside_fabric8(tmp_path: Path) -> None:
    """A program has types of both, with the Jackson that fabric8 brings."""
    folder = write(tmp_path, generated("java", load("1.35")))
    write(folder, {"peer/pom.xml": POM, "Beside.java": FABRIC8})
    copy = "mvn -q -B dependency:copy-dependencies -DoutputDirectory=../jars"
    _install(folder / "peer", *copy.split())
    sources = [str(path.relative_to(folder)) for path in folder.rglob("*.java")]
    write(folder, {"sources": "\n".join(sources)})
    _output(folder, "javac", "-d", "classes", "-cp", "jars/*", "@sources")
    text = json.dumps(DEPLOYMENT)
    printed = _output(folder, "java", "-cp", "classes:jars/*", "Beside", text=text)
    assert [json.loads(line) for line in printed.splitlines()] == [DEPLOYMENT] * 2


@pytest.mark.peer("npm", "tsc")
def test_types_are_those_that_the_newest_client_node_takes(tmp_path: Path) -> None:
    options = {"dates": "Date", "quantities": "string", "server_facts": "false"}
    compiler = Compiler(tmp_path, generated("typescript", load("1.35"), options))
    # Beside the programs, whose package npm would remove.
    command = "npm install --no-audit --no-fund --ignore-scripts --prefix peers"
    _install(tmp_path, *command.split(), "@kubernetes/client-node@latest")
    for entry in (tmp_path / "peers" / "node_modules").iterdir():
        (tmp_path / "node_modules" / entry.name).symlink_to(entry)
    assert compiler.errors(CLIENT_NODE, "--skipLibCheck") == ""


def test_the_newest_kube_compiles_on_the_crate(cargo: Cargo, tmp_path: Path) -> None:
    """The crate stands in for the k8s-openapi that this kube requires."""
    folder = kube_program(tmp_path / "lock", tmp_path, "kube.rs", *KUBE_FEATURES)
    manifest = folder / "Cargo.toml"
    newest = manifest.read_text().partition("[patch")[0].replace('"5"', '"*"')
    manifest.write_text(re.sub(r"k8s-openapi = .*\n", "", newest))
    cargo(folder, "generate-lockfile")
    lock = tomllib.loads((folder / "Cargo.lock").read_text())
    versions = {package["name"]: package["version"] for package in lock["package"]}
    replaced = versions["k8s-openapi"]
    selected = select(load("1.35", full_specs()), PROGRAM_KINDS)
    crate = write_crate(selected, tmp_path / "crate", drop_in=replaced)
    program = kube_program(tmp_path, crate, "kube.rs", *KUBE_FEATURES)
    text = (program / "Cargo.toml").read_text().replace('"5"', f'"{versions["kube"]}"')
    (program / "Cargo.toml").write_text(text.replace('"0.29"', f'"{replaced}"'))
    output = cargo(program, "check", timeout=KUBE_TIMEOUT)
    assert "warning" not in output, output[:3000]


@pytest.mark.peer("uv")
def test_models_are_read_by_the_newest_pydantic(tmp_path: Path) -> None:
    lib = _newest_of_python(tmp_path, "pydantic")
    write(tmp_path, {**generated("pydantic", load("1.35")), "trip.py": PYDANTIC_TRIP})
    text = json.dumps([[["apps", "v1", "Deployment"], DEPLOYMENT]])
    printed = _output(tmp_path, sys.executable, "trip.py", text=text, path=lib)
    assert json.loads(printed) == [DEPLOYMENT]


@pytest.mark.peer("uv")
def test_the_newest_hypothesis_makes_objects_of_classes(tmp_path: Path) -> None:
    lib = _newest_of_python(tmp_path, "hypothesis")
    generate_package(load("1.35"), tmp_path, "peer_models")
    write(tmp_path, {"program.py": HYPOTHESIS})
    _output(tmp_path, sys.executable, "program.py", path=lib)


def _newest_of_python(folder: Path, package: str) -> str:
    """A folder with the newest version of a package."""
    python = ("--python", sys.executable)
    _install(folder, "uv", "pip", "install", *python, "-U", "--target", "lib", package)
    return str(folder / "lib")
