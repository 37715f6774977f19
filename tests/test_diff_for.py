"""``kubestencil diff --used-by``: the changes that touch what manifests use."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests import fake_kubectl
from tests.conftest import NEWEST, ROOT, Command

MANIFESTS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      resources: {limits: {cpu: 1}}
      containers:
      - name: web
        image: web
        resizePolicy:
        - {resourceName: cpu, restartPolicy: NotRequired}
---
apiVersion: networking.k8s.io/v1beta1
kind: ServiceCIDR
metadata: {name: more}
spec: {cidrs: [10.0.0.0/8]}
---
apiVersion: resource.k8s.io/v1beta2
kind: DeviceClass
metadata: {name: gpu}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "manifests"
    path.mkdir()
    (path / "a.yaml").write_text(MANIFESTS)
    return path


def test_report_has_what_the_manifests_use_with_their_lines(
    run: Command, folder: Path
) -> None:
    result = run("diff", "1.33", "1.35", "--used-by", str(folder), "-f", "json")
    assert "3 objects" in result.stderr
    report = json.loads(result.stdout)
    schema = json.loads((ROOT / "docs/diff-report.schema.json").read_text())
    Draft202012Validator(schema).validate(report)
    lines = {
        (item["path"], item["change"]): {use["line"] for use in item["uses"]}
        for item in (*report["changes"], *report["notices"])
    }
    # Deprecated, promoted, and a field whose gate is on by default now.
    assert lines["ServiceCIDR", "kind-deprecated"] == {16}
    assert lines["DeviceClass", "kind-added"] == {21}
    assert lines["Pod.spec.resources", "description-changed"] == {9}
    assert {path.partition(".")[0] for path, _ in lines} == {
        *("ServiceCIDR", "DeviceClass", "Pod"),
    }
    gates = {gate["gate"]: gate for gate in report["gates"]}
    assert gates["PodLevelResources"]["event"] == "on"
    assert gates["InPlacePodVerticalScaling"]["uses"][0]["line"] == 13
    assert "DRAPrioritizedList" not in gates
    assert all(gate["uses"] for gate in gates.values())


@pytest.mark.parametrize(
    "name", ["text", "markdown", "html", "release-note", "csv", "github"]
)
def test_formats_say_where(run: Command, folder: Path, name: str) -> None:
    result = run("diff", "1.33", "1.35", "--used-by", str(folder), "-f", name)
    text = result.stdout.replace("<wbr>", "")
    assert "ServiceCIDR" in text
    assert "PrioritizedList" not in text
    if name != "github":
        assert "manifests/a.yaml:16" in text


def test_new_default_touches_those_who_leave_the_field_out(
    run: Command, tmp_path: Path
) -> None:
    document = {
        "swagger": "2.0",
        "info": {"title": "x", "version": "1"},
        "paths": {},
        "definitions": {
            "example.v1.Widget": {
                "type": "object",
                "x-kubernetes-group-version-kind": [
                    {"group": "example.com", "version": "v1", "kind": "Widget"}
                ],
                "properties": {
                    "kind": {"type": "string"},
                    "spec": {
                        "type": "object",
                        "properties": {
                            "size": {"type": "integer"},
                            "mode": {"type": "string"},
                        },
                    },
                },
            }
        },
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    spec = document["definitions"]["example.v1.Widget"]["properties"]["spec"]  # type: ignore[index]
    spec["properties"]["size"]["default"] = 3
    spec["required"] = ["mode"]
    (tmp_path / "b.json").write_text(json.dumps(document))
    text = "apiVersion: example.com/v1\nkind: Widget\nspec: {size: 1}\n---\n"
    text += "apiVersion: example.com/v1\nkind: Widget\nspec:\n  mode: a\n"
    (tmp_path / "m.yaml").write_text(text)
    result = run("diff", "a.json", "b.json", "--used-by", "m.yaml", "-f", "json")
    changes = json.loads(result.stdout)["changes"]
    uses = {change["change"]: change["uses"] for change in changes}
    assert uses == {
        "default-added": [{"file": "m.yaml", "line": 8}],
        "field-required": [{"file": "m.yaml", "line": 3}],
    }
    failed = run(
        "diff", "a.json", "b.json", "--used-by", "m.yaml", "--fail-on", "breaking"
    )
    assert failed.returncode == 1
    (tmp_path / "m.yaml").write_text(text.partition("---")[0].replace("size", "mode"))
    passed = run(
        "diff", "a.json", "b.json", "--used-by", "m.yaml", "--fail-on", "breaking"
    )
    assert passed.returncode == 0


def test_deprecated_annotations_are_found_in_pods_and_templates(
    run: Command, tmp_path: Path
) -> None:
    key = "container.apparmor.security.beta.kubernetes.io/web"
    metadata = f"metadata:\n  annotations:\n    {key}: runtime/default\n"
    spec = "spec: {containers: [{name: web, image: web}]}\n"
    (tmp_path / "pod.yaml").write_text(f"apiVersion: v1\nkind: Pod\n{metadata}{spec}")
    template = "".join(f"    {line}\n" for line in f"{metadata}{spec}".splitlines())
    (tmp_path / "deployment.yaml").write_text(
        f"apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n{template}"
    )
    # Kubernetes reads the annotation of pods only.
    (tmp_path / "other.yaml").write_text(f"apiVersion: v1\nkind: Service\n{metadata}")
    result = run("diff", "1.29", "1.30", "--used-by", ".", "-f", "json")
    uses = {
        (change["path"], Path(use["file"]).name, use["line"])
        for change in json.loads(result.stdout)["notices"]
        for use in change["uses"]
        if "apparmor" in change["path"]
    }
    path = "Pod.metadata.annotations[container.apparmor.security.beta.kubernetes.io/]"
    assert uses == {(path, "deployment.yaml", 7), (path, "pod.yaml", 5)}


def test_graduation_lists_what_differs_between_the_versions(
    run: Command, folder: Path
) -> None:
    result = run("diff", "1.33", "1.35", "--used-by", str(folder), "-f", "json")
    (graduation,) = json.loads(result.stdout)["graduations"]
    assert graduation["kinds"] == ["DeviceClass"]
    everything = run("diff", "1.33", "1.35", "--kind", "DeviceClass", "-f", "json")
    assert all(
        graduation["changes"]
        == [
            change
            for change in item["changes"]
            if any("DeviceClass" in kind for kind in change["kinds"])
        ]
        for item in json.loads(everything.stdout)["graduations"]
        if item["from"] == graduation["from"]
    )


def test_mistakes(run: Command, tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("a: 1\n")
    for path, message in (("empty.yaml", "no object"), ("no.yaml", "does not exist")):
        result = run("diff", "1.34", "1.35", "--used-by", path)
        assert (result.returncode, result.stdout) == (2, "")
        assert message in result.stderr


def test_gates_of_any_version_of_a_kind_are_found(run: Command, tmp_path: Path) -> None:
    for version in ("v1beta1", "v1beta2"):
        request = {"name": "a", "adminAccess": True, "deviceClassName": "a"}
        if version == "v1beta2":
            request = {"name": request.pop("name"), "exactly": request}
        claim = {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "ResourceClaim",
            "spec": {"devices": {"requests": [request]}},
        }
        (tmp_path / "claim.yaml").write_text(json.dumps(claim))
        result = run("diff", "1.33", "1.34", "--used-by", "claim.yaml", "-f", "json")
        gates = {gate["gate"] for gate in json.loads(result.stdout)["gates"]}
        assert gates == {"DRAAdminAccess"}


_APPLIED: dict[str, Any] = {
    "f:spec": {
        "f:schedule": {},
        "f:timeZone": {},
        "f:jobTemplate": {"f:spec": {"f:podReplacementPolicy": {}}},
    }
}


def _cluster(folder: Path) -> None:
    """A cluster with a ServiceCIDR that was written in a beta version, and a CronJob of
    which somebody applied a part."""
    cron_job = {
        "metadata": {
            "name": "nightly",
            "namespace": "shop",
            "managedFields": [
                {
                    "manager": "gitops",
                    "operation": "Apply",
                    "apiVersion": "batch/v1",
                    "fieldsV1": _APPLIED,
                }
            ],
        },
        "spec": {
            "schedule": "@daily",
            "timeZone": "Etc/UTC",
            "jobTemplate": {
                "spec": {"podReplacementPolicy": "Failed", "parallelism": 2}
            },
        },
    }
    cidr = {
        "metadata": {
            "name": "more",
            "managedFields": [
                {"manager": manager, "apiVersion": "networking.k8s.io/v1beta1"}
                for manager in ("kubectl-create", "kubectl-edit")
            ],
        }
    }

    def served(group: str, plural: str, kind: str) -> dict[str, object]:
        resource = {"name": plural, "kind": kind, "verbs": ["list"]}
        return {f"/apis/{group}": {"resources": [resource]}}

    batch, networking = "batch/v1", "networking.k8s.io/v1"
    groups = [
        {"preferredVersion": {"groupVersion": name}} for name in (batch, networking)
    ]
    fake_kubectl.install(
        folder,
        {
            "/version": {},
            "/api/v1": {"resources": []},
            "/apis": {"groups": groups},
            **served(batch, "cronjobs", "CronJob"),
            **served(networking, "servicecidrs", "ServiceCIDR"),
            f"/apis/{batch}/cronjobs": {"items": [cron_job]},
            f"/apis/{networking}/servicecidrs": {"items": [cidr]},
        },
    )


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="a program is no file with #!")
def test_report_has_what_a_cluster_uses(run: Command, tmp_path: Path) -> None:
    _cluster(tmp_path)
    run.environment["PATH"] = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    result = run("diff", "1.33", "1.35", "--used-by", "--cluster", "-f", "json")
    # The metrics are what this cluster does not let read.
    assert "--used-by: 2 objects, files: 2\n" in result.stderr
    assert "not read: <cluster>/metrics: " in result.stderr
    report = json.loads(result.stdout)
    schema = json.loads((ROOT / "docs/diff-report.schema.json").read_text())
    Draft202012Validator(schema).validate(report)
    files = {
        (item["path"], use["file"])
        for item in (*report["changes"], *report["notices"])
        for use in item["uses"]
    }
    assert ("ServiceCIDR", "<cluster>/ServiceCIDR/more") in files
    kinds = {path.partition(".")[0] for path, _ in files}
    assert kinds == {"Job", "ServiceCIDR"}  # A CronJob has the fields of a Job.
    gates = {gate["gate"]: gate["uses"] for gate in report["gates"]}
    assert gates == {
        "JobPodReplacementPolicy": [
            {"file": "<cluster>/shop/CronJob/nightly", "line": 1}
        ]
    }
    text = run("diff", "1.33", "1.35", "--cluster").stdout
    assert "used in <cluster>/shop/CronJob/nightly\n" in text
    # With manifests: what either of them uses.
    (tmp_path / "a.yaml").write_text(MANIFESTS)
    both = run("diff", "1.33", "1.35", "--used-by", "a.yaml", "--cluster").stdout
    assert "a.yaml:13" in both
    assert "<cluster>/shop/CronJob/nightly" in both
    chosen = run("diff", "1.33", "1.35", "--cluster", "--resource", "servicecidrs")
    assert "ServiceCIDR/more" in chosen.stdout
    assert "CronJob/nightly" not in chosen.stdout


def test_options_of_a_cluster_need_one(run: Command) -> None:
    result = run("diff", "1.33", "1.35", "--used-by", "a.yaml", "--namespace", "shop")
    assert result.returncode == 2
    assert "--namespace: needs --cluster" in result.stderr


def test_kinds_that_are_long_gone_are_reported_and_what_is_not_read_is_named(
    run: Command, tmp_path: Path
) -> None:
    old = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n"
    other = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
    (tmp_path / "a.yaml").write_text(f"{old}---\n{other}")
    (tmp_path / "bad.yaml").write_text("kind: [\n")
    result = run("diff", "1.34", "1.35", "--for", str(tmp_path))
    first = result.stdout.partition("Before you upgrade\n")[2].splitlines()[:2]
    assert first[0] == "  Removed"
    assert first[1].startswith(
        "    Ingress  extensions/v1beta1  no longer served; use "
    )
    assert "bad.yaml:2: is not YAML" in result.stderr
    assert "example.com/v1/Thing is in none of the releases" in result.stderr
    assert "extensions" not in result.stderr


def test_descriptions_are_left_out_unless_they_are_asked_for(
    run: Command, folder: Path
) -> None:
    command = ("diff", "1.35", NEWEST, "--used-by", str(folder), "-f", "json")
    assert json.loads(run(*command).stdout)["summary"]["docs"] == 0
    asked = run(*command, "--severity", "docs")
    assert json.loads(asked.stdout)["summary"]["docs"]
