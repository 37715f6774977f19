"""The formats of ``kubestencil check``, and findings that are ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from kubestencil.cli import cli
from tests.conftest import ROOT

HOSTILE = "<script>alert(1)</script>|%0A::error::x\x07\u202e`"
MANIFEST = f"""\
apiVersion: v1
kind: Pod
metadata:
  name: {json.dumps(HOSTILE)}
spec:
  containers:
  - name: web
    imag: web:1
    image: web:1
---
apiVersion: example.com/v1
kind: Widget
metadata: {{name: w}}
"""


def check(folder: Path, manifest: str, *arguments: str) -> tuple[int, str]:
    (folder / "a b.yaml").write_text(manifest, "utf-8")
    with pytest.MonkeyPatch.context() as context:
        context.chdir(folder)
        result = CliRunner().invoke(
            cli, ["check", "a b.yaml", "--to", "1.35", "-q", *arguments]
        )
    assert result.exit_code in (0, 1, 2), result.output
    return result.exit_code, result.stdout


def rules(folder: Path, manifest: str, *arguments: str) -> list[tuple[str, int]]:
    _, output = check(folder, manifest, "-f", "json", *arguments)
    return [
        (finding["rule"], finding["line"]) for finding in json.loads(output)["findings"]
    ]


def test_sarif_has_the_rule_the_position_and_what_was_not_checked(
    tmp_path: Path,
) -> None:
    code, output = check(tmp_path, MANIFEST, "-f", "sarif")
    assert code == 1
    log: dict[str, Any] = json.loads(output)
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    (result,) = run["results"]
    driver = run["tool"]["driver"]
    assert driver["rules"][result["ruleIndex"]]["id"] == "unknown-field"
    assert (result["level"], result["kind"]) == ("error", "fail")
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "a%20b.yaml"
    assert location["region"] == {"startLine": 8, "startColumn": 5}
    assert run["columnKind"] == "unicodeCodePoints"
    notifications = run["invocations"][0]["toolExecutionNotifications"]
    assert "example.com/v1" in notifications[0]["message"]["text"]


def test_a_fingerprint_stays_where_lines_are_added(tmp_path: Path) -> None:
    fingerprints = {
        json.loads(check(tmp_path, manifest, "-f", "sarif")[1])["runs"][0]["results"][
            0
        ]["partialFingerprints"]["finding/v1"]
        for manifest in (MANIFEST, f"# a comment\n{MANIFEST}")
    }
    assert len(fingerprints) == 1


def test_junit_is_xml_with_a_failure_for_each_finding(tmp_path: Path) -> None:
    code, output = check(tmp_path, MANIFEST, "-f", "junit")
    assert code == 1
    root = ElementTree.fromstring(output)
    (failure,) = root.iter("failure")
    assert failure.get("type") == "unknown-field"
    (skipped,) = root.iter("skipped")
    assert "Widget of example.com/v1" in str(skipped.get("message"))
    case = next(root.iter("testcase"))
    assert "alert(1)" in str(case.get("name"))
    assert "\x07" not in output


def test_junit_counts_findings_below_the_limit_as_passed(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("    imag: web:1\n", "").replace(
        json.dumps(HOSTILE), "web"
    )
    _, output = check(
        tmp_path, f"# kubestencil: ignore syntax\n{manifest}", "-f", "junit"
    )
    root = ElementTree.fromstring(output)
    assert not list(root.iter("failure"))
    assert "unused-ignore" in output
    _, output = check(
        tmp_path,
        f"# kubestencil: ignore syntax\n{manifest}",
        *("-f", "junit", "--fail-on", "warning"),
    )
    assert len(list(ElementTree.fromstring(output).iter("failure"))) == 1


def test_annotations_of_github_are_one_line_each(tmp_path: Path) -> None:
    _, output = check(tmp_path, MANIFEST, "-f", "github")
    lines = output.splitlines()
    assert all(line.startswith(("::error ", "::notice ")) for line in lines)
    assert lines[0].startswith("::error file=a b.yaml,line=8,col=5,title=")
    assert "%250A::error" in lines[0]


@pytest.mark.parametrize(
    "manifest",
    [
        MANIFEST.replace(
            "imag: web:1", "imag: web:1  # kubestencil: ignore unknown-field x"
        ),
        MANIFEST.replace(
            "    imag:", "    # kubestencil: ignore unknown-field x\n    imag:"
        ),
        f"# kubestencil: ignore unknown-field for tests\n{MANIFEST}",
        f"---\n# a\n#kubestencil: ignore unknown-field\n{MANIFEST}",
    ],
    ids=["behind", "above", "document", "after-separator"],
)
def test_a_comment_ignores_a_finding(tmp_path: Path, manifest: str) -> None:
    code, output = check(tmp_path, manifest, "-f", "json", "--fail-on", "note")
    report = json.loads(output)
    assert code == 0, output
    assert report["findings"] == []
    assert report["ignored"] == {"comments": 1}


@pytest.mark.parametrize(
    "comment",
    [
        "# kubestencil: ignore wrong-type",
        "# kubestencil: ignore unknown-feld",
        "# kubestencil: ignore",
    ],
)
def test_a_comment_that_ignores_nothing_is_a_finding(
    tmp_path: Path, comment: str
) -> None:
    manifest = MANIFEST.replace("image: web:1", f"image: web:1  {comment}")
    assert rules(tmp_path, manifest) == [("unknown-field", 8), ("unused-ignore", 9)]


def test_a_comment_in_another_document_ignores_nothing(tmp_path: Path) -> None:
    manifest = MANIFEST.replace("---\n", "---\n# kubestencil: ignore unknown-field\n")
    assert rules(tmp_path, manifest) == [("unknown-field", 8), ("unused-ignore", 11)]


def test_a_configuration_ignores_by_rule_path_and_kind(tmp_path: Path) -> None:
    config = tmp_path / "check.toml"
    config.write_text(
        '[[ignore]]\nrule = "unknown-field"\npath = "*.yaml"\nkind = "v1/Pod"\n'
        'reason = "legacy"\n'
    )
    assert rules(tmp_path, MANIFEST, "--config", "check.toml") == []
    config.write_text('[[ignore]]\nkind = "apps/v1/Pod"\nreason = "legacy"\n')
    assert rules(tmp_path, MANIFEST, "--config", "check.toml") == [
        ("unknown-field", 8),
        ("unused-ignore", 1),
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[[ignore]]\nrule = 'unknown-feld'\nreason = 'x'", "unknown-field"),
        ("[[ignore]]\nrule = 'unknown-field'", "reason"),
        ("[[ignore]]\nrules = 'x'\nreason = 'x'", "unknown key 'rules'"),
        ("ignore = 1", "must be a list"),
        ("limit = 1", "unknown key 'limit'"),
        ("[[ignore]]\npath = '!'\nreason = 'x'", "path '!' is not a pattern"),
        ("[[ignore]]\npath = '[z-a]'\nreason = 'x'", "is not a pattern"),
    ],
)
def test_a_mistake_in_a_configuration_is_an_error(
    tmp_path: Path, config: str, message: str
) -> None:
    (tmp_path / "check.toml").write_text(config)
    (tmp_path / "a.yaml").write_text(MANIFEST, "utf-8")
    files = [str(tmp_path / "a.yaml"), "--config", str(tmp_path / "check.toml")]
    result = CliRunner().invoke(cli, ["check", *files, "--to", "1.35", "-q"])
    assert result.exception is not None
    assert message in str(result.exception)


def test_a_baseline_leaves_only_new_findings(tmp_path: Path) -> None:
    check(tmp_path, MANIFEST, "-o", "base.json")
    moved = f"# a comment\n{MANIFEST}"
    assert rules(tmp_path, moved, "--baseline", "base.json") == []
    more = moved.replace("image: web:1", "image: web:1\n    imagg: x")
    assert rules(tmp_path, more, "--baseline", "base.json") == [("unknown-field", 11)]


def test_the_json_report_is_as_its_schema_says(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs/check-report.schema.json").read_text("utf-8"))
    manifest = f"# kubestencil: ignore wrong-type\n{MANIFEST}---\na: {{"
    _, output = check(tmp_path, manifest, "--from", "1.29", "-f", "json")
    report = json.loads(output)
    assert report["findings"]
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(report)
