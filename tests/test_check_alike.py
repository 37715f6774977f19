"""What ``check --from A --to B`` says of an upgrade: what is found in one way in one release
only is neither new nor fixed, and nothing is called fixed that no server was asked about.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kubestencil
from tests import fake_validator
from tests.conftest import NEWEST, Command, make_command

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: NAME}
spec: {clusterIPs: [10.0.0.1, "fd00::01"], clusterIP: 10.0.0.1, ports: [{port: 80}]}
"""
# The tables of 1.36 have a limit that those of 1.37 lack.
SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: a}
spec: {minReplicas: 0, maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}
"""
# No table has the format of the second address.
FIELD = "spec.clusterIPs[1]"
WARNED = {"code": 201, "warnings": [f"{FIELD}: non-standard IP address"]}
REFUSED: dict[str, Any] = {
    "code": 422,
    "causes": [
        {"reason": "FieldValueInvalid", "field": FIELD, "message": "leading 0s"}
    ],
}


@pytest.fixture
def run(folder: Path) -> Command:
    return make_command(folder)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KUBESTENCIL_VALIDATORS", str(tmp_path / "validators"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write(folder: Path, *names: str, text: str = SERVICE) -> None:
    texts = (text.replace("NAME", name) for name in names)
    (folder / "a.yaml").write_text("---\n".join(texts))


def _check(run: Command, *arguments: str) -> dict[str, Any]:
    done = run("check", "a.yaml", "--from", "1.35", "-f", "json", *arguments)
    report: dict[str, Any] = json.loads(done.stdout)
    return report | {"code": done.returncode, "stderr": done.stderr}


def _changes(report: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (finding["rule"], finding["path"], finding["change"])
        for finding in report["findings"]
    ]


@pytest.mark.parametrize("built, change", [("1.35", "not-found"), (NEWEST, "unknown")])
def test_what_one_program_finds_is_neither_new_nor_fixed(
    run: Command, folder: Path, built: str, change: str
) -> None:
    fake_validator.install(built, {"a": REFUSED})
    _write(folder, "a")
    report = _check(run, "--to", NEWEST, "--fail-on", "new")
    assert _changes(report) == [("invalid-value", FIELD, change)]
    missing = NEWEST if built == "1.35" else "1.35"
    assert report["validators"][missing] is None and report["code"] == 0
    text = run("check", "a.yaml", "--from", "1.35", "--to", NEWEST).stdout
    assert (
        f"Without the API server's own code of {missing}: "
        f"kubestencil validator build {missing}" in text
    )
    assert ("[unknown in 1.35]" in text) is (change == "unknown")


def test_a_warning_that_becomes_an_error_is_not_fixed(
    run: Command, folder: Path
) -> None:
    fake_validator.install("1.35", {"a": WARNED, "b": WARNED, "c": REFUSED})
    fake_validator.install(NEWEST, {"a": REFUSED, "c": WARNED})
    _write(folder, "a", "b", "c")
    report = _check(run, "--to", NEWEST)
    assert _changes(report) == [
        ("invalid-value", FIELD, "new"),
        ("server-warning", FIELD, "fixed"),
        ("invalid-value", FIELD, "fixed"),
        ("server-warning", FIELD, "both"),
    ]
    assert report["code"] == 1 and not report["stderr"].count("validator build")


def test_the_order_of_findings_is_not_that_of_causes(
    run: Command, folder: Path
) -> None:
    (cause,) = REFUSED["causes"]
    causes = [cause | {"message": text} for text in "bca"]
    answers = {"a": {"causes": causes}, "b": {"causes": causes[::-1]}}
    fake_validator.install("1.35", {name: REFUSED | answers[name] for name in answers})
    _write(folder, *answers)
    messages = [f["message"][-1] for f in _check(run, "--to", "1.35")["findings"]]
    assert messages == [*"abc", *"abc"]


@pytest.mark.parametrize("answer", [{"code": 500}, {"code": 999}, {"code": 404}, "end"])
@pytest.mark.parametrize("failing", ["1.35", NEWEST])
def test_an_object_about_which_the_code_of_one_release_fails_is_not_known(
    run: Command, folder: Path, failing: str, answer: Any
) -> None:
    for release in ("1.35", NEWEST):
        failed = answer if release == failing else REFUSED
        fake_validator.install(release, {"a": failed, "b": REFUSED})
    _write(folder, "a", "b")
    report = _check(run, "--to", NEWEST)
    change = "unknown" if failing == "1.35" else "not-found"
    assert _changes(report) == [
        ("invalid-value", FIELD, change),
        ("invalid-value", FIELD, "both"),
    ]
    reasons = [item["reason"] for item in report["notChecked"]]
    assert ("the API server's own code failed" in reasons) is (answer != {"code": 404})


def test_what_tables_do_not_have_any_more_is_not_called_fixed(
    run: Command, folder: Path
) -> None:
    _write(folder, "a", text=SCALER)
    arguments = ("check", "a.yaml", "--from", "1.36", "--to", "1.37")
    text = run(*arguments).stdout
    assert "fixed by" not in text and "[not found in 1.37]" in text
    gone = "; 1 not found in 1.37, and not known to be fixed"
    assert gone in text
    report = json.loads(run(*arguments, "-f", "json").stdout)
    assert [finding["change"] for finding in report["findings"]] == ["not-found"]
    sarif = json.loads(run(*arguments, "-f", "sarif").stdout)
    (result,) = sarif["runs"][0]["results"]
    assert (result["kind"], result["level"]) == ("open", "none")
    github = run(*arguments, "-f", "github").stdout
    assert "invalid" not in github
    found = kubestencil.check(["a.yaml"], to="1.37", from_="1.36").findings
    assert [finding.change for finding in found] == ["not-found"]
    # The server's code can promise it.
    fake_validator.install("1.36", {"a": REFUSED})
    fake_validator.install("1.37", {})
    report = json.loads(run(*arguments, "-f", "json").stdout)
    assert [finding["change"] for finding in report["findings"]] == ["fixed"]


def test_what_an_unknown_field_hides_is_neither_new_nor_fixed(
    run: Command, folder: Path
) -> None:
    """A server validates no object that it cannot decode."""
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: NAME}\n"
        "spec: {restartPolicy: Sometimes, hostnameOverride: x, containers: [{name: a, image: a}]}\n"
    )
    cause = {
        "reason": "FieldValueNotSupported",
        "field": "spec.restartPolicy",
        "message": "Unsupported value",
    }
    refused = {"code": 422, "causes": [cause]}
    for release in ("1.32", "1.35"):
        fake_validator.install(release, {"a": refused})
    _write(folder, "a", text=pod)
    for before, after, change in (
        ("1.32", "1.35", "not-found"),
        ("1.35", "1.32", "new"),
    ):
        done = run("check", "a.yaml", "--from", before, "--to", after, "-f", "json")
        assert ("unknown-field", "spec.hostnameOverride", change) in _changes(
            json.loads(done.stdout)
        )
        changes = {
            (finding["path"], finding["change"])
            for finding in json.loads(done.stdout)["findings"]
        }
        assert (
            not {
                ("spec.restartPolicy", "new"),
                ("spec.restartPolicy", "fixed"),
            }
            & changes
        )
