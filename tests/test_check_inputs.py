"""``kubestencil check`` reads what is inside of other manifests, what helm and kustomize
render, and checks several releases in one run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kubestencil import check as check_function
from kubestencil.cli import cli
from kubestencil.errors import UsageError

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replica: 2
"""


def _indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


_INLINE = {
    "kustomize": f"""\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
patches:
  - target: {{kind: Deployment}}
    patch: |-
{_indented(_DEPLOYMENT, 6)}""",
    "flux": f"""\
# A comment.
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: apps}}
spec:
  healthChecks:
    - {{apiVersion: apps/v1, kind: Deployment, name: web, namespace: a}}
  patches:
    - patch: |

{_indented(_DEPLOYMENT, 8)}""",
    "argo": f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: apps}}
spec:
  source:
    kustomize:
      patches:
        - patch: |
{_indented(_DEPLOYMENT, 12)}""",
    "values": f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web}}
spec:
  values:
    extraObjects:
      - {_indented(_DEPLOYMENT, 8).lstrip()}""",
    "values of argo": f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: apps}}
spec:
  source:
    helm:
      valuesObject:
        extra:
{_indented(_DEPLOYMENT, 10)}""",
}


@pytest.mark.parametrize("name", _INLINE)
def test_manifests_inside_of_others_are_checked(tmp_path: Path, name: str) -> None:
    text = _INLINE[name]
    (tmp_path / "a.yaml").write_text(text)
    report = check_function([tmp_path / "a.yaml"], to="1.35")
    (finding,) = (
        found for found in report.findings if found.rule_id == "unknown-field"
    )
    line = text.splitlines()[finding.line - 1]
    assert line[finding.column - 1 :] == "replica: 2"
    assert (finding.subject.kind, finding.subject.name) == ("Deployment", "web")
    assert {found.subject.kind for found in report.findings} == {"Deployment"}
    # Of a patch, it does not matter what is absent.
    (tmp_path / "a.yaml").write_text(text.replace("replica:", "replicas:"))
    report = check_function([tmp_path / "a.yaml"], to="1.35")
    missing = {found.rule_id for found in report.findings}
    assert missing == ({"missing-field"} if name.startswith("values") else set())


def test_a_text_in_quotes_has_the_position_of_its_value(tmp_path: Path) -> None:
    quoted = json.dumps(_DEPLOYMENT)
    text = f"kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1beta1\npatches: [patch: {quoted}]\n"
    (tmp_path / "a.yaml").write_text(text)
    (finding,) = check_function([tmp_path / "a.yaml"], to="1.35").findings
    assert (finding.line, finding.column) == (3, 18)


def _check(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["check", "-q", "-f", "json", *arguments])
    assert result.stdout, result.exception
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def test_several_releases_are_checked_in_one_run(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: autoscaling/v2beta2\nkind: HorizontalPodAutoscaler\n"
        "metadata: {name: a}\nspec:\n  maxReplicas: 2\n  x: 1\n"
        "  scaleTargetRef: {kind: Deployment, name: a}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  zz: 1\n  resources: {}\n"
        "  containers: [{name: a, image: a}]\n"
    )
    path = str(tmp_path / "a.yaml")
    report = _check(path, "--to", "1.31,1.35", "--exact", "off")
    releases = {
        (finding["rule"], finding["path"]): finding["releases"]
        for finding in report["findings"]
    }
    assert report["to"] == "1.31, 1.35"
    assert releases["unknown-field", "spec.zz"] == ["1.31", "1.35"]
    assert releases["unknown-field", "spec.resources"] == ["1.31"]
    both = [(item["rule"], item["path"]) for item in report["findings"]]
    assert len(both) == len(set(both))
    # The same as two runs.
    for name in ("1.31", "1.35"):
        alone = _check(path, "--to", name, "--exact", "off")
        assert {(item["rule"], item["path"]) for item in alone["findings"]} == {
            key for key, names in releases.items() if name in names
        }
    upgrade = _check(path, "--from", "1.30", "--to", "1.31,1.35", "--exact", "off")
    changes = {item["path"]: item["change"] for item in upgrade["findings"]}
    assert changes["spec.zz"] == "both"
    text = CliRunner().invoke(cli, ["check", path, "-q", "--to", "1.31,1.35"]).stdout
    assert 'unknown field "spec.resources" [1.31]' in text


@pytest.mark.peer("kubectl")
def test_what_kustomize_builds_is_checked(tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(
        "namePrefix: x-\nresources: [a.yaml]\n"
    )
    (tmp_path / "a.yaml").write_text(_DEPLOYMENT)
    report = _check("--kustomize", str(tmp_path), "--to", "1.35")
    names = {finding["name"] for finding in report["findings"]}
    assert names == {"x-web"}
    assert {item["file"] for item in report["findings"]} == {f"<kustomize {tmp_path}>"}


@pytest.mark.peer("helm")
def test_what_helm_renders_is_checked(tmp_path: Path) -> None:
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "a.yaml").write_text(
        _DEPLOYMENT + "  # {{ .Capabilities.KubeVersion }}\n"
    )
    report = _check("--helm", str(tmp_path), "--to", "1.35")
    assert {item["source"] for item in report["findings"]} == {"web/templates/a.yaml"}


def test_programs_that_fail_or_are_missing_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(cli, ["check", "--helm", "chart", "--to", "1.35"])
    assert str(result.exception) == "<helm chart>: helm cannot be run\n  install helm"
    script = tmp_path / "helm"
    script.write_text("#!/bin/sh\necho 'no chart' >&2\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setenv(
        "PATH", f"{tmp_path}:{Path(shutil.which('sh') or '/bin/sh').parent}:/bin"
    )
    result = CliRunner().invoke(cli, ["check", "--helm", "chart", "--to", "1.35"])
    assert str(result.exception) == "<helm chart>: no chart"


def test_options_of_clusters_need_a_cluster() -> None:
    result = CliRunner().invoke(cli, ["check", "a.yaml", "--namespace", "a"])
    assert isinstance(result.exception, UsageError)
    result = CliRunner().invoke(cli, ["check", "--to", "1.35"])
    assert isinstance(result.exception, UsageError)


def _lines(*arguments: str) -> list[str]:
    options = ["check", *arguments, "--to", "1.35", "--exact", "off", "-q"]
    return CliRunner().invoke(cli, options).stdout.splitlines()


def test_what_a_kustomization_sets_is_not_judged_in_its_base(tmp_path: Path) -> None:
    """Also by a component, and in folders of other folders; anything else is judged."""
    base = tmp_path / "base"
    base.mkdir()
    (base / "ns.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: _, labels: {a b: c}}\n"
    )
    (base / "kustomization.yaml").write_text("resources: [ns.yaml]\n")
    assert sum("(invalid-name)" in line for line in _lines(str(tmp_path))) == 2
    for folder, text in (
        ("component", "kind: Component\nnamespace: prod\n"),
        ("overlay", "resources: [../base]\ncomponents: [../component, ../overlay]\n"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "kustomization.yaml").write_text(text)
    lines = _lines(str(tmp_path))
    assert sum("(invalid-name)" in line for line in lines) == 1
    assert any("1 (values that kustomizations set)" in line for line in lines)


def test_a_part_of_an_object_in_a_file_of_patches_is_a_patch(tmp_path: Path) -> None:
    """Whole objects there are judged as all others."""
    (tmp_path / "patches").mkdir()
    path = tmp_path / "patches/web.yaml"
    path.write_text(_DEPLOYMENT.replace("replica", "replicas"))
    assert "No findings in 1.35" in _lines(str(path))
    path.write_text(_DEPLOYMENT)
    assert any("(unknown-field)" in line for line in _lines(str(path)))
    path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_}\n")
    assert any("(invalid-name)" in line for line in _lines(str(path)))
    (tmp_path / "patch-selector").mkdir()
    path = tmp_path / "patch-selector/web.yaml"
    path.write_text(_DEPLOYMENT.replace("replica", "replicas"))
    assert any("(missing-field)" in line for line in _lines(str(path)))


@pytest.mark.parametrize(
    ("name", "test"),
    [
        (
            "first.yaml",
            "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  steps:\n"
            "  - try: [{apply: {file: b.yaml}}, {assert: {file: ./first.yaml}}]\n",
        ),
        ("00-assert.yaml", ""),
    ],
)
def test_what_a_test_compares_objects_with_is_none(
    tmp_path: Path, name: str, test: str
) -> None:
    (tmp_path / "chainsaw-test.yaml").write_text(test)
    for file in (name, "b.yaml"):
        (tmp_path / file).write_text(f"{_DEPLOYMENT}  (replicas > `1`): true\n")
    for path in (tmp_path, tmp_path / name):
        lines = _lines(str(path))
        assert any("1 (expectations of a test)" in line for line in lines)
    assert sum("(unknown-field)" in line for line in _lines(str(tmp_path))) == 2


def test_what_go_has_vendored_is_left_out_and_said(tmp_path: Path) -> None:
    vendor = tmp_path / "vendor"
    vendor.mkdir()
    (vendor / "a.yaml").write_text(_DEPLOYMENT)
    (tmp_path / "b.yaml").write_text(_DEPLOYMENT.replace("replica: 2", "selector: {}"))
    assert sum("(unknown-field)" in line for line in _lines(str(tmp_path))) == 1
    (vendor / "modules.txt").touch()
    lines = _lines(str(tmp_path))
    assert not any("(unknown-field)" in line for line in lines)
    assert "Not checked: 1 (vendored modules of Go)" in lines
    assert any("(unknown-field)" in line for line in _lines(str(vendor)))


def test_what_a_test_applies_may_be_a_part(tmp_path: Path) -> None:
    """Chainsaw merges it into the object that is there."""
    (tmp_path / "chainsaw-test.yaml").write_text(
        "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nspec:\n  steps:\n"
        "  - try: [{apply: {file: a.yaml}}, {create: {file: b.yaml}}]\n"
    )
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(_DEPLOYMENT.replace("replica", "replicas"))
    for path, found in ((tmp_path, 1), (tmp_path / "a.yaml", 0)):
        lines = _lines(str(path))
        assert any("(missing-field)" in line for line in lines) == bool(found)
    (tmp_path / "a.yaml").write_text(_DEPLOYMENT)
    assert any("(unknown-field)" in line for line in _lines(str(tmp_path / "a.yaml")))


def test_what_a_kustomization_beside_it_does_not_use_may_be_a_patch(
    tmp_path: Path,
) -> None:
    """Scripts add patches, and comments leave them out."""
    base = tmp_path / "base"
    base.mkdir()
    kustomization = base / "kustomization.yaml"
    kustomization.write_text("resources: [a.yaml]\n#patches: [{path: b.yaml}]\n")
    path = base / "b.yaml"
    path.write_text(_DEPLOYMENT.replace("replica", "replicas"))
    assert "No findings in 1.35" in _lines(str(base))
    path.write_text(_DEPLOYMENT)
    assert any("(unknown-field)" in line for line in _lines(str(base)))
    # A mistake in an example that is applied by itself.
    path.write_text(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n"
        "metadata: {name: a}\nroleRef: {kind: Role, name: a}\nsubjects: [{kind: User}]\n"
    )
    assert any("(missing-field)" in line for line in _lines(str(base)))
    path.write_text(_DEPLOYMENT.replace("replica", "replicas"))
    kustomization.write_text("resources: [a.yaml, b.yaml]\n")
    assert any("(missing-field)" in line for line in _lines(str(base)))
    kustomization.write_text("resources: [a.yaml]\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [base/b.yaml]\n")
    assert any("(missing-field)" in line for line in _lines(str(tmp_path)))


def test_a_configuration_that_looks_like_one_of_the_core_is_no_object(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.yaml"
    for text in ("v1alpha1\nkind: WatchdogTimerConfig", "v1\nkind: Config\nusers: []"):
        path.write_text(f"apiVersion: {text}\n")
        assert "Not checked: 1 (configuration of a program)" in _lines(str(path))
    path.write_text("apiVersion: v1alpha1\nkind: Pod\nmetadata: {name: a}\n")
    assert any("(unknown-kind)" in line for line in _lines(str(path)))


def test_a_document_that_is_no_object_beside_some_is_a_warning(tmp_path: Path) -> None:
    name = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    path = tmp_path / "a.yaml"
    for other, what in (
        ("text\n", "a text"),
        ("{}\n", "an empty mapping"),
        ("[]\n", "a list"),
        ("3\n", "a value"),
    ):
        path.write_text(f"{name}---\n{other}")
        line = f"  5:1: warning: the document is {what}, and no object (no-object)"
        assert line in _lines(str(path))
        path.write_text(other)
        assert not any("no-object" in line for line in _lines(str(path)))
    for other in ("# comment\n", "---\n", '[{"op": "remove", "path": "/a"}]\n'):
        path.write_text(f"{name}---\n{other}")
        assert "No findings" in _lines(str(path))[0]


def test_a_byte_order_mark_begins_any_document(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    name = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n"
    path.write_text(f"{name}---\n\ufeff{name}")
    assert [line[:6] for line in _lines(str(path)) if "error:" in line] == [
        "  3:18",
        "  7:18",
    ]


def test_a_schema_that_is_not_structural_is_an_error_without_a_validator(
    tmp_path: Path,
) -> None:
    path = tmp_path / "crd.yaml"
    path.write_text(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: bars.ex.com}\nspec:\n  group: ex.com\n  scope: Namespaced\n"
        "  names: {plural: bars, kind: Bar}\n  versions:\n"
        "  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: "
        '{type: object, properties: {a: {$ref: "#/x"}}}}}\n'
    )
    message = "$ref is not allowed in a structural schema (invalid-value)"
    assert any(
        line.startswith("  9:") and message in line for line in _lines(str(path))
    )


@pytest.mark.parametrize("kind", ["pod", "po", "pods", "POD"])
def test_a_kind_may_be_written_as_a_resource(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n")
    assert "    hint: use Pod of v1" in _lines(str(path))
