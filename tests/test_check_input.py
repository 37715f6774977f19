"""What ``kubestencil check`` reads, what it leaves out, and what it says about both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kubestencil import check as check_function
from kubestencil.cli import cli
from kubestencil.errors import KubestencilError

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def invoke(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["check", *map(str, arguments)])
    if isinstance(result.exception, KubestencilError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def report_of(*arguments: str | Path) -> dict[str, Any]:
    _, output, _ = invoke(*arguments, "-q", "-f", "json", "--to", "1.35")
    report: dict[str, Any] = json.loads(output)
    return report


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_is_no_file_is_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "gone.yaml").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to(".")
    for paths in ([tmp_path], [tmp_path, tmp_path / "pipe.yaml"]):
        report = report_of(*paths)
        assert {entry["reason"]: entry["count"] for entry in report["skipped"]} == {
            "link to a folder": 1,
            "link to nothing": 1,
            "pipe, socket or device": 1,
        }
        assert (report["checked"]["files"], report["checked"]["checked"]) == (1, 1)
    code, _, error = invoke("/dev/zero", tmp_path / "pipe.yaml", "--to", "1.35", "-q")
    assert (code, "nothing was checked" in error) == (2, True)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd")
def test_the_output_of_a_process_is_read() -> None:
    """``kubestencil check <(helm template chart)`` in a shell."""
    reader, writer = os.pipe()
    os.write(writer, CONFIG_MAP.encode())
    os.close(writer)
    arguments = ["check", f"/dev/fd/{reader}", "--to", "1.35", "-q"]
    result = subprocess.run(
        [sys.executable, "-m", "kubestencil", *arguments],
        pass_fds=[reader],
        capture_output=True,
        text=True,
        timeout=60,
    )
    os.close(reader)
    assert (result.returncode, "Checked 1 of 1" in result.stdout) == (0, True), result


def test_broken_json_is_not_called_yaml(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{\n  "apiVersion": "v1",\n  "kind": "Pod",\n  "metadata": {]\n}\n')
    [finding] = report_of(path)["findings"]
    assert finding["message"].startswith("is not JSON: ")
    assert (finding["rule"], finding["line"], finding["column"]) == ("syntax", 4, 16)
    path.write_text('{"apiVersion": "v1",\n')
    [finding] = report_of(path)["findings"]
    assert (finding["line"], finding["column"]) == (2, 1)
    # kubectl reads YAML whatever the file is called.
    path.write_text(CONFIG_MAP)
    assert report_of(path)["checked"]["checked"] == 1


def test_an_unknown_suffix_needs_a_format(tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text(CONFIG_MAP)
    target = tmp_path / "report.foo"
    code, _, error = invoke(manifest, "--to", "1.35", "-q", "-o", target)
    assert (code, target.exists()) == (2, False)
    assert "no format has the suffix .foo" in error
    assert "--format" in error
    for name in ("report", "report.txt", "report.foo"):
        options = ["-f", "text"] if name.endswith(".foo") else []
        code, _, _ = invoke(
            manifest, "--to", "1.35", "-q", "-o", tmp_path / name, *options
        )
        assert code == 0
        assert (tmp_path / name).read_text().startswith("No findings in 1.35")


@pytest.mark.parametrize(
    ("before", "after", "is_warned"),
    [("1.35", "1.29", True), ("1.29", "1.35", False), ("1.29", "1.29", False)],
)
def test_a_downgrade_is_said_to_be_one(
    before: str, after: str, is_warned: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(CONFIG_MAP)
    _, _, error = invoke(path, "--from", before, "--to", after)
    assert ("newer than --to" in error) == is_warned


def test_a_finding_is_shown_with_its_line_after_other_separators(
    tmp_path: Path,
) -> None:
    """Neither U+2028 nor U+0085 ends a line, for positions and for excerpts."""
    path = tmp_path / "a.yaml"
    text = f'{CONFIG_MAP}data: {{x: "a\u2028b\x85c"}}\n'
    path.write_text(f"{text}dat: {{}}\n", "utf-8")
    _, output, _ = invoke(path, "--to", "1.35", "-q")
    assert "  5:1: error" in output
    assert "    | dat: {}\n    | ^\n" in output
    path.write_text(f"{text}dat: {{}} # kubestencil: ignore unknown-field x\n", "utf-8")
    assert report_of(path)["findings"] == []


FIELDS = """\
apiVersion: v1
kind: Pod
metadata: {name: a, clusterName: b}
spec:
  securityContext: {privileged: true}
  containers:
    - {name: a, image: b, restartPolicyRules: [], runAsUser: 3}
"""


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("metadata.clusterName", "clusterName was removed in 1.25: remove it"),
        (
            "spec.securityContext.privileged",
            "it belongs into spec.containers[].securityContext",
        ),
        (
            "spec.containers[0].restartPolicyRules",
            "restartPolicyRules was added in 1.34: remove it for 1.29",
        ),
        (
            "spec.containers[0].runAsUser",
            "it belongs into spec.containers[0].securityContext",
        ),
    ],
)
def test_an_unknown_field_is_explained(path: str, hint: str, tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text(FIELDS)
    report = check_function([manifest], to="1.29")
    assert {f.field_path: f.hint for f in report.findings}[path] == hint


def test_a_directive_of_a_patch_is_a_note_that_says_what_a_server_does(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{CONFIG_MAP}$patch: delete\n")
    [finding] = check_function([path], to="1.35").findings
    assert (finding.severity, finding.message) == ("note", 'unknown field "$patch"')
    assert finding.hint.startswith("a server refuses this object as it stands")


def test_the_python_function_reads_custom_resources(tmp_path: Path) -> None:
    crd = tmp_path / "crd.json"
    schema = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {}}},
    }
    crd.write_text(
        json.dumps(
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": {"name": "widgets.example.com"},
                "spec": {
                    "group": "example.com",
                    "scope": "Namespaced",
                    "names": {"kind": "Widget", "plural": "widgets"},
                    "versions": [
                        {
                            "name": "v1",
                            "served": True,
                            "storage": True,
                            "schema": {"openAPIV3Schema": schema},
                        }
                    ],
                },
            }
        )
    )
    path = tmp_path / "a.yaml"
    path.write_text("apiVersion: example.com/v1\nkind: Widget\nspec: {size: 1}\n")
    report = check_function([path], to="1.35", from_="1.29", crds=[crd])
    assert [f.message for f in report.findings] == ['unknown field "spec.size"']
    assert check_function([path], to="1.35").checked == 0
