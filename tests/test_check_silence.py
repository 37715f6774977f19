"""``kubestencil check`` passes nothing in silence: what is nearly an object is an error,
and what is not checked is listed with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner, Result

from kubestencil import check as check_function
from kubestencil.checking import Report
from kubestencil.checking.rules import RULES, CheckRule
from kubestencil.cli import cli
from kubestencil.errors import UsageError
from tests.test_crd_examples import widget


def run_cli(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, input=stdin)


def _report(tmp_path: Path, text: str, before: str | None = None) -> Report:
    (tmp_path / "a.yaml").write_text(text)
    return check_function([tmp_path / "a.yaml"], to="1.35", from_=before)


_NAMED = "metadata: {name: a}\nspec: {}\n"


@pytest.mark.parametrize(
    ("text", "rule", "hint"),
    [
        ("apiVersion: app/v1\nkind: Deployment\n", "unknown-kind", "use apps/v1"),
        (
            "apiVersion: extension/v1beta1\nkind: Ingress\n",
            "unknown-kind",
            "use networking.k8s.io/v1",
        ),
        (
            "apiVersion: network.k8s.io/v1\nkind: Ingress\n",
            "unknown-kind",
            "use networking.k8s.io/v1",
        ),
        (
            "apiVersion: rbac.authorization.k8.io/v1\nkind: Role\n",
            "unknown-kind",
            "use rbac.authorization.k8s.io/v1",
        ),
        (
            "apiVersion: networking.kubernetes.io/v1\nkind: Ingress\n",
            "unknown-kind",
            "use networking.k8s.io/v1",
        ),
        (
            "apiVersion: example.com/v1\nkind: ConfigMap\n",
            "unknown-kind",
            "use v1, or name its CustomResourceDefinition with --crds",
        ),
        ("apiVersion: v1\nkind: Pdo\n", "unknown-kind", "use Pod of v1"),
        ("apiVersion: batch/v1\nkind: Jbo\n", "unknown-kind", "use Job of batch/v1"),
        ("apiversion: v1\nkind: Service\n", "missing-kind", "did you mean apiVersion?"),
        ("kind: Service\n", "missing-kind", "add apiVersion: v1"),
        ("apiVersion: v1\nknd: Service\n", "missing-kind", "did you mean kind?"),
        ("apiVersion: v1\nkind: {a: b}\n", "missing-kind", "write a string"),
        ("apiVersion: [v1]\nkind: Service\n", "missing-kind", "write a string"),
    ],
)
def test_what_is_nearly_an_object_is_an_error(
    tmp_path: Path, text: str, rule: str, hint: str
) -> None:
    findings = _report(tmp_path, f"{text}{_NAMED}").findings
    assert (findings[0].rule_id, findings[0].hint) == (rule, hint)


@pytest.mark.parametrize(
    "text",
    [
        # Custom resources with the names of kinds of Kubernetes.
        "apiVersion: serving.knative.dev/v1\nkind: Service\n",
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n",
        "apiVersion: crd.projectcalico.org/v1\nkind: NetworkPolicy\n",
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Workload\n",
        "apiVersion: migration.k8s.io/v1alpha1\nkind: StorageVersionMigration\n",
        "apiVersion: ipam.cluster.x-k8s.io/v1beta1\nkind: IPAddress\n",
        # Values of a chart, and a file of another program.
        "kind: Deployment\nreplicas: 2\n",
        "services: {web: {image: a}}\n",
    ],
)
def test_what_may_be_something_else_is_skipped(tmp_path: Path, text: str) -> None:
    report = _report(tmp_path, text)
    assert not report.findings
    assert [skip.line for skip in report.skips] == [1]


def test_a_misspelt_kind_is_found_where_it_is_written(tmp_path: Path) -> None:
    finding = _report(tmp_path, f"apiVersion: v1\nkind: Pdo\n{_NAMED}").findings[0]
    assert (finding.line, finding.column) == (2, 7)


def test_the_file_of_a_program_is_not_proposed_for_an_object_without_its_fields(
    tmp_path: Path,
) -> None:
    scheduler = "apiVersion: v1\nkind: Policy\npredicates: []\nextenders: []\n"
    [finding] = _report(tmp_path, scheduler).findings
    assert (finding.rule_id, finding.hint) == ("unknown-kind", "")
    audit = "apiVersion: v1\nkind: Policy\nrules: []\n"
    findings = _report(tmp_path, audit).findings
    assert findings[0].hint == "use audit.k8s.io/v1"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tsconfig.json", '{\n  // Comments are no JSON.\n  "strict": true,\n}\n'),
        ("notes.yaml", "owners:\n  - a: b: c\n"),
        ("values.yaml", "image: a\nimage: b\n"),
    ],
)
def test_what_cannot_be_read_and_names_no_kind_is_skipped(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    report = check_function([tmp_path / name], to="1.35")
    assert not report.findings
    assert {skip.reason for skip in report.skips} == {"no apiVersion and kind"}


def test_a_kind_of_a_newer_release_is_not_taken_for_a_misspelt_one(
    tmp_path: Path,
) -> None:
    kind = (
        "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingAdmissionPolicy\n"
    )
    [finding] = _report(tmp_path, f"{kind}{_NAMED}").findings
    assert finding.rule_id == "future-kind"
    assert finding.hint == "use admissionregistration.k8s.io/v1beta1"
    [finding] = check_function([tmp_path / "a.yaml"], to="1.29").findings
    assert (finding.rule_id, finding.hint) == ("future-kind", "")


def test_a_patch_of_a_removed_version_lacks_nothing(tmp_path: Path) -> None:
    (tmp_path / "patches").mkdir()
    path = tmp_path / "patches/webhook_in_widgets.yaml"
    path.write_text(
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"
        "metadata: {name: widgets.example.com}\nspec: {conversion: {strategy: None}}\n"
    )
    findings = check_function([path], to="1.35").findings
    assert {finding.rule_id for finding in findings} == {"removed-kind"}


def test_a_list_of_objects_is_an_error(tmp_path: Path) -> None:
    text = '[{"apiVersion": "v1", "kind": "Secret"}]'
    [finding] = _report(tmp_path, text).findings
    assert finding.rule_id == "missing-kind"


def test_a_version_that_a_definition_does_not_have_names_those_that_it_has(
    tmp_path: Path,
) -> None:
    crd = widget({"type": "object", "properties": {}})
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
    path = tmp_path / "a.yaml"
    path.write_text(f"apiVersion: {group}/v9\nkind: {kind}\n{_NAMED}")
    crds = [tmp_path / "crd.json"]
    [finding] = check_function([path], to="1.35", crds=crds).findings
    version = crd["spec"]["versions"][0]["name"]
    assert finding.rule_id == "unknown-kind"
    assert finding.hint == f"use {group}/{version}"


@pytest.mark.parametrize(
    ("metadata", "rule"),
    [
        ("{}", "missing-field"),
        ("{name: A_b}", "invalid-name"),
        ("{name: a, ownerReferences: [{name: a, kind: A, uid: b}]}", "missing-field"),
        ("{generateName: a-}", None),
        ("{name: a.b-c}", None),
    ],
)
def test_the_metadata_of_a_custom_resource_is_checked(
    tmp_path: Path, metadata: str, rule: str | None
) -> None:
    crd = widget({"type": "object", "properties": {}})
    spec = crd["spec"]
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    path = tmp_path / "a.yaml"
    version = f"{spec['group']}/{spec['versions'][0]['name']}"
    kind = spec["names"]["kind"]
    path.write_text(
        f"apiVersion: {version}\nkind: {kind}\nmetadata: {metadata}\nspec: {{}}\n"
    )
    findings = check_function([path], to="1.35", crds=[tmp_path / "crd.json"]).findings
    assert [finding.rule_id for finding in findings] == [rule] * (rule is not None)


def test_a_removed_kind_is_checked_as_the_one_that_replaces_it(tmp_path: Path) -> None:
    text = (
        "apiVersion: networking.k8s.io/v1beta1\nkind: Ingress\nmetadata: {name: a}\n"
        "spec:\n  rules:\n  - http:\n      paths:\n"
        "      - backend: {serviceName: a, servicePort: 80}\n"
        "  backend: {serviceName: b, servicePort: 80}\n"
    )
    report = _report(tmp_path, text, before="1.29")
    path = "spec.rules[0].http.paths[0]"
    assert [(finding.rule_id, finding.field_path) for finding in report.findings] == [
        ("removed-kind", "apiVersion"),
        ("missing-field", f"{path}.pathType"),
        ("unknown-field", f"{path}.backend.serviceName"),
        ("unknown-field", f"{path}.backend.servicePort"),
        ("unknown-field", "spec.backend"),
    ]
    # What 1.35 does not serve is not mended by it.
    assert all(finding.change != "fixed" for finding in report.findings)
    # Values in them are those of the new fields.
    wrong = text.replace("servicePort: 80", "servicePort: 70000").replace(": b", ": B_")
    values = [(f.rule_id, f.field_path) for f in _report(tmp_path, wrong).findings]
    assert ("out-of-range", f"{path}.backend.servicePort") in values
    assert ("out-of-range", "spec.backend.servicePort") in values
    assert ("invalid-name", "spec.backend.serviceName") in values
    assert len(values) == len(report.findings) + 3
    text = (
        "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
        "spec: {minAvailable: 1, selector: {}}\n"
    )
    rules = [finding.rule_id for finding in _report(tmp_path, text).findings]
    assert rules == ["removed-kind", "changed-meaning"]


_CUSTOM = "apiVersion: a.example.com/v1\nkind: A\nmetadata: {name: a}\n"
_RIGHT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
_LIMITED = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  scope: Namespaced
  preserveUnknownFields: false
  names: {kind: A, plural: as}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""


def test_what_is_skipped_is_listed_and_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{_RIGHT}---\n{_CUSTOM}")
    args = "check", str(path), "--to", "1.35", "--quiet"
    plain = run_cli(*args)
    assert plain.exit_code == 0
    assert "No findings in what was checked" in plain.stdout
    assert f"{path}:5" not in plain.stdout
    listed = run_cli(*args, "--show-skipped", "--fail-on-skipped")
    assert listed.exit_code == 1
    assert f"{path}:5: no schema of the custom resource, A of a.example.com/v1" in (
        listed.stdout
    )
    report = json.loads(run_cli(*args, "-f", "json").stdout)
    assert [skip["line"] for skip in report["notChecked"]] == [5]
    sarif = json.loads(run_cli(*args, "-f", "sarif").stdout)
    notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    [place] = [note["locations"] for note in notes if "locations" in note]
    assert place[0]["physicalLocation"]["region"]["startLine"] == 5
    path.write_text(_RIGHT)
    assert run_cli(*args, "--fail-on-skipped").exit_code == 0


def test_a_hook_may_find_nothing_to_check(tmp_path: Path) -> None:
    args = "check", str(tmp_path), "--to", "1.35", "--quiet"
    assert isinstance(run_cli(*args).exception, UsageError)
    assert run_cli(*args, "--allow-empty").exit_code == 0
    (tmp_path / "a.yaml").write_text("a: 1\n")
    assert isinstance(run_cli(*args).exception, UsageError)
    assert run_cli(*args, "--allow-empty").exit_code == 0


def test_only_what_the_upgrade_brings_fails(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(_RIGHT + "dta: {}\n")
    args = "check", str(tmp_path), "--to", "1.35", "--quiet"
    assert run_cli(*args, "--from", "1.34").exit_code == 1
    assert run_cli(*args, "--from", "1.34", "--fail-on", "new").exit_code == 0
    assert isinstance(run_cli(*args, "--fail-on", "new").exception, UsageError)


def test_severities_are_those_of_the_configuration(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(_RIGHT + "dta: {}\n")
    config = tmp_path / "check.toml"
    config.write_text('[severity]\nunknown-field = "note"\n')
    args = "check", str(path), "--to", "1.35", "--quiet", "--config", str(config)
    assert run_cli(*args).exit_code == 0
    assert run_cli(*args, "--fail-on", "note").exit_code == 1
    config.write_text('[severity]\nunknown-field = "off"\n')
    result = run_cli(*args, "--fail-on", "note")
    assert (result.exit_code, "unknown-field" in result.output) == (0, False)
    config.write_text('[severity]\nunknown-field = "bad"\n')
    assert "unknown severity" in str(run_cli(*args).exception)


def test_a_rule_that_is_off_is_on_where_the_configuration_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = RULES["unknown-field"]._replace(severity="off")
    monkeypatch.setitem(cast(dict[str, CheckRule], RULES), "unknown-field", rule)
    path = tmp_path / "a.yaml"
    path.write_text(_RIGHT + "dta: {}\n")
    args = "check", str(path), "--to", "1.35", "--quiet"
    assert run_cli(*args, "--fail-on", "note").exit_code == 0
    config = tmp_path / "check.toml"
    config.write_text('[severity]\nunknown-field = "error"\n')
    assert run_cli(*args, "--config", str(config)).exit_code == 1


def test_comments_need_no_blank(tmp_path: Path) -> None:
    text = f"{_RIGHT}dta: {{}} #kubestencil:ignore unknown-field on purpose\n"
    report = _report(tmp_path, text)
    assert not report.findings
    assert report.ignored == {"comments": 1}


def test_a_field_that_has_the_value_that_it_must_have_is_fine(tmp_path: Path) -> None:
    assert not _report(tmp_path, _LIMITED).findings
    true = _LIMITED.replace(
        "preserveUnknownFields: false", "preserveUnknownFields: true"
    )
    assert _report(tmp_path, true).findings


def test_findings_in_what_helm_printed_point_to_the_chart(tmp_path: Path) -> None:
    text = f"---\n# Source: web/templates/a.yaml\n{_RIGHT}dta: {{}}\n"
    args = "check", "-", "--to", "1.35", "--quiet", "-f"
    sarif = json.loads(run_cli(*args, "sarif", stdin=text).stdout)
    location = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "web/templates/a.yaml"
    assert (
        "file=web/templates/a.yaml,line=1"
        in run_cli(*args, "github", stdin=text).stdout
    )
