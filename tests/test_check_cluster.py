"""``kubestencil check --cluster`` reads a real API server through the real kubectl, with
a release that the real helm installed, and needs no right to write."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from kubestencil.checking.clusters.cluster import ClusterReader
from kubestencil.checking.clusters.helm import read_release
from kubestencil.checking.clusters.kubectl import Kubectl
from kubestencil.checking.clusters.proxy import proxy_of
from kubestencil.cli import cli
from kubestencil.errors import SourceError, UsageError
from kubestencil.source.yaml import documents
from tests import api_server as api
from tests.test_crd_examples import widget

pytestmark = pytest.mark.peer("kubectl")

DOCS = Path(__file__).parent.parent / "docs" / "checking-manifests.md"
_OLD = "resource.k8s.io/v1beta1"
_APPLIED = """
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop, annotations: {kubernetes.io/ingress.class: nginx}}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
"""
# The server of 1.35 serves this version, and 1.38 will not.
_DEVICE_CLASS = f"""
apiVersion: {_OLD}
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{}}
"""
_ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: psp}
rules:
  - {apiGroups: [policy], resources: [podsecuritypolicies], verbs: [use]}
"""
_POD = """
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: shop}
spec:
  securityContext: {seccompProfile: {type: Localhost, localhostProfile: a}}
  containers: [{name: a, image: a}, {name: b, image: b, ports: [{containerPort: 1}]}]
  volumes: [{name: code, gitRepo: {repository: a}}]
"""


_KEYS = [
    "metadata", "managedFields", "fieldsV1", "f:spec", "f:a", 'k:{"name":"a"}', "v:1", "k:",
    "manager", "operation", "apiVersion", "name", "namespace", "labels", "annotations",
    "items", "groups", "resource", "metrics", "status", "spec", "data", "release", "owner",
    "kubectl.kubernetes.io/last-applied-configuration", "continue", "verbs", "kind",
]  # fmt: skip


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The configuration of a cluster with what people apply and create. Its context
    ``reader`` has the rights of the role in the documentation only, ``nobody`` none."""
    if reason := api.missing():
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("cluster")
    with api.api_server(folder, authorization="RBAC") as client:
        config = client.kubeconfig()
        token = config["users"][0]["user"]["token"]
        config["users"].append({"name": "r", "user": {"token": token, "as": "reader"}})
        config["users"].append({"name": "n", "user": {"token": token, "as": "nobody"}})
        for name in ("reader", "nobody"):
            context = {"cluster": "test", "user": name[0]}
            config["contexts"].append({"name": name, "context": context})
        path = folder / "kubeconfig"
        path.write_text(json.dumps(config))
        _fill(path)
        yield path


def _fill(config: Path) -> None:
    crd = widget({"type": "object"})
    version = crd["spec"]["versions"][0]
    crd["spec"]["versions"].append({**version, "name": "v0", "storage": True})
    version["storage"] = False
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    for text in (json.dumps(namespace), _ROLE):
        kubectl(config, "create", "-f-", text=text)
    kubectl(config, "apply", "-f-", text=json.dumps(crd))
    # The objects that are there stay in the version that was stored first.
    crd["spec"]["versions"][0]["storage"] = True
    crd["spec"]["versions"][1].update(storage=False, served=False)
    kubectl(config, "apply", "-f-", text=json.dumps(crd))
    kubectl(config, "apply", "-f-", text=_APPLIED)
    for text in (_DEVICE_CLASS, _POD):
        kubectl(
            config, "apply", "--server-side", "--field-manager=gitops", "-f-", text=text
        )
    kubectl(config, "create", "-f-", text=_role_of_docs())
    # A controller, which does not run here, copies the rules of the first one to view.
    for role in ("system:aggregate-to-view", "kubestencil-check"):
        command = ["create", "clusterrolebinding", role, f"--clusterrole={role}"]
        kubectl(config, *command, "--user=reader")


def _role_of_docs() -> str:
    blocks = DOCS.read_text().split("```yaml\n")[1:]
    return next(
        block.partition("```")[0] for block in blocks if "kind: ClusterRole\n" in block
    )


def kubectl(config: Path, *arguments: str, text: str = "") -> str:
    command = ["kubectl", f"--kubeconfig={config}", *arguments]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def _check(
    config: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> dict[str, Any]:
    monkeypatch.setenv("KUBECONFIG", str(config))
    result = CliRunner().invoke(
        cli,
        [
            "check",
            "--cluster",
            "--to",
            "1.36",
            "--exact",
            "off",
            "-f",
            "json",
            "-q",
            *arguments,
        ],
    )
    assert result.stdout, result.exception
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def _found(report: dict[str, Any]) -> set[tuple[str | None, ...]]:
    return {
        tuple(finding[key] for key in ("rule", "namespace", "kind", "name", "manager"))
        for finding in report["findings"]
    }


def test_findings_name_objects_and_who_wrote_them(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = _check(kubeconfig, monkeypatch)
    found = _found(report)
    applied = "kubectl-client-side-apply"
    assert {
        ("server-warning", "shop", "Ingress", "web", applied),
        ("deprecated-kind", None, "DeviceClass", "gpu", "gitops"),
        ("no-effect", "shop", "Pod", "job", "gitops"),
        ("removed-resource", None, "ClusterRole", "psp", None),
        (
            "stored-version",
            None,
            "CustomResourceDefinition",
            "widgets.example.com",
            applied,
        ),
    } <= found
    counted = [
        finding["manager"]
        for finding in report["findings"]
        if finding["file"] == "<cluster>/metrics" and finding["kind"] == "DeviceClass"
    ]
    assert counted and all(text.startswith("requests counted: ") for text in counted)
    # What the server wrote itself is no finding of anybody.
    assert not [
        finding
        for finding in report["findings"]
        if "system:" in (finding["name"] or "")
    ]


@pytest.mark.nightly
def test_the_role_of_the_documentation_is_enough(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = _found(_check(kubeconfig, monkeypatch))
    report = _check(kubeconfig, monkeypatch, "--context", "reader")
    without_counts = {row for row in _found(report) if "requests" not in (row[4] or "")}
    assert without_counts == {
        row for row in everything if "requests" not in (row[4] or "")
    }
    assert any("requests" in (row[4] or "") for row in _found(report))
    refused = [
        skip["file"] for skip in report["notChecked"] if "forbid" in skip["reason"]
    ]
    assert refused == ["<cluster>/widgets.example.com"]
    # What is forbidden is one line, however many resources there are.
    report = _check(kubeconfig, monkeypatch, "--context", "nobody")
    refused = [skip for skip in report["notChecked"] if "forbid" in skip["reason"]]
    assert len(refused) > 10
    assert len({skip["reason"] for skip in refused}) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("context", ["test", "reader"])
def test_a_comparison_says_what_touches_the_cluster(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch, context: str
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    command = ["diff", "1.32", "1.36", "--used-by", "--cluster", "--context", context]
    result = CliRunner().invoke(cli, [*command, "-f", "json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    files = {
        (item["rule"], item["path"]): {use["file"] for use in item["uses"]}
        for item in (*report["changes"], *report["notices"])
    }
    pod = {"<cluster>/shop/Pod/job"}
    assert files["ended", "Pod.spec.volumes.gitRepo"] == pod
    # The server counts requests of deprecated versions, too.
    uses = {"<cluster>/DeviceClass/gpu", "<cluster>/metrics"}
    assert files["deprecated", "DeviceClass"] == uses
    # Fields that nobody applied are not in use, whatever the server filled in.
    assert not any(path.startswith("Service.") for _, path in files)


def test_kubectl_is_started_for_a_cluster_and_not_for_each_resource(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It takes most of the time; what it may send stays reading."""
    log, program = tmp_path / "log", tmp_path / "kubectl"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {log}\nexec {shutil.which("kubectl")} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    # A configuration of its own, since one that was asked has its proxy.
    config = tmp_path / "config"
    config.write_text(kubeconfig.read_text())
    assert _found(_check(config, monkeypatch))
    version, proxy = log.read_text().splitlines()
    assert "--raw=/version" in version and "--reject-methods" in proxy
    reader = proxy_of(None)
    assert reader is not None and reader.get("/version", 10_000)
    with pytest.raises(SourceError, match="NotFound"):
        reader.get("/api/v1/namespaces/absent", 9)


@pytest.mark.nightly
def test_namespaces_and_resources_can_be_chosen(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = _found(
        _check(
            kubeconfig, monkeypatch, "--namespace", "shop", "--resource", "ingresses"
        )
    )
    assert {row[1:4] for row in chosen} == {("shop", "Ingress", "web")}
    result = CliRunner().invoke(cli, ["check", "--cluster", "--resource", "servces"])
    assert isinstance(result.exception, UsageError)
    assert "--resource servces" in str(result.exception)


@pytest.mark.nightly
def test_what_is_read_in_pages_is_complete(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kubestencil.checking.clusters.kubectl._PAGE_SIZE", 1)
    for name in ("a", "b", "c"):
        text = _APPLIED.replace("name: web", f"name: page-{name}")
        kubectl(kubeconfig, "apply", "-f-", text=text)
    report = _check(kubeconfig, monkeypatch, "--resource", "ingresses")
    names = {finding["name"] for finding in report["findings"]}
    assert {"page-a", "page-b", "page-c"} <= names


@pytest.mark.nightly
def test_templates_of_helm_releases_are_checked(
    kubeconfig: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if shutil.which("helm") is None:
        pytest.skip("helm is missing")
    templates = tmp_path / "chart" / "templates"
    templates.mkdir(parents=True)
    (tmp_path / "chart" / "Chart.yaml").write_text(
        "apiVersion: v2\nname: gpus\nversion: 1.0.0\n"
    )
    (templates / "class.yaml").write_text(_DEVICE_CLASS.replace("gpu", "big"))
    for _ in range(2):  # Of two revisions, the second one is current.
        subprocess.run(
            ["helm", "upgrade", "--install", "--namespace=shop", "gpus", tmp_path / "chart"],
            check=True, capture_output=True, env={"KUBECONFIG": str(kubeconfig), "HOME": str(tmp_path), "PATH": "/bin"},
            executable=shutil.which("helm"),
        )  # fmt: skip
    report = _check(kubeconfig, monkeypatch, "--resource", "secrets")
    assert _found(report) >= {
        (
            "deprecated-kind",
            None,
            "DeviceClass",
            "big",
            "helm release shop/gpus, revision 2",
        )
    }
    assert {finding["source"] for finding in report["findings"]} == {
        "gpus/templates/class.yaml"
    }


def test_a_cluster_that_does_not_answer_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "a",
        "clusters": [{"name": "a", "cluster": {"server": f"https://127.0.0.1:{api.free_port()}"}}],
        "contexts": [{"name": "a", "context": {"cluster": "a"}}],
    }  # fmt: skip
    (tmp_path / "config").write_text(json.dumps(config))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    result = CliRunner().invoke(cli, ["check", "--cluster", "--to", "1.36"])
    assert result.exit_code == 1
    assert str(result.exception).startswith("kubectl: ")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(_KEYS) | st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@dataclass(frozen=True)
class HostileKubectl(Kubectl):
    """A cluster that answers anything."""

    answers: Mapping[str, Any] = field(default_factory=dict)

    def text(self, path: str) -> str:
        served = {"name": "secrets", "kind": "Secret", "verbs": ["list"]}
        answer = {
            "/api/v1": {"resources": [served, self.answers.get("resource")]},
            "/apis": {
                "groups": [self.answers.get("groups"), {"versions": [self.answers]}]
            },
            "/metrics": self.answers.get("metrics"),
        }.get(path, {"items": [self.answers]})
        return json.dumps(answer)


@given(st.dictionaries(st.sampled_from(_KEYS), _JSON, max_size=6))
def test_answers_of_any_shape_are_read(answers: dict[str, Any]) -> None:
    for file in ClusterReader(HostileKubectl(answers=answers)).files():
        assert file.name.startswith("<cluster>/")


class EndlessKubectl(Kubectl):
    """A cluster whose lists have no last page."""

    def check(self) -> None:
        pass

    def text(self, path: str) -> str:
        return json.dumps(
            {"metadata": {"continue": "a"}, "items": [{"a": "x" * 9_999}]}
        )


def test_definitions_without_an_end_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "1000000")
    with pytest.raises(SourceError, match="limit"):
        ClusterReader(EndlessKubectl()).definitions()


def test_a_release_that_grows_when_it_is_unpacked_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBESTENCIL_MAX_BYTES", "1000000")
    data = b64encode(b64encode(gzip.compress(b" " * 100_000_000))).decode()
    labels = {"owner": "helm", "status": "deployed"}
    secret = {
        "kind": "Secret",
        "metadata": {"labels": labels},
        "data": {"release": data},
    }
    with pytest.raises(SourceError, match="limit"):
        read_release(secret, "a")


def test_the_role_of_the_documentation_is_a_document() -> None:
    (document,) = documents(_role_of_docs(), "docs")
    assert document.value["metadata"]["name"] == "kubestencil-check"


@pytest.mark.nightly
@pytest.mark.server
@pytest.mark.parametrize(
    ("release", "server"), [("1.35", api.SERVER), ("1.29", api.OLD_SERVER)]
)
def test_no_object_that_a_server_has_of_itself_is_an_error(
    tmp_path: Path, release: str, server: str
) -> None:
    """FlowSchemas, PriorityClasses, roles: by tables."""
    if reason := api.missing(server):
        pytest.skip(reason)
    with api.api_server(tmp_path, server=server, authorization="RBAC") as client:
        config = tmp_path / "kubeconfig"
        config.write_text(json.dumps(client.kubeconfig()))
        names = kubectl(config, "api-resources", "--verbs=list", "-o", "name").split()
        listed = kubectl(config, "get", ",".join(names), "-A", "-o", "json")
    path = tmp_path / "objects.json"
    path.write_text(listed)
    report = CliRunner().invoke(
        cli,
        ["check", str(path), "--to", release, "--exact", "off", "-f", "json", "-q"],
    )
    found = json.loads(report.stdout)
    assert found["checked"]["objects"] > 100
    assert not [item for item in found["findings"] if item["severity"] == "error"]
