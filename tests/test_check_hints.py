"""Hints of ``kubestencil check`` can be obeyed: judged by the API server's own code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kubestencil.checking import Finding, check_paths
from kubestencil.checking.release import prepare
from kubestencil.checking.upgrade import Upgrade
from kubestencil.validator.process import Validator
from tests.conftest import RELEASES, load
from tests.hint_mistakes import MISTAKES, hinted_mistakes, outcome
from tests.public_manifests import FOLDER, objects, verdicts
from tests.validators import built_validator
from tests.value_mutations import accepted_objects


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=pytest.mark.nightly)])
def test_who_obeys_a_hint_gets_the_object_that_was_meant(count: int) -> None:
    """Of typical mistakes, at least 95 % of the hints lead to what was meant, or name
    it among others; none to something else."""
    release = load("1.35")
    checked = prepare(release)
    public = []
    if FOLDER and count > 100:
        accepted = verdicts("1.35", 201)
        public = [value for key, value in objects() if key in accepted]
    results: dict[str, Counter[str]] = {name: Counter() for name in MISTAKES}
    others = []
    with Validator(built_validator("1.35")) as validator:
        values = accepted_objects(release, validator, public)
        for mistake in hinted_mistakes(values, checked, count):
            result, problems = outcome(mistake, Upgrade(None, checked), validator)
            if result is not None:
                results[mistake.mistake_class][result] += 1
            if result == "other meaning":
                others.append((mistake.label, problems[0].hint))
    assert not others
    for name, outcomes in results.items():
        hints = sum(outcomes.values()) - outcomes["no hint"]
        assert hints > count / 10, name
        assert outcomes["right"] + outcomes["choice"] >= 0.95 * hints, (name, outcomes)
        assert outcomes["choice"] <= 0.15 * hints, (name, outcomes)


def _findings(tmp_path: Path, text: str) -> dict[str, Finding]:
    (tmp_path / "a.yaml").write_text(text)
    report = check_paths([str(tmp_path)], load(RELEASES[-1]))
    return {finding.field_path: finding for finding in report.findings}


_NETWORK_POLICY = """\
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: a}
spec:
  podSelector: {app: a}
"""
_CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: a}
spec:
  schedule: "* * * * *"
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: a}]}
"""
_POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: a
  - name: b
    FIELD
"""


@pytest.mark.parametrize(
    ("text", "path", "hint"),
    [
        # Without the field, the policy would be about every pod of the namespace.
        (_NETWORK_POLICY, "spec.podSelector.app", "it belongs into spec.podSelector."),
        (_NETWORK_POLICY.replace("app", "x/y"), "spec.podSelector.x/y", "it belongs"),
        (_NETWORK_POLICY.replace("app: a", "app: [a]"), "spec.podSelector.app", "spec."),
        (_CRON_JOB, "spec.template", "it belongs into spec.jobTemplate.spec"),
        (_POD.replace("    FIELD", "  imagePullPolicy: Always"), "spec.imagePullPolicy",
         "it belongs into spec.containers[1]"),
        (_POD.replace("FIELD", "ports: {containerPort: 80}"), "spec.containers[1].ports",
         "put '- ' before it"),
        (_POD.replace("FIELD", "ports: {containerPort: 80, name: a, nam: b}"),
         "spec.containers[1].ports", "put '- ' before it"),
        (_POD.replace("FIELD", "command: sh"), "spec.containers[1].command",
         "write it as a list: [sh]"),
        (_POD.replace("FIELD", "env: {A: b}"), "spec.containers[1].env",
         "write it as a list of name and value"),
        (_POD.replace("FIELD", "tty: 'yes'"), "spec.containers[1].tty", "write true"),
        (_POD.replace("FIELD", "workingDir: 1"), "spec.containers[1].workingDir",
         "quote it"),
        (_POD.replace("FIELD", "nowhere: 1"), "spec.containers[1].nowhere", "remove it"),
    ],
)  # fmt: skip
def test_a_hint_says_where_a_value_belongs(
    tmp_path: Path, text: str, path: str, hint: str
) -> None:
    assert _findings(tmp_path, text)[path].hint.startswith(hint)


def test_mistakes_of_yaml_are_called_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("kind: Pod\nmetadata:\n\tname: a\n")
    (tmp_path / "b.yaml").write_text("kind: Pod\nspec:\n  a: 1\n\n  a: 2\n")
    report = check_paths([str(tmp_path)], load(RELEASES[-1]))
    hints = {finding.file[-6:]: finding.hint for finding in report.findings}
    assert hints["a.yaml"] == "indent with spaces: YAML does not take tabs"
    assert hints["b.yaml"] == "remove one of the two: the other one is on line 3"
