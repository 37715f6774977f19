"""What feature gates decide about is found by asking with gates on and off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from kubestencil.diff import compare
from kubestencil.schema.types import GroupVersionKind, group_version_kind
from kubestencil.validator.process import Validator
from kubestencil.validator.protocol import Answer, Cause, Request
from specs.make.gated.answers import Gated, gated_by
from specs.make.gated.switches import Switches
from tests.conftest import load
from tests.diff_specs import embedded
from tests.validators import built_validator

OPERATORS = {("io.k8s.api.core.v1.Toleration", "operator"): ("Equal", "Exists", "Gt")}
GATES = ("Inner", "Outer", "Value", "Strict", "Change")
CORE = "io.k8s.api.core.v1"
SERVICE: Mapping[str, Any] = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "a"},
    "spec": {
        "type": "ClusterIP",
        "externalIPs": ["10.0.0.1"],
        "ports": [{"port": 1}],
        "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 1}},
        "selector": {"a": "b"},
    },
}


class Server:
    """Answers as an API server would whose gates decide about fields of a Service."""

    program = Path("server")

    def ask(self, requests: Iterable[Request]) -> Iterator[Answer]:
        """The answers in the order of the requests."""
        return map(self._answer, requests)

    def _answer(self, request: Request) -> Answer:
        gates = {gate for gate, is_on in request.feature_gates.items() if is_on}
        if "Unknown" in request.feature_gates:
            return Answer(400, 'the release has no feature gate "Unknown"')
        if "Inner" in gates and "Outer" not in gates:
            on = "depends on features that are disabled: [Outer]"
            return Answer(400, f"Inner is enabled, but {on}")
        assert request.object is not None
        spec: Any = request.object.get("spec", {})
        refused = []
        if spec.get("type") == "ExternalName" and "Value" not in gates:
            refused.append("spec.type")
        if spec.get("externalIPs") == ["010.0.0.1"] and "Strict" in gates:
            refused.append("spec.externalIPs[0]")
        if request.old and request.old["spec"]["ports"] != spec["ports"]:
            refused.extend(["spec.ports"] if "Change" not in gates else [])
        if refused:
            return Answer(422, causes=tuple(Cause("", at, "no") for at in refused))
        affinity = spec.get("sessionAffinityConfig")
        if "Outer" not in gates:
            affinity = None
        elif "Inner" not in gates:
            affinity = {"clientIP": {}}
        stored = {**request.object, "spec": {**spec, "sessionAffinityConfig": affinity}}
        return Answer(201, object=stored)


def test_a_field_is_gated_by_what_its_answers_need() -> None:
    validator = cast(Validator, Server())
    switches = Switches(validator, [*GATES, "Unknown"], {"Inner": ["Outer"]})
    assert switches.order.index("Outer") < switches.order.index("Inner")
    kind = group_version_kind("v1", "Service")
    found = gated_by(load("1.35"), validator, switches, {kind: [SERVICE]}, {})
    assert set(found) == {
        Gated(
            f"{CORE}.ServiceSpec",
            "sessionAffinityConfig",
            "field",
            frozenset({"Outer"}),
        ),
        # What is inside of a gated field needs its gates, too.
        Gated(
            f"{CORE}.ClientIPConfig", "timeoutSeconds", "field", frozenset({"Inner"})
        ),
        Gated(f"{CORE}.ServiceSpec", "type", "values", frozenset({"Value"})),
        Gated(f"{CORE}.ServiceSpec", "externalIPs", "fewer", frozenset({"Strict"})),
        Gated(f"{CORE}.ServiceSpec", "ports", "changes", frozenset({"Change"})),
    }


@pytest.mark.server
def test_the_code_of_an_api_server_names_the_gate_of_a_value() -> None:
    release, kind = load("1.35"), group_version_kind("v1", "Pod")
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {
            "containers": [{"name": "a", "image": "a"}],
            "tolerations": [{"key": "a", "operator": "Equal", "value": "1"}],
        },
    }
    gate = "TaintTolerationComparisonOperators"
    with Validator(built_validator("1.35.0")) as validator:
        switches = Switches(validator, [gate, "EnvFiles"], {})
        found = set(gated_by(release, validator, switches, {kind: [pod]}, OPERATORS))
    assert Gated(f"{CORE}.Toleration", "operator", "values", frozenset({gate})) in found


def test_names_and_addresses_are_gated_and_a_field_beside_a_gated_one_is_not() -> None:
    """The name of a request is refused with all of it where a gate drops what else the
    request has; the name of a Service and the form of an address are asked about."""
    release = load("1.35")
    service = GroupVersionKind("", "v1", "Service")
    claim = GroupVersionKind("resource.k8s.io", "v1", "ResourceClaim")
    device = {"deviceClassName": "a"}
    requests = ({"firstAvailable": [{"name": "a", **device}]}, {"exactly": device})
    names = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
    objects: dict[GroupVersionKind, list[Any]] = {
        service: [
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": {"name": "a"},
                "spec": {"clusterIP": "10.0.0.10", "ports": [{"port": 80}]},
            }
        ],
        claim: [
            {
                **names,
                "metadata": {"name": "a"},
                "spec": {"devices": {"requests": [{"name": "a", **request}]}},
            }
            for request in requests
        ],
    }
    strict, relaxed, listed = (
        "StrictIPCIDRValidation",
        "RelaxedServiceNameValidation",
        "DRAPrioritizedList",
    )
    with Validator(built_validator("1.35.0")) as validator:
        switches = Switches(validator, [strict, relaxed, listed], {})
        found = {
            (fact.definition.rpartition(".")[2], fact.field, fact.effect, *fact.gates)
            for fact in gated_by(release, validator, switches, objects, {})
        }
    assert {
        ("ServiceSpec", "clusterIP", "fewer", strict),
        ("Service", "metadata.name", "values", relaxed),
        ("DeviceRequest", "firstAvailable", "field", listed),
    } <= found
    assert not any(field == "name" for _, field, *_ in found)


def test_components_have_the_gates_that_all_of_them_add() -> None:
    gates = compare(embedded("1.36"), embedded("1.37")).gates
    (change,) = (each for each in gates if each.gate == "NativeHistograms")
    assert {"kubelet", "kube-proxy", "kube-apiserver"} <= set(change.components)


def test_reports_name_what_accepts_more_with_a_gate() -> None:
    comparison = compare(embedded("1.34"), embedded("1.35"))
    rules = {change.users_path: change.rule.name for change in comparison.changes}
    guards = {
        gate.gate: {guard.path for guard in gate.guards} for gate in comparison.gates
    }
    for path, gate in (
        ("Pod.spec.tolerations.operator", "TaintTolerationComparisonOperators"),
        ("PersistentVolume.spec.nodeAffinity", "MutablePVNodeAffinity"),
    ):
        assert rules[path] == "gated-values"
        assert path in guards[gate]


@pytest.mark.parametrize(
    ("before", "after", "gate", "path"),
    [
        # On from 1.36: what 1.35 accepts with a warning is refused.
        *(
            ("1.35", "1.36", "StrictIPCIDRValidation", path)
            for path in (
                "Service.spec.externalIPs",
                "Service.spec.clusterIP",
                "EndpointSlice.endpoints.addresses",
                "Node.spec.podCIDR",
                "NetworkPolicy.spec.ingress.from.ipBlock.except",
            )
        ),
        ("1.35", "1.36", "RelaxedServiceNameValidation", "Service.metadata.name"),
        # Off in 1.37: the server refuses the value Recreate.
        (
            "1.36",
            "1.37",
            "StatefulSetRecreateStrategy",
            "StatefulSet.spec.updateStrategy.type",
        ),
    ],
)
def test_a_gate_of_values_names_the_field(
    before: str, after: str, gate: str, path: str
) -> None:
    gates = compare(embedded(before), embedded(after)).gates
    (change,) = (each for each in gates if each.gate == gate)
    assert path in {guard.path for guard in change.guards}
