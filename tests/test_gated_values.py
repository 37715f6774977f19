"""``specs/gated-values.tsv``: each row, asked of the API server's own code."""

from __future__ import annotations

from typing import Any

import pytest

from kubestencil.diff import Comparison, compare
from kubestencil.schema.knowledge.gates import GatedValue, gate_in, gated_values
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Request
from tests.diff_specs import embedded
from tests.validators import built_validator

Object = dict[str, Any]


def make(kind: str, spec: Object, version: str = "v1", **rest: Any) -> Object:
    metadata = {"name": "a", **rest.pop("metadata", {})}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": metadata,
        **({"spec": spec} if spec else {}),
        **rest,
    }


def pod(container: Object | None = None, **spec: Any) -> Object:
    containers = [{"name": "a", "image": "a", **(container or {})}]
    return make("Pod", {"containers": containers, **spec})


def job(completions: int) -> Object:
    containers = [{"name": "a", "image": "a"}]
    spec = {
        "completionMode": "Indexed",
        **{"completions": completions, "parallelism": completions},
        "template": {"spec": {"containers": containers, "restartPolicy": "Never"}},
    }
    return make("Job", spec, "batch/v1")


def autoscaler(version: str) -> Object:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    spec: Object = {"scaleTargetRef": target, "minReplicas": 0, "maxReplicas": 2}
    if version == "autoscaling/v2":
        external = {
            "metric": {"name": "a"},
            "target": {"type": "Value", "value": "1"},
        }
        spec["metrics"] = [{"type": "External", "external": external}]
        return make("HorizontalPodAutoscaler", spec, version)
    metrics = '[{"type":"External","external":{"metricName":"a","targetValue":"1"}}]'
    annotations = {"autoscaling.alpha.kubernetes.io/metrics": metrics}
    metadata = {"annotations": annotations}
    return make("HorizontalPodAutoscaler", spec, version, metadata=metadata)


def volume(zone: str) -> Object:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": [zone]}]}
    return make(
        "PersistentVolume",
        {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "csi": {"driver": "a.example.com", "volumeHandle": "a"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
        },
    )


def node(count: int) -> Object:
    driver = {"name": "a.example.com", "nodeID": "a", "allocatable": {"count": count}}
    return make("CSINode", {"drivers": [driver]}, "storage.k8s.io/v1")


def ingress() -> Object:
    backend = {"service": {"name": "1a", "port": {"number": 80}}}
    return make("Ingress", {"defaultBackend": backend}, "networking.k8s.io/v1")


_RESTART_ALL: Object = {
    "action": "RestartAllContainers",
    "exitCodes": {"operator": "In", "values": [1]},
}

#: The object that only the gate makes acceptable, and what was there before it.
CASES: dict[tuple[str, str], tuple[Object, Object | None]] = {
    ("JobSpec", "completions"): (job(3), job(2)),
    ("v1.HorizontalPodAutoscalerSpec", "minReplicas"): (
        autoscaler("autoscaling/v1"),
        None,
    ),
    ("v2.HorizontalPodAutoscalerSpec", "minReplicas"): (
        autoscaler("autoscaling/v2"),
        None,
    ),
    ("CSINodeDriver", "allocatable"): (node(2), node(1)),
    ("PersistentVolumeSpec", "nodeAffinity"): (volume("b"), volume("a")),
    ("SleepAction", "seconds"): (
        pod({"lifecycle": {"preStop": {"sleep": {"seconds": 0}}}}),
        None,
    ),
    ("ServiceSpec", "trafficDistribution"): (
        make(
            "Service", {"ports": [{"port": 1}], "trafficDistribution": "PreferSameNode"}
        ),
        None,
    ),
    ("PodDNSConfig", "searches"): (pod(dnsConfig={"searches": ["a_b.example"]}), None),
    ("EnvFromSource", "prefix"): (
        pod({"envFrom": [{"prefix": "a b", "configMapRef": {"name": "a"}}]}),
        None,
    ),
    ("EnvVar", "name"): (pod({"env": [{"name": "a b", "value": "a"}]}), None),
    ("IngressServiceBackend", "name"): (ingress(), None),
    ("ContainerRestartRule", "action"): (
        pod({"restartPolicy": "Never", "restartPolicyRules": [_RESTART_ALL]}),
        None,
    ),
    ("Toleration", "operator"): (
        pod(tolerations=[{"key": "a", "operator": "Gt", "value": "1"}]),
        None,
    ),
}


#: Gates that have to be on where another one is.
NEEDED_GATES = {"RestartAllContainersOnContainerExits": {"NodeDeclaredFeatures": True}}


def case_of(row: GatedValue) -> tuple[Object, Object | None]:
    (case,) = (
        case
        for (definition, field), case in CASES.items()
        if row.field == field and row.definition.endswith(f".{definition}")
    )
    return case


def ask(
    validator: Validator, case: tuple[Object, Object | None], gates: dict[str, bool]
) -> Answer:
    value, old = case
    request = Request(
        "update" if old else "create",
        value,
        old=old,
        namespace="a",
        feature_gates=gates,
    )
    (answer,) = validator.ask([request])
    return answer


@pytest.mark.server
@pytest.mark.parametrize("row", gated_values().values(), ids=lambda row: row.gate)
def test_server_accepts_more_with_the_gate(row: GatedValue) -> None:
    case = case_of(row)
    assert (row.accepts == "changes") is (case[1] is not None)
    verdicts: dict[tuple[str, bool], int] = {}
    for release in ("1.29", "1.35"):
        stage = gate_in(row.gate, release)
        patch = {"1.29": "1.29.6", "1.35": "1.35.0"}[release]
        with Validator(built_validator(patch)) as validator:
            if stage is not None and not stage.locked:
                for value in (False, True):
                    gates = {**NEEDED_GATES.get(row.gate, {}), row.gate: value}
                    answer = ask(validator, case, gates)
                    verdicts[release, value] = answer.code
            elif stage is None and release == "1.29":
                verdicts[release, False] = ask(validator, case, {}).code
            else:
                verdicts[release, True] = ask(validator, case, {}).code
    accepting = {key for key, code in verdicts.items() if code < 300}
    # Refused without, accepted with it; where the gate is locked, in another release.
    assert {value for _, value in accepting} == {True}, verdicts
    assert {value for _, value in verdicts} == {True, False}, verdicts


@pytest.fixture(scope="module")
def latest() -> Comparison:
    return compare(embedded("1.34"), embedded("1.35"))


def test_report_names_what_accepts_more(latest: Comparison) -> None:
    rules = {change.users_path: change.rule.name for change in latest.changes}
    for path in ("Pod.spec.tolerations.operator", "PersistentVolume.spec.nodeAffinity"):
        assert rules[path] == "gated-values"
    guards = {gate.gate: {guard.path for guard in gate.guards} for gate in latest.gates}
    assert (
        "Pod.spec.tolerations.operator" in guards["TaintTolerationComparisonOperators"]
    )
    assert "PersistentVolume.spec.nodeAffinity" in guards["MutablePVNodeAffinity"]
