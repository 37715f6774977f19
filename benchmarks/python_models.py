"""The printed Python package beside other clients' models, measured in one run.

    python benchmarks/python_models.py [PEERS]

PEERS is a folder for the peers (kubernetes 35 and 37, lightkube-models, the models
that datamodel-code-generator makes), which pip installs there if they are missing.
Every number is of a process of its own, the best of several runs, in CPU time: other
work on the machine would be in the wall clock. The documents are those of
Kubernetes 1.35: KUBESTENCIL_SPECS, or the embedded ones.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RELEASE = "1.35"
INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
PODS = 1_000
DEPLOYMENTS = 10_000


@dataclass(frozen=True)
class Peer:
    """Somebody's models, and how they are used.

    ``package``, ``one`` and ``everything`` are statements that import the package,
    a Pod with all it needs, and every model; ``setup`` comes before ``read`` (from
    the bytes ``data`` to ``pods``), ``write`` and ``build`` (a Deployment).
    """

    name: str
    requirements: tuple[str, ...]
    package: str
    one: str
    everything: str
    setup: str
    read: str
    write: str
    build: str


SNAKE = """m.V1Deployment(
    api_version="apps/v1", kind="Deployment",
    metadata=m.V1ObjectMeta(name="web", labels={"app": "web"}),
    spec=m.V1DeploymentSpec(
        replicas=3, selector=m.V1LabelSelector(match_labels={"app": "web"}),
        template=m.V1PodTemplateSpec(
            metadata=m.V1ObjectMeta(labels={"app": "web"}),
            spec=m.V1PodSpec(containers=[m.V1Container(
                name="main", image="web:1",
                ports=[m.V1ContainerPort(container_port=80)],
                resources=m.V1ResourceRequirements(limits={"cpu": "1"}))]))))"""
CAMEL = re.sub("_([a-z])(?=[a-z_]*=)", lambda match: match[1].upper(), SNAKE)


def official(major: int, setup: str, read: str, write: str) -> Peer:
    return Peer(
        name=f"kubernetes {major}",
        requirements=(f"kubernetes=={major}.*",),
        package="import kubernetes.client",
        one="from kubernetes.client.models.v1_pod import V1Pod",
        everything="import kubernetes.client.models as m\n"
        "for name in dir(m): getattr(m, name)",
        setup=f"import json, kubernetes.client as m\n{setup}",
        read=read,
        write=write,
        build=SNAKE,
    )


PEERS = (
    Peer(
        name="kubestencil",
        requirements=(),
        package="import kubernetes_models",
        one="from kubernetes_models import V1Pod",
        everything="import kubernetes_models.models as m\n"
        "for name in m.__all__: getattr(m, name)",
        setup="import kubernetes_models as m",
        read="pods = m.V1PodList.from_json(data)",
        write="pods.to_json()",
        build=SNAKE,
    ),
    official(
        35,
        "api = m.ApiClient(); answer = type('Answer', (), {'data': data})",
        "pods = api.deserialize(answer, 'V1PodList')",
        "json.dumps(api.sanitize_for_serialization(pods))",
    ),
    official(37, "", "pods = m.V1PodList.from_json(data)", "pods.to_json()"),
    Peer(
        name="lightkube-models",
        requirements=("lightkube", "lightkube-models"),
        package="import lightkube.models",
        one="from lightkube.models.core_v1 import Pod",
        everything="import importlib, pkgutil, lightkube.models as m\n"
        "for each in pkgutil.iter_modules(m.__path__):\n"
        "    importlib.import_module('lightkube.models.' + each.name)",
        setup="import json, types\n"
        "from lightkube.models import apps_v1, core_v1, meta_v1\n"
        "every = {**vars(meta_v1), **vars(core_v1), **vars(apps_v1)}\n"
        "m = types.SimpleNamespace(**{'V1' + k: v for k, v in every.items()})",
        read="pods = m.V1PodList.from_dict(json.loads(data), lazy=False)",
        write="json.dumps(pods.to_dict())",
        build=CAMEL,
    ),
    Peer(
        name="datamodel-code-generator",
        requirements=("datamodel-code-generator",),
        package="import dmcg_models",
        one="from dmcg_models import V1Pod",
        everything="import dmcg_models",
        setup="import dmcg_models as m",
        read="pods = m.V1PodList.model_validate_json(data)",
        write="pods.model_dump_json(by_alias=True, exclude_none=True)",
        build=CAMEL,
    ),
)


def main() -> None:
    peers = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).absolute()
    data = json.dumps(pod_list(PODS), separators=(",", ":")).encode()
    (peers / "pods.json").write_bytes(data)
    print(f"Python {sys.version.split()[0]}, {PODS} pods: {len(data) / 1e6:.1f} MB")
    install(peers)

    ours, theirs = print_ours(peers), print_datamodel(peers)
    print(
        f"printing: kubestencil {ours:.2f} s, datamodel-code-generator {theirs:.1f} s"
    )
    print(f"          {theirs / ours:.0f} times as fast")
    parse = seconds("import json", "json.loads(data)", peers, peers)
    print(f"json.loads alone: {parse * 1e3:.1f} ms\n")

    idle = cost("pass", peers)
    found = {peer.name: measure(peer, peers, idle) for peer in PEERS}
    table(found, "{:13.1f}")
    print("\nkubestencil is so many times as good:")
    first, *rest = found
    least = {column: max(value, 0.1) for column, value in found[first].items()}
    table({p: {c: found[p][c] / least[c] for c in least} for p in rest}, "{:13.1f}")


def table(rows: dict[str, dict[str, float]], form: str) -> None:
    columns = next(iter(rows.values()))
    print(" " * 25 + "".join(f"{column:>13}" for column in columns))
    for name, row in rows.items():
        print(f"{name:25}" + "".join(form.format(value) for value in row.values()))


def measure(peer: Peer, peers: Path, idle: tuple[float, float]) -> dict[str, float]:
    home = peers / folder(peer)
    data = f"data = open({str(peers / 'pods.json')!r}, 'rb').read()\n"
    loaded = f"{peer.setup}\n{peer.read}"
    package, one, everything, reading = (
        cost(code, home)
        for code in (peer.package, peer.one, peer.everything, data + loaded)
    )
    times = DEPLOYMENTS // 20
    return {
        "package ms": (package[0] - idle[0]) * 1e3,
        "V1Pod ms": (one[0] - idle[0]) * 1e3,
        "all ms": (everything[0] - idle[0]) * 1e3,
        "all MB": everything[1] - idle[1],
        "read ms": seconds(peer.setup, peer.read, home, peers) * 1e3,
        "read MB": reading[1] - idle[1],
        "write ms": seconds(loaded, peer.write, home, peers) * 1e3,
        "10k build ms": seconds(peer.setup, peer.build, home, peers, times) * 20e3,
    }


def cost(code: str, home: Path) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of an interpreter that runs ``code``."""
    # Not ru_maxrss, which a process inherits from the one that started it.
    code += """
import time
spent = time.process_time()
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(spent, int(peak.split()[1]) / 1024)"""
    # The first run writes the byte code.
    runs = [run(code, home).split() for _ in range(8)][1:]
    return min(float(each[0]) for each in runs), min(float(each[1]) for each in runs)


def seconds(
    setup: str, statement: str, home: Path, peers: Path, times: int = 1
) -> float:
    """CPU seconds that ``statement`` takes ``times`` times: the best of five."""
    code = f"""
import time
data = open({str(peers / "pods.json")!r}, "rb").read()
{setup}
best = 1e9
for _ in range(5):
    start = time.process_time()
    for _ in range({times}):
        {statement}
    best = min(best, time.process_time() - start)
print(best)
"""
    return float(run(code, home))


def run(code: str, home: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(home)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{code}\n{done.stderr[-2000:]}")
    return done.stdout


def folder(peer: Peer) -> str:
    return peer.name.replace(" ", "-")


def install(peers: Path) -> None:
    for peer in PEERS:
        home = peers / folder(peer)
        if peer.requirements and not home.is_dir():
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-warn-conflicts"]
            subprocess.run(
                [*pip, "--target", str(home), *peer.requirements], check=True
            )


def child_seconds(command: list[str], path: Path) -> float:
    """CPU seconds of a command and all its processes."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(path)

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run(command, env=environment, check=True)
    return used() - before


def print_ours(peers: Path) -> float:
    """Print the package as a user does: parsed, validated, written."""
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "kubestencil", "render", RELEASE, "-q"]
        spent = min(
            child_seconds([*command, "-t", "python", "-j", "1", "-o", each], ROOT)
            for each in (f"{out}/{number}" for number in range(3))
        )
        home = peers / folder(PEERS[0])
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(Path(out) / "0" / RELEASE / "python", home)
    return spent


def print_datamodel(peers: Path) -> float:
    """The same definitions as JSON Schema, since it does not read OpenAPI 2.0."""
    sys.path.insert(0, str(ROOT / "generator"))
    from kubestencil.source import locate
    from kubestencil.targets.python.spelling import class_names

    specs = os.environ.get("KUBESTENCIL_SPECS")
    definitions = locate(RELEASE, Path(specs) if specs else None).document()[
        "definitions"
    ]
    # It would take the type for a string, and refuse every port that is a number.
    definitions[INT_OR_STRING] = {"type": ["integer", "string"]}
    names = class_names(definitions)
    text = re.sub(
        '"#/definitions/([^"]+)"',
        lambda match: f'"#/definitions/{names[match[1]]}"',
        json.dumps({names[name]: body for name, body in definitions.items()}),
    )
    schema = peers / "schema.json"
    schema.write_text(f'{{"definitions": {text}}}')
    home = peers / "datamodel-code-generator"
    command = [sys.executable, "-m", "datamodel_code_generator", "--input", str(schema)]
    options = ["--input-file-type", "jsonschema", "--output", f"{home}/dmcg_models.py"]
    style = ["--output-model-type", "pydantic_v2.BaseModel", "--disable-warnings"]
    return child_seconds([*command, *options, *style], home)


def pod_list(count: int) -> dict[str, Any]:
    """Pods as an API server writes them."""
    return {
        "apiVersion": "v1",
        "kind": "PodList",
        "metadata": {"resourceVersion": "4711"},
        "items": [pod(number) for number in range(count)],
    }


def pod(number: int) -> dict[str, Any]:
    app, digest = f"app-{number % 40}", f"{number * 2654435761 % 2**32:08x}"
    time = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T12:{number % 60:02}:00Z"
    image = f"registry.example/{app}:v1.{number % 20}"
    uid = f"{digest}-0000-4000-8000-{number:012d}"
    owner = {
        "apiVersion": "apps/v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": "ReplicaSet",
        "name": f"{app}-{digest}",
        "uid": uid,
    }
    managed = {
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:metadata": {"f:labels": {".": {}, "f:app": {}}}, "f:spec": {}},
        "manager": "kube-controller-manager",
        "operation": "Update",
        "time": time,
    }
    toleration = {"effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 300}
    container = {
        "args": ["--config=/etc/app/config.yaml", "--v=2"],
        "env": [
            {"name": "LOG_LEVEL", "value": "info"},
            {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {
            "failureThreshold": 3,
            "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
            "periodSeconds": 10,
            "timeoutSeconds": 1,
        },
        "name": "main",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {
            "limits": {"cpu": "500m", "memory": "512Mi"},
            "requests": {"cpu": "100m", "memory": "128Mi"},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True},
        "terminationMessagePath": "/dev/termination-log",
        "volumeMounts": [{"mountPath": "/etc/app", "name": "config", "readOnly": True}],
    }
    return {
        "metadata": {
            "annotations": {"checksum/config": digest * 8, "scrape": "true"},
            "creationTimestamp": time,
            "generateName": f"{app}-{digest}-",
            "labels": {"app": app, "pod-template-hash": digest, "tier": "backend"},
            "managedFields": [managed, managed],
            "name": f"{app}-{digest}-{number % 7}",
            "namespace": f"team-{number % 9}",
            "ownerReferences": [owner],
            "resourceVersion": str(1_000_000 + number),
            "uid": uid,
        },
        "spec": {
            "containers": [container],
            "dnsPolicy": "ClusterFirst",
            "enableServiceLinks": True,
            "nodeName": f"node-{number % 50}",
            "priority": 0,
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "serviceAccountName": app,
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {"key": "node.kubernetes.io/not-ready", **toleration},
                {"key": "node.kubernetes.io/unreachable", **toleration},
            ],
            "volumes": [
                {"configMap": {"defaultMode": 420, "name": app}, "name": "config"}
            ],
        },
        "status": {
            "conditions": [
                {"lastTransitionTime": time, "status": "True", "type": kind}
                for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{digest * 8}",
                    "image": image,
                    "imageID": f"registry.example/{app}@sha256:{digest * 8}",
                    "lastState": {},
                    "name": "main",
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": time}},
                }
            ],
            "hostIP": f"10.0.0.{number % 250}",
            "phase": "Running",
            "podIP": f"10.1.{number % 250}.{number % 251}",
            "podIPs": [{"ip": f"10.1.{number % 250}.{number % 251}"}],
            "qosClass": "Burstable",
            "startTime": time,
        },
    }


if __name__ == "__main__":
    main()
