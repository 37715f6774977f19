"""``kubestencil check``: what is found in manifests, and where."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner

from kubestencil.checking.files.find import ManifestFile
from kubestencil.checking.rules import RULES, SEVERITIES, RuleId
from kubestencil.cli import cli
from kubestencil.errors import SourceError, UsageError
from kubestencil.source.folder import read_file

DEPLOYMENT = """\
# Source: web/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: "3"
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: web:1
          imagePulPolicy: Always
          resources: {limits: {memory: 1GiB}}
"""


def run(path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    result = CliRunner().invoke(
        cli, ["check", str(path), "-q", "-f", "json", *arguments]
    )
    assert result.exit_code in (0, 1), result.output
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def deployment(tmp_path: Path) -> Path:
    path = tmp_path / "web.yaml"
    path.write_text(DEPLOYMENT)
    return path


def test_the_names_of_rules_are_those_that_types_allow() -> None:
    assert {*RULES} == {*get_args(RuleId)}
    assert {rule.severity for rule in RULES.values()} == {*SEVERITIES}


def test_findings_have_a_rule_a_position_and_a_path(deployment: Path) -> None:
    code, report = run(deployment, "--to", "1.35")
    assert code == 1
    container = "spec.template.spec.containers[0]"
    assert [
        (finding["rule"], finding["line"], finding["column"], finding["path"])
        for finding in report["findings"]
    ] == [
        ("wrong-type", 6, 13, "spec.replicas"),
        ("unknown-field", 14, 11, f"{container}.imagePulPolicy"),
        ("invalid-quantity", 15, 40, f"{container}.resources.limits.memory"),
    ]
    unknown = report["findings"][1]
    assert unknown["message"] == f'unknown field "{container}.imagePulPolicy"'
    assert unknown["hint"] == "did you mean imagePullPolicy?"
    assert unknown["source"] == "web/templates/web.yaml"
    assert (unknown["apiVersion"], unknown["kind"], unknown["name"]) == (
        "apps/v1",
        "Deployment",
        "web",
    )


def test_an_upgrade_says_what_is_new_and_what_is_fixed(tmp_path: Path) -> None:
    path = tmp_path / "objects.yaml"
    path.write_text("""\
apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
kind: FlowSchema
metadata: {name: a}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: b}
spec: {}
---
apiVersion: extensions/v1beta1
kind: Ingress
metadata: {name: c}
""")
    _, report = run(path, "--from", "1.29", "--to", "1.35")
    assert [
        (finding["change"], finding["rule"], finding["hint"])
        for finding in report["findings"]
        if finding["severity"] == "error"
    ] == [
        ("both", "missing-field", "add spec"),
        ("new", "removed-kind", "use flowcontrol.apiserver.k8s.io/v1"),
        ("not-found", "future-kind", "use resource.k8s.io/v1alpha2"),
        ("both", "missing-field", "add spec"),
        ("both", "removed-kind", "use networking.k8s.io/v1"),
    ]


def test_everything_that_is_skipped_is_counted(tmp_path: Path) -> None:
    (tmp_path / "custom.yaml").write_text("apiVersion: a.example/v1\nkind: A\n")
    (tmp_path / "values.yaml").write_text("replicas: 3\n")
    (tmp_path / "template.yaml").write_text("{{- if .Values.x }}\na: b\n{{- end }}\n")
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"
    )
    _, report = run(tmp_path, "--to", "1.35")
    assert {entry["reason"]: entry["count"] for entry in report["skipped"]} == {
        "no apiVersion and kind": 1,
        "no schema of the custom resource": 1,
        "unrendered template": 1,
    }
    assert report["checked"] == {
        "files": 4,
        "documents": 4,
        "objects": 2,
        "checked": 1,
        "updated": None,
    }


def test_a_deprecated_kind_is_told_with_its_release_and_replacement(
    tmp_path: Path,
) -> None:
    path = tmp_path / "endpoints.yaml"
    path.write_text("apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n")
    _, report = run(path, "--to", "1.35")
    (finding,) = report["findings"]
    assert finding["rule"] == "deprecated-kind"
    assert finding["message"] == "Endpoints of v1 is deprecated since 1.33"


def test_the_python_api_returns_values(deployment: Path) -> None:
    # The second import is of the package, whose module replaces the function.
    for _ in range(2):
        from kubestencil import check

        report = check([deployment], to="1.35", from_="1.29")
        finding = report.findings[0]
        assert (finding.rule_id, finding.line, finding.severity, finding.change) == (
            "wrong-type",
            6,
            "error",
            "both",
        )
        import kubestencil.checking.run  # noqa: F401


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  serviceAccount: b
  hostNetwork: true
  containers:
    - {name: c, image: d}
  volumes:
    - {name: e, glusterfs: {endpoints: f, path: g}}
"""


def test_deprecated_fields_and_fields_without_effect_are_warned_of(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    _, report = run(path, "--to", "1.35")
    assert [(finding["rule"], finding["path"]) for finding in report["findings"]] == [
        ("deprecated-field", "spec.serviceAccount"),
        ("no-effect", "spec.volumes[0].glusterfs"),
    ]
    assert all(finding["severity"] == "warning" for finding in report["findings"])


def test_a_description_with_other_words_is_no_finding(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD)
    _, report = run(path, "--from", "1.29", "--to", "1.35")
    assert "note" not in {finding["severity"] for finding in report["findings"]}


def test_a_field_behind_a_feature_gate_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("hostNetwork: true", "resources: {limits: {cpu: 1}}"))
    _, report = run(path, "--from", "1.32", "--to", "1.34")
    changes = {finding["rule"]: finding["change"] for finding in report["findings"]}
    assert changes["gate-on"] == "new" and "gated-field" not in changes
    gated = run(path, "--to", "1.32")[1]["findings"]
    assert any("PodLevelResources" in finding["message"] for finding in gated)


def test_a_field_of_an_older_version_leads_to_the_current_one(tmp_path: Path) -> None:
    path = tmp_path / "ingress.yaml"
    path.write_text("""\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a}
spec:
  backend: {serviceName: b}
""")
    _, report = run(path, "--to", "1.35")
    (finding,) = report["findings"]
    assert finding["message"] == 'unknown field "spec.backend"'
    assert finding["hint"].startswith("networking.k8s.io/v1 has spec.defaultBackend, ")


@pytest.mark.parametrize("read", [ManifestFile("-").read, lambda: read_file("-")])
def test_a_closed_standard_input_is_an_error_with_a_hint(
    read: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python has no sys.stdin then (``<&-`` in a shell)."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SourceError, match="standard input: is closed") as error:
        read()
    assert error.value.hint


def test_a_file_without_objects_is_not_a_success(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("# nothing\n")
    result = CliRunner().invoke(cli, ["check", str(path), "--to", "1.35"])
    assert isinstance(result.exception, UsageError)
    assert result.exception.hint == "there is no object in it"


def test_invalid_lines_of_a_gitignore_file_are_ignored(tmp_path: Path) -> None:
    """As Git does; the other lines hold."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("!\n[z-a]\na\\\nout/\n")
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "web.yaml").write_text(DEPLOYMENT)
    _, report = run(tmp_path, "--to", "1.35")
    assert report["checked"]["files"] == 1
