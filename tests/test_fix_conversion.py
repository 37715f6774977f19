"""``check --fix`` rewrites an object of an old version into the same object: the code of
API server 1.21, which has both versions, converts the old one into the new one.

The program is built with Go from the modules of Kubernetes (``tests/conversion/main.go``).
Deployments in ``extensions/v1beta1`` and ``apps/v1beta1`` have what these versions fill in
otherwise than ``apps/v1``: fixed ones without it have the defaults of ``apps/v1``.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubestencil.checking.fixing import fixed_text
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from tests.conftest import ROOT, load

_VERSION = "1.21.14"
_TEMPLATE = {
    "metadata": {"labels": {"app": "a"}},
    "spec": {
        "restartPolicy": "Never",
        "containers": [{"name": "a", "image": "a:1"}],
    },
}
_TARGET = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}


def _ingress(version: str, **spec: Any) -> dict[str, Any]:
    return _object(version, "Ingress", spec=spec)


def _scaler(version: str, *metrics: Any, **spec: Any) -> dict[str, Any]:
    spec = {"scaleTargetRef": _TARGET, "maxReplicas": 4, **spec}
    return _object(
        version, "HorizontalPodAutoscaler", spec={**spec, "metrics": [*metrics]}
    )


def _object(version: str, kind: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "b"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def _rules(backend: dict[str, Any]) -> list[Any]:
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    return [{"host": "a.example", "http": {"paths": [path]}}]


_PORT = {"serviceName": "a", "servicePort": 80}
_NAMED = {"serviceName": "a", "servicePort": "http"}
_DISRUPTION = {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}
_CONTAINERS = {"containers": [{"name": "a", "image": "a:1"}]}
_POD_SPEC = {"template": {**_TEMPLATE, "spec": _CONTAINERS}}
_ROLLOUT = {
    "strategy": {"type": "Recreate"},
    "revisionHistoryLimit": 3,
    "progressDeadlineSeconds": 60,
}
_SELECTOR = {"matchLabels": {"app": "a"}}
_LABELLED = {"name": "a", "namespace": "b", "labels": {"tier": "b"}}
_PATHS = [{"path": "/a", "backend": _PORT}, {"backend": _NAMED}]

_NAMES = {"plural": "as", "kind": "A"}
_SCHEMA = {"openAPIV3Schema": {"type": "object"}}
_COLUMNS = [{"name": "a", "type": "string", "JSONPath": ".a"}]
_HOOK = {"strategy": "Webhook", "webhookClientConfig": {"url": "https://a.example"}}


def _definition(**spec: Any) -> dict[str, Any]:
    spec = {"group": "a.example", "names": _NAMES, **spec}
    return {
        "apiVersion": "apiextensions.k8s.io/v1beta1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "as.a.example"},
        "spec": {"preserveUnknownFields": False, **spec},
    }


def _version(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "served": True, "storage": name == "v1", **fields}


#: Objects in versions that 1.35 has no more.
OLD = [
    _ingress("extensions/v1beta1", rules=_rules(_PORT)),
    _ingress("networking.k8s.io/v1beta1", rules=_rules(_NAMED)),
    _ingress("networking.k8s.io/v1beta1", backend=_PORT),
    _ingress("extensions/v1beta1", rules=[{"http": {"paths": _PATHS}}]),
    _ingress("networking.k8s.io/v1beta1", rules=[{"http": {"paths": _PATHS}}]),
    *(
        _object(
            version, "Deployment", metadata=_LABELLED, spec={**_POD_SPEC, **_ROLLOUT}
        )
        for version in ("apps/v1beta1", "extensions/v1beta1")
    ),
    _object("extensions/v1beta1", "ReplicaSet", metadata=_LABELLED, spec=_POD_SPEC),
    _object("extensions/v1beta1", "DaemonSet", spec=_POD_SPEC),
    _object("apps/v1beta2", "Deployment", spec=_POD_SPEC),
    _object("apps/v1beta2", "Deployment", spec={**_POD_SPEC, "selector": _SELECTOR}),
    _ingress("networking.k8s.io/v1beta1", backend=_NAMED, rules=_rules(_PORT)),
    _object(
        "batch/v1beta1",
        "CronJob",
        spec={
            "schedule": "0 * * * *",
            "jobTemplate": {"spec": {"template": _TEMPLATE}},
        },
    ),
    _object("policy/v1beta1", "PodDisruptionBudget", spec=_DISRUPTION),
    _scaler("autoscaling/v2beta2", minReplicas=2),
    _scaler(
        "autoscaling/v2beta2",
        {
            "type": "Resource",
            "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 50},
            },
        },
        behavior={"scaleDown": {"stabilizationWindowSeconds": 60}},
    ),
    _scaler(
        "autoscaling/v2beta1",
        {
            "type": "Resource",
            "resource": {"name": "cpu", "targetAverageUtilization": 50},
        },
    ),
    _scaler(
        "autoscaling/v2beta1",
        {"type": "Pods", "pods": {"metricName": "q", "targetAverageValue": "10"}},
    ),
    _scaler(
        "autoscaling/v2beta1",
        {
            "type": "External",
            "external": {"metricName": "q", "targetValue": "10"},
        },
    ),
    _object("node.k8s.io/v1beta1", "RuntimeClass", handler="a"),
    _object("node.k8s.io/v1alpha1", "RuntimeClass", spec={"runtimeHandler": "a"}),
    _object("scheduling.k8s.io/v1beta1", "PriorityClass", value=10),
    _object("coordination.k8s.io/v1beta1", "Lease", spec={"holderIdentity": "a"}),
    _object("storage.k8s.io/v1beta1", "StorageClass", provisioner="a.example"),
    _object("storage.k8s.io/v1beta1", "CSIDriver", spec={"attachRequired": False}),
    _object("networking.k8s.io/v1beta1", "IngressClass", spec={"controller": "a.b/c"}),
    _object(
        "rbac.authorization.k8s.io/v1beta1",
        "RoleBinding",
        roleRef={"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "a"},
        subjects=[{"kind": "ServiceAccount", "name": "a", "namespace": "b"}],
    ),
    _object(
        "discovery.k8s.io/v1beta1",
        "EndpointSlice",
        addressType="IPv4",
        endpoints=[{"addresses": ["10.0.0.1"]}],
        ports=[{"name": "", "protocol": "TCP", "port": 80}],
    ),
    _definition(
        version="v1",
        validation=_SCHEMA,
        subresources={"status": {}},
        additionalPrinterColumns=_COLUMNS,
    ),
    _definition(
        version="v1", scope="Cluster", versions=[_version("v1")], validation=_SCHEMA
    ),
    _definition(
        versions=[
            _version("v1", schema=_SCHEMA, additionalPrinterColumns=_COLUMNS),
            _version("v2", schema={**_SCHEMA}),
        ],
        conversion={**_HOOK, "conversionReviewVersions": ["v1"]},
    ),
    # What holds for several versions is copied by people.
    _definition(versions=[_version("v1"), _version("v2")], validation=_SCHEMA),
    _definition(version="v1"),
    _definition(version="v1", validation=_SCHEMA, preserveUnknownFields=True),
]


@pytest.fixture(scope="module")
def converter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built with the modules of Kubernetes in one folder."""
    folder = tmp_path_factory.mktemp("conversion")
    shutil.copy(ROOT / "tests/conversion/main.go", folder)
    found = _go(
        folder, "list", "-m", "-f", "{{.GoMod}}", f"k8s.io/kubernetes@v{_VERSION}"
    )
    manifest = Path(found.strip()).read_text()
    staged = re.findall(r"^\s*(k8s\.io/[\w-]+) => \./staging/", manifest, re.MULTILINE)
    minor = _VERSION.removeprefix("1.")
    lines = [
        "module conversion",
        "go 1.21",
        f"require k8s.io/kubernetes v{_VERSION}",
        *(f"replace {name} => {name} v0.{minor}" for name in sorted(set(staged))),
    ]
    (folder / "go.mod").write_text("\n".join(lines) + "\n")
    _go(folder, "build", "-mod=mod", "-o", "converter", ".")
    return folder / "converter"


def _go(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["go", *arguments], cwd=folder, capture_output=True, text=True, timeout=900
    )
    if done.returncode:
        pytest.skip(f"go {arguments[0]}: {done.stderr[-300:]}")
    return done.stdout


def _converted(converter: Path, objects: Sequence[tuple[Any, str]]) -> list[Any]:
    """Objects in other versions; a text where one cannot be converted."""
    questions = "".join(
        json.dumps({"to": version, "object": value}) + "\n"
        for value, version in objects
    )
    done = subprocess.run(
        [str(converter)], input=questions, capture_output=True, text=True, check=True
    )
    return list(map(json.loads, done.stdout.splitlines()))


@pytest.mark.nightly
@pytest.mark.compiler("go")
def test_a_fixed_object_is_what_an_old_server_converts_it_to(converter: Path) -> None:
    upgrade = Upgrade(None, prepare(load("1.35")))
    fixed = [
        yaml.safe_load(fixed_text(yaml.safe_dump(value), "a.yaml", upgrade).text)
        for value in OLD
    ]
    changed = [
        (value, new)
        for value, new in zip(OLD, fixed, strict=True)
        if new["apiVersion"] != value["apiVersion"]
    ]
    # 1.21 has no autoscaling/v2, which is v2beta2 under another name.
    versions = {"autoscaling/v2": "autoscaling/v2beta2"}
    wanted = [versions.get(new["apiVersion"], new["apiVersion"]) for _, new in changed]
    before = _converted(
        converter,
        [(value, to) for (value, _), to in zip(changed, wanted, strict=True)],
    )
    after = _converted(
        converter,
        [
            ({**new, "apiVersion": to}, to)
            for (_, new), to in zip(changed, wanted, strict=True)
        ],
    )
    for (value, new), expected, actual in zip(changed, before, after, strict=True):
        assert isinstance(expected, dict), (value, expected)
        assert actual == expected, (value, new)
    left = [
        (value["apiVersion"], value["kind"])
        for value, new in zip(OLD, fixed, strict=True)
        if new == value
    ]
    # An update strategy, and a selector, that nobody names; and the last definitions.
    assert left == [
        ("extensions/v1beta1", "DaemonSet"),
        ("apps/v1beta2", "Deployment"),
        *[("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition")] * 3,
    ]
