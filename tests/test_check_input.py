"""What ``kubestencil check`` reads, what it leaves out, and what it says about both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from kubestencil import check as check_function
from kubestencil.checking.files.ignored_paths import make_spec
from kubestencil.checking.findings import Finding, Subject
from kubestencil.checking.ignores import apply_ignores
from kubestencil.cli import cli
from kubestencil.errors import KubestencilError
from kubestencil.schema.keywords import KINDS_KEYWORD
from tests.conftest import Command, make_document
from tests.growth import assert_proportional, processor_time
from tests.test_crd_examples import widget

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


def test_the_report_says_what_was_left_out_where_nothing_was_checked(
    tmp_path: Path,
) -> None:
    """CI uploads it, and shows why the step failed."""
    (tmp_path / "chart.yaml").write_text("kind: {{ .Values.kind }}\n")
    output = tmp_path / "report.sarif"
    arguments = ("--to", "1.35", "-q", "-o", output)
    code, _, error = invoke(tmp_path / "chart.yaml", *arguments)
    assert (code, "the report says what was left out" in error) == (2, True)
    assert json.loads(output.read_text())["runs"][0]["results"] == []
    output.unlink()
    (tmp_path / "empty").mkdir()
    assert invoke(tmp_path / "empty", *arguments)[0] == 2
    assert not output.exists()


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
            "it belongs into spec.containers[0].securityContext",
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
    (tmp_path / "kustomization.yaml").write_text("patches: [{path: a.yaml}]\n")
    assert not check_function([path], to="1.35").findings


def test_the_python_function_reads_custom_resources(tmp_path: Path) -> None:
    crd = tmp_path / "crd.json"
    crd.write_text(json.dumps(widget({"type": "object", "properties": {}})))
    path = tmp_path / "a.yaml"
    path.write_text("apiVersion: example.com/v1\nkind: Widget\nspec: {size: 1}\n")
    report = check_function([path], to="1.35", from_="1.29", crds=[crd])
    assert [f.message for f in report.findings] == ['unknown field "spec.size"']
    assert check_function([path], to="1.35").checked == 0


def test_a_file_of_a_program_that_has_a_definition_needs_no_name(
    tmp_path: Path,
) -> None:
    crd = tmp_path / "crd.json"
    crd.write_text(json.dumps(widget({"type": "object", "properties": {}})))
    path = tmp_path / "a.yaml"
    path.write_text("apiVersion: example.com/v1\nkind: Widget\nspec: {}\n")
    report = check_function([path], to="1.35", crds=[crd])
    assert not report.findings and len(report.skips) == 1
    path.write_text(f"{path.read_text()}metadata: {{labels: {{a: b}}}}\n")
    [finding] = check_function([path], to="1.35", crds=[crd]).findings
    assert finding.field_path == "metadata.name"


@pytest.mark.growth
def test_gitignore_patterns_match_in_bounded_time(tmp_path: Path) -> None:
    name = "a" * 200
    (tmp_path / f"{name}.yaml").write_text(CONFIG_MAP)
    patterns = ("*a" * 40 + "*b", "?*" * 40 + "b", "**/a" * 40, "[ab]*" * 40 + "c")
    (tmp_path / ".gitignore").write_text("\n".join(patterns))
    start = time.process_time()
    assert report_of(tmp_path)["checked"]["checked"] == 1
    assert time.process_time() - start < 3
    (tmp_path / ".gitignore").write_text("*a" * 40 + "*.yaml")
    assert invoke(tmp_path, "--to", "1.35", "-q")[0] == 2


@pytest.mark.parametrize(
    "text", ["a\n" * 10_001, "#\n" * 10_001, "a" * 1_048_577], ids=len
)
def test_a_gitignore_that_nobody_writes_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    (tmp_path / ".gitignore").write_text(text)
    code, output, error = invoke(tmp_path, "--to", "1.35", "-q")
    assert (code, output) == (2, "")
    assert ".gitignore: has " in error and "the limits are" in error
    assert invoke(tmp_path / "a.yaml", "--to", "1.35", "-q")[0] == 0


def test_patterns_that_are_longer_than_a_path_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    (tmp_path / "b.yaml").write_text(CONFIG_MAP)
    (tmp_path / ".gitignore").write_text("*" * 5_000 + "\n[ab\nb.yaml\r\n")
    assert report_of(tmp_path)["checked"]["files"] == 1


def test_a_gitignore_that_lists_what_is_kept_leaves_that(tmp_path: Path) -> None:
    """As Git does: a folder that is not ignored has files that are."""
    for folder, lines in (("", "*\n!/kept\n!/other\n"), ("kept", "!*/\n!*.yaml\n")):
        (tmp_path / folder / "base").mkdir(parents=True)
        (tmp_path / folder / "base/a.yaml").write_text(CONFIG_MAP)
        (tmp_path / folder / ".gitignore").write_text(lines)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/a.yaml").write_text(CONFIG_MAP)
    assert report_of(tmp_path)["checked"]["files"] == 1


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(["a", "b", "*", "?", "/", "**/", "/**", "[ab]", "."])),
    st.text("ab/.", min_size=1, max_size=12),
)
def test_gitignore_patterns_match_what_pathspec_matches(
    parts: list[str], path: str
) -> None:
    pattern = "".join(parts)
    path = "/".join(filter(None, path.split("/"))) or "a"
    with suppress(ValueError):
        found = make_spec([pattern]).check_file(path).include
        assert found == GitIgnoreSpec.from_lines([pattern]).check_file(path).include


def test_a_gitignore_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").symlink_to("/dev/zero")
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    assert report_of(tmp_path)["checked"]["checked"] == 1


@pytest.mark.parametrize("name", ["m/kustomization.yaml", "specs/1.35.json"])
@pytest.mark.parametrize("is_pipe", [True, False])
def test_what_is_no_file_is_not_read_in_the_place_of_one(
    run: Command, name: str, is_pipe: bool
) -> None:
    """Somebody's folder is checked that has a pipe, or a link to a device without end."""
    path = run.folder / name
    for folder in ("m", "specs"):
        (run.folder / folder).mkdir()
    (run.folder / "m/a.yaml").write_text(
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"
    )
    os.mkfifo(path) if is_pipe else path.symlink_to("/dev/zero")
    done = run("check", "--to", "1.35", "--exact", "off", "m")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("option", ["--baseline", "--config", "--spec", "--crds"])
def test_a_file_without_an_end_is_too_large(run: Command, option: str) -> None:
    (run.folder / "a.yaml").write_text(
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"
    )
    (run.folder / "b").symlink_to("/dev/zero")
    release = () if option == "--spec" else ("--to", "1.35")
    environment = {**run.environment, "KUBESTENCIL_MAX_BYTES": "100000"}
    command = Command(run.folder, environment)
    done = command("check", *release, "--exact", "off", option, "b", "a.yaml")
    assert done.returncode == 2
    assert "the limit" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.growth
@pytest.mark.parametrize(
    ("head", "lines"),
    [
        (0, "x{}: 1 # kubestencil: ignore unknown-field of a test\n"),
        (1, "# kubestencil: ignore unknown-field of a test\n"),
        (0, "# kubestencil: ignore unknown-field of a test\n"),
    ],
)
def test_comments_that_ignore_findings_take_time_in_proportion(
    head: int, lines: str
) -> None:
    """On values, before the first one, and between two."""

    def seconds(count: int) -> float:
        comments = "".join(lines.format(index) for index in range(count))
        data = (comments * head + CONFIG_MAP + comments * (1 - head)).encode()
        findings = [
            Finding("unknown-field", "a", line, 1, Subject(0), (), "", "", (), None)
            for line in range(4, count)
        ]

        def apply() -> None:
            assert apply_ignores("a", data, findings, ("1.35",))[1]

        return processor_time(apply)

    assert_proportional(seconds, 3_000, limit=3)


@pytest.mark.parametrize("option", ["--config", "--baseline"])
def test_nested_configurations_and_baselines_are_refused(
    tmp_path: Path, option: str
) -> None:
    (tmp_path / "a.yaml").write_text(CONFIG_MAP)
    nested = tmp_path / "nested"
    nested.write_text(("a = " if option == "--config" else "") + "[" * 100_000)
    code, _, error = invoke(tmp_path / "a.yaml", "--to", "1.35", option, nested)
    assert (code, str(nested) in error) == (2, True)


def test_a_number_of_any_length_in_quotes_is_a_finding(tmp_path: Path) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    spec = {"terminationGracePeriodSeconds": "9" * 5_000}
    (tmp_path / "a.json").write_text(json.dumps({**pod, "spec": spec}))
    rules = [finding["rule"] for finding in report_of(tmp_path)["findings"]]
    assert "wrong-type" in rules


def test_paths_of_a_cluster_document_that_are_no_operations_are_refused(
    tmp_path: Path,
) -> None:
    """Documents with custom kinds are read without the validator of OpenAPI."""
    kind = {"group": "x.io", "version": "v1", "kind": "Thing"}
    path = "/apis/x.io/v1/things"
    manifest = tmp_path / "thing.json"
    manifest.write_text('{"apiVersion": "x.io/v1", "kind": "Thing"}')
    for paths, pointer in (
        ("x", "paths"),
        ({path: 1}, "paths/~1apis~1x.io~1v1~1things"),
        ({path: {"get": 1}}, "paths/~1apis~1x.io~1v1~1things/get"),
        (
            {path: {"get": {"x-kubernetes-action": [], KINDS_KEYWORD: kind}}},
            "paths/~1apis~1x.io~1v1~1things/get/x-kubernetes-action",
        ),
    ):
        definitions = {"io.x.v1.Thing": {"type": "object", KINDS_KEYWORD: [kind]}}
        spec = tmp_path / "spec.json"
        spec.write_text(json.dumps(make_document(definitions, paths=paths)))
        code, _, error = invoke(manifest, "--spec", spec, "-q")
        assert (code, f"spec.json#/{pointer}: must be" in error) == (2, True), error
