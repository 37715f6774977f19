"""``kubestencil check`` without a validator knows what the API server refuses: judged by
the server's own code, on seeded mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking import check_paths
from kubestencil.validator.process import Validator
from tests.conftest import RELEASES, load
from tests.validators import built_validator
from tests.value_mutations import is_at_path, judged

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: REPLICAS
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: LABEL}}
    spec:
      containers:
      - name: web
        image: web:1
        imagePullPolicy: PULL
"""
_RIGHT = {"REPLICAS": "1", "LABEL": "web", "PULL": "Always"}


def _rules(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    (tmp_path / "a.yaml").write_text(text)
    report = check_paths([str(tmp_path)], load(RELEASES[-1]))
    return [
        (finding.rule_id, finding.field_path)
        for finding in report.findings
        if finding.severity == "error"
    ]


def _deployment(**changes: str) -> str:
    text = _DEPLOYMENT
    for name, value in {**_RIGHT, **changes}.items():
        text = text.replace(name, value)
    return text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"REPLICAS": "-1"}, [("out-of-range", "spec.replicas")]),
        (
            {"PULL": "always"},
            [("invalid-enum", "spec.template.spec.containers[0].imagePullPolicy")],
        ),
        (
            {"LABEL": "other"},
            [("mismatched-selector", "spec.template.metadata.labels")],
        ),
        # What is filled in later is not known.
        ({"PULL": "'${POLICY}'"}, []),
        ({"LABEL": "'${APP}'"}, []),
    ],
)
def test_values_are_compared_with_what_the_server_accepts(
    tmp_path: Path, changes: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert _rules(tmp_path, _deployment(**changes)) == expected


def test_fields_that_exclude_or_need_each_other_are_found(tmp_path: Path) -> None:
    text = (
        "{apiVersion: v1, kind: Service, metadata: {name: A}, spec: {type: ClusterIP}}"
    )
    assert sorted(_rules(tmp_path, text)) == [
        ("invalid-name", "metadata.name"),
        ("missing-field", "spec.ports"),
    ]
    text = (
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: "
        "[{name: a, image: a}], volumes: [{name: v, emptyDir: {}, hostPath: {path: /a}}]}}"
    )
    assert _rules(tmp_path, text) == [("forbidden-field", "spec.volumes[0].emptyDir")]


# Some fields of 1.29 are in no object that was asked about.
@pytest.mark.parametrize(("release", "share"), [("1.29", 0.7), ("1.35", 0.75)])
@pytest.mark.parametrize("count", [1_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_mistakes_are_found_and_nothing_that_the_server_accepts(
    release: str, share: float, count: int
) -> None:
    accepted = refused = found = at_path = 0
    with Validator(built_validator(release)) as validator:
        for case in judged(load(release), validator, count):
            if case.answer.accepted:
                accepted += 1
                assert not case.errors, (case.mistake.label, case.errors)
            else:
                refused += 1
                found += bool(case.errors)
                at_path += bool(case.errors) and is_at_path(case)
    assert min(accepted, refused) > count / 5
    assert found / refused > share
    assert at_path / found > 0.9
