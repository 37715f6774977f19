"""``kubestencil check`` without a validator knows what the API server refuses: judged by
the server's own code, on seeded mistakes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kubestencil.checking import check_paths
from kubestencil.validator.process import Validator
from tests.conftest import RELEASES, load
from tests.validators import built_validator
from tests.value_mutations import (
    Compared,
    accepted_objects,
    compared,
    is_at_path,
    judged,
    mistakes,
)

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


def _pod(container: str, metadata: str = "name: a") -> str:
    return (
        f"{{apiVersion: v1, kind: Pod, metadata: {{{metadata}}}, "
        f"spec: {{containers: [{{name: a, image: a, {container}}}]}}}}"
    )


@pytest.mark.parametrize(
    ("request_", "limit", "is_found"),
    [
        ("1", "500m", True),
        ("1000m", "1", False),
        ("1Gi", "1G", True),
        ("1e3", "1k", False),
        ("1025", "1Ki", True),
        ("'${CPU}'", "1", False),
    ],
)
def test_requests_are_compared_with_limits(
    tmp_path: Path, request_: str, limit: str, is_found: bool
) -> None:
    resources = (
        f"resources: {{requests: {{cpu: {request_}}}, limits: {{cpu: {limit}}}}}"
    )
    path = "spec.containers[0].resources.requests"
    expected = [("out-of-range", path)] if is_found else []
    assert _rules(tmp_path, _pod(resources)) == expected


def test_owners_ports_and_claims_are_checked(tmp_path: Path) -> None:
    owner = "{apiVersion: v1, kind: Node, name: a}"
    text = _pod("", f"name: a, ownerReferences: [{owner}]")
    assert _rules(tmp_path, text) == [
        ("missing-field", "metadata.ownerReferences[0].uid")
    ]
    text = (
        "{apiVersion: v1, kind: Service, metadata: {name: a}, "
        "spec: {TYPE ports: [{port: 80, nodePort: 30000}]}}"
    )
    assert _rules(tmp_path, text.replace("TYPE", "")) == [
        ("forbidden-field", "spec.ports[0].nodePort")
    ]
    assert _rules(tmp_path, text.replace("TYPE", "type: NodePort,")) == []
    text = (
        "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {"
        "serviceName: a, selector: {matchLabels: {a: a}}, template: {metadata: "
        "{labels: {a: a}}, spec: {containers: [{name: a, image: a, volumeMounts: "
        "[{name: VOLUME, mountPath: /a}]}]}}, volumeClaimTemplates: [{metadata: "
        "{name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "
        "{storage: 1Gi}}}}]}}"
    )
    assert _rules(tmp_path, text.replace("VOLUME", "data")) == []
    path = "spec.template.spec.containers[0].volumeMounts[0].name"
    assert _rules(tmp_path, text.replace("VOLUME", "other")) == [
        ("invalid-value", path)
    ]


@pytest.mark.parametrize("name", ["{}", "[]", "{a: 1}", "1", "null"])
def test_values_of_wrong_types_are_no_bug(tmp_path: Path, name: str) -> None:
    text = _pod(f"volumeMounts: [{{name: {name}, mountPath: /a}}]")
    volumes = f"spec: {{volumes: [{{name: {name}}}], "
    assert _rules(tmp_path, text.replace("spec: {", volumes))


@pytest.mark.parametrize("release", ["1.29", "1.35"])
@pytest.mark.parametrize(
    ("count", "share"),
    [(1_000, 0.7), pytest.param(8_000, 0.75, marks=pytest.mark.nightly)],
)
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


@pytest.mark.parametrize("release", ["1.29", "1.35"])
@pytest.mark.parametrize(
    "count", [1_000, pytest.param(10_000, marks=pytest.mark.nightly)]
)
def test_checks_with_and_without_a_validator_agree_on_mistakes(
    release: str, count: int
) -> None:
    with Validator(built_validator(release)) as validator:
        objects = accepted_objects(load(release), validator)
        values = (mistake.value for mistake in mistakes(objects, count))
        _check_agreement(compared(load(release), validator, values))


def test_a_place_has_one_finding(tmp_path: Path) -> None:
    """An empty name is missing, and no wrong name besides."""
    text = (
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "
        "metadata: {name: ''}, spec: {group: a.io, scope: Cluster, names: {kind: A, "
        "plural: as, listKind: AList, singular: a}, versions: [{name: v1, served: true, "
        "storage: true, schema: {openAPIV3Schema: {type: object}}}]}}"
    )
    assert _rules(tmp_path, text) == [("missing-field", "metadata.name")]


def _check_agreement(cases: Iterable[Compared]) -> None:
    """No two findings contradict each other, and nearly all are the same."""
    found = same = 0
    for case in cases:
        assert not case.contradicts, case
        found += len(case.without)
        same += len(case.without & case.verdict)
    assert same > 0.9 * found > 0
